"""Parts of arrays of the environment between integers that change: ``data[i:i + n]``.

Batches are taken so. The part is looked up where the array is, at each call, and is an
input of the graph, under a condition on its shape. So one trace serves all of them but
the last, which may be shorter.

>>> from srcgrad.tracing.environment.references import Argument
>>> i = FollowedInt(Argument("i", 0), 4, reads=None)
>>> pattern, numbers = written_index((slice(i, i + 4), 0))
>>> pattern, [number.reference.text for number in numbers]
('{}:{}, 0', ['i', 'i + 4'])
"""

from collections.abc import Sequence
from typing import Any

from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Namer, Reference


class Window(Reference):
    """``parent[start:stop]``, where the bounds are at other places."""

    __slots__ = ("pattern",)

    def __init__(
        self, parent: Reference, pattern: str, others: list[Reference]
    ) -> None:
        text = f"{parent.text}[{pattern.format(*(each.text for each in others))}]"
        super().__init__(text, parent.hint, parent)
        self.others = tuple(others)
        self.pattern = pattern

    def source_of(self, parent: str, name: Namer, others: Sequence[str]) -> str:
        return f"{parent}[{self.pattern.format(*others)}]"


def is_window(index: Any) -> bool:
    """Whether a slice in an index has a bound that changes from call to call."""
    parts = index if type(index) is tuple else (index,)
    return any(
        type(part) is slice
        and any(type(bound) is FollowedInt for bound in (part.start, part.stop))
        for part in parts
    )


def window(reads: Any, item: Any, index: Any) -> Any:
    """What a function sees of a part of an environment's array; None if it is none."""
    if type(item) is not TracedArray or item.edge is not None:
        return None  # a gradient goes through the graph
    references = [
        reference for reference, leaf in reads.seen.arrays if leaf is item.value
    ]
    found = written_index(index)
    if not references or found is None:
        return None
    pattern, numbers = found
    reference = Window(references[0], pattern, [number.reference for number in numbers])
    part = item.value[_plain(index)]

    def take() -> Any:
        return reads.take_array(reference, part)

    return reads.remembered((id(item.value), reference.text), take)


def written_index(index: Any) -> tuple[str, list[FollowedInt]] | None:
    """An index as Python, with ``{}`` for each integer that changes; and these."""
    numbers: list[FollowedInt] = []
    parts = index if type(index) is tuple else (index,)
    texts = [_written(part, numbers) for part in parts]
    if None in texts:
        return None
    return ", ".join(map(str, texts)), numbers


def _written(part: Any, numbers: list[FollowedInt]) -> str | None:
    if type(part) is FollowedInt:
        numbers.append(part)
        return "{}"
    if type(part) is slice:
        bounds = [part.start, part.stop, *([] if part.step is None else [part.step])]
        texts = ["" if b is None else _written(b, numbers) for b in bounds]
        return None if None in texts else ":".join(map(str, texts))
    if part is Ellipsis:
        return "..."
    return repr(part) if type(part) is int or part is None else None


def _plain(index: Any) -> Any:
    """The same with the numbers themselves, which nothing depends on but its shape."""
    if type(index) is tuple:
        return tuple(map(_plain, index))
    if type(index) is slice:
        return slice(_plain(index.start), _plain(index.stop), index.step)
    return index.concrete if type(index) is FollowedInt else index
