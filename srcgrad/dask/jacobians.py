"""``jacobian`` of a function that gives a row for each row of the data."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from dask import array as dask_array

from srcgrad.dask.blocks import Blocks, Counting
from srcgrad.dask.compiling import MOST_LENGTHS, Compiling, kind_of
from srcgrad.dask.gradients import check, without_keywords
from srcgrad.dask.programs import Missed, prepared, received
from srcgrad.dask.sums import sent, unwarned
from srcgrad.errors import add_note, explained, located, told
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
        computed when it is asked for, from what the function reads outside its
        arguments as that is now. Where a function decides by the data, or by the
        parameters, call ``prepare(parameters)`` before: it traces the ways of all
        blocks. Further arguments and ``blocks=`` are not taken.

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
        gradient = jacobians.jacobian(without_keywords(function))
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
            parts = self._tasks(rows_of_block, (parameters,), leaves)
            arrays = [self._array(parts, k, leaf) for k, leaf in enumerate(leaves)]
            return unflatten(structure, arrays)

    def prepare(self, parameters: Any) -> None:
        """Trace the ways that all blocks go, in a pass over them, or more.

        The Jacobian of parameters for which no block goes another way is computed by
        these traces, then.
        """
        with DOOR:
            check((parameters,))
            self._form((parameters,))
            self._learn_all((parameters,))

    def _form(self, given: Sequence[Any]) -> tuple[list[Leaf], Any]:
        kind, lengths = kind_of(given), set(self._blocks.rows)
        found = self._compiling.prepare(given, range(self.npartitions))
        self._keep(given, found)
        if kind not in self._forms:
            raise located(ValueError("the blocks have no rows"), kind="data-in-blocks")
        if found is not None and (None in lengths or len(lengths) > MOST_LENGTHS):
            self._learn_all(given)
        return self._forms[kind]

    def _keep(self, given: Sequence[Any], found: Any) -> None:
        """Keep the form of a Jacobian; None: there is nothing new."""
        if found is not None:
            leaves, structure = flatten(found)
            metas = [Leaf(np.shape(leaf)[1:], np.result_type(leaf)) for leaf in leaves]
            self._forms[kind_of(given)] = metas, structure

    def _learn_all(self, given: Sequence[Any]) -> None:
        """Trace what blocks no trace is for yet."""
        while True:
            with unwarned():
                whys = dask.compute(*self._tasks(why_missed, given))
            missed = {number: why for number, why in enumerate(whys) if why}
            if not missed:
                break
            number = min(missed)
            found = self._compiling.learn(given, number, missed[number])
            self._keep(given, found)

    def _tasks(self, function: Callback, given: Sequence[Any], *more: Any) -> list[Any]:
        """A task for each block, of what there are traces for."""
        common = sent(self._compiling.program()), sent(given)
        one = dask.delayed(function, pure=False)
        return [
            one(*common, number, self._counting, *more, *block)
            for number, block in enumerate(self._blocks.delayed)
        ]

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
    counting: Counting,
    leaves: Sequence[Leaf],
    *block: Any,
) -> list[Any]:
    """The leaves of the Jacobian of a block, on the worker where that lies."""
    try:
        rows = counting.rows_of(block)
        if not rows:
            return [np.zeros((0, *leaf.shape), leaf.dtype) for leaf in leaves]
        found = received(program)(*prepared((*given, *block)))
        check_rows(found, rows)
        arrays = [np.array(leaf) for leaf in flatten(found)[0]]
        _check_declared(arrays, leaves)
    except Missed as error:
        raise explained(
            RuntimeError(
                f"no trace is for block {number}: {told(error.__cause__ or error)}"
            ),
            "call .prepare(parameters) of what srcgrad.dask.jacobian gives, before: it "
            "traces all ways that blocks go, or raises what the function raises there",
            kind="on-each-worker",
        ) from None
    except Exception as error:
        add_note(error, f"in block {number}")
        raise
    return arrays


def why_missed(
    program: bytes, given: Sequence[Any], number: int, counting: Counting, *block: Any
) -> str:
    """Why no trace is for a block; nothing if one is."""
    try:
        if counting.rows_of(block):
            received(program)(*prepared((*given, *block)))
    except (ImportError, MemoryError, OSError) as error:  # the worker's own troubles
        add_note(error, f"in block {number}")
        raise
    except Exception as error:
        return told(error.__cause__ or error)
    return ""


def _check_declared(arrays: Sequence[Any], leaves: Sequence[Leaf]) -> None:
    """Raise if the Jacobian of a block does not fit to that of the first traced."""
    found = [Leaf(array.shape[1:], array.dtype) for array in arrays]
    if found != [*leaves]:
        raise explained(
            ValueError(
                f"the Jacobian of a block has rows of {_described(found)}, but that of "
                f"the block which was traced has {_described(leaves)}"
            ),
            "the function gives rows of one shape and dtype for all blocks, and for "
            "parameters of one kind: make another jacobian for others",
            kind="data-in-blocks",
        )


def _described(leaves: Sequence[Leaf]) -> str:
    """Shapes and dtypes in words.

    >>> _described([Leaf((3,), np.dtype("f4"))])
    'shape (3,) of float32'
    """
    return ", ".join(f"shape {leaf.shape} of {leaf.dtype}" for leaf in leaves)


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
