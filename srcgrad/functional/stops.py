"""``stop_gradient``: what no gradient flows through."""

from typing import TypeVar, cast

from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.variable import Variable

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """The same arrays, as constants to every transform around.

    Parameters
    ----------
    x : array, number, or a container of these

    Returns
    -------
    The same, in containers of their own.

    Examples
    --------
    >>> import srcgrad
    >>> srcgrad.grad(lambda x: x * srcgrad.stop_gradient(x))(3.0)
    3.0
    """
    if isinstance(x, Variable):
        return cast(T, x.detach())
    leaves, structure = flatten(x)
    detached = [x.detach() if isinstance(x, Variable) else x for x in leaves]
    return cast(T, unflatten(structure, detached))


stop_gradient.is_transform = True  # type: ignore[attr-defined]
