"""Sessions of the AWS SDK that read nothing of the person's: no profile, no file of settings or credentials, no proxy.

What a person has set up for a real account is none of a rehearsal's, and a profile that does not exist would end it.
"""

import functools
import os

import boto3
import botocore.session
from botocore.config import Config
from botocore.loaders import Loader, create_loader

#: Settings that an SDK's session begins with, each by name: the key in a file, the variable, the value.
#: Source: botocore, ``botocore/configprovider.py`` and ``botocore/session.py``, ``SESSION_VARIABLES``.
_NOTHING = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


#: What an SDK finds in place of the files that a person may have.
NO_FILES = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


def environment() -> dict[str, str]:
    """Returns the variables of this process without any that a person has set for AWS, for a process of ours."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("AWS_")} | NO_FILES


def core_session() -> botocore.session.Session:
    """Returns a session without credentials, whose clients go to no proxy: what they ask is on this machine."""
    core = botocore.session.Session(session_vars=dict(_NOTHING))
    core.register_component("data_loader", _loader())
    core.set_default_client_config(Config(proxies={}))
    return core


@functools.cache
def _loader() -> Loader:
    """Returns what all sessions of this process load the services' models by: a model takes megabytes, and time."""
    return create_loader()


def session(access_key: str, secret_key: str, session_token: str | None, region: str) -> boto3.Session:
    """Returns a session with made-up credentials, in a region."""
    core = core_session()
    core.set_credentials(access_key, secret_key, session_token)
    return boto3.Session(botocore_session=core, region_name=region)
