"""``Blocks``: data as a list of blocks, a row of delayed arguments each."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from dask.array import Array
from dask.bag import Bag
from dask.delayed import Delayed
from distributed import Future

from srcgrad.errors import explained, located
from srcgrad.pytree import children, flatten

DATA_KINDS = (
    "a Dask array, a Dask dataframe, a Dask bag, a list of delayed blocks, or a tuple "
    "of these"
)


class Blocks:
    """Data of a function of blocks.

    Attributes
    ----------
    delayed : list of tuple of Delayed
        The arguments of the function, for each block.
    rows : list of int or None
        How many rows each block has, where that is known beforehand.
    counting : Counting
        How their rows are counted.

    Examples
    --------
    >>> import dask.array
    >>> x = dask.array.ones((5, 2), chunks=(3, 2))
    >>> blocks = Blocks((x, x[:, 0]))
    >>> len(blocks.delayed), blocks.rows
    (2, [3, 2])
    """

    def __init__(self, data: Any) -> None:
        given = data if isinstance(data, tuple) else (data,)
        sources = [_as_collection(each) for each in given]
        arrays = [each for each in sources if isinstance(each, Array)]
        _check_arrays(arrays)
        columns = [_blocks_of(each, len(sources) == 1) for each in sources]
        counts = [len(column) for column in columns]
        if not counts or not all(counts):
            raise located(ValueError("there are no data"), kind="data-in-blocks")
        if len(set(counts)) > 1:
            raise located(
                ValueError(f"the data are in {_listed(counts)} blocks"),
                "each block of one goes with the block of the same number of the "
                "others: bring them to the same chunks",
                kind="data-in-blocks",
            )
        self.delayed = list(zip(*columns, strict=True))
        chunks = arrays[0].chunks[0] if len(arrays) == len(sources) else (np.nan,)
        is_known = not any(map(np.isnan, chunks))
        self.rows = [*map(int, chunks)] if is_known else [None] * len(self.delayed)
        self.counting = Counting(
            not any(isinstance(each, list) for each in sources),
            tuple(k for k, each in enumerate(sources) if isinstance(each, Bag)),
        )


class Counting(NamedTuple):
    """How the rows of a block are counted.

    Attributes
    ----------
    are_aligned : bool
        Whether all that comes together in a block must have the same number of them,
        which is that of arrays: a list may be of rows, or of columns.
    bags : tuple of int
        Which arguments are lists of items, that is of rows.
    """

    are_aligned: bool
    bags: tuple[int, ...] = ()

    def rows_of(self, block: Sequence[Any]) -> int:
        """How many rows a block has: how long its arrays are, or its lists of items.

        >>> Counting(True).rows_of((np.ones((3, 2)), {"y": np.ones(3), "k": 2.0}))
        3
        """
        lengths = set()
        for number, part in enumerate(block):
            if number in self.bags:
                lengths.add(len(part))
            else:
                found = _lengths_of(part)
                lengths |= found
                if self.are_aligned and found and _has_list_of_arrays(part):
                    raise _uncounted("a list of arrays in it is of rows or of columns")
        if self.are_aligned and not lengths:
            raise _uncounted("there is no array in it")
        if self.are_aligned and len(lengths) > 1:
            raise explained(
                ValueError(
                    f"what makes a block has {_listed(sorted(lengths))} rows, which is "
                    "not one number"
                ),
                "bring the data to the same chunks; for a mean of blocks of other "
                'kinds, take reduce="sum" and divide by a number of your own',
                kind="data-in-blocks",
            )
        return max(lengths, default=1)


def _lengths_of(part: Any) -> set[int]:
    """How long the arrays are that a part of a block has."""
    shapes = [np.shape(leaf) for leaf in flatten(part)[0]]
    return {shape[0] for shape in shapes if shape}


def _has_list_of_arrays(part: Any) -> bool:
    """Whether there is a list that has arrays, however deep.

    >>> _has_list_of_arrays({"x": np.ones(3), "y": [np.ones(2)]})
    True
    """
    if isinstance(part, list):
        return bool(_lengths_of(part))
    return any(map(_has_list_of_arrays, children(part)))


def _uncounted(why: str) -> ValueError:
    return explained(
        ValueError(f"the rows of a block cannot be counted: {why}"),
        "give an array, or a dict or tuple of arrays of the same rows; for a mean of "
        'other blocks, take reduce="sum" and divide by a number of your own',
        kind="data-in-blocks",
    )


def _as_collection(source: Any) -> Any:
    if isinstance(source, list) and all(isinstance(each, Delayed) for each in source):
        return source
    if isinstance(source, Array | Bag):
        return source
    hint = ""
    if isinstance(source, Delayed):  # which has all attributes
        hint = "one block is a list of one: [block]"
    elif hasattr(source, "to_dask_array"):
        return _array_of_frame(source)
    elif isinstance(source, list) and any(isinstance(each, Future) for each in source):
        hint = "dask.delayed makes a block of a future: [delayed(f) for f in futures]"
    elif isinstance(source, list | dict):
        hint = "data that come together in a block are a tuple: data=(x, y)"
    elif isinstance(source, np.ndarray):
        hint = "dask.array.from_array makes a Dask array of one of NumPy's"
    elif isinstance(getattr(source, "data", None), Array):  # xarray's
        hint = "hand over its .data"
    raise located(
        TypeError(f"data is {DATA_KINDS}, but got {type(source).__name__}"),
        hint,
        kind="data-in-blocks",
    )


def _array_of_frame(frame: Any) -> Any:
    """The numbers of a dataframe, or of a series."""
    array = frame.to_dask_array()
    if array.dtype == object and frame.ndim == 2:
        raise _of_objects(
            [
                name
                for name, dtype in frame.dtypes.items()
                if not (isinstance(dtype, np.dtype) and dtype.kind in "biufc")
            ]
        )
    return array


def _blocks_of(source: Any, is_alone: bool) -> list[Delayed]:
    """The blocks of a collection.

    Dask makes one task of all that a block goes through. But with what two collections
    share it would do that in each, and it lets go what is in the memory of workers.
    """
    if isinstance(source, list):
        return source
    if isinstance(source, Bag):
        source = source.map_partitions(list)
    is_there = any(isinstance(each, Future) for each in source.dask.values())
    found = source.to_delayed(optimize_graph=is_alone and not is_there)
    return list(np.ravel(found))


def _check_arrays(arrays: Sequence[Any]) -> None:
    """Raise if chunks are not blocks of whole rows, the same for all."""
    for array in arrays:
        if array.dtype == object:
            raise _of_objects()
        if not array.ndim or any(n != 1 for n in array.numblocks[1:]):
            raise located(
                ValueError(
                    f"a block holds whole rows, but the data have chunks "
                    f"{array.chunksize} of shape {array.shape}"
                ),
                "rechunk them: x.rechunk({0: 'auto', **dict.fromkeys(range(1, x.ndim), "
                "-1)})"
                if array.ndim
                else "",
                kind="data-in-blocks",
            )
    for one, other in itertools.pairwise(arrays):
        rows = one.chunks[0], other.chunks[0]
        is_known = not any(np.isnan(n) for chunks in rows for n in chunks)
        if is_known and rows[0] != rows[1]:
            raise located(
                ValueError(
                    f"the data have other chunks of rows: {_listed(rows[0])} and "
                    f"{_listed(rows[1])}"
                ),
                "rechunk one like the other: y = y.rechunk({0: x.chunks[0]})",
                kind="data-in-blocks",
            )


def _of_objects(columns: Sequence[Any] = ()) -> TypeError:
    which = f", as these columns are no numbers: {_listed(columns)}" if columns else ""
    return located(
        TypeError(f"the data are an array of objects{which}"),
        "choose the columns that are numbers, and convert them by .astype",
        kind="data-in-blocks",
    )


def _listed(numbers: Sequence[Any]) -> str:
    """Numbers in words, the first of many.

    >>> _listed([3, 4]), _listed(range(9))
    ('3, 4', '0, 1, 2, 3, ...')
    """
    return ", ".join(map(str, numbers[:4])) + ", ..." * (len(numbers) > 4)
