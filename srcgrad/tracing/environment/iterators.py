"""Iterators of the environment, whose items a function takes: ``next(batches)``.

An item is an input, taken anew at each call where others are looked up. What is taken
cannot be put back into a generator: if the call goes to the tape after all, the item
waits, and the next ``next`` of a followed function gets it. That is in order only if
the function comes to its ``next`` whatever happens before; so nothing may be computed
by then, and where a generator's own code runs, nothing be read or done that it may see.

>>> numbers, taken = iter([1.0, 2.0]), []
>>> take_next(numbers, taken)
1.0
>>> put_back(*taken.pop())
>>> next_of(numbers), next_of(numbers), next_of(numbers, None)
(1.0, 2.0, None)
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any, NoReturn

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.tracing.environment.references import Namer, Reference
from srcgrad.tracing.refusal import UserError, give_up

# Those that run no code of the user's, and are changed by nothing else.
EMPTY: tuple[Any, ...] = ([], (), "", range(0), {}, set(), deque())
OF_CONTAINERS: tuple[type, ...] = (
    *(type(iter(items)) for items in EMPTY),
    itertools.count,
)
# Those that may run such code.
OTHERS: tuple[type, ...] = (
    *(GeneratorType, type(iter(np.zeros(1))), zip, enumerate, map, filter, reversed),
    *(itertools.cycle, itertools.chain, itertools.islice, itertools.repeat),
    *(itertools.starmap, itertools.takewhile, itertools.dropwhile, itertools.pairwise),
    *(itertools.product, itertools.permutations, itertools.combinations),
)


class Ended(LookupError):  # noqa: N818 (it is the tape's to tell)
    """An iterator gives no item, or an error: the tape will tell."""


class _Raised:
    """Waits in the place of an item."""

    def __init__(self, error: Exception) -> None:
        self.error = error


# What has been taken in vain, by the identity of the iterators, which it keeps alive.
_waiting: dict[int, tuple[Any, deque[Any]]] = {}


def take_next(iterator: Iterator[Any], taken: list[tuple[Any, Any]]) -> Any:
    """The next item, which is noted.

    Raises
    ------
    Ended
        If there is none.
    """
    try:
        item = next_of(iterator)
    except StopIteration:
        raise Ended("an iterator has come to its end") from None
    except Exception as error:
        put_back(iterator, _Raised(error))
        raise Ended("an iterator raises an error") from None
    taken.append((iterator, item))
    return item


def put_back(iterator: Iterator[Any], item: Any) -> None:
    """Let an item wait for the next ``next``."""
    _waiting.setdefault(id(iterator), (iterator, deque()))[1].appendleft(item)


def next_of(iterator: Any, *default: Any) -> Any:
    """``next``, which gives first what waits."""
    if id(iterator) not in _waiting:
        return next(iterator, *default)
    items = _waiting[id(iterator)][1]
    item = items.popleft()
    if not items:
        del _waiting[id(iterator)]
    if type(item) is _Raised:
        raise item.error
    return item


class FollowedIterator:
    """Stands for an iterator of the environment, of which only items are taken."""

    __slots__ = ("item", "reference")

    def __init__(self, reference: Reference, item: Any) -> None:
        self.reference, self.item = reference, item

    @property
    def is_plain(self) -> bool:
        """Whether no code of the user's runs where an item is taken."""
        return isinstance(self.item, OF_CONTAINERS)

    def __iter__(self) -> NoReturn:
        give_up(f"goes through `{self.reference.text}`, an iterator")


class Taken(Reference):
    """The next item of an iterator."""

    __slots__ = ()

    def __init__(self, parent: Reference) -> None:
        super().__init__(f"next({parent.text})", f"of_{parent.hint}", parent)

    def source(self, parent: str, name: Namer) -> str:
        return f"{name(take_next, 'take_next')}({parent}, drawn)"


def items_for_array(
    call: Callable[..., Any], iterable: Any, dtype: Any, count: int = -1, **options: Any
) -> list[Any]:
    """What ``np.fromiter`` makes an array of; ``call`` follows the calls for that."""
    is_plain = np.dtype(dtype).kind in "biufc"
    if options or not is_plain:
        give_up("calls `fromiter` with more than numbers, their dtype and their count")
    if count >= 0:
        iterable = call(itertools.islice, call(iter, iterable), count)
    items: list[Any] = call(list, iterable)
    if len(items) < count or any(np.ndim(raw_of(item)) for item in items):
        raise UserError
    return items
