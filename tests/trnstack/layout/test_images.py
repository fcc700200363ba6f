"""Where images lie in a mirror."""

import pytest

from trnstack.layout.images import mirrored

MIRROR = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror"


class TestMirrored:
    @pytest.mark.parametrize(
        ("image", "expected"),
        [
            ("public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0", f"{MIRROR}/neuron/pytorch-training-neuronx:2.9.0"),
            ("registry.k8s.io/kueue/kueue:v0.14.1", f"{MIRROR}/kueue/kueue:v0.14.1"),
            ("localhost:5000/x@sha256:abc", f"{MIRROR}/x@sha256:abc"),
            ("library/busybox:1", f"{MIRROR}/library/busybox:1"),
            ("busybox:1.36", f"{MIRROR}/busybox:1.36"),
        ],
    )
    def test_registry_is_replaced(self, image, expected):
        """The registry becomes the mirror; repository, tag and digest stay."""
        assert mirrored(image, MIRROR) == expected
        assert mirrored(image, f"{MIRROR}/") == expected

    def test_without_a_mirror(self):
        """Without a mirror an image comes from its own registry."""
        assert mirrored("public.ecr.aws/x:1", None) == "public.ecr.aws/x:1"
