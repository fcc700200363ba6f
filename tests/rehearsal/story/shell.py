"""A shell for the commands that people paste: the AWS CLI and ``cdk``, as far as a teardown needs them."""

import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import jmespath
from botocore import xform_name

ACCOUNT = "123456789012"
_ASSIGNED = re.compile(r"(?P<name>[A-Z_]+)=\$\((?P<command>.*)\)")
_TO_FILE = re.compile(r"(?P<command>.*) > (?P<file>\S+)")
_LOOP = re.compile(r"for (?P<name>[A-Z_]+) in \$\((?P<listed>.*?)\); do (?P<command>.*); done")
#: How much DeleteObjects takes. Source: S3 API reference.
_A_REQUEST = 1000


class Shell:
    """Does what the commands say, as the AWS CLI and ``cdk`` would, in an account of the embedded AWS."""

    def __init__(self, services: Any, folder: Path) -> None:
        self._services = services
        self.folder = folder
        self.variables: dict[str, str] = {}

    def client(self, service: str, region: str) -> Any:
        return self._services.transport.client(service, ACCOUNT, region)

    def paste(self, command: str, region: str) -> str:
        """Runs one command and returns what it prints."""
        assigned, to_file, loop = (pattern.fullmatch(command) for pattern in (_ASSIGNED, _TO_FILE, _LOOP))
        if loop:
            words = self.paste(loop["listed"], region).split()
            return "".join(self.paste(loop["command"].replace(f"${loop['name']}", word), region) for word in words)
        if assigned:
            self.variables[assigned["name"]] = self.paste(assigned["command"], region)
            return ""
        if to_file:
            (self.folder / to_file["file"]).write_text(self.paste(to_file["command"], region))
            return ""
        now = int(time.time())
        command = command.replace("$(($(date +%s) - 900))", str(now - 900)).replace("$(date +%s)", str(now))
        # A variable that no command has set is an error here, where a shell would leave it out.
        command = re.sub(r"\$([A-Z_]+)", lambda found: self.variables[found[1]], command)
        program, service, *words = shlex.split(command)
        if program == "cdk":
            return self._cdk(service, words[0], region)
        return self._rm(words) if service == "s3" else self._aws(service, *words)

    def _cdk(self, verb: str, stack: str, region: str) -> str:
        """``cdk destroy``; a deploy changes nothing, since the golden templates retain everything already."""
        if verb == "destroy":
            self.client("cloudformation", region).delete_stack(StackName=stack)
        return ""

    def _rm(self, words: list[str]) -> str:
        """``aws s3 rm --recursive s3://BUCKET --region REGION``: every current object."""
        name, region = words[2].removeprefix("s3://"), words[-1]
        s3 = self.client("s3", region)
        for each in s3.list_objects_v2(Bucket=name).get("Contents", ()):
            s3.delete_object(Bucket=name, Key=each["Key"])
        return ""

    def _aws(self, service: str, operation: str, *words: str) -> str:
        if operation == "wait":
            return self._wait(service, *words)
        options = _options(words)
        client = self.client("s3" if service == "s3api" else service, options.pop("region")[0])
        query, as_text = options.pop("query", None), options.pop("output", [""])[0] == "text"
        in_pages = "no-paginate" not in options and "max-keys" not in options
        options.pop("no-paginate", None)
        most = int(options.pop("max-items", ["0"])[0]) or None
        model = next(
            client.meta.service_model.operation_model(name)
            for name in client.meta.service_model.operation_names
            if xform_name(name, "-") == operation
        )
        given = self._given(service, model, options)
        if operation == "delete-objects":
            assert len(given["Delete"]["Objects"]) <= _A_REQUEST, "MalformedXML"
        method = xform_name(model.name)
        if in_pages and client.can_paginate(method):
            pages = client.get_paginator(method).paginate(**given, PaginationConfig={"MaxItems": most})
            answer = pages.build_full_result()
        else:
            answer = getattr(client, method)(**given)
        found = jmespath.search(query[0], answer) if query else answer
        return _text(found) if as_text else json.dumps(found, default=str)

    def _wait(self, service: str, waiter: str, *words: str) -> str:
        options = _options(words)
        client = self.client(service, options["region"][0])
        client.get_waiter(waiter.replace("-", "_")).wait(StackName=options["stack-name"][0])
        return ""

    def _given(self, service: str, model: Any, options: dict[str, list[str]]) -> dict[str, Any]:
        shapes = {xform_name(name, "-"): (name, shape) for name, shape in model.input_shape.members.items()}
        given = {}
        for option, words_of in options.items():
            name, shape = shapes[option if option in shapes else option.removeprefix("no-")]
            # KMS takes a key's ARN here as its id; moto takes the id alone.
            values = [word.rpartition("/")[2] for word in words_of] if service == "kms" else words_of
            given[name] = False if option not in shapes else self._fitted(shape, values)
        return given

    def _fitted(self, shape: Any, values: list[str]) -> Any:
        """Gives an option's words as the operation takes them: files, JSON, short forms, lists, numbers."""
        if values and values[0].startswith("file://"):
            return json.loads((self.folder / values[0].removeprefix("file://")).read_text())
        if shape.type_name == "list":
            return [self._fitted(shape.member, [value]) for value in values]
        if shape.type_name == "structure":
            return json.loads(values[0]) if values[0].startswith("{") else self._short(shape, values[0])
        if shape.type_name == "integer":
            return int(values[0])
        if shape.type_name == "boolean":
            return values != ["false"]
        return values[0] if values else True

    def _short(self, shape: Any, text: str) -> dict[str, Any]:
        """Gives a structure in short form: ``Name=a,Values=b,c``."""
        parts: dict[str, list[str]] = {}
        for word in text.split(","):
            name, equals, value = word.partition("=")
            if equals:
                parts[name] = [value]
            else:
                next(reversed(parts.values())).append(word)
        return {name: self._fitted(shape.members[name], values) for name, values in parts.items()}


def _options(words: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            found[word.removeprefix("--")] = []
        else:
            next(reversed(found.values())).append(word)
    return found


def _text(found: Any) -> str:
    """Gives an answer as ``--output text`` does, in one line."""
    if isinstance(found, list):
        return "\t".join(map(_text, found))
    return "None" if found is None else str(found)
