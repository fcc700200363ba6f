"""An AWS that is laid out by a test, behind boto3's own clients, and a registry that knows what a test tells it.

The clients check each request and each answer against the services' models, as botocore's Stubber does; but they answer
in any order and from any thread, which a lock is resolved with.
"""

import base64
import copy
import dataclasses
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore import xform_name
from botocore.awsrequest import AWSResponse
from botocore.validate import validate_parameters

from ami import offline, remember
from ami.archives import digest_of as archive_digest_of
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, Inputs, Lock
from ami.recipes import source_hash
from ami.resolve import Aws, resolve
from ami.rows import ChartRow
from ami.tables import add_on_versions, charts
from rehearsal.charts import archive

if TYPE_CHECKING:
    from ami.registry import RegistryError

REGION, ACCOUNT, PUBLISHER = "us-east-2", "111122223333", "602401143452"
MINOR = "1.35"
INPUTS = Inputs(
    environment="llama3-8b",
    region=REGION,
    kubernetes_version=MINOR,
    neuron_sdk="2.30.0",
    framework="pytorch",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED, "spare": EKS_OPTIMIZED},
    image_regions=(),
    add_ons=("coredns", "vpc-cni"),
    charts=("aws-efa-k8s-device-plugin", "kueue"),
    chart_settings=(),
)
CUSTOM = dataclasses.replace(
    INPUTS,
    neuron_sdk="2.32.0",
    framework="jax",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": f"custom neuron {source_hash('neuron')}"},
    image_regions=("us-west-2",),
)
_VARIANTS = {"AL2023_x86_64_NEURON": "neuron", "AL2023_x86_64_STANDARD": "standard"}


def digest_of(name: str) -> str:
    """Returns what the registry of the tests says that a name means."""
    return f"sha256:{name.encode().hex():0>64.64}"


def path_of(ami_type: str, release: str, minor: str = MINOR) -> str:
    variant = _VARIANTS[ami_type]
    folder = f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/x86_64/{variant}"
    return f"{folder}/amazon-eks-node-al2023-x86_64-{variant}-{minor}-{release}"


@dataclass
class World:
    """What AWS has, which a test may change.

    Attributes:
        account: The account of the credentials.
        address: The address at which AWS answers; None for its own.
        parameters: Systems Manager's parameters in the environment's region.
        images: EC2's images by region.
        add_ons: The versions of add-ons by name, each with whether it is the default.
        refusals: The error codes of operations that are refused, such as ``{"ssm:GetParameters": "AccessDenied"}``.
        asked: The operations that were called, with region and parameters, oldest first.
    """

    account: str = ACCOUNT
    address: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    images: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    add_ons: dict[str, dict[str, bool]] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    @property
    def aws(self) -> Aws:
        return Aws(self.client, region=REGION)

    def operations(self) -> list[str]:
        return [operation for operation, _, _ in self.asked]

    def client(self, service: str, region: str) -> Any:
        client = boto3.client(service, region_name=region, endpoint_url=self.address)
        client.meta.events.register(f"before-parameter-build.{service}", self._note)
        client.meta.events.register(f"before-call.{service}", self._answer)
        return client

    def _note(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["asked"] = copy.deepcopy(params)

    def _answer(self, model: Any, context: dict[str, Any], **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        service, params, region = model.service_model.service_name, context["asked"], context["client_region"]
        operation = f"{service}:{model.name}"
        self.asked.append((operation, region, params))
        code = self.refusals.get(operation)
        if code is None:
            answer = getattr(self, f"_{xform_name(model.name)}")(params, region)
            code = answer.pop("code", None) if isinstance(answer, dict) else None
        if code is not None:
            parsed = {"Error": {"Code": code, "Message": "says why"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
            return AWSResponse(None, 400, {}, None), parsed
        validate_parameters(answer, model.output_shape)
        return AWSResponse(None, 200, {}, None), answer

    def _get_caller_identity(self, _params: Any, _region: str) -> dict[str, Any]:
        return {"Account": self.account}

    def _get_parameters(self, params: Any, _region: str) -> dict[str, Any]:
        there = [name for name in params["Names"] if name in self.parameters]
        answer: dict[str, Any] = {"Parameters": [{"Name": name, "Value": self.parameters[name]} for name in there]}
        missing = [name for name in params["Names"] if name not in there]
        return {**answer, "InvalidParameters": missing} if missing else answer

    def _get_parameters_by_path(self, params: Any, _region: str) -> dict[str, Any]:
        names = [name for name in self.parameters if name.startswith(f"{params['Path']}/")]
        start = int(params.get("NextToken", "0"))
        page = {"Parameters": [{"Name": name, "Value": self.parameters[name]} for name in names[start : start + 2]]}
        return {**page, "NextToken": str(start + 2)} if len(names) > start + 2 else page

    def _describe_images(self, params: Any, region: str) -> dict[str, Any]:
        images = self.images.get(region, [])
        if "ImageIds" in params:
            found = [image for image in images if image["ImageId"] in params["ImageIds"]]
            return {"Images": found} if found else {"code": "InvalidAMIID.NotFound"}
        assert params["Owners"] == ["self"]
        wanted = {each["Name"]: each["Values"] for each in params["Filters"]}
        return {"Images": [image for image in images if image["OwnerId"] == self.account and _fits(image, wanted)]}

    def _describe_addon_versions(self, params: Any, _region: str) -> dict[str, Any]:
        versions = self.add_ons.get(params["addonName"], {})
        start = int(params.get("nextToken", "0"))
        page = [
            {
                "addonVersion": version,
                "compatibilities": [
                    {"clusterVersion": "1.30", "defaultVersion": True},
                    {"clusterVersion": params["kubernetesVersion"], "defaultVersion": default},
                ],
            }
            for version, default in list(versions.items())[start : start + 2]
        ]
        answer = {"addons": [{"addonName": params["addonName"], "addonVersions": page}] if page else []}
        return {**answer, "nextToken": str(start + 2)} if len(versions) > start + 2 else answer

    def _get_authorization_token(self, _params: Any, region: str) -> dict[str, Any]:
        token = base64.b64encode(f"AWS:secret of {region}".encode()).decode()
        return {"authorizationData": [{"authorizationToken": token}]}


def _fits(image: Mapping[str, Any], wanted: Mapping[str, list[str]]) -> bool:
    has = {"state": image["State"], **{f"tag:{tag['Key']}": tag["Value"] for tag in image.get("Tags", ())}}
    return all(has.get(name) in values for name, values in wanted.items())


class Registries:
    """Registries in which every name means what ``digest_of`` says, unless a test has it otherwise."""

    def __init__(self) -> None:
        self.moved: dict[str, str] = {}
        self.refused: dict[str, RegistryError] = {}
        self.asked: list[str] = []
        self.archives: dict[str, bytes] = {}
        self.fetched: dict[str, str] = {}
        self._asking = threading.Lock()

    def digest(self, image: str) -> str:
        with self._asking:
            self.asked.append(image)
        if image in self.refused:
            raise self.refused[image]
        return self.moved.get(image) or digest_of(image)

    def chart_digest(self, location: str, version: str) -> str:
        return self.digest(f"{location} {version}")

    def chart_archive(self, location: str, version: str, digest: str) -> bytes:
        with self._asking:
            self.fetched[location] = digest
        return self.archives.get(location) or archive(location.rpartition("/")[2], version)


def publish(world: World, lock: Lock) -> None:
    """Lays out what a lock names: AMIs and their parameters, and the add-ons of the tables."""
    for place, pin in enumerate(lock.images.values()):
        folder, image_id = path_of(pin.ami_type, pin.release), f"ami-{place:017x}"
        if f"{folder}/image_id" in world.parameters:
            continue
        world.parameters |= {f"{folder}/image_id": image_id, f"{folder}/release_version": pin.release_version}
        world.images.setdefault(REGION, []).append(
            {
                "ImageId": image_id,
                "OwnerId": PUBLISHER,
                "State": "available",
                "DeprecationTime": "2028-06-25T00:00:00.000Z",
            }
        )
    world.add_ons = {name: {row[MINOR].version: True} for name, row in add_on_versions().items() if MINOR in row}


@pytest.fixture(autouse=True)
def no_real_account(monkeypatch):
    """No test sees credentials, configuration or an instance's metadata of the machine that it runs on."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch):
    """The tables pin, of a chart in an HTTP repository, the archive that stands in for it."""

    def of(row: ChartRow) -> ChartRow:
        if row.location.startswith("oci://"):
            return row
        return dataclasses.replace(row, digest=archive_digest_of(archive(row.name, row.version)))

    known = {name: of(row) for name, row in charts().items()}
    for module in (offline, remember):
        monkeypatch.setattr(module, "charts", lambda: known)


@pytest.fixture
def chosen():
    """The lock that the tables give."""
    return offline.lock(INPUTS, account_follows=True)


@pytest.fixture
def world(chosen):
    """An AWS that has all that the lock names."""
    made = World()
    publish(made, chosen)
    return made


@pytest.fixture
def registries(chosen):
    """Registries of which the charts mean what the tables say, as far as these say it."""
    made = Registries()
    made.moved = {
        f"{pin.location} {pin.version}": pin.digest for pin in chosen.charts.values() if pin.digest != UNRESOLVED
    }
    return made


@pytest.fixture
def resolved(world, registries, chosen):
    """Resolves the chosen lock, or another one."""

    def call(lock: Lock | None = None, **options: Any):
        return resolve(lock or chosen, aws=world.aws, registry=registries, **options)

    return call
