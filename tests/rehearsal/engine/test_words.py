"""A failed operation in CloudFormation's words, with the service's own code beside them."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.engine.words import HANDLER_ERROR_CODES, failure, handler_error_code
from rehearsal.handlers.base import NOT_MODELLED, ResourceError
from rehearsal.templates.template import TemplateError


class TestFailure:
    def test_of_a_service(self):
        """The service's words and code stand within CloudFormation's, whose own code comes from a closed list."""
        response = {
            "Error": {"Code": "InvalidParameterException", "Message": "minSize can't be greater than maxSize"},
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }

        why = failure(ClientError(response, "CreateNodegroup"))

        assert why.code == "InvalidParameterException"
        assert why.reason == (
            "Resource handler returned message: \"minSize can't be greater than maxSize (Operation: CreateNodegroup, "
            'Status Code: 400, Error Code: InvalidParameterException)" (HandlerErrorCode: InvalidRequest)'
        )

    def test_of_a_handler(self):
        """A handler's own code needs no other beside it."""
        why = failure(ResourceError("NotStabilized", "it never became active"))

        assert why.code == "NotStabilized"
        assert why.reason == (
            'Resource handler returned message: "it never became active" (HandlerErrorCode: NotStabilized)'
        )

    def test_of_a_handler_in_a_services_name(self):
        """A service's code that a handler raises is told as the service's."""
        why = failure(ResourceError("DependencyViolation", "it is in use"))

        assert why.code == "DependencyViolation"
        assert why.reason.endswith('in use (Error Code: DependencyViolation)" (HandlerErrorCode: InvalidRequest)')

    def test_what_only_the_rehearsal_lacks(self):
        """What is not modelled is not told in AWS's words."""
        why = failure(ResourceError(NOT_MODELLED, "The rehearsal does not model property Colour"))

        assert (why.reason, why.code) == ("The rehearsal does not model property Colour", NOT_MODELLED)

    def test_of_the_template(self):
        """A template's fault has no service's code."""
        assert failure(TemplateError("No export named net found")).code is None


class TestHandlerErrorCode:
    @pytest.mark.parametrize(
        ("service_code", "code"),
        [
            ("InvalidParameterException", "InvalidRequest"),
            ("DependencyViolation", "InvalidRequest"),
            ("UnauthorizedOperation", "AccessDenied"),
            ("AccessDeniedException", "AccessDenied"),
            ("RequestLimitExceeded", "Throttling"),
            ("ThrottlingException", "Throttling"),
            ("InvalidPlacementGroup.Duplicate", "AlreadyExists"),
            ("EntityAlreadyExists", "AlreadyExists"),
            ("AddressLimitExceeded", "ServiceLimitExceeded"),
            ("InvalidVpcID.NotFound", "NotFound"),
            ("NoSuchBucket", "NotFound"),
            ("OperationAborted", "ResourceConflict"),
            ("ServiceUnavailable", "ServiceInternalError"),
            ("InternalFailure", "ServiceInternalError"),
        ],
    )
    def test_of_a_service_code(self, service_code, code):
        """Services' codes come in families."""
        assert handler_error_code(service_code) == code
        assert code in HANDLER_ERROR_CODES
