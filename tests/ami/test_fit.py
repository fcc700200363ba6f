"""Whether versions fit each other."""

import pytest

from ami.fit import fitting_ami_releases, instance_family, kernel_misfit, numbers, sdks_with_ami, sdks_with_container
from ami.tables import ami_releases, sdk_releases


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.28.0.0", (2, 28, 0, 0)), ("v20260625", (20260625,)), ("v1.22.4-eksbuild.3", (1, 22, 4, 3)), ("", ())],
)
def test_numbers(version, expected):
    """Versions compare by their numbers, so that 2.9 comes before 2.10."""
    assert numbers(version) == expected
    assert numbers("2.9.0") < numbers("2.10.0")


class TestFittingAmiReleases:
    @pytest.mark.parametrize("sdk", sdk_releases())
    def test_driver(self, sdk):
        """They are exactly those with the SDK's own driver that are for the minor, newest first."""
        for minor in ("1.32", "1.35", "1.36"):
            assert fitting_ami_releases(sdk, minor) == tuple(
                name
                for name, row in ami_releases().items()
                if row.neuron_driver == sdk_releases()[sdk].driver and minor in row.release_versions
            )

    def test_unknown_sdk(self):
        """Of an SDK that the table lacks, none is known."""
        assert fitting_ami_releases("2.99.0", "1.35") == ()


class TestSdksWithAmi:
    def test_newest_first(self):
        """2.32.0's driver is in no release; for a minor that came later, older SDKs have none."""
        assert sdks_with_ami()[0] == "2.31.1"
        assert sdks_with_ami("1.36") == ("2.31.1", "2.31.0", "2.30.0")


class TestSdksWithContainer:
    def test_frameworks(self):
        """PyTorch's last is 2.30.0, JAX's is the newest of all."""
        assert sdks_with_container("pytorch")[0] == "2.30.0"
        assert sdks_with_container("jax")[0] == "2.32.0"


@pytest.mark.parametrize(
    ("instance_type", "family"),
    [("trn1.2xlarge", "trn1"), ("trn1n.32xlarge", "trn1"), ("trn2u.48xlarge", "trn2"), ("inf2.48xlarge", "inf2")],
)
def test_instance_family(instance_type, family):
    """A driver lists families, without their variants."""
    assert instance_family(instance_type) == family


@pytest.mark.parametrize(
    ("kernel", "driver", "needed"),
    [
        ("6.18", "2.26.5.0", "2.26.10"),
        ("6.18", "2.26.10.0", ""),
        ("6.12", "2.24.7.0", ""),
        ("6.19", "2.25.4.0", "2.26.10"),
        ("6.18", "2.24.13.0", ""),
    ],
)
def test_kernel(kernel, driver, needed):
    """From kernel 6.18 on, the driver must be 2.26.10 at least."""
    assert kernel_misfit(kernel, driver) == needed
