"""An entry that is taken from a list takes its own resources with it and moves no other's."""

import json

import pytest

ROLES = tuple(f"arn:aws:iam::111122223333:role/{name}" for name in ("one", "two", "ops/three"))
ASSOCIATIONS = tuple({"file_system_path": path, "prefix": path[1:]} for path in ("/a-b", "/a/b", "/checkpoints"))
GROUPS = tuple({"name": name, "instance_type": "trn1.2xlarge", "node_count": 1} for name in ("aa", "bb", "cc"))
ENDPOINTS = ("ecr.api", "sts", "ssm")


def lists(values):
    """Yields the whole list, and the list without each of its entries."""
    yield from (values, *(values[:gone] + values[gone + 1 :] for gone in range(len(values))))


def named(made):
    """Returns what an object in the cluster is known by."""
    text = made["Properties"]["Manifest"]
    parts = [text] if isinstance(text, str) else text["Fn::Join"][1]
    (each,) = json.loads("".join(part for part in parts if isinstance(part, str)))
    return each["kind"], each["metadata"]["name"], made["Properties"]["ServiceToken"]


@pytest.mark.parametrize(
    ("values", "sections"),
    [
        (("10.9.0.0/24", "10.8.0.0/24", "10.7.0.0/24"), lambda some: {"network": {"client_cidrs": some}}),
        (ENDPOINTS, lambda some: {"network": {"interface_endpoints": some}}),
        (ROLES, lambda some: {"eks": {"admin_role_arns": some}}),
        (ASSOCIATIONS, lambda some: {"storage": {"lustre": {"data_repository_associations": some}}}),
        (("a@example.com", "b@example.com", "b@example.org"), lambda some: {"observability": {"alarm_emails": some}}),
        (GROUPS, lambda some: {"more_node_groups": some}),
    ],
    ids=["client_cidrs", "interface_endpoints", "admin_role_arns", "associations", "alarm_emails", "node_groups"],
)
def test_the_others_stay(variant, values, sections):
    """No neighbour is replaced, refused as a duplicate half way, or deleted although another one still needs it.

    CloudFormation knows a resource by its logical id, which must not follow the place in the list.
    """
    whole, *less = [variant("llama3-8b-trn2-block", **sections(some)) for some in lists(values)]

    for assembly in less:
        for name, template in assembly.items():
            for logical_id, made in template["Resources"].items():
                if made["Type"] == "AWS::IAM::Role" and logical_id.startswith("Trainer"):
                    continue  # what jobs may do follows what is linked
                other = whole[name]["Resources"][logical_id]
                if made["Type"] == "Custom::AWSCDK-EKS-KubernetesResource":
                    # What jobs are told and the queue hands out follows both lists: the same object, updated in place.
                    assert named(made) == named(other)
                    continue
                # The order in which resources are made is none of theirs: a link waits for the one before it.
                mine, theirs = ({**each, "DependsOn": None} for each in (made, other))
                assert mine == theirs, (name, logical_id)
        assert sum(len(each["Resources"]) for each in assembly.values()) < sum(
            len(each["Resources"]) for each in whole.values()
        )
