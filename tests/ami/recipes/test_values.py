from dataclasses import replace

import pytest

from ami.recipes import InvalidValueError, RecipeValues

DIGEST = "@sha256:" + "0" * 64
VALUES = RecipeValues(sdk="2.32.0", driver="2.30.2.0", tools="2.32.28.0", kernel="6.12", containers=())


class TestRecipeValues:
    @pytest.mark.parametrize(
        "container",
        [
            "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04",
            "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror/neuron/jax:1_2.3-x",
            "localhost:5000/a:b",
        ],
    )
    def test_containers(self, container):
        """A container has a registry, a repository, a tag and a digest."""
        assert replace(VALUES, containers=(container + DIGEST,)).containers == (container + DIGEST,)

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("sdk", "2.32", "sdk '2.32' should be a release such as 2.32.0"),
            ("driver", "2.30.2", "driver '2.30.2' should be a package version such as 2.30.2.0"),
            ("driver", "2.30.2.0 ", "driver '2.30.2.0 ' should be a package version such as 2.30.2.0"),
            ("driver", "2.30.2.\u0660", "driver '2.30.2.\u0660' should be a package version such as 2.30.2.0"),
            ("tools", "*", "tools '*' should be a package version such as 2.32.28.0"),
            ("tools", "1.2.3.4\n", "tools '1.2.3.4\\n' should be a package version such as 2.32.28.0"),
            ("kernel", "6.12.94", "kernel '6.12.94' should be a kernel's major and minor version such as 6.12"),
            ("kernel", "", "kernel '' should be a kernel's major and minor version such as 6.12"),
        ],
    )
    def test_versions(self, name, value, message):
        """What is no version does not get into a script."""
        with pytest.raises(InvalidValueError) as caught:
            replace(VALUES, **{name: value})

        assert caught.value.message == message

    @pytest.mark.parametrize(
        "container",
        [
            "public.ecr.aws/neuron/jax:1@unresolved",
            "public.ecr.aws/neuron/jax:1",
            "public.ecr.aws/neuron/jax" + DIGEST,
            "jax:1" + DIGEST,
            "public.ecr.aws/neuron/jax:1" + DIGEST + "0",
            "public.ecr.aws/neuron/$(id):1" + DIGEST,
            "public.ecr.aws/neuron/jax:1 x" + DIGEST,
        ],
    )
    def test_no_container(self, container):
        """A digest that nobody has resolved, a missing tag and anything of the shell are refused."""
        with pytest.raises(InvalidValueError, match="should be repository:tag@sha256: and 64 hex digits"):
            replace(VALUES, containers=(container,))
