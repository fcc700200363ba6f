"""What stands before a rehearsal's first deploy."""

import json

from rehearsal.story.standing import server_options


class TestServerOptions:
    def test_all_new(self, planned, tmp_path):
        """Where the environment makes all that it names, nothing stands before."""
        assert server_options(planned("llama3-8b-trn1"), account="123456789012", folder=tmp_path) == ()
        assert list(tmp_path.iterdir()) == []

    def test_existing_vpc(self, planned, tmp_path):
        """The facts of the file are what stands, in the account and region that are deployed to."""
        plan = planned("existing-vpc-trn1")
        option, file = server_options(plan, account="123456789012", folder=tmp_path)
        facts = json.loads((tmp_path / "standing.json").read_text())

        assert (option, file) == ("--seed", str(tmp_path / "standing.json"))
        assert (facts["account"], facts["region"]) == ("123456789012", "us-east-2")
        assert (facts["vpc_id"], facts["cidr"]) == (plan.network.existing_vpc.vpc_id, "10.40.0.0/16")
        assert [subnet["subnet_id"] for subnet in facts["subnets"]] == [
            subnet.subnet_id for subnet in plan.network.existing_vpc.subnets
        ]

    def test_buckets(self, planned, tmp_path):
        """Datasets stand, and the bucket of the copies in its own region, as S3 wants it for a locked bucket."""
        server_options(planned("datasets-trn1"), account="123456789012", folder=tmp_path)
        facts = json.loads((tmp_path / "standing.json").read_text())

        copies, *datasets = facts["buckets"]
        assert (copies["region"], copies["versioned"], copies["locked"]) == ("us-west-2", True, True)
        assert [bucket["name"] for bucket in datasets] == [
            "ml-platform-datasets-us-east-2",
            "ml-platform-evaluation-us-east-2",
        ]
        assert "vpc_id" not in facts

    def test_adopted_storage(self, planned, tmp_path):
        """A bucket and a file system that are adopted stand under their own names and ids."""
        plan = planned("adopted-storage-trn1")
        server_options(plan, account="123456789012", folder=tmp_path)
        facts = json.loads((tmp_path / "standing.json").read_text())

        assert [bucket["name"] for bucket in facts["buckets"]] == [plan.storage.checkpoints.name]
        assert facts["file_system"]["file_system_id"] == plan.storage.lustre.file_system_id
        assert facts["file_system"]["subnet_id"] == facts["subnets"][0]["subnet_id"]
