"""``jacobian`` of a function that gives a row for each row of the data."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from dask import array as dask_array

from srcgrad.dask.blocks import Blocks, Counting
from srcgrad.dask.compiling import Compiling, kind_of
from srcgrad.dask.gradients import check
from srcgrad.dask.programs import prepared, received
from srcgrad.dask.sums import sent
from srcgrad.errors import add_note, explained, located
from srcgrad.functional import jacobians
from srcgrad.functional.naming import name_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tracebacks import DOOR

Callback = Callable[..., Any]


def jacobian(function: Callback, *, data: Any) -> "OverRows":
    """Make a function that gives a Jacobian with the rows of the data, as Dask arrays.

    Parameters
    ----------
    function : callable
        ``function(parameters, *block)`` is an array with a row for each row of a block.
    data : Dask collection, list of delayed, or tuple of these
        As for ``value_and_grad``.

    Returns
    -------
    OverRows
        Called with the parameters, it gives a Dask array of the shape
        ``(rows, ..., *parameters.shape)``, in the structure of the parameters. It is
        computed when it is asked for.

    Examples
    --------
    >>> import dask.array
    >>> import numpy as np
    >>> import srcgrad.dask
    >>> x = dask.array.arange(4.0, chunks=2)
    >>> def residuals(w, x):
    ...     return np.exp(w[0] * x) - w[1]
    >>> J = srcgrad.dask.jacobian(residuals, data=x)(np.array([0.0, 1.0]))
    >>> J
    dask.array<concatenate, shape=(4, 2), dtype=float64, chunksize=(2, 2), ...>
    >>> (J.T @ J).compute()
    array([[14., -6.],
           [-6.,  4.]])
    """
    return OverRows(function, data)


class Leaf(NamedTuple):
    """What a leaf of a Jacobian is, beside its rows."""

    shape: tuple[int, ...]
    dtype: Any


class OverRows:
    """A Jacobian whose rows are those of the data.

    Attributes
    ----------
    npartitions : int
        How many blocks there are.
    """

    def __init__(self, function: Callback, data: Any) -> None:
        self._blocks = Blocks(data)
        self._name = name_of(function)
        gradient = jacobians.jacobian(function)
        self._counting = self._blocks.counting._replace(are_aligned=True)
        self._compiling = Compiling(
            gradient, function, self._blocks, self._counting, check_rows
        )
        # By the kind of parameters: the leaves, and the structure they are in.
        self._forms: dict[Any, tuple[list[Leaf], Any]] = {}
        self.npartitions = len(self._blocks.delayed)

    def __call__(self, parameters: Any) -> Any:
        with DOOR:
            check((parameters,))
            leaves, structure = self._form((parameters,))
            program = self._compiling.program(with_function=True)
            common = sent(program), sent((parameters,))
            one = dask.delayed(rows_of_block, pure=False)
            parts = [
                one(*common, number, leaves, self._counting, *block)
                for number, block in enumerate(self._blocks.delayed)
            ]
            arrays = [self._array(parts, k, leaf) for k, leaf in enumerate(leaves)]
            return unflatten(structure, arrays)

    def _form(self, given: Sequence[Any]) -> tuple[list[Leaf], Any]:
        kind = kind_of(given)
        found = self._compiling.prepare(given, range(self.npartitions))
        if found is not None:
            leaves, structure = flatten(found)
            metas = [Leaf(np.shape(leaf)[1:], np.result_type(leaf)) for leaf in leaves]
            self._forms[kind] = metas, structure
        if kind not in self._forms:
            raise located(ValueError("the blocks have no rows"), kind="data-in-blocks")
        return self._forms[kind]

    def _array(self, parts: Sequence[Any], number: int, leaf: Leaf) -> Any:
        """A leaf of the blocks as one Dask array."""
        rows = [np.nan if n is None else n for n in self._blocks.rows]
        arrays = [
            dask_array.from_delayed(part[number], (n, *leaf.shape), leaf.dtype)
            for part, n in zip(parts, rows, strict=True)
        ]
        is_open = any(n is None for n in self._blocks.rows)
        return dask_array.concatenate(arrays, allow_unknown_chunksizes=is_open)

    def __repr__(self) -> str:
        return f"<jacobian of {self._name} over {self.npartitions} blocks>"


def rows_of_block(
    program: bytes,
    given: Sequence[Any],
    number: int,
    leaves: Sequence[Leaf],
    counting: Counting,
    *block: Any,
) -> list[Any]:
    """The leaves of the Jacobian of a block, on the worker where that lies."""
    try:
        rows = counting.rows_of(block)
        if not rows:
            return [np.zeros((0, *leaf.shape), leaf.dtype) for leaf in leaves]
        found = received(program)(*prepared((*given, *block)))
        check_rows(found, rows)
    except Exception as error:
        add_note(error, f"in block {number}")
        raise
    return [np.array(leaf) for leaf in flatten(found)[0]]


def check_rows(found: Any, rows: int) -> None:
    """Raise if there is not a row for each row of the data."""
    for leaf in flatten(found)[0]:
        if np.shape(leaf)[:1] != (rows,):
            raise explained(
                ValueError(
                    f"the function gives a row for each row of a block, of which there "
                    f"are {rows}, but its Jacobian has shape {np.shape(leaf)}"
                ),
                "srcgrad.dask.value_and_grad adds up what blocks give",
                kind="data-in-blocks",
            )
