"""What EC2 refuses to start an instance from."""

import base64

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays.ec2.instance_limits import limits_of, offering_zone_ids
from rehearsal.overlays.ec2.launch_templates import refusals
from trnstack.catalog import INSTANCE_TYPES
from trnstack.layout.interfaces import interfaces


def codes(data, instance_type="trn1.32xlarge", **where):
    return [one.code for one in refusals(data, instance_type, region="us-east-2", **where)]


def nic(card, device, interface_type="efa-only"):
    return {"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": interface_type}


class TestRefusals:
    @pytest.mark.parametrize("row", INSTANCE_TYPES.values(), ids=lambda row: row.name)
    def test_every_layout_passes(self, row):
        """The interfaces that this project lays out are none that EC2 refuses, on any type of the catalog."""
        region = next(iter(row.availability_zone_ids))
        for efa in {False, row.efa_interfaces > 0}:
            laid_out = [
                nic(one.network_card_index, one.device_index, one.interface_type) for one in interfaces(row, efa=efa)
            ]
            assert list(refusals({"NetworkInterfaces": laid_out}, row.name, region=region)) == []

    def test_newer_layout_passes(self):
        """The guide's newest layout, with a plain primary interface and EFA-only ones beside it, passes too."""
        laid_out = [nic(0, 0, "interface"), nic(0, 1), *(nic(card, 0) for card in range(1, 8))]

        assert codes({"NetworkInterfaces": laid_out}) == []

    def test_unknown_type(self):
        """Of a type that nobody knows nothing is refused that depends on the type."""
        assert codes({"NetworkInterfaces": [nic(0, 0, "efa"), nic(40, 1)]}, "trn9.large") == []
        assert codes({"NetworkInterfaces": [nic(0, 0)]}, "trn9.large") == ["InvalidParameterCombination"]

    def test_every_interface_has_a_device(self):
        """A device index is not 0 by default."""
        assert codes({"NetworkInterfaces": [{"InterfaceType": "efa"}]}) == ["InvalidParameterValue"]

    @pytest.mark.parametrize(
        ("instance_type", "zone_ids", "expected"),
        [
            ("trn1.32xlarge", ["use2-az3"], []),
            ("trn1.32xlarge", ["use2-az1", "use2-az3", "use2-az1"], ["Unsupported"]),
            ("trn1.32xlarge", [], []),
            ("trn2.3xlarge", [], ["Unsupported"]),
            ("trn9.large", ["use2-az1"], []),
            ("trn1.32xlarge", ["use2-bos1-az1"], []),
        ],
    )
    def test_zones(self, instance_type, zone_ids, expected):
        """A zone or region without the type is told once; of other kinds of zones and unknown types nothing is."""
        assert codes({}, instance_type, zone_ids=zone_ids) == expected

    @pytest.mark.parametrize(
        ("instance_type", "strategy", "expected"),
        [
            ("t3.large", "cluster", ["InvalidParameterCombination"]),
            ("t3.large", "spread", []),
            ("t3.large", None, []),
            ("trn1.32xlarge", "cluster", []),
        ],
    )
    def test_placement(self, instance_type, strategy, expected):
        """A cluster placement group doesn't take every type."""
        strategies = {"group": strategy} if strategy else {}

        assert codes({"Placement": {"GroupName": "group"}}, instance_type, strategies=strategies) == expected

    @pytest.mark.parametrize(
        ("volume", "expected"),
        [
            ({"VolumeType": "gp3", "VolumeSize": 1, "Iops": 3000, "Throughput": 125}, []),
            ({"VolumeType": "gp3", "Iops": 16_000}, []),
            ({"VolumeType": "gp3", "VolumeSize": 0, "Iops": 5000, "Throughput": 125}, ["InvalidParameterValue"]),
            ({"VolumeType": "io1", "VolumeSize": 100, "Iops": 5001}, ["InvalidParameterValue"]),
            ({"VolumeSize": 8, "Iops": 16_000, "Throughput": 1000}, []),
        ],
    )
    def test_volumes(self, volume, expected):
        """What every gp3 volume has is never too much, and of what the template leaves open nothing is refused."""
        assert codes({"BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": volume}]}) == expected

    def test_user_data_that_is_none(self):
        """User data is base64 text."""
        assert codes({"UserData": "#!/bin/bash"}) == ["InvalidUserData.Malformed"]


def test_limits_agree():
    """The catalog says of a type what EC2 says of it."""
    for name in INSTANCE_TYPES:
        limits = limits_of(name)
        assert limits is not None
        assert len(limits.interfaces_per_card) == INSTANCE_TYPES[name].network_cards


def test_zones_of_an_unread_region():
    """Of a region whose offerings nobody read, nothing is known."""
    assert offering_zone_ids("trn1.32xlarge", "ap-east-2") is None


class TestApi:
    BAD = {"InstanceType": "m5.large", "NetworkInterfaces": [nic(0, 0, "efa")]}

    def test_template_stands_with_a_warning(self, client):
        """A template is made, and says what keeps instances from starting; so does a new version."""
        ec2 = client("ec2")
        made = ec2.create_launch_template(LaunchTemplateName="bad", LaunchTemplateData=self.BAD)
        again = ec2.create_launch_template_version(LaunchTemplateName="bad", LaunchTemplateData=self.BAD)
        good = ec2.create_launch_template(LaunchTemplateName="good", LaunchTemplateData={"InstanceType": "m5.large"})

        for answer in (made, again):
            (error,) = answer["Warning"]["Errors"]
            assert error["Message"] == "m5.large instances do not support Elastic Fabric Adapters."
        assert "Warning" not in good

    def test_user_data_is_refused_at_once(self, client):
        """Too much user data makes no template, and no version of one."""
        text = base64.b64encode(b"#" * 17_000).decode()
        client("ec2").create_launch_template(LaunchTemplateName="old", LaunchTemplateData={"InstanceType": "m5.large"})

        for operation in ("create_launch_template", "create_launch_template_version"):
            name = "old" if operation.endswith("version") else "new"
            with pytest.raises(ClientError, match=r"InvalidUserData\.Malformed.*16384 bytes"):
                getattr(client("ec2"), operation)(LaunchTemplateName=name, LaunchTemplateData={"UserData": text})

    @pytest.mark.parametrize(
        ("specification", "message"),
        [
            ({"Tags": [{"Key": "a", "Value": "b"}]}, "resource type must have a value"),
            ({"ResourceType": "instance"}, "must have at least one tag"),
            ({"ResourceType": "instance", "Tags": [{"Value": "b"}]}, r"parameter Tag\.Key"),
        ],
    )
    def test_tags_of_nothing(self, client, specification, message):
        """Tags say what they are for, and have a key."""
        data = {"InstanceType": "m5.large", "TagSpecifications": [specification]}

        with pytest.raises(ClientError, match=message):
            client("ec2").create_launch_template(LaunchTemplateName="new", LaunchTemplateData=data)

    def test_tag_without_value(self, client):
        """A key alone is a tag whose value is empty."""
        tags = [{"ResourceType": "instance", "Tags": [{"Key": "a"}]}]
        data = {"InstanceType": "m5.large", "TagSpecifications": tags}
        client("ec2").create_launch_template(LaunchTemplateName="new", LaunchTemplateData=data)

        (version,) = client("ec2").describe_launch_template_versions(LaunchTemplateName="new")["LaunchTemplateVersions"]
        assert version["LaunchTemplateData"]["TagSpecifications"][0]["Tags"] == [{"Key": "a", "Value": ""}]

    def test_instances_do_not_start(self, client, network):
        """An instance is refused by its template, by what the request adds to it, and by its subnet's zone."""
        ec2 = client("ec2")
        ec2.create_launch_template(LaunchTemplateName="bad", LaunchTemplateData=self.BAD)
        common = {"ImageId": "ami-12345678", "MinCount": 1, "MaxCount": 1}

        with pytest.raises(ClientError, match=r"InvalidParameterCombination.*Elastic Fabric Adapters"):
            ec2.run_instances(LaunchTemplate={"LaunchTemplateName": "bad"}, **common)
        with pytest.raises(ClientError, match=r"Unsupported.*use2-az1"):
            ec2.run_instances(InstanceType="trn1.32xlarge", SubnetId=network.subnet_ids[1], **common)
        with pytest.raises(ClientError, match="AttachmentLimitExceeded"):
            ec2.run_instances(
                InstanceType="m5.large",
                NetworkInterfaces=[{**nic(0, n, "interface"), "SubnetId": network.subnet_ids[0]} for n in range(4)],
                **common,
            )
