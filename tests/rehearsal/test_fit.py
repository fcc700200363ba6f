"""CloudFormation properties become API parameters."""

import botocore.session
import pytest

from rehearsal.fit import fit
from rehearsal.handlers.base import ResourceError


def shape(service, operation):
    return botocore.session.get_session().get_service_model(service).operation_model(operation).input_shape


class TestFit:
    def test_names_differ_by_case(self):
        """EKS's parameters begin in lower case, CloudFormation's properties do not."""
        fitted = fit(shape("eks", "CreateCluster"), {"ResourcesVpcConfig": {"SubnetIds": ["subnet-1"]}})

        assert fitted == {"resourcesVpcConfig": {"subnetIds": ["subnet-1"]}}

    def test_tags_as_the_api_wants_them(self):
        """A list of Key and Value becomes a map, a map a list, and KMS's list has its own names."""
        tags = [{"Key": "a", "Value": "b"}]

        assert fit(shape("eks", "CreateCluster"), {"Tags": tags}) == {"tags": {"a": "b"}}
        assert fit(shape("fsx", "CreateFileSystem"), {"Tags": {"a": "b"}}) == {"Tags": tags}
        assert fit(shape("kms", "CreateKey"), {"Tags": tags}) == {"Tags": [{"TagKey": "a", "TagValue": "b"}]}

    def test_documents_keep_their_letters(self):
        """A document's JSON text has the letters of the template, which services count and look at."""
        fitted = fit(shape("kms", "PutKeyPolicy"), {"Policy": {"Sid": "für Läufe"}})

        assert fitted == {"Policy": '{"Sid": "für Läufe"}'}

    def test_scalars_given_as_text(self):
        """Numbers and booleans may be text in a template."""
        properties = {"StorageCapacity": "4800", "LustreConfiguration": {"EfaEnabled": "true"}}

        assert fit(shape("fsx", "CreateFileSystem"), properties) == {
            "StorageCapacity": 4800,
            "LustreConfiguration": {"EfaEnabled": True},
        }

    def test_documents_become_text(self):
        """A policy document given as an object is sent as JSON text."""
        assert fit(shape("kms", "CreateKey"), {"Policy": {"Statement": []}}) == {"Policy": '{"Statement": []}'}

    def test_renamed_by_path(self):
        """A property with another name in the API is renamed where its path says so."""
        fitted = fit(
            shape("ec2", "CreateSecurityGroup"), {"GroupDescription": "d"}, {"GroupDescription": "Description"}
        )

        assert fitted == {"Description": "d"}

    def test_unknown_property_is_named_with_its_path(self):
        """A property that the API has no place for is refused by its whole path."""
        with pytest.raises(ResourceError, match=r"does not model property LustreConfiguration\.Speed"):
            fit(shape("fsx", "CreateFileSystem"), {"LustreConfiguration": {"Speed": 1}})

    @pytest.mark.parametrize(
        ("properties", "wanted"),
        [
            ({"StorageCapacity": "much"}, "StorageCapacity must be an integer"),
            ({"LustreConfiguration": "fast"}, "LustreConfiguration must be an object"),
            ({"LustreConfiguration": {"EfaEnabled": "yes"}}, r"LustreConfiguration\.EfaEnabled must be a boolean"),
        ],
    )
    def test_value_of_another_type(self, properties, wanted):
        """A value that can't take the form the API wants is refused by its path."""
        with pytest.raises(ResourceError, match=wanted):
            fit(shape("fsx", "CreateFileSystem"), properties)
