"""The edge to AWS's client: with whichever error it ends, whoever asked gets an AccountError.

Botocore has errors of its own for what it expects to go wrong. What its credential providers and its parsers meet in
another form than they expect, from a program, a file or a server, they end in whichever error Python has for it. Those
types are listed here by what raises them, and are caught around the client's own work alone: a bug of ours stays one.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from botocore.parsers import ResponseParserError

from account.refusals import (
    AccountError,
    incomplete,
    no_credentials,
    refusal,
    unreadable,
    unusable_configuration,
    unusable_credentials,
)

#: What the search for credentials ends in.
#:
#: Source: botocore, credentials.py, tokens.py and utils.py.
_OF_PROVIDERS = (
    BotoCoreError,
    ClientError,  # STS or SSO gives no credentials for a role
    ResponseParserError,  # something else answers in their place
    RuntimeError,  # new credentials that have expired already, and JSON that is nested without end (RecursionError)
    OSError,  # a credential_process or a token's file that is not there, or that nobody may run or read
    ValueError,  # no JSON, no UTF-8, no time, no number, no command, no address that may be asked
    LookupError,  # an answer without a key or an id, a sign-in that is cached as no JSON, an empty command
    TypeError,  # a time without its zone, and JSON of another shape
    AttributeError,  # JSON or a profile of another shape
    OverflowError,  # a time beyond the calendar
)
#: What the making of a client ends in: an address that is none, and a section where a profile has a value.
#:
#: Source: botocore, endpoint.py, configprovider.py and args.py.
_OF_SETTINGS = (ValueError, TypeError, AttributeError)
#: What the reading of an answer ends in that is none of the service's: no XML, no JSON, no UTF-8, no time, JSON of
#: another shape, XML without the result's element, and JSON that is nested without end.
#:
#: Source: botocore, parsers.py.
_OF_PARSERS = (ResponseParserError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
#: What of credentials goes into a header: no blank, no line break, no control character.
_PLAIN = re.compile(r"[!-~]+")


class Record(dict[str, Any]):
    """A part of an answer; what it lacks is an AccountError and no KeyError.

    Args:
        said: What the service said.
        service: The service as AWS writes it, such as ``SSM``.
        region: The region that was asked.
    """

    def __init__(self, said: Mapping[str, Any], *, service: str, region: str) -> None:
        super().__init__({name: _record(value, service, region) for name, value in said.items()})
        self._service, self._region = service, region

    def __missing__(self, name: str) -> Any:
        raise incomplete(name, service=self._service, region=self._region)


def signed_in() -> boto3.Session:
    """Returns a session with the credentials in use, as AWS's own tools find them.

    They are looked for and renewed here, once: each client would do it again, in whichever thread signs a request, and
    wait for an instance's metadata each time. Credentials that can be renewed are good for ten minutes then.

    Raises:
        AccountError: There are none, or they or AWS's configuration can't be used.

    Source: botocore, credentials.py, RefreshableCredentials (``_DEFAULT_MANDATORY_REFRESH_TIMEOUT``).
    """
    try:
        found = boto3.Session().get_credentials()
        if found is None:
            raise NoCredentialsError
        keys = found.get_frozen_credentials()
    except _OF_PROVIDERS as error:
        raise no_credentials(error) from error
    for name, value in (("access key", keys.access_key), ("secret key", keys.secret_key), ("token", keys.token)):
        if not (isinstance(value, str) and _PLAIN.fullmatch(value)) and (name, value) != ("token", None):
            raise unusable_credentials(name)
    return boto3.Session(keys.access_key, keys.secret_key, keys.token)


def client_of(session: boto3.Session, service: str, region: str, config: Config) -> Any:
    """Returns a service's client in a region.

    Raises:
        AccountError: AWS's configuration can't be used.
    """
    try:
        client = session.client(service, region_name=region, config=config)
        # A port that is none would not be found before the first request.
        _ = urlsplit(client.meta.endpoint_url).port
    except BotoCoreError as error:
        raise refusal(error, service=service.upper(), region=region) from error
    except _OF_SETTINGS as error:
        raise unusable_configuration(error) from error
    return client


def call(client: Any, operation: str, **parameters: Any) -> Record:
    """Returns a client's answer to an operation, named as its method is.

    Raises:
        AccountError: AWS gave none, or something that is none of its answers.
    """
    ask = getattr(client, operation)
    with _asking(client):
        answer = ask(**parameters)
    return _as_record(client, answer)


def pages(client: Any, operation: str, **parameters: Any) -> list[Record]:
    """Returns all pages of a client's answer to an operation.

    Raises:
        AccountError: As for ``call``.
    """
    paginator = client.get_paginator(operation)
    with _asking(client):
        answers = list(paginator.paginate(**parameters))
    return [_as_record(client, answer) for answer in answers]


@contextmanager
def _asking(client: Any) -> Iterator[None]:
    service, region = _place(client)
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise refusal(error, service=service, region=region) from error
    except _OF_PARSERS as error:
        raise unreadable(error, service=service, region=region) from error


def _place(client: Any) -> tuple[str, str]:
    return client.meta.service_model.service_name.upper(), client.meta.region_name


def _as_record(client: Any, answer: Mapping[str, Any]) -> Record:
    service, region = _place(client)
    return Record(answer, service=service, region=region)


def _record(value: Any, service: str, region: str) -> Any:
    if isinstance(value, dict):
        return Record(value, service=service, region=region)
    return [_record(each, service, region) for each in value] if isinstance(value, list) else value


__all__ = ["AccountError", "Record", "call", "client_of", "pages", "signed_in"]
