"""Names of images and charts, taken apart into what a registry's API is asked with."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ami.registry.errors import RegistryError

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_CHART_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_DOCKER_HUB = ("docker.io", "index.docker.io")
#: A private registry of ECR; ECR Public, ``public.ecr.aws``, is another service.
#:
#: Source: Amazon ECR user guide, "Amazon ECR private registry"; aws-actions/amazon-ecr-login issue 401 (FIPS).
_ECR_HOST = re.compile(r"[0-9]{12}\.dkr\.ecr(?:-fips)?\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(?:\.cn)?")
#: A repository's name, with its host, is no longer than this.
_LONGEST = 255


@dataclass(frozen=True, slots=True)
class Name:
    """Something in an OCI registry: an image, or a chart that was pushed like one.

    Attributes:
        text: As it was asked for, for messages.
        host: The host of the registry's API.
        repository: The path in the registry.
        tag: The tag.
    """

    text: str
    host: str
    repository: str
    tag: str


@dataclass(frozen=True, slots=True)
class HttpChart:
    """A chart in an HTTP repository.

    Attributes:
        text: Its location, for messages.
        host: The repository's host.
        path: The repository's path on it, without a slash at the end; empty or with one at the start.
        name: The chart's name.
    """

    text: str
    host: str
    path: str
    name: str


def ecr_region(host: str) -> str | None:
    """Returns the region of a private registry of ECR; None for any other host."""
    found = _ECR_HOST.fullmatch(host)
    return found["region"] if found else None


def image_name(text: str) -> Name:
    """Returns the parts of an image's name, such as ``public.ecr.aws/neuron/neuron-scheduler:2.32.0.0``.

    A first part without dot or port is no host but the beginning of a name on Docker Hub, whose API is at
    ``registry-1.docker.io`` and where a name of one part is below ``library``.

    Raises:
        RegistryError: The name has no tag, has a digest, or isn't in the form of one.

    Source: OCI distribution specification, "Pulling manifests" (names and tags); distribution/reference,
    ``normalize.go`` (hosts and Docker Hub).
    """
    rest, _, tag = text.rpartition(":")
    if not rest or "/" in tag or "@" in text:
        raise RegistryError(f"{text!r} doesn't name an image by its tag", "write it as REGISTRY/REPOSITORY:TAG")
    first, slash, path = rest.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, path = _DOCKER_HUB[0], rest
    if first in _DOCKER_HUB:
        first, path = "registry-1.docker.io", path if "/" in path else f"library/{path}"
    if (
        not re.fullmatch(_HOST, first)
        or not _REPOSITORY.fullmatch(path)
        or not _TAG.fullmatch(tag)
        or len(rest) > _LONGEST
    ):
        raise RegistryError(f"{text!r} isn't an image's name", "write it as REGISTRY/REPOSITORY:TAG, in lower case")
    return Name(text=text, host=first, repository=path, tag=tag)


def chart_name(location: str, version: str) -> Name | HttpChart:
    """Returns where to ask for a chart: ``oci://HOST/PATH/NAME``, or ``https://HOST/PATH/NAME`` in an HTTP repository.

    Raises:
        RegistryError: The location is neither, or has no chart's name at its end.

    Source: helm/helm, pkg/registry/client.go: a plus in a version is an underscore in its tag.
    """
    if location.startswith("oci://"):
        named = image_name(f"{location.removeprefix('oci://')}:{version.replace('+', '_')}")
        return Name(text=f"{location} {version}", host=named.host, repository=named.repository, tag=named.tag)
    hint = "write it as oci://REGISTRY/PATH/NAME or https://HOST/PATH/NAME"
    try:
        parts = urlsplit(location)
    except ValueError:
        raise RegistryError(f"{location!r} isn't a chart's location", hint) from None
    path, _, name = parts.path.rpartition("/")
    if (
        parts.scheme != "https"
        or not re.fullmatch(_HOST, parts.netloc)
        or not _CHART_NAME.fullmatch(name)
        or not re.fullmatch(r"(?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*", path)
        or parts.query
        or parts.fragment
    ):
        raise RegistryError(f"{location!r} isn't a chart's location", hint)
    return HttpChart(text=location, host=parts.netloc, path=path, name=name)
