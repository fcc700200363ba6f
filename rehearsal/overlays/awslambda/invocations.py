"""Calls of functions: what a stand-in does in the place of a function's code, where there is one for it."""

import json
from urllib.parse import unquote

from moto.awslambda.responses import LambdaResponse
from moto.core.common_types import TYPE_RESPONSE
from moto.ec2.models import ec2_backends
from moto.eks.models import eks_backends
from moto.s3.models import s3_backends

from rehearsal.handlers.stand_ins import UNKNOWN_CODE
from rehearsal.kubectl import stand_in_for
from rehearsal.kubectl.world import FunctionError, Invocation
from rehearsal.overlays.errors import OverlayError


class Invocations(LambdaResponse):
    """Lambda's operation that calls a function."""

    def invoke(self) -> TYPE_RESPONSE:
        """Answers Invoke: by what a stand-in answers, or with the error that it ends with.

        Source: Lambda developer guide, "Lambda function errors"; API reference, Invoke.
        """
        function = self.backend.get_function(unquote(self.path.rsplit("/", 2)[-2]), None)
        stand_in = stand_in_for(function)
        if stand_in is None:
            message = f"{UNKNOWN_CODE} {function.function_name}, and runs none."
            raise OverlayError("InvalidParameterValueException", message)
        invocation = Invocation(
            function=function,
            lambdas=self.backend,
            network=ec2_backends[self.current_account][self.region],
            clusters=eks_backends[self.current_account][self.region],
            buckets=s3_backends[self.current_account][self.partition],
        )
        headers = {"status": "200", "content-type": "application/json", "x-amz-executed-version": "$LATEST"}
        try:
            answered = stand_in(json.loads(self.body), invocation)
        except FunctionError as error:
            failure = {"errorMessage": str(error), "errorType": "Error"}
            return 200, {**headers, "x-amz-function-error": "Unhandled"}, json.dumps(failure)
        return 200, headers, json.dumps(answered)
