"""Composes the rehearsal as one application: moto's services, overlays before them, CloudFormation, and what is beside.

moto's server asks a factory for the application of each service; the factory is the one seam, and nothing of moto is
changed in place but how often it lists its methods (``rehearsal.method_names``).
"""

import datetime as dt
import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from botocore.exceptions import UnknownServiceError
from flask import Flask, Response, request
from moto.backends import list_of_moto_modules
from moto.core.base_backend import BackendDict
from moto.core.model_instances import reset_model_data
from moto.core.responses import ActionResult, BaseResponse
from moto.core.utils import convert_to_flask_response
from moto.ec2.models.subnets import Subnet
from moto.moto_server.werkzeug_app import HTTP_METHODS, BackendRequest, DomainDispatcherApplication, create_backend_app
from werkzeug.exceptions import NotFound

from rehearsal import beside, buckets, chance, clock, method_names, passing, pause, pins, registry
from rehearsal.api import ApiError, CloudFormation
from rehearsal.engine import Engine
from rehearsal.engine.drift import ReaderTable
from rehearsal.engine.step import Before, HandlerTable
from rehearsal.faults import control
from rehearsal.faults.injection import Faults
from rehearsal.kubernetes import view as clusters
from rehearsal.operations import HOLD_SECONDS, Operations
from rehearsal.overlays.scheduler_clock import Fired
from rehearsal.transport import Transport, WsgiApplication
from rehearsal.world import World

OverlayTable = Callable[[str], type | None]

CLOUDFORMATION = "cloudformation"
MOTO_SETTINGS = {
    "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",  # 1,301 images for each region, 0.12 s
    "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
}


class Rehearsal:
    """An AWS of one's own, in which CloudFormation makes things through the services' APIs.

    The stacks belong to the object. The services are moto's, whose records belong to the process: one process rehearses
    one AWS at a time, and ``reset`` empties it.

    Attributes:
        world: The stacks.
        application: The WSGI application that answers for every service.
        transport: Carries boto3 calls to it within this process.
        engine: What performs CloudFormation's operations.
        faults: What goes wrong on purpose, which may be set and lifted at any time.
    """

    def __init__(
        self,
        *,
        handler_for: HandlerTable,
        overlay_for: OverlayTable,
        before: tuple[Before, ...] = (),
        hold_seconds: float = HOLD_SECONDS,
        faults: Faults | None = None,
        reader_for: ReaderTable = lambda _: None,
    ) -> None:
        for name, value in MOTO_SETTINGS.items():
            os.environ.setdefault(name, value)
        method_names.remember()
        self.world = World()
        self._overlay_for = overlay_for
        self.faults = Faults() if faults is None else faults
        self.application = Application(self.create_app, self.faults)
        self.transport = self.application.transport
        self.engine = Engine(
            self.world, handler_for, self.transport.client, before=(self.faults.before, *before), reader_for=reader_for
        )
        self._api = CloudFormation.bound(self.engine, Operations(hold_seconds))

    def create_app(self, service: str) -> Flask:
        """Makes the application of one service, which moto's dispatcher asks for once."""
        overlay = self._api if service == CLOUDFORMATION else self._overlay_for(service)
        if service == "s3":
            app = create_backend_app("s3")
            app.before_request(buckets.adopt)
            if overlay is not None:
                app.before_request(overlay.look)  # type: ignore[attr-defined]
        elif overlay is not None:
            app = _app(service, overlay.dispatch)  # type: ignore[attr-defined]
        else:
            app = _moto_app(service) or _app(service, _refuse)
        app.before_request(lambda: self.faults.gate(service))
        for unknown in (NotImplementedError, NotFound, ModuleNotFoundError):
            app.register_error_handler(unknown, lambda error: _not_modelled(service, error))
        return app

    def pass_to(self, moment: dt.datetime) -> list[Fired]:
        """Lets time pass until then: schedules fire, Capacity Blocks end, as ``rehearsal.passing`` says."""
        return passing.pass_to(moment, self.transport.client)

    def reset(self) -> None:
        """Forgets the stacks, all that moto's services have, what locks published, the moved clock and the faults."""
        clock.reset()
        self.faults.lift()
        pause.go_on()
        self.world.clear()
        pins.withdraw()
        BackendDict.reset()
        reset_model_data()
        # moto keeps each subnet whose addresses were asked for in a cache without bounds, and all of EC2 with it.
        Subnet._base_avail_ip_iterator.cache_clear()  # noqa: SLF001


class Application(DomainDispatcherApplication):
    """Sends each request to the application of its service; moto's are not thread-safe and are called one at a time.

    CloudFormation is called freely, since it calls the other services while its own caller waits.

    Attributes:
        transport: Carries boto3 calls to it within this process.
    """

    def __init__(self, create_app: Callable[[str], Flask], faults: Faults) -> None:
        super().__init__(create_app)
        self.transport = Transport(self)
        self._beside: Sequence[tuple[Callable[[dict[str, Any]], bool], WsgiApplication]] = (
            (registry.is_asked, registry.answer),
            (control.is_asked, partial(control.answer, faults)),
            (passing.is_asked, partial(passing.answer, self.transport.client)),
            (pause.is_asked, pause.answer),
            (beside.is_asked, beside.answer),
        )
        self._moto_modules = frozenset(list_of_moto_modules())
        self._one_at_a_time = threading.RLock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answers a WSGI request."""
        found = next((answer for is_asked, answer in self._beside if is_asked(environ)), None)
        if found is not None:
            return found(environ, start_response)
        if clusters.is_asked(environ):
            with self._one_at_a_time:
                return clusters.answer(environ, start_response)
        app = self.get_application(environ)
        if app.name == CLOUDFORMATION:
            return app(environ, start_response)
        with self._one_at_a_time:
            chance.before_call()
            return app(environ, start_response)

    def get_backend_for_host(self, host: str | None) -> Any:
        """Gives the service of a host name; of a service that moto does not know, the name's first part."""
        if host is None or host in self._moto_modules:
            return host
        address = f"http://{host}"
        known = (service for service, pattern in self.backend_url_patterns if pattern.match(address))
        return next(known, host.split(".", 1)[0])


def _app(service: str, view: Callable[..., Any]) -> Flask:
    app = Flask(service)
    app.request_class = BackendRequest
    answer = convert_to_flask_response(view)
    for rule in ("/", "/<path:path>"):
        app.add_url_rule(rule, endpoint=rule, view_func=answer, methods=HTTP_METHODS)
    return app


def _moto_app(service: str) -> Flask | None:
    """Makes moto's application of a service; None where moto has none, or lacks a package for it that is not ours."""
    if service not in list_of_moto_modules():
        return None
    try:
        return create_backend_app(service)  # type: ignore[arg-type]
    except ModuleNotFoundError:
        return None


def _refuse(*_: Any) -> Any:
    raise NotImplementedError("the service is not modelled")


def _not_modelled(service: str, error: NotImplementedError | NotFound | ModuleNotFoundError) -> Response:
    """Answers an operation that nobody models with a service error, which SDKs do not retry as they do a failure."""
    words = ApiError(f"The rehearsal does not model this call of {service}: {error}", code="ValidationException")
    api = BaseResponse(service)
    try:
        api.setup_class(request)  # type: ignore[arg-type]
        status, headers, body = api.serialized(ActionResult(words))
    except UnknownServiceError:
        status, headers = 400, {"x-amzn-errortype": words.code, "content-type": "application/json"}
        body = json.dumps({"__type": words.code, "message": words.message})
    return Response(body, status, headers)
