"""The ``images`` section: its shape and its defaults."""

import pytest

from trnstack.findings import InvalidEnvironmentError


class TestImages:
    def test_defaults(self, environment):
        """Left out, the type is chosen, the image stays in its region, and nobody else may use it."""
        images = environment().images

        assert (images.build_instance_type, images.copy_to_regions, images.share_with_accounts) == (None, (), ())

    def test_everything(self, environment):
        """A copy's key is left out for that region's default one."""
        key = "arn:aws:kms:us-west-2:111122223333:key/0123abcd"
        images = environment(
            images={
                "build_instance_type": "trn1.2xlarge",
                "copy_to_regions": [{"region": "us-west-2", "kms_key_arn": key}, {"region": "us-east-1"}],
                "share_with_accounts": ["444455556666"],
            }
        ).images

        assert images.build_instance_type == "trn1.2xlarge"
        assert [(copy.region, copy.kms_key_arn) for copy in images.copy_to_regions] == [
            ("us-west-2", key),
            ("us-east-1", None),
        ]
        assert images.share_with_accounts == ("444455556666",)

    @pytest.mark.parametrize(
        ("images", "code", "path"),
        [
            ({"share_with_accounts": [444455556666]}, "SPEC007", ("images", "share_with_accounts", 0)),
            ({"share_with_accounts": ["44445555666"]}, "SPEC008", ("images", "share_with_accounts", 0)),
            ({"copy_to_regions": ["us-west-2"]}, "SPEC007", ("images", "copy_to_regions", 0)),
            ({"copy_to_regions": [{}]}, "SPEC006", ("images", "copy_to_regions", 0, "region")),
            ({"copy_to_regions": [{"region": "west"}]}, "SPEC008", ("images", "copy_to_regions", 0, "region")),
            ({"regions": []}, "SPEC005", ("images", "regions")),
        ],
    )
    def test_wrong(self, environment, images, code, path):
        """An account without its quotes, a region that is none and an unknown key are told at their places."""
        with pytest.raises(InvalidEnvironmentError) as refused:
            environment(images=images)
        (finding,) = refused.value.findings

        assert (finding.code, finding.path) == (code, path)
