"""``columns_of``: the items of a list as arrays, if all of them are alike.

A loop ``for i, j in pairs`` is the same in each iteration but for two integers. As
columns of an array these are in the graph, and which row it is the loop's index tells.

>>> found = columns_of([(0, 1), (2, 5)])
>>> [(column.array.tolist(), column.place) for column in found.parts]
[([[0, 1], [2, 5]], 0), ([[0, 1], [2, 5]], 1)]
>>> mixed = columns_of([(3, 0.5), (4, 1.5)])
>>> [column.array.tolist() for column in mixed.parts]
[[3, 4], [0.5, 1.5]]
>>> print(columns_of([1, 2.0]))
None
"""

import itertools
import marshal
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.references import Formula, Namer, Reference

DTYPES: Mapping[type, Any] = {int: np.dtype(np.int64), float: np.dtype(float)}
# Up to here integers, and products of two of them, are exact as floats.
LARGEST_ITEM = 2**20


class Column(NamedTuple):
    """One number of each item: at ``place`` of a row of the array, if that has rows.

    Integers are within these bounds. Of arrays it is a row itself.
    """

    array: np.ndarray[Any, Any]
    place: int | None
    kind: type
    least: int = -LARGEST_ITEM
    most: int = LARGEST_ITEM


class Row(NamedTuple):
    """Columns, or rows of such, that are in a tuple (or a list) in each item."""

    kind: type
    parts: tuple[Any, ...]


def columns_of(items: Sequence[Any], are_taken_apart: bool = False) -> Any:
    """What the items are made of; None if they are not alike, or of other things.

    ``are_taken_apart``: nobody keeps the items themselves, which may be lists then.
    """
    kinds = {*map(type, items)}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind in DTYPES:
        return _column(items, kind)
    if kind is np.ndarray:
        return _stacked(items)
    if not (kind is tuple or (kind is list and are_taken_apart)):
        return None
    lengths = {*map(len, items)}
    if len(lengths) != 1 or 0 in lengths:
        return None
    inner = {*map(type, itertools.chain.from_iterable(items))}
    if len(inner) == 1 and (own := inner.pop()) in DTYPES:
        whole = _column(items, own)
        if whole is None:
            return None
        places = range(*lengths)
        return Row(kind, tuple([whole._replace(place=place) for place in places]))
    parts = [columns_of(part) for part in zip(*items, strict=True)]
    return None if None in parts else Row(kind, tuple(parts))


def _column(items: Sequence[Any], kind: type) -> Column | None:
    """All of them as one array; None if that has not the same numbers."""
    array = np.array(items)
    if array.dtype != DTYPES[kind]:
        return None
    if kind is float:
        return Column(array, None, kind)
    least, most = int(array.min()), int(array.max())
    is_small = max(-least, most) <= LARGEST_ITEM
    return Column(array, None, kind, least, most) if is_small else None


def _stacked(items: Sequence[Any]) -> Column | None:
    """Arrays as one; None if that has not the same rows, as they lie in memory."""
    first = items[0]
    like = first.shape, first.dtype, True
    if not first.ndim or first.dtype.kind not in "fciub":
        return None
    if any((each.shape, each.dtype, each.flags.c_contiguous) != like for each in items):
        return None
    return Column(np.array(items), None, np.ndarray)


def columns_in(form: Any) -> Iterator[Column]:
    """All columns, of the parts of parts too."""
    if isinstance(form, Column):
        yield form
    else:
        for part in form.parts:
            yield from columns_in(part)


def arrays_in(form: Any) -> "list[np.ndarray[Any, Any]]":
    """The arrays of all columns, each once."""
    return [*{id(each.array): each.array for each in columns_in(form)}.values()]


def has_arrays(form: Any) -> bool:
    """Whether there are arrays in the items."""
    return any(each.kind is np.ndarray for each in columns_in(form))


def are_integers(form: Any) -> bool:
    """Whether there is nothing but integers in columns."""
    return all(each.kind is int for each in columns_in(form))


def described(form: Any) -> str:
    """What an item is, in words: what is the same of two forms.

    >>> described(columns_of([(3, (0.5, 1)), (4, (1.5, 2))]))
    '(int, (float, int))'
    """
    if isinstance(form, Column):
        if form.kind is np.ndarray:
            return f"{form.array.dtype}{[*form.array.shape[1:]]}"
        return form.kind.__name__
    parts = ", ".join(map(described, form.parts))
    if form.kind is list:
        return f"[{parts}]"
    return f"({parts},)" if len(form.parts) == 1 else f"({parts})"


# ----- Of a list of the environment, at each call -----


def taken_apart(items: Sequence[Any], are_taken_apart: bool) -> tuple[Any, ...]:
    """What some items are, and their arrays.

    >>> taken_apart([3, 1, 4], False)
    ('3 times int', array([3, 1, 4]))
    """
    form = columns_of(items, are_taken_apart)
    if form is None:
        return ("",)
    return f"{len(items)} times {described(form)}", *arrays_in(form)


class TakenApart(Reference):
    """What ``taken_apart`` makes of a list, or of a view of a dict.

    The pattern is that of what it takes: ``[*{}.items()]``.
    """

    __slots__ = ("are_taken_apart", "pattern")

    def __init__(self, parent: Reference, pattern: str, are_taken_apart: bool) -> None:
        super().__init__(parent.text, parent.hint, parent)
        self.pattern, self.are_taken_apart = pattern, are_taken_apart

    def source(self, parent: str, name: Namer) -> str:
        items = self.pattern.format(parent)
        return f"{name(taken_apart, 'taken_apart')}({items}, {self.are_taken_apart})"

    def arrays(self, count: int) -> list[Reference]:
        """Where the arrays are, if there are so many."""
        return [Numbers(self, k + 1, count > 1) for k in range(count)]


class Numbers(Formula):
    """One of the arrays: of which kind it is the parent says."""

    __slots__ = ()

    def __init__(self, parent: TakenApart, number: int, is_one_of_many: bool) -> None:
        super().__init__(f"{{}}[{number}]", parent)
        self.text = f"the numbers in {parent.text}"
        if is_one_of_many:
            self.text += f", {number}"
            self.hint = f"{parent.hint}_{number - 1}"


def has_numbers(reference: Reference, value: Any) -> Condition:
    """There are the same numbers, in the same tuples."""
    then = written_out(value)

    def test(names: Sequence[str], name: Namer) -> str:
        known = name(then, f"{reference.hint}_then")
        return f"{name(written_out, 'written_out')}({names[0]}) == {known}"

    return Condition((reference,), test, f"`{reference.text}` had other numbers in it")


def written_out(value: Any) -> bytes | None:
    """Numbers, and tuples and lists of them, exactly; None of anything else."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return None


def are_alike(reference: TakenApart, form: Any, count: int) -> Condition:
    """There are so many items, of numbers in the same places."""
    then = f"{count} times {described(form)}"

    def test(names: Sequence[str], name: Namer) -> str:
        return f"{names[0]}[0] == {then!r}"

    return Condition((reference,), test, f"`{reference.text}` was {then}")
