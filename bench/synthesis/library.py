"""The JavaScript packages inside Python's aws-cdk-lib, unpacked so that plain JavaScript runs on the same code."""

import shutil
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from bench.measure import ROOT, BenchError

#: Where a package's archive lies in site-packages, and the package's name for Node.
_PACKAGES = (
    ("aws_cdk/_jsii/aws-cdk-lib@*.tgz", "aws-cdk-lib"),
    ("constructs/_jsii/constructs@*.tgz", "constructs"),
    ("aws_cdk/cloud_assembly_schema/_jsii/cloud-assembly-schema@*.tgz", "@aws-cdk/cloud-assembly-schema"),
)


def unpacked() -> Path:
    """Returns a ``node_modules`` folder with the packages, which the first call makes from the installed archives.

    Raises:
        BenchError: An archive is missing.
    """
    archives = {name: _archive(pattern) for pattern, name in _PACKAGES}
    versions = "+".join(path.name.removesuffix(".jsii.tgz") for path in archives.values())
    target = ROOT / "build" / "bench" / versions / "node_modules"
    if not target.exists():
        _unpack(archives, target)
    return target


def _archive(pattern: str) -> Path:
    found = sorted(Path(sysconfig.get_path("purelib")).glob(pattern))
    if len(found) != 1:
        raise BenchError(f"expected one {pattern} in site-packages, found {len(found)}: run make setup")
    return found[0]


def _unpack(archives: dict[str, Path], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        whole = Path(folder) / "node_modules"
        for name, archive in archives.items():
            with tarfile.open(archive) as packed:
                packed.extractall(Path(folder) / archive.stem, filter="data")
            (whole / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(folder) / archive.stem / "package", whole / name)
        # Complete or not there at all: an interrupted start leaves nothing that a later one would take for whole.
        whole.rename(target)
