import pytest

from rehearsal.handlers.base import NOT_MODELLED, ResourceError


class TestWaiting:
    def test_handle(self, make, change, drop):
        """A handle is an address and nothing else."""
        handle = make("AWS::CloudFormation::WaitConditionHandle", "Handle")
        change(handle)
        drop(handle)

        assert handle.physical_id.startswith("https://cloudformation-waitcondition-us-east-2.s3.us-east-2.")
        assert handle.physical_id.endswith("/Handle")

    def test_without_a_handle(self, make):
        """A condition that waits for nothing holds."""
        assert make("AWS::CloudFormation::WaitCondition", "Ready").attributes == {"Data": "{}"}

    def test_signals(self, make):
        """A condition that waits for a signal says that none will come, in place of failing as AWS would."""
        with pytest.raises(ResourceError, match="nothing here would tell Ready to go on") as refused:
            make("AWS::CloudFormation::WaitCondition", "Ready", Handle="https://x", Timeout="10")

        assert refused.value.code == NOT_MODELLED
