"""``flatten``: a container of arrays as one vector, and back, as optimizers want it."""

import math
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from srcgrad.errors import located
from srcgrad.functional.arguments import check_leaf
from srcgrad.functional.forms import Form
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten as leaves_of
from srcgrad.tape.variable import Variable

T = TypeVar("T")


def flatten(params: T) -> tuple[NDArray[Any], "Unflatten[T]"]:
    """Put all numbers of a container into one vector.

    Parameters
    ----------
    params : array, number, or a container of these
        Floats; None stays None.

    Returns
    -------
    vector : array
        One after the other, of the dtype that holds all.
    unflatten : callable
        Makes the container of such a vector again, of the same structure, shapes,
        dtypes and kinds. Both are differentiable.

    Raises
    ------
    TypeError
        If something is no float.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> vector, unflatten = srcgrad.flatten({"w": np.ones((2, 1)), "b": 3.0})
    >>> vector
    array([1., 1., 3.])
    >>> unflatten(2.0 * vector)
    {'w': array([[2.],
           [2.]]), 'b': 6.0}
    """
    leaves, structure = leaves_of(params)
    for leaf in leaves:
        check_leaf(leaf, "flatten: params are")
    parts = [np.reshape(leaf, (-1,)) for leaf in leaves if leaf is not None]
    vector = np.concatenate(parts) if parts else np.zeros(0)
    raws = [raw_of(each) for each in leaves if each is not None]
    kinds = tuple((np.shape(raw), np.result_type(raw)) for raw in raws)
    return vector, Unflatten(Form(leaves, structure), kinds)


class Unflatten(Generic[T]):
    """Makes a container of a vector."""

    def __init__(
        self, form: Form, kinds: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    ) -> None:
        self._form = form
        self._kinds = kinds

    def __call__(self, vector: Any) -> T:
        size = sum(math.prod(shape) for shape, _ in self._kinds)
        if np.shape(raw_of(vector)) != (size,):
            raise located(
                ValueError(
                    f"unflatten: expected a vector of {size} numbers, but got shape "
                    f"{np.shape(raw_of(vector))}"
                )
            )
        if not hasattr(vector, "dtype"):
            vector = np.asarray(vector)
        parts, start = [], 0
        for shape, dtype in self._kinds:
            count = math.prod(shape)
            if shape:
                part = np.reshape(vector[start : start + count], shape)
            else:
                part = vector[start]
            parts.append(_cast(part, dtype))
            start += count
        if not isinstance(vector, Variable):
            parts = [np.array(part) for part in parts]
        return cast(T, self._form.filled(parts))

    def followed_by(self, follow: Any) -> "Unflatten[T]":
        """The same: it calls nothing of the user's."""
        del follow
        return self


def _cast(part: Any, dtype: np.dtype[Any]) -> Any:
    """The part in a dtype; where that is real the real part."""
    if part.dtype == dtype:
        return part
    if part.dtype.kind == "c" and dtype.kind != "c":
        part = np.real(part)
    return part.astype(dtype)


flatten.is_transform = True  # type: ignore[attr-defined]
