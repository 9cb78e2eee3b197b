"""``vmap``: a function of one element as a function of a batch of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from srcgrad.errors import located
from srcgrad.functional.batch_axes import Axes, Batch
from srcgrad.functional.naming import name_of
from srcgrad.functional.transform import Found, Transform
from srcgrad.modes import refuse, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import unflatten
from srcgrad.tape.foreign import is_foreign, what_to_write
from srcgrad.tape.leading import leads_to_outer
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.segments import recorded_batch

Callback = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")

# What is stacked: all that NumPy makes arrays of numbers of.
BATCHED_TYPES = (np.ndarray, np.generic, bool, int, float, complex)


@overload
def vmap(
    function: Callable[P, complex | np.number[Any] | np.bool],
    in_axes: Any = 0,
    out_axes: Any = 0,
) -> Transform[P, NDArray[Any]]: ...
@overload
def vmap(
    function: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0
) -> Transform[P, R]: ...
def vmap(function: Callback, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """Make a function that goes over axes of its arguments, and stacks the results.

    On the tape it is a loop and ``np.stack``. Compiled, it is the same function on the
    whole batch at once; what the elements cannot do together (NumPy functions without a
    batching rule) is done for each, and ``explain()`` says so. Where the function
    branches on values of the elements, each follows its own path, in the loop.

    Parameters
    ----------
    function : callable
        Of one element of each argument; returns arrays, numbers, or containers of
        these.
    in_axes : int, None, or container of these
        The axes to go over, counted from the end if they are negative: one for all
        arguments, or a tuple with one for each positional argument, which may be
        containers that an argument begins like. None: the argument is the same for all
        elements. Keyword arguments are gone over along their first axes.
    out_axes : int, None, or container of these
        Where the axis of the batch is in the results. None: they are the same for all
        elements, and there is but one.

    Returns
    -------
    callable
        With the function's arguments.

    Raises
    ------
    TypeError
        If the axes are no integers; if a result is nothing that NumPy could stack.
    ValueError
        If the axes do not fit the arguments, or differ in size.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> rows = srcgrad.vmap(np.dot, in_axes=(0, None))
    >>> rows(np.eye(3), np.array([1.0, 2.0, 3.0]))
    array([1., 2., 3.])
    >>> square = lambda x: x**2
    >>> srcgrad.vmap(srcgrad.grad(square))(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    return Vmap(function, Axes.of(in_axes, "in_axes"), Axes.of(out_axes, "out_axes"))


vmap.is_transform = True  # type: ignore[attr-defined]


class Vmap(Transform[..., Any]):
    """A function of a batch; made by ``vmap``."""

    suffix, gives_what = "batch", "for each element of a batch"
    is_of_same_arguments = False

    def __init__(self, function: Callback, in_axes: Axes, out_axes: Axes) -> None:
        if not callable(function):
            raise TypeError(f"vmap takes a function, but got {function!r}")
        super().__init__(function, in_axes, out_axes)
        self._in_axes = in_axes
        self._out_axes = out_axes
        # It gives what the function gives: derivatives, if that is a transform.
        self.derives = isinstance(function, Transform) and function.derives

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        batch = Batch.of(self._function, self._in_axes, args, kwargs)
        recorder = state.recorder
        if isinstance(recorder, Recorder):
            leaves, structure = self._recorded(recorder, batch)
        else:
            leaves, structure = self._looped(batch)
        axes = self._out_axes.over(unflatten(structure, leaves))
        name = self._name
        moved = [
            _placed(leaf, axis, name) for leaf, axis in zip(leaves, axes, strict=True)
        ]
        if self.derives:
            is_closed_over = any(map(leads_to_outer, moved))

            def pack(_: Any, derived: Sequence[Any]) -> Any:
                return unflatten(structure, derived)

            return Found(None, moved, pack, is_closed_over=is_closed_over)
        return Found(unflatten(structure, moved), (), lambda result, _: result)

    @property
    def _name(self) -> str:
        return name_of(self._function)

    def _looped(self, batch: Batch) -> tuple[list[Any], Any]:
        """All elements, one after the other: each leaf of the result, stacked."""
        wide = batch.fronted()
        found, structures = zip(
            *(
                batch.call(self._function, [leaf[i] for leaf in wide])
                for i in range(batch.size)
            ),
            strict=True,
        )
        if len(set(structures)) > 1:
            raise located(
                TypeError(
                    f"vmap of {self._name}: the results of the elements differ in "
                    "structure"
                )
            )
        columns = zip(*found, strict=True)
        return [_stacked(column, self._name) for column in columns], structures[0]

    def _recorded(self, recorder: Recorder, batch: Batch) -> tuple[list[Any], Any]:
        """The same at once, in a recording."""
        if None in self._out_axes.leaves:
            refuse(f"vmap of {self._name}: compares results, for out_axes is None")
        structure: Any = None

        def call(elements: list[Any]) -> list[Any]:
            nonlocal structure
            leaves, structure = batch.call(self._function, elements)
            for leaf in leaves:
                _check(leaf, self._name)
            return leaves

        name = f"vmap of {self._name}"
        reached = [self._function, batch.others()]
        wide = batch.fronted()
        found = recorded_batch(recorder, call, wide, name, reached, is_own=True)
        return found, structure


def _stacked(column: Sequence[Any], name: str) -> Any:
    """One leaf of the results of all elements, as an array."""
    if all(leaf is None for leaf in column):
        return None
    for leaf in column:
        _check(leaf, name)
    _check_shapes(column, name)
    return np.stack(column)


def _check(leaf: Any, name: str) -> None:
    """Raise if something is nothing to stack.

    Raises
    ------
    TypeError
        Saying what it is.
    """
    if leaf is not None and not isinstance(raw_of(leaf), BATCHED_TYPES):
        raise located(
            TypeError(
                f"vmap stacks arrays and numbers, but {name} returned a "
                f"{type(leaf).__name__}"
            ),
            what_to_write(leaf) if is_foreign(leaf) else "",
        )


def _check_shapes(column: Sequence[Any], name: str) -> None:
    """Raise if one leaf has not the same shape in the results of all elements.

    Raises
    ------
    ValueError
        Saying which shapes there are.
    """
    shapes = [None if leaf is None else np.shape(raw_of(leaf)) for leaf in column]
    if len(set(shapes)) > 1:
        other = next(i for i, shape in enumerate(shapes) if shape != shapes[0])
        raise located(
            ValueError(
                f"vmap of {name}: the results of the elements differ in shape: "
                f"{shapes[0]} of element 0, {shapes[other]} of element {other}"
            )
        )


def _placed(leaf: Any, axis: int | None, name: str) -> Any:
    """A stacked result with the axis of the batch where it is wanted."""
    if leaf is None or axis == 0:
        return leaf
    if axis is None:
        raw = raw_of(leaf)
        if any(not np.array_equal(raw[0], each, equal_nan=True) for each in raw[1:]):
            raise located(
                ValueError(
                    f"vmap has mapped a result of {name} for which out_axes is None: "
                    "the elements differ"
                )
            )
        return leaf[0]
    ndim = raw_of(leaf).ndim
    if not -ndim <= axis < ndim:
        raise located(
            ValueError(
                f"vmap out_axes={axis} does not fit a result of {name}, which with "
                f"the axis of the batch has {ndim} axes"
            )
        )
    return np.moveaxis(leaf, 0, axis)
