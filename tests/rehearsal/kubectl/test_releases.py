"""Releases: charts rendered with the layer's helm, and what comes of them in the cluster."""

import json
import platform
import textwrap

import pytest

from ami.tables import charts
from rehearsal.charts import names as stand_ins
from rehearsal.handlers.base import ResourceError
from rehearsal.kubectl import helm

QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "trn1"}, "spec": {}}
CHART = "apiVersion: v2\nname: small\nversion: 1.2.3\n"


def chart(template, **files: str):
    """Returns a chart with one template."""
    return {
        "Chart.yaml": CHART,
        "values.yaml": "word: first\n",
        "templates/one.yaml": textwrap.dedent(template),
        **files,
    }


CONFIG_MAP = """
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: words}
    data: {word: "{{ .Values.word }}"}
"""
DEPLOYMENT = """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: one}
    spec:
      selector: {matchLabels: {app: one}}
      template:
        metadata: {labels: {app: one}}
        spec:
          nodeSelector: {{ toJson .Values.nodeSelector }}
          containers: [{name: one, image: "example.com/one:1@sha256:%s"}]
""" % ("0" * 64)


def word(server):
    return next(each.content["data"]["word"] for key, each in server.objects.items() if key.name == "words")


class TestInstallation:
    def test_recorded(self, provider, inside):
        """A release is known by chart, version and revision, and its objects are there with the values in them."""
        provider.release("mine", chart(CONFIG_MAP), Values=json.dumps({"word": "second"}))

        (release,) = inside().releases.values()
        assert (release.name, release.chart, release.version, release.revision) == ("mine", "small", "1.2.3", 1)
        assert (word(inside()), release.unrendered) == ("second", "")

    def test_images(self, provider, inside):
        """The images that a release starts are known."""
        provider.release("mine", chart(DEPLOYMENT))

        assert inside().releases["default", "mine"].images == (f"example.com/one:1@sha256:{'0' * 64}",)

    def test_namespace(self, provider, inside):
        """A namespace is made when asked for, and has to be there otherwise."""
        with pytest.raises(ResourceError, match='namespaces "apart" not found'):
            provider.release("mine", chart(CONFIG_MAP), Namespace="apart")
        provider.release("mine", chart(CONFIG_MAP), Namespace="apart", CreateNamespace=True)

        assert inside().has_namespace("apart")

    @pytest.mark.parametrize("name", stand_ins())
    def test_stand_ins(self, provider, inside, name):
        """Every stand-in chart renders to objects that the cluster takes."""
        values = {"npd": {"namespaceOverride": "kube-system"}, "scheduler": {"enabled": True}}
        provider.release(
            name,
            provider.stand_in(name, "9.8.7"),
            Namespace="system",
            CreateNamespace=True,
            Values=json.dumps(values if name == "neuron-helm-chart" else {}),
        )

        (release,) = inside().releases.values()
        assert (release.chart, release.version) == (name, "9.8.7")
        assert release.images

    def test_upgrade(self, provider, inside, change):
        """Other values upgrade a release in place."""
        made = provider.release("mine", chart(CONFIG_MAP))
        change(made, Values=json.dumps({"word": "second"}))

        assert (word(inside()), inside().releases["default", "mine"].revision) == ("second", 2)

    def test_removed_template(self, provider, inside, change):
        """An object that the new chart does not have goes."""
        made = provider.release("mine", chart(CONFIG_MAP))
        provider.put_chart("mine-2.zip", chart(DEPLOYMENT))
        change(made, ChartAssetURL="s3://assets/mine-2.zip")

        assert not [key for key in inside().objects if key.name == "words"]

    def test_uninstalled(self, provider, inside, drop):
        """A release goes with its objects, and the namespace stays."""
        drop(provider.release("mine", chart(CONFIG_MAP), Namespace="apart", CreateNamespace=True))

        assert (inside().releases, inside().has_namespace("apart")) == ({}, True)
        assert not [key for key in inside().objects if key.name == "words"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("files", "says"),
        [
            ({}, "Chart.yaml file is missing"),
            ({"Chart.yaml": "name: small\nversion: 1.0.0\n"}, "chart.metadata.apiVersion is None"),
            ({"Chart.yaml": "apiVersion: v2\nname: small\n"}, "chart.metadata.version is required"),
            ({"Chart.yaml": CHART, "templates/x.yaml": "{{ .Values.a.b }}"}, "nil pointer"),
            ({"Chart.yaml": CHART, "templates/x.yaml": "a: b: c"}, "(YAML|mapping)"),
            (
                {"Chart.yaml": f"{CHART}dependencies: [{{name: x, version: 1.0.0, repository: ''}}]\n"},
                "missing in charts/",
            ),
            ({"../Chart.yaml": CHART, "Chart.yaml": CHART}, "outside of the chart"),
            (
                {"Chart.yaml": CHART, "values.schema.json": '{"required": ["needed"]}', "values.yaml": "{}"},
                "needed",
            ),
        ],
        ids=["no chart", "no form", "no version", "nil", "no yaml", "no dependency", "outside", "schema"],
    )
    def test_chart(self, provider, inside, files, says):
        """What is no chart, or does not render with its values, is refused with helm's words, and leaves nothing."""
        with pytest.raises(ResourceError, match=says):
            provider.release("mine", files)
        assert not inside().releases

    @pytest.mark.parametrize(
        ("properties", "says"),
        [
            ({"Release": "Mine"}, "release name is invalid: Mine"),
            ({"Release": "m" * 54}, "release name is invalid"),
            ({"Namespace": "No_Namespace"}, 'Namespace "No_Namespace" is invalid'),
            ({"Values": "{"}, "Values: JSONDecodeError"),
            ({"Values": "[]"}, "the values are no mapping"),
            ({"Timeout": "soon"}, 'invalid argument "soon"'),
            ({"ChartAssetURL": "https://x/y"}, "must point to as s3 location"),
            ({"ChartAssetURL": "s3://assets/nothing.zip"}, "does not exist"),
            ({"ChartAssetURL": "s3://nowhere/nothing.zip"}, "does not exist"),
            ({"Version": "1.0.0"}, "Version and ChartAssetURL"),
            ({"ChartAssetURL": None, "Chart": "kueue"}, "downloads none: kueue"),
            ({"Valeus": "{}"}, "does not read the property Valeus"),
            ({"ClusterName": "other"}, "No cluster found for name: other"),
        ],
    )
    def test_properties(self, provider, properties, says):
        """A property that can't be is refused."""
        with pytest.raises(ResourceError, match=says):
            provider.release("mine", chart(CONFIG_MAP), **properties)

    def test_invalid_object(self, provider, inside):
        """A rendered object that the API server would not take is refused, and with it the whole release."""
        wrong = DEPLOYMENT.replace("selector:", "slector:")

        with pytest.raises(ResourceError, match='Deployment "one" is invalid'):
            provider.release("mine", chart(CONFIG_MAP, **{"templates/two.yaml": textwrap.dedent(wrong)}))
        assert not inside().releases
        assert not [key for key in inside().objects if key.name == "words"]

    def test_unknown_kind(self, provider):
        """A chart with an object of a kind that is not there is refused before anything is made."""
        with pytest.raises(ResourceError, match=r"unable to build kubernetes objects.*no matches for kind"):
            provider.release("mine", chart(json.dumps(QUEUE)))

    def test_taken_over(self, provider):
        """What is there and not the release's own is not taken over."""
        provider.release("mine", chart(CONFIG_MAP))

        with pytest.raises(
            ResourceError, match='ConfigMap "words" in namespace "default" exists and cannot be imported'
        ):
            provider.release("other", chart(CONFIG_MAP))

    @pytest.mark.usefixtures("node_group")
    def test_no_node_takes_its_pods(self, provider, inside):
        """With Wait a deployment needs nodes that take its pods; every text is true, as for the function's code."""
        nowhere, somewhere = ({"nodeSelector": {"role": role}} for role in ("system", "trn"))

        with pytest.raises(ResourceError, match="no node takes its pods: Deployment/one"):
            provider.release("mine", chart(DEPLOYMENT), Values=json.dumps(nowhere), Wait=False)
        provider.release("mine", chart(DEPLOYMENT), Values=json.dumps(somewhere), Wait=True)
        provider.release("late", chart(DEPLOYMENT.replace("one", "two")), Values=json.dumps(nowhere))

        assert len(inside().releases) == 2

    def test_definitions_in_use(self, provider, inside, drop):
        """A release whose kinds still have objects does not go: what takes their finalizers away would be gone."""
        made = provider.release("kueue", provider.stand_in("kueue", "0.19.2"))
        flavor = provider.objects(QUEUE)

        with pytest.raises(ResourceError, match="ResourceFlavor trn1; those objects have to go first"):
            drop(made)
        drop(flavor)
        drop(made)
        assert not inside().releases


class TestControllers:
    """What controllers write into what their charts declare."""

    TRAINER = "kubeflow-trainer"

    def given(self, provider, **files):
        """Returns the stand-in of Trainer, with other files in the places of its own; None takes one away."""
        found = {**provider.stand_in(self.TRAINER, "2.3.0"), **files}
        return {path: content for path, content in found.items() if content is not None}

    def upgrade(self, provider, change, made, **files):
        provider.put_chart("next.zip", self.given(provider, **files))
        change(made, ChartAssetURL="s3://assets/next.zip")

    def left_out(self):
        """Returns what is handed to Helm in the place of the chart's own files."""
        row = charts()[self.TRAINER]
        return {path: json.dumps(dict(instead)) for path, instead in row.left_out.items()}

    def test_conflict(self, provider, inside, change):
        """An upgrade that declares the keys of a certificate, as the chart does, is refused, and changes nothing."""
        made = provider.release(self.TRAINER, self.given(provider))

        with pytest.raises(
            ResourceError,
            match=r"jobset-webhook-server-cert, Kind=Secret: Apply failed with 4 conflicts: \.data\.ca\.crt",
        ):
            self.upgrade(provider, change, made)
        assert inside().releases["default", self.TRAINER].revision == 1

    def test_left_out(self, provider, inside, change):
        """Without them it goes through."""
        made = provider.release(self.TRAINER, self.given(provider, **self.left_out()))
        self.upgrade(provider, change, made, **self.left_out())

        assert inside().releases["default", self.TRAINER].revision == 2
        assert any(key.name == "jobset-webhook-server-cert" for key in inside().objects)

    def test_bundle(self, provider, change):
        """The bundle that a webhook is called with is the controller's as well."""
        made = provider.release(self.TRAINER, self.given(provider, **self.left_out()))
        path = "templates/manager.yaml"
        text = provider.stand_in(self.TRAINER, "2.3.0")[path].decode()
        declaring = text.replace("    clientConfig:\n", "    clientConfig:\n      caBundle: Cg==\n")
        assert declaring != text

        with pytest.raises(
            ResourceError, match=r"Apply failed with 1 conflict: \.webhooks\..*\.clientConfig\.caBundle"
        ):
            self.upgrade(provider, change, made, **self.left_out(), **{path: declaring})

    @pytest.mark.usefixtures("node_group")
    def test_missing(self, provider):
        """Pods that mount a Secret which nobody makes don't start."""
        (path,) = self.left_out()
        away = {path: None}

        with pytest.raises(ResourceError, match="what its pods mount is not there: Deployment/jobset-controller"):
            provider.release(self.TRAINER, self.given(provider, **away), Wait=True)
        provider.release(self.TRAINER, self.given(provider, **self.left_out()), Wait=True)

    @pytest.mark.parametrize(("version", "on_server"), [("v3.17.2", False), ("v4.1.4", True)])
    def test_version(self, tmp_path, version, on_server):
        """Which Helm applies on the server is told by its version."""
        file = tmp_path / "helm"
        file.write_text(f"#!/bin/sh\necho {version}\n")
        file.chmod(0o755)

        assert helm.applies_on_server(file) is on_server

    def test_client_side(self, provider, change, monkeypatch):
        """Helm 3 looks at what it applied itself, and refuses nothing."""
        monkeypatch.setattr(helm, "applies_on_server", lambda _: False)
        made = provider.release(self.TRAINER, self.given(provider))
        self.upgrade(provider, change, made)


class TestHelm:
    def test_layer_without(self, provider, change):
        """Without the layer there is no helm."""
        change(provider.handler, Layers=None)

        with pytest.raises(ResourceError, match="No such file or directory: 'helm'"):
            provider.release("mine", chart(CONFIG_MAP))

    def test_another_system(self, provider, inside, monkeypatch):
        """Where the layer's helm can't run, the release says so, and has no objects."""
        monkeypatch.setattr(platform, "system", lambda: "Darwin")
        monkeypatch.setattr(platform, "machine", lambda: "arm64")
        provider.release("mine", chart(CONFIG_MAP))

        release = inside().releases["default", "mine"]
        assert release.unrendered == "the layer's helm is for Linux on x86-64, and this is Darwin on arm64"
        assert not [key for key in inside().objects if key.name == "words"]

    def test_kept(self, provider, tmp_path):
        """It is unpacked once, for its person alone."""
        provider.release("mine", chart(CONFIG_MAP))
        (kept,) = (tmp_path / "cache" / "trnstack").glob("helm-*/helm")
        written = kept.stat().st_mtime_ns
        provider.release("other", chart(CONFIG_MAP.replace("words", "other")))

        assert (kept.stat().st_mode & 0o777, kept.stat().st_mtime_ns) == (0o700, written)

    @pytest.mark.parametrize("home", ["/proc/nope", "/dev/null"])
    def test_no_home(self, provider, inside, monkeypatch, home):
        """Without a home folder that can be written it is kept in a folder of this process's own."""
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", home)
        provider.release("mine", chart(CONFIG_MAP))

        assert inside().releases["default", "mine"].unrendered == ""
        assert [key for key in inside().objects if key.name == "words"]

    def test_no_room(self, provider, inside, monkeypatch, tmp_path):
        """Where it can't be kept anywhere, the release says so."""
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        monkeypatch.setattr(helm, "_folder_of_process", lambda: tmp_path / "file")
        provider.release("mine", chart(CONFIG_MAP))

        assert "can't be kept" in inside().releases["default", "mine"].unrendered
