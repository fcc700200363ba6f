"""The field cases that touch templates: each is kept by a test that starts with its id, or says why it can't be yet.

People who provision Trainium, EFA, FSx and EKS ran into them, as the issues of other tools and AWS's forums tell.
"""

import ast
import re
from pathlib import Path

#: The cases by id.
CASES = {
    "EFA-02": "trn1.32xlarge needs eight EFA interfaces",
    "EFA-03": "the device index is not the card's index",
    "EFA-05": "efa on every card eats addresses and confuses routing",
    "EFA-06": "CDK drops the rule that lets EFA out to its own group",
    "EFA-07": "a way out to every address does not let EFA out",
    "EFA-08": "the group for EFA is on some interfaces only",
    "EFA-11": "more EFA interfaces than the type has",
    "EFA-12": "EFA nodes are spread over zones",
    "LT-04": "remote access or disk size beside a launch template",
    "LT-06": "an own image without the cluster in its NodeConfig",
    "LT-07": "image type or release beside an own image",
    "LT-08": "release and launch template changed in one update",
    "LT-09": "the launch template's version is $Latest",
    "LT-10": "user data above 16 KB",
    "NG-01": "the Neuron image type is refused beside trn types",
    "NG-03": "a node group without a size starts two nodes",
    "NG-04": "a deploy resets the size that a scaler set",
    "NG-06": "a rolling update needs capacity that a reservation has not",
    "NG-07": "updates are forced past disruption budgets",
    "NG-08": "the cluster's group is missing where groups are named",
    "NG-10": "a subnet in a zone that does not offer the type",
    "NG-11": "an image release that nobody chose breaks local disks",
    "NG-12": "the image does not know a new type's pods",
    "PG-02": "a placement group of one's own beside a reservation",
    "PG-03": "a cluster placement group with a type that can't",
    "PG-05": "nobody sees the placement group's name",
    "CAP-02": "spot asked for in the launch template",
    "CAP-07": "a reservation is ignored without EFA",
    "FSX-05": "import and export paths with PERSISTENT_2",
    "FSX-06": "a link without association, or on Lustre 2.10",
    "FSX-07": "AL2023 can't mount an old server",
    "FSX-09": "what a file system with EFA needs",
    "FSX-10": "the mount name is guessed",
    "FSX-11": "the file system stands in another zone than the nodes",
    "FSX-12": "a file system is made smaller",
    "FSX-13": "a retained file system goes on costing",
    "FSX-14": "FSx may not use the bucket or its key",
    "S3-02": "broken uploads and old versions pile up",
    "S3-03": "jobs may not use the bucket's key",
    "CFN-02": "an edit replaces the cluster",
    "CFN-04": "a new name leaves the checkpoints behind",
    "CDK-02": "an export that can't be dropped blocks a deploy",
    "CDK-03": "the kubectl layer is missing or too old",
    "CDK-04": "deleting fails on what is still in use",
    "CDK-05": "a template is too large",
    "CDK-06": "a check passes on a value that is not known yet",
    "IAM-02": "the node role's policies and access entry",
    "IAM-03": "the metadata service's hop limit",
    "NET-03": "a small subnet runs out of addresses",
    "HOST-04": "local disks stay unused",
    "HOST-05": "the system sets up secondary interfaces too",
}
#: Cases that no template of today can show, and why.
NOT_YET = {
    "LT-08": "compares two templates; it belongs to what a change does, which reads templates before and after",
    "FSX-12": "compares two environments; it belongs to what a change does",
}
_ID = re.compile(r"([A-Z0-9]+-[0-9]{2}): ")


def kept() -> set[str]:
    """Returns the ids with which tests' docstrings start."""
    found = set()
    for file in Path(__file__).parent.glob("test_cases_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                match = _ID.match(ast.get_docstring(node) or "")
                found |= {match[1]} if match else set()
    return found


class TestCases:
    def test_each_is_tested_or_says_why_not(self):
        """A case is kept by a test or listed with a reason, never both and never neither."""
        assert kept() | set(NOT_YET) == set(CASES)
        assert not kept() & set(NOT_YET)

    def test_reasons(self):
        """What can't be shown yet says why."""
        assert all(len(reason) > 20 for reason in NOT_YET.values())
