"""Where jsii, in which the CDK's constructs run, keeps what it has unpacked."""

import tempfile
from pathlib import Path


def jsii_cache(folder: Path) -> dict[str, str]:
    """Returns the variable that moves jsii's cache into a folder, where the one in the home folder can't be written.

    jsii ends with a traceback of its own there, or waits for ever; elsewhere its cache saves a second each time.

    Source: jsii, ``@jsii/kernel``, ``tar-cache/default-cache-root.ts``.
    """
    try:
        usual = Path.home() / ".cache" / "aws"
        usual.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=usual):
            return {}
    except (OSError, RuntimeError):
        return {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(folder / "jsii")}
