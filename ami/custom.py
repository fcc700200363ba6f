"""What a lock puts into a custom image, and the version that follows from it: its stack and its lock agree by this."""

from ami.pins import UNRESOLVED, BuiltImage, ImagePin, Lock
from ami.recipes import RecipeValues, content_version, recipe

_TOOLS = "aws-neuronx-tools"


def recipe_values(lock: Lock, parent: ImagePin, image: BuiltImage) -> RecipeValues:
    """Returns what a lock puts into a custom image's recipe; the training container's digest must be resolved.

    Args:
        lock: The lock.
        parent: The EKS AMI release that the image is built on.
        image: The image.

    Raises:
        InvalidValueError: A value does not have the recipe's form, such as a digest that is unresolved.
    """
    container = lock.neuron.container
    return RecipeValues(
        sdk=lock.neuron.sdk,
        driver=image.neuron_driver,
        tools=lock.neuron.components[_TOOLS],
        kernel=parent.kernel,
        containers=(f"{container.image}@{container.digest}",) if container else (),
    )


def image_version(lock: Lock, parent: ImagePin, image: BuiltImage) -> str:
    """Returns the version of a custom image: twelve hexadecimal digits that change with whatever goes into it.

    It is ``unresolved`` while the training container's digest is.

    Raises:
        UnknownRecipeError: There is no such recipe.
        InvalidValueError: As for ``recipe_values``.
    """
    container = lock.neuron.container
    if container and container.digest == UNRESOLVED:
        return UNRESOLVED
    values = recipe_values(lock, parent, image)
    return content_version(recipe(image.recipe), values, parent_release=parent.release_version)
