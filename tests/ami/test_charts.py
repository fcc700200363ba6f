import re
from pathlib import Path

import pytest
import yaml

import ami
from ami.registry.names import HttpChart, Name, chart_name, image_name
from ami.tables import add_on_versions, chart_images, charts, collected_on, eks_registries
from trnstack.catalog import INSTANCE_TYPES, KUBERNETES_VERSIONS, ZONE_IDS

TABLE = yaml.safe_load(Path(ami.__file__).with_name("charts.yaml").read_text(encoding="utf-8"))
REGION = "us-west-2"

each_chart = pytest.mark.parametrize("row", charts().values(), ids=charts())


def minor(text):
    return tuple(map(int, text.split(".")))


class TestCharts:
    def test_names(self):
        """The table has every chart of a cluster, each under its own name."""
        assert set(charts()) == {"neuron-helm-chart", "aws-efa-k8s-device-plugin", "kueue", "kubeflow-trainer"}
        assert all(row.name == name for name, row in charts().items())

    @each_chart
    def test_version(self, row):
        """A chart is pinned to one version in full, never to a range or to the newest."""
        assert re.fullmatch(r"v?\d+\.\d+\.\d+", row.version)

    @each_chart
    def test_location(self, row):
        """A chart's location can be asked, and ends with the chart's name."""
        chart = chart_name(row.location, row.version)

        assert isinstance(chart, Name | HttpChart)
        assert row.location.endswith(f"/{row.name}")

    @each_chart
    def test_images_can_be_asked(self, row):
        """Every image, once, those of further settings too, has a registry and a tag that is no moving one."""
        assert len(set(row.images)) == len(row.images)
        for image in chart_images(row, REGION, "1.35", settings=row.optional_images):
            name = image_name(image)
            assert image.startswith(f"{name.host}/")
            assert re.search(r"\d+\.\d+", name.tag)

    @each_chart
    def test_digest(self, row):
        """A digest is in the form in which a lock has it."""
        assert row.digest is None or re.fullmatch(r"sha256:[0-9a-f]{64}", row.digest)

    def test_left_out(self):
        """JobSet's controller writes a Secret whose keys its chart declares: it is made without them, by its name."""
        ((path, instead),) = charts()["kubeflow-trainer"].left_out.items()

        assert path == "charts/jobset/templates/internalcert/secret.yaml"
        assert instead == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "jobset-webhook-server-cert"}}
        assert not any(row.left_out for name, row in charts().items() if name != "kubeflow-trainer")

    @each_chart
    def test_source(self, row):
        """A row has a status and a source, and is no younger than its table."""
        assert TABLE["charts"][row.name]["status"] in {"confirmed", "unconfirmed"}
        assert row.sources
        assert row.read_on <= TABLE["collected"]
        assert collected_on() >= TABLE["collected"]

    @each_chart
    def test_kubernetes(self, row):
        """A chart serves every minor that add-ons are pinned for."""
        assert row.kubernetes_minimum is None or all(
            minor(row.kubernetes_minimum) <= minor(pinned) for pinned in add_on_versions()["vpc-cni"]
        )

    def test_sources_are_used_and_known(self):
        """Every source that a row names is described, and every described source is used."""
        used = {key for row in TABLE["charts"].values() for key in row["sources"]}

        of_tables = {key for table in ("eks_registries", "kube_schedulers") for key in TABLE[table]["sources"]}

        assert used | of_tables == set(TABLE["sources"])

    def test_trainer_brings_jobset(self):
        """The trainer's chart starts the controller of its dependency jobset as well."""
        images = chart_images(charts()["kubeflow-trainer"], REGION, "1.35")

        assert [image_name(image).repository for image in images] == [
            "kubeflow/trainer/trainer-controller-manager",
            "jobset/jobset",
        ]

    def test_rows_are_shared(self):
        """The table is read one time and shared, so nobody can change it."""
        for mapping in (charts(), eks_registries(), charts()["neuron-helm-chart"].optional_images):
            with pytest.raises(TypeError):
                mapping["x"] = None


class TestChartImages:
    def test_region(self):
        """The EFA plugin comes from the registry of EKS add-ons in the cluster's own region."""
        row = charts()["aws-efa-k8s-device-plugin"]

        assert chart_images(row, "us-west-2", "1.35") == (
            "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20",
        )
        assert chart_images(row, "ap-south-2", "1.36") == (
            "900889452093.dkr.ecr.ap-south-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20",
        )

    def test_settings(self):
        """The Neuron scheduler and its kube-scheduler are among the images only when the setting is on."""
        row = charts()["neuron-helm-chart"]
        without = chart_images(row, REGION, "1.35")
        with_it = chart_images(row, REGION, "1.35", settings=("neuron_scheduler", "x"))

        assert not any("scheduler" in image for image in without)
        assert [image_name(image).repository for image in with_it[len(without) :]] == [
            "neuron/neuron-scheduler",
            "eks-distro/kubernetes/kube-scheduler",
        ]

    def test_kube_scheduler(self):
        """The kube-scheduler is of the cluster's minor, of which EKS-D tells every one that the catalog knows."""
        row = charts()["neuron-helm-chart"]
        for known in KUBERNETES_VERSIONS:
            image = chart_images(row, REGION, known, settings=("neuron_scheduler",))[-1]
            assert image.partition(":")[2].startswith(f"v{known}.")
            assert image.endswith(f"-eks-{known.replace('.', '-')}-{image.rpartition('-')[2]}")

    def test_unknown_kube_scheduler(self):
        """A chart that starts a kube-scheduler has no containers on a minor of which none is known; others have."""
        with pytest.raises(KeyError):
            chart_images(charts()["neuron-helm-chart"], REGION, "1.99", settings=("neuron_scheduler",))
        assert chart_images(charts()["neuron-helm-chart"], REGION, "1.99")


class TestEksRegistries:
    def test_every_region(self):
        """Every region that an environment may name has a registry, those with Trainium first of all."""
        with_trainium = {region for row in INSTANCE_TYPES.values() for region in row.availability_zone_ids}

        assert with_trainium
        assert with_trainium <= set(eks_registries())
        assert set(eks_registries()) == set(ZONE_IDS)

    def test_hosts(self):
        """A registry is an ECR host of its own region; where regions need no opt-in, it is one account's."""
        for region, host in eks_registries().items():
            assert re.fullmatch(rf"[0-9]{{12}}\.dkr\.ecr\.{region}\.amazonaws\.com", host)
        assert {eks_registries()[region][:12] for region in ("us-east-1", "us-east-2", "us-west-2", "sa-east-1")} == {
            "602401143452"
        }
        opt_in = [host[:12] for host in eks_registries().values() if not host.startswith("602401143452")]
        assert len(opt_in) == len(set(opt_in))
