"""What an edit does to what is deployed: plain templates in, records out.

Sources of truth are the reviewed overlay, ``impact_overlay.yaml``, and CloudFormation's resource schemas, as they ship
with cfn-lint. ``@aws-cdk/cloudformation-diff`` is not asked: it knows of replacements what the service specification of
the CDK says, follows no reference into another stack, and takes as long to load as all of this; a test holds the
overlay to that specification instead.
"""

from trnstack.advice.impact.compare import compare
from trnstack.advice.impact.model import (
    Action,
    Impact,
    PropertyChange,
    Report,
    ResourceChange,
    Side,
    StackRefusal,
    StackTemplate,
    Way,
)

__all__ = [
    "Action",
    "Impact",
    "PropertyChange",
    "Report",
    "ResourceChange",
    "Side",
    "StackRefusal",
    "StackTemplate",
    "Way",
    "compare",
]
