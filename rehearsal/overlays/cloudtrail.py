"""CloudTrail's event history, in which a rehearsal leaves nothing.

Source: CloudTrail API reference, LookupEvents: ``Events`` is empty where nothing matches; aws/aws-cdk-cli,
packages/@aws-cdk/toolkit-lib, which asks it why a deployment failed.
"""

from moto.cloudtrail.responses import CloudTrailResponse
from moto.core.responses import ActionResult


class Response(CloudTrailResponse):
    """CloudTrail's API with an event history; the CDK CLI asks it for reasons after every failure."""

    def lookup_events(self) -> ActionResult:
        """Answers LookupEvents: there are no events."""
        return ActionResult({"Events": []})
