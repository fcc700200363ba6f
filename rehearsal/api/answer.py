"""Writes stacks, resources, events and change sets in the shapes of CloudFormation's API."""

import json
from collections.abc import Mapping
from typing import Any

from rehearsal.api.change_set import ChangeSet
from rehearsal.drifts import NOT_CHECKED
from rehearsal.engine import Change, Detail
from rehearsal.handlers.base import VALIDATION_FAILED
from rehearsal.stack import Event, Record, Stack
from rehearsal.templates.template import Template

Answer = dict[str, Any]


def filled(answer: Answer) -> Answer:
    """Leaves the members out that have no value."""
    return {name: value for name, value in answer.items() if value is not None}


def stack(it: Stack, *, is_protected: bool) -> Answer:
    """Writes a stack for ``DescribeStacks``.

    Args:
        it: The stack.
        is_protected: Whether the stack at the root of its tree is protected from deletion.

    Source: localstack/localstack, tests/aws/services/cloudformation/api, test_stacks.snapshot.json (recorded from AWS),
    for what a deleted one lacks.
    """
    is_gone = it.status == "DELETE_COMPLETE"
    return filled(
        {
            "StackId": it.id,
            "StackName": it.name,
            "ChangeSetId": None if is_gone else it.change_set_id,
            "Description": it.deployment.template.description,
            "Parameters": [parameter.described() for parameter in it.deployment.parameters.values()],
            "CreationTime": it.created,
            "LastUpdatedTime": it.updated,
            "DeletionTime": it.deleted,
            "StackStatus": it.status,
            "StackStatusReason": it.reason,
            "Outputs": [
                filled(
                    {
                        "OutputKey": output.key,
                        "OutputValue": output.value,
                        "Description": output.description,
                        "ExportName": output.export,
                    }
                )
                for output in it.outputs
            ],
            "Tags": tags(it.deployment.tags),
            "EnableTerminationProtection": None if is_gone else is_protected,
            "ParentId": it.parent_id,
            "RootId": it.root_id,
            "DriftInformation": _stack_drift(it),
            "DisableRollback": False,
            "RollbackConfiguration": {},
            "NotificationARNs": [],
            "Capabilities": [],
            **it.options,
        }
    )


def stack_summary(it: Stack) -> Answer:
    """Writes a stack for ``ListStacks``."""
    return filled(
        {
            "StackId": it.id,
            "StackName": it.name,
            "TemplateDescription": it.deployment.template.description,
            "CreationTime": it.created,
            "LastUpdatedTime": it.updated,
            "DeletionTime": it.deleted,
            "StackStatus": it.status,
            "StackStatusReason": it.reason,
            "ParentId": it.parent_id,
            "RootId": it.root_id,
            "DriftInformation": _stack_drift(it),
        }
    )


def _stack_drift(it: Stack) -> Answer:
    found = it.drift
    if found is None:
        return {"StackDriftStatus": NOT_CHECKED}
    return {"StackDriftStatus": found.status, "LastCheckTimestamp": found.checked}


def _resource_drift(record: Record) -> Answer:
    found = record.drift
    if found is None:
        return {"StackResourceDriftStatus": NOT_CHECKED}
    return {"StackResourceDriftStatus": found.status, "LastCheckTimestamp": found.checked}


def tags(found: Any) -> list[Answer]:
    """Writes tags as a list."""
    return [{"Key": key, "Value": value} for key, value in found.items()]


def event(it: Stack, one: Event, *, recorded: bool = False) -> Answer:
    """Writes a line of a stack's history, with its time by the rehearsal's clock or when it was recorded."""
    subject = one.subject
    return filled(
        {
            "StackId": it.id,
            "StackName": it.name,
            "EventId": one.event_id,
            "OperationId": one.operation_id,
            "ClientRequestToken": one.client_token,
            "LogicalResourceId": subject.logical_id,
            "PhysicalResourceId": subject.physical_id,
            "ResourceType": subject.type,
            "ResourceStatus": one.status,
            "ResourceStatusReason": one.reason,
            "DetailedStatus": one.code if one.code == VALIDATION_FAILED else None,
            "ResourceProperties": json.dumps(subject.properties) if subject.properties else None,
            "Timestamp": one.recorded if recorded else one.timestamp,
        }
    )


def resource(it: Stack, record: Record) -> Answer:
    """Writes a resource for every API call that shows one; each takes the members that it knows."""
    return filled(
        {
            "StackId": it.id,
            "StackName": it.name,
            "LogicalResourceId": record.logical_id,
            "PhysicalResourceId": record.resource.physical_id,
            "ResourceType": record.resource.type,
            "ResourceStatus": record.status,
            "ResourceStatusReason": record.reason,
            "Timestamp": record.updated,
            "LastUpdatedTimestamp": record.updated,
            "Metadata": json.dumps(record.spec.metadata) if record.spec.metadata else None,
            "DriftInformation": _resource_drift(record),
        }
    )


def change_set(it: Stack, one: ChangeSet, *, with_values: bool, recorded: bool = False) -> Answer:
    """Writes a change set for ``DescribeChangeSet``; a summary takes the members that it knows."""
    deployment = one.deployment
    return filled(
        {
            "ChangeSetName": one.name,
            "ChangeSetId": one.id,
            "StackId": it.id,
            "StackName": it.name,
            "Description": one.description,
            "Parameters": [parameter.described() for parameter in deployment.parameters.values()],
            "Tags": tags(deployment.tags),
            "CreationTime": one.recorded if recorded else one.created,
            "Status": one.status,
            "StatusReason": one.reason,
            "ExecutionStatus": one.execution_status(it),
            "OnStackFailure": one.on_failure,
            "IncludeNestedStacks": one.includes_nested,
            "ImportExistingResources": one.imports_existing,
            "ParentChangeSetId": one.parent_id,
            "RootChangeSetId": one.root_id,
            "Changes": [
                {
                    "Type": "Resource",
                    "ResourceChange": change(
                        found, with_values=with_values, nested=one.nested.get(found.spec.logical_id)
                    ),
                }
                for found in one.changes
            ],
            "NotificationARNs": [],
            "RollbackConfiguration": {},
            "Capabilities": [],
            **{name: value for name, value in one.options.items() if name not in {"DisableRollback", "RoleARN"}},
        }
    )


def change(found: Change, *, with_values: bool, nested: str | None = None) -> Answer:
    """Writes what becomes of one resource; ``nested`` is the id of the change set that says it of a nested stack."""
    scope = dict.fromkeys(detail.attribute for detail in found.details)
    contexts = {
        name: json.dumps({"Properties": properties}, sort_keys=True)
        for name, properties in zip(("BeforeContext", "AfterContext"), found.shown, strict=True)
        if with_values and properties is not None
    }
    return filled(
        {
            "Action": found.action,
            "LogicalResourceId": found.spec.logical_id,
            "PhysicalResourceId": found.physical_id,
            "ResourceType": found.spec.type,
            "Replacement": found.replacement,
            "PolicyAction": found.policy,
            "ChangeSetId": nested,
            "Scope": list(scope),
            "Details": [_detail(detail) for detail in found.details],
            **contexts,
        }
    )


def _detail(one: Detail) -> Answer:
    return filled(
        {
            "Target": filled({"Attribute": one.attribute, "Name": one.name, "RequiresRecreation": one.recreation}),
            "Evaluation": "Dynamic" if one.dynamic else "Static",
            "ChangeSource": one.source,
            "CausingEntity": one.cause,
        }
    )


def template_summary(it: Template, needed: Mapping[str, str]) -> Answer:
    """Writes what a template declares, for ``GetTemplateSummary`` and ``ValidateTemplate``.

    Args:
        it: The template.
        needed: The capability that each resource type needs, for those that need one.
    """
    reason = f"The following resource(s) require capabilities: [{', '.join(sorted(needed))}]" if needed else None
    return filled(
        {
            "Description": it.description,
            "Parameters": [_declared(name, one) for name, one in it.section("Parameters").items()],
            "Capabilities": sorted(set(needed.values()), reverse=True)[:1],
            "CapabilitiesReason": reason,
            "ResourceTypes": list(dict.fromkeys(spec.type for spec in it.resources.values())),
            "Version": it.document.get("AWSTemplateFormatVersion"),
            "Metadata": json.dumps(it.document["Metadata"]) if "Metadata" in it.document else None,
            "DeclaredTransforms": list(it.transforms),
        }
    )


def _declared(name: str, one: Answer) -> Answer:
    default = one.get("Default")
    return filled(
        {
            "ParameterKey": name,
            "ParameterType": one["Type"],
            "DefaultValue": None if default is None else str(default),
            "NoEcho": str(one.get("NoEcho", False)).lower() == "true",
            "Description": one.get("Description"),
            "ParameterConstraints": {"AllowedValues": [str(value) for value in one.get("AllowedValues", [])]},
        }
    )
