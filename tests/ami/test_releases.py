import datetime as dt
import re
from pathlib import Path

import pytest
import yaml

import ami
from ami.tables import add_on_versions, ami_releases, compatibility, lifecycle, sdk_releases

TABLES = {
    name: yaml.safe_load(Path(ami.__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8"))
    for name in ("releases", "add_ons")
}

each_sdk = pytest.mark.parametrize("sdk", sdk_releases().values(), ids=sdk_releases())
each_ami = pytest.mark.parametrize("image", ami_releases().values(), ids=ami_releases())
each_add_on = pytest.mark.parametrize(
    ("name", "minor"), [(name, minor) for name, rows in add_on_versions().items() for minor in rows]
)


def numbers(version):
    return tuple(map(int, re.findall(r"\d+", version)))


def named_sources(value):
    if isinstance(value, dict):
        yield from value.get("sources", ())
        if "source" in value:
            yield value["source"]
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from named_sources(inner)


class TestSdkReleases:
    def test_releases(self):
        """The table has 2.26.1 to 2.32.0, newest first, each one time."""
        names = [row["sdk"] for row in TABLES["releases"]["sdk_releases"]]

        assert (names[0], names[-1]) == ("2.32.0", "2.26.1")
        assert names == sorted(set(names), key=numbers, reverse=True)

    def test_dates_follow_the_numbers(self):
        """A later release has a later date."""
        dates = [sdk.released for sdk in sdk_releases().values()]

        assert dates == sorted(set(dates), reverse=True)

    @each_sdk
    def test_components(self, sdk):
        """Every release names driver, runtime, collectives, tools and compiler, the newest build first."""
        assert {
            "aws-neuronx-dkms",
            "aws-neuronx-runtime-lib",
            "aws-neuronx-collectives",
            "aws-neuronx-tools",
            "neuronx-cc",
        } <= set(sdk.components)
        for builds in sdk.components.values():
            assert all(re.fullmatch(r"\d+(\.\d+){2,}", build) for build in builds)
            assert list(builds) == sorted(set(builds), key=numbers, reverse=True)

    def test_torch_neuronx_ends(self):
        """torch-neuronx is last in 2.31.1, and jax_neuronx goes on."""
        with_torch = [name for name, sdk in sdk_releases().items() if "torch-neuronx" in sdk.components]

        assert with_torch[0] == "2.31.1"
        assert all("jax_neuronx" in sdk.components for sdk in sdk_releases().values())

    @each_sdk
    def test_containers(self, sdk):
        """A training container's repository, SDK and Python version are those of its row, and frameworks are fixed."""
        assert list(sdk.training_containers) == ["pytorch", "jax"]
        for framework, image in sdk.training_containers.items():
            if image is None:
                continue
            python = re.fullmatch(
                rf"public\.ecr\.aws/neuron/{framework}-training-neuronx:"
                rf"[\d.]+-neuronx-py3(\d+)-sdk{re.escape(sdk.sdk)}-ubuntu\d\d\.04",
                image,
            )[1]
            assert f"3.{python}" in sdk.python

    @each_sdk
    def test_inference_containers(self, sdk):
        """Inference containers are of the row's SDK too; a package is pinned or only told, not both."""
        for image in sdk.inference_containers:
            assert f"-sdk{sdk.sdk}-" in image
            assert "-inference-" in image
        assert not set(sdk.components) & set(sdk.further_components)

    @each_sdk
    def test_kernels_and_installer(self, sdk):
        """Tested kernels are the newest first, and the EFA installer is a version, from 2.28.0 on 1.47."""
        assert list(sdk.tested_kernels) == sorted(sdk.tested_kernels, key=numbers, reverse=True)
        assert sdk.efa_installer == ("1.47" if numbers(sdk.sdk) >= (2, 28, 0) else "")

    @each_sdk
    def test_ami_releases(self, sdk):
        """The AMI releases of an SDK are all those with its driver, newest first, and no other."""
        assert list(sdk.eks_ami_releases) == [
            name for name, image in ami_releases().items() if image.neuron_driver == sdk.driver
        ]

    def test_only_the_newest_lacks_an_ami(self):
        """Every release but 2.32.0 has an AMI; that one says why not."""
        without = [sdk for sdk in sdk_releases().values() if not sdk.eks_ami_releases]

        assert [sdk.sdk for sdk in without] == ["2.32.0"]
        assert "driver 2.30.2.0" in without[0].note

    def test_trainium3(self):
        """trn3 is in the driver's list from 2.29.0 on."""
        with_trn3 = [name for name, sdk in sdk_releases().items() if "trn3" in sdk.instance_families]

        assert with_trn3[-1] == "2.29.0"
        assert with_trn3 == list(sdk_releases())[: len(with_trn3)]


class TestLifecycle:
    def test_order(self):
        """Events are dated, the newest first, each with its source in words."""
        dates = [event.date for event in lifecycle()]

        assert dates == sorted(dates, reverse=True)
        assert all(event.what and " " in event.source for event in lifecycle())

    def test_pytorch_ends(self):
        """That PyTorch's training containers end is among them, with the release that the containers say."""
        last = next(row for row in sdk_releases().values() if row.training_containers["pytorch"])

        assert any(
            event.what == f"{last.sdk} is the last SDK with a PyTorch training container" for event in lifecycle()
        )
        assert last.released in {event.date for event in lifecycle()}

    def test_compatibility(self):
        """What fits what is told with sources, and holds the limits that are reckoned with."""
        text = " ".join(rule.what for rule in compatibility())

        assert all(limit in text for limit in ("driver 2.29", "runtime 2.33", "runtime 2.32", "driver 2.26", "2.26.10"))
        assert all(" " in rule.source for rule in compatibility())


class TestAmiReleases:
    def test_order(self):
        """Releases run from the newest to the oldest: the lock takes the first that fits."""
        names = [row["release"] for row in TABLES["releases"]["eks_ami_releases"]]

        assert names == sorted(set(names), reverse=True)

    def test_abandoned(self):
        """Releases that the change log marks as abandoned can't be pinned."""
        assert not {"v20260128", "v20260311"} & set(ami_releases())

    @each_ami
    def test_release_versions(self, image):
        """A release version is of the minor that it stands under and of the release's own day."""
        for minor, version in image.release_versions.items():
            assert re.fullmatch(rf"{re.escape(minor)}\.\d+-{image.release.removeprefix('v')}", version)

    @each_ami
    def test_kernels(self, image):
        """Every minor has a kernel: 6.1 up to 1.32, 6.12 up to 1.35, 6.18 from 1.36."""
        expected = {"1.32": "6.1", "1.33": "6.12", "1.34": "6.12", "1.35": "6.12", "1.36": "6.18"}

        assert image.kernels == {minor: expected[minor] for minor in image.release_versions}

    @each_ami
    def test_driver(self, image):
        """An AMI's driver is one that an SDK release ships, written in full."""
        assert image.neuron_driver in {sdk.driver for sdk in sdk_releases().values()}

    def test_drivers_follow_the_days(self):
        """A newer AMI never goes back to an older driver, and patch versions never go back either."""
        images = list(ami_releases().values())
        drivers = [numbers(image.neuron_driver) for image in images]

        assert drivers == sorted(drivers, reverse=True)
        for minor in ("1.32", "1.33", "1.34", "1.35", "1.36"):
            versions = [numbers(image.release_versions[minor]) for image in images if minor in image.release_versions]
            assert versions == sorted(versions, reverse=True)


class TestAddOns:
    def test_names_and_minors(self):
        """Every add-on that a cluster may have is pinned for every minor from 1.33 to 1.36."""
        assert set(add_on_versions()) == {
            "vpc-cni",
            "kube-proxy",
            "coredns",
            "eks-pod-identity-agent",
            "aws-fsx-csi-driver",
            "eks-node-monitoring-agent",
            "aws-ebs-csi-driver",
            "amazon-cloudwatch-observability",
            "aws-mountpoint-s3-csi-driver",
        }
        assert {tuple(rows) for rows in add_on_versions().values()} == {("1.33", "1.34", "1.35", "1.36")}

    @each_add_on
    def test_row(self, name, minor):
        """A row has a build in EKS's form, says why it was chosen, and is no younger than its table."""
        row = add_on_versions()[name][minor]

        assert re.fullmatch(r"v\d+\.\d+\.\d+-eksbuild\.\d+", row.version)
        assert row.chosen in {"aws_default", "confirmed", "newest_seen"}
        assert TABLES["add_ons"]["add_ons"][name][minor]["status"] in {"confirmed", "unconfirmed"}
        assert row.confirmed or row.chosen != "confirmed"
        assert row.sources
        assert row.read_on <= TABLES["add_ons"]["collected"]

    @pytest.mark.parametrize("minor", ["1.33", "1.34", "1.35", "1.36"])
    def test_kube_proxy_is_of_the_minor(self, minor):
        """kube-proxy's build is of the cluster's own minor: another one would not be offered."""
        assert add_on_versions()["kube-proxy"][minor].version.startswith(f"v{minor}.")

    @pytest.mark.parametrize("minor", ["1.33", "1.34", "1.35", "1.36"])
    def test_cni_serves_efa_only(self, minor):
        """The CNI is at least 1.18.5, below which a node with efa-only interfaces does not come up."""
        assert numbers(add_on_versions()["vpc-cni"][minor].version) >= (1, 18, 5)


class TestSources:
    @pytest.mark.parametrize("name", TABLES)
    def test_each_is_used_and_known(self, name):
        """Every source that a row names is described, and every described source is used."""
        table = TABLES[name]
        rows = {key: value for key, value in table.items() if key != "sources"}

        assert set(named_sources(rows)) == set(table["sources"])

    @pytest.mark.parametrize("part", ["sdk_releases", "eks_ami_releases", "compatibility", "lifecycle"])
    def test_each_row_has_one(self, part):
        """No row of the release table is without a source."""
        assert all(row.get("source") or row.get("sources") for row in TABLES["releases"][part])

    @pytest.mark.parametrize("name", TABLES)
    def test_dated(self, name):
        """A table says when it was put together."""
        assert isinstance(TABLES[name]["collected"], dt.date)


class TestReadOnly:
    def test_rows(self):
        """The tables are read one time and shared, so nobody can change them."""
        for mapping in (sdk_releases(), ami_releases(), add_on_versions(), add_on_versions()["vpc-cni"]):
            with pytest.raises(TypeError):
                mapping["x"] = None
