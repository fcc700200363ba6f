"""Surveys clusters and their node groups."""

from collections.abc import Mapping
from typing import Any

from rehearsal.survey.kubernetes import Inside, objects, releases
from rehearsal.survey.paging import every
from rehearsal.survey.records import AccessEntry, Addon, Cluster, Interface, NodeGroup, PodIdentity, SubnetPlace

_RUNNING = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
_DEFAULT_IMDS = {"HttpTokens": "optional", "HttpPutResponseHopLimit": 1}


def clusters(eks: Any, ec2: Any, zones: Mapping[str, str], inside: Inside) -> tuple[Cluster, ...]:
    """Gives every cluster.

    Args:
        eks: EKS's client.
        ec2: EC2's client.
        zones: The zone id of each subnet.
        inside: Gives what the cluster at an endpoint holds.
    """
    return tuple(_cluster(eks, ec2, zones, inside, name) for name in sorted(every(eks, "list_clusters", "clusters")))


def _cluster(eks: Any, ec2: Any, zones: Mapping[str, str], inside: Inside, name: str) -> Cluster:
    found = eks.describe_cluster(name=name)["cluster"]
    contents = inside(found["endpoint"])
    network = found["resourcesVpcConfig"]
    setups = found["logging"]["clusterLogging"]
    encryption = found.get("encryptionConfig") or [{}]
    associations = every(eks, "list_pod_identity_associations", "associations", clusterName=name)
    return Cluster(
        name=name,
        version=found["version"],
        status=found["status"],
        support_type=found.get("upgradePolicy", {}).get("supportType", ""),
        endpoint_public=network["endpointPublicAccess"],
        endpoint_private=network["endpointPrivateAccess"],
        public_access_cidrs=tuple(network.get("publicAccessCidrs", [])),
        authentication_mode=found.get("accessConfig", {}).get("authenticationMode", ""),
        deletion_protection=bool(found.get("deletionProtection")),
        secrets_key_arn=encryption[0].get("provider", {}).get("keyArn"),
        log_types=tuple(kind for setup in setups if setup["enabled"] for kind in setup["types"]),
        access_entries=_access_entries(eks, name),
        addons=_addons(eks, name),
        pod_identities=tuple(_pod_identity(eks, name, one["associationId"]) for one in associations),
        node_groups=tuple(
            _node_group(eks, ec2, zones, (name, group))
            for group in every(eks, "list_nodegroups", "nodegroups", clusterName=name)
        ),
        releases=releases(contents),
        objects=objects(contents),
    )


def _access_entries(eks: Any, cluster: str) -> tuple[AccessEntry, ...]:
    entries = []
    for arn in every(eks, "list_access_entries", "accessEntries", clusterName=cluster):
        identity = {"clusterName": cluster, "principalArn": arn}
        entry = eks.describe_access_entry(**identity)["accessEntry"]
        policies = every(eks, "list_associated_access_policies", "associatedAccessPolicies", **identity)
        names = tuple(policy["policyArn"].rsplit("/", 1)[-1] for policy in policies)
        entries.append(AccessEntry(arn, entry["type"], names, tuple(entry["kubernetesGroups"])))
    return tuple(entries)


def _addons(eks: Any, cluster: str) -> tuple[Addon, ...]:
    names = every(eks, "list_addons", "addons", clusterName=cluster)
    found = (eks.describe_addon(clusterName=cluster, addonName=name)["addon"] for name in names)
    return tuple(Addon(addon["addonName"], addon.get("addonVersion"), addon["status"]) for addon in found)


def _pod_identity(eks: Any, cluster: str, association_id: str) -> PodIdentity:
    found = eks.describe_pod_identity_association(clusterName=cluster, associationId=association_id)["association"]
    return PodIdentity(found["namespace"], found["serviceAccount"], found["roleArn"])


def _node_group(eks: Any, ec2: Any, zones: Mapping[str, str], names: tuple[str, str]) -> NodeGroup:
    cluster, name = names
    found = eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
    template = _template(ec2, found.get("launchTemplate"))
    nodes = _nodes(ec2, cluster, name)
    root = _root_volume(ec2, template, nodes)
    scaling = found["scalingConfig"]
    metadata = {**_DEFAULT_IMDS, **template.get("MetadataOptions", {})}
    target = template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    return NodeGroup(
        name=name,
        status=found["status"],
        ami_type=found.get("amiType"),
        release_version=found.get("releaseVersion"),
        instance_type=template.get("InstanceType") or next(iter(found.get("instanceTypes", [])), None),
        capacity_type=found["capacityType"],
        wanted=scaling["desiredSize"],
        smallest=scaling["minSize"],
        largest=scaling["maxSize"],
        subnets=tuple(SubnetPlace(subnet_id, zones[subnet_id]) for subnet_id in found["subnets"]),
        interfaces=_interfaces(template, nodes),
        http_tokens=metadata["HttpTokens"],
        http_hop_limit=metadata["HttpPutResponseHopLimit"],
        root_volume_encrypted=root.get("Encrypted"),
        root_volume_gib=root.get("Size"),
        placement_group=template.get("Placement", {}).get("GroupName"),
        market_type=template.get("InstanceMarketOptions", {}).get("MarketType"),
        capacity_reservation_id=target.get("CapacityReservationId"),
        capacity_reservation_resource_group_arn=target.get("CapacityReservationResourceGroupArn"),
        labels=found.get("labels", {}),
        taints=tuple(f"{taint['key']}={taint.get('value', '')}:{taint['effect']}" for taint in found.get("taints", [])),
        instances=len(nodes),
        instance_ids=tuple(sorted(node["InstanceId"] for node in nodes)),
    )


def _template(ec2: Any, reference: Mapping[str, str] | None) -> dict[str, Any]:
    """Gives the launch template's data of the version that a node group uses; nothing without a template."""
    if reference is None:
        return {}
    versions = ec2.describe_launch_template_versions(LaunchTemplateId=reference["id"], Versions=[reference["version"]])
    data: dict[str, Any] = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def _nodes(ec2: Any, cluster: str, group: str) -> list[dict[str, Any]]:
    tags = {"eks:cluster-name": cluster, "eks:nodegroup-name": group}
    filters = [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]
    reservations = every(ec2, "describe_instances", "Reservations", Filters=[*filters, *_RUNNING])
    return [instance for reservation in reservations for instance in reservation["Instances"]]


def _interfaces(template: Mapping[str, Any], nodes: list[dict[str, Any]]) -> tuple[Interface, ...]:
    found = [
        Interface(
            network_card_index=one["Attachment"].get("NetworkCardIndex", 0),
            device_index=one["Attachment"]["DeviceIndex"],
            interface_type=one.get("InterfaceType", "interface"),
        )
        for one in (nodes[0]["NetworkInterfaces"] if nodes else [])
    ] or [
        Interface(one.get("NetworkCardIndex", 0), one.get("DeviceIndex", 0), one.get("InterfaceType", "interface"))
        for one in template.get("NetworkInterfaces", [])
    ]
    return tuple(sorted(found, key=lambda one: (one.network_card_index, one.device_index)))


def _root_volume(ec2: Any, template: Mapping[str, Any], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Gives ``Encrypted`` and ``Size`` of a running node's root volume, or of the launch template's, if either says."""
    volumes = [mapping["Ebs"]["VolumeId"] for mapping in (nodes[0]["BlockDeviceMappings"] if nodes else [])]
    if volumes:
        volume = ec2.describe_volumes(VolumeIds=volumes[:1])["Volumes"][0]
        return {"Encrypted": bool(volume["Encrypted"]), "Size": volume["Size"]}
    mappings = template.get("BlockDeviceMappings", [])
    ebs = mappings[0].get("Ebs", {}) if mappings else {}
    return {"Encrypted": bool(ebs.get("Encrypted")), "Size": ebs.get("VolumeSize")} if mappings else {}
