"""Container image repositories."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted, call_unless_gone
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_POLICIES = ("LifecyclePolicy", "RepositoryPolicyText")
_AT_DELETION = ("EmptyOnDelete",)


class Repository(ApiHandler):
    """A repository with its lifecycle rules and its policy."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the policies to their own calls."""
        return split(super().creation(scope, resource), *_POLICIES, *_AT_DELETION)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the repository, then puts its policies."""
        super().create(scope, resource)
        self.apply(scope, resource, split(resource.properties, *_POLICIES)[0])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Puts or takes away the policies, and passes on the rest."""
        policies, rest = split(changed, *_POLICIES)
        client, repository = scope.client("ecr"), {"repositoryName": resource.physical_id}
        if "LifecyclePolicy" in policies:
            if policies["LifecyclePolicy"] is None:
                call_unless_gone(client, "DeleteLifecyclePolicy", repository)
            else:
                call_fitted(client, "PutLifecyclePolicy", {**repository, **policies["LifecyclePolicy"]})
            resource.took(changed, "LifecyclePolicy")
        if "RepositoryPolicyText" in policies:
            if policies["RepositoryPolicyText"] is None:
                call_unless_gone(client, "DeleteRepositoryPolicy", repository)
            else:
                text = {"PolicyText": policies["RepositoryPolicyText"]}
                call_fitted(client, "SetRepositoryPolicy", {**repository, **text})
            resource.took(changed, "RepositoryPolicyText")
        super().apply(scope, resource, split(rest, *_AT_DELETION)[1])

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the repository; ECR refuses where images are left, unless ``EmptyOnDelete`` says otherwise."""
        if resource.physical_id is not None:
            force = str(resource.properties.get("EmptyOnDelete", False)).lower() == "true"
            parameters = {"repositoryName": resource.physical_id, "force": force}
            call_unless_gone(scope.client("ecr"), "DeleteRepository", parameters)


HANDLERS: dict[str, Handler] = {
    "AWS::ECR::Repository": Repository(
        service="ecr",
        create_operation="CreateRepository",
        reference="repository.repositoryName",
        identity={"repositoryName": "{Ref}"},
        update_operations=("PutImageTagMutability", "PutImageScanningConfiguration"),
        delete_operation="DeleteRepository",
        name=NameRule("RepositoryName", 256, lower=True),
        retag=retag_by_arn("{Arn}"),
        attributes={"Arn": "repository.repositoryArn", "RepositoryUri": "repository.repositoryUri"},
    ),
}
