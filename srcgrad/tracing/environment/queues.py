"""Deques of the environment, as a traced function sees them.

Which element is where is kept while the function puts in and takes out: what is left of
the user's own by its place, and what is new. The user's own changes when the run is
over (``effects``).
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.containers import Followed, opened
from srcgrad.tracing.environment.references import Attribute, Reference
from srcgrad.tracing.environment.symbolic import as_seen


class FollowedDeque(Followed, deque[Any]):
    """Stands for a deque of the environment; its own storage is empty.

    Attributes
    ----------
    now : deque of callables
        What gives each element that is in it now.
    """

    now: deque[Callable[[], Any]]

    def opened(self) -> Any:
        return deque(map(opened, self), self.item.maxlen)

    @property
    def maxlen(self) -> Any:
        return self.item.maxlen

    def _elements(self) -> deque[Callable[[], Any]]:
        """All that is in it, which depends on the length that it had."""
        self.reads.require(conditions.has_length(self.reference, len(self.item)))
        return self.now

    def __len__(self) -> int:
        return len(self._elements())

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[Any]:
        numbers = self._along(range(len(self)), self.moves)
        return (self.now[number]() for number in numbers)

    def __reversed__(self) -> Iterator[Any]:
        numbers = self._along(reversed(range(len(self))), self.moves)
        return (self.now[number]() for number in numbers)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self._found(lambda now: now[as_seen(key)])()

    def __setitem__(self, key: Any, value: Any) -> None:
        number = range(len(self))[as_seen(key)]
        self.now[number] = lambda: value
        self._note(deque.__setitem__, number, value)

    def _found(self, look: Callable[[Any], Any]) -> Callable[[], Any]:
        try:
            found: Callable[[], Any] = look(self._elements())
        except IndexError as error:
            raise self.reads.foreseen(error) from None
        return found

    def append(self, item: Any) -> None:
        self._elements().append(lambda: item)
        self._note(deque.append, item)

    def appendleft(self, item: Any) -> None:
        self._elements().appendleft(lambda: item)
        self._note(deque.appendleft, item)

    def extend(self, items: Any) -> None:
        # An iterator is asked as the deque grows, which it may look at.
        for item in [*items] if items is self else items:
            self.append(item)

    def __iadd__(self, items: Any) -> Any:  # type: ignore[misc]
        self.extend(items)
        return self

    def pop(self) -> Any:  # type: ignore[override]
        found = self._found(deque.pop)()
        self._note(deque.pop)
        return found

    def popleft(self) -> Any:
        found = self._found(deque.popleft)()
        self._note(deque.popleft)
        return found

    def clear(self) -> None:
        self._elements().clear()
        self._note(deque.clear)

    def rotate(self, count: Any = 1) -> None:
        self._elements().rotate(as_seen(count))
        self._note(deque.rotate, as_seen(count))

    def copy(self) -> Any:
        return deque(self, self.item.maxlen)

    def index(self, *args: Any) -> int:
        return deque(self).index(*args)

    def count(self, item: Any) -> int:
        return deque(self).count(item)

    def __contains__(self, item: Any) -> bool:
        return item in [*self]

    def __eq__(self, other: object) -> bool:
        return deque(self) == other

    def __ne__(self, other: object) -> bool:
        return deque(self) != other

    def __lt__(self, other: Any) -> Any:
        return deque(self) < other

    def __le__(self, other: Any) -> Any:
        return deque(self) <= other

    def __gt__(self, other: Any) -> Any:
        return deque(self) > other

    def __ge__(self, other: Any) -> Any:
        return deque(self) >= other

    extendleft = insert = remove = reverse = Followed._refuse
    __add__ = __mul__ = __rmul__ = __imul__ = __delitem__ = Followed._refuse
    __hash__ = None

    def __repr__(self) -> str:
        return repr(self.opened())


def deque_like(reference: Reference, item: deque[Any], reads: Any) -> FollowedDeque:
    """What the function sees of a deque."""
    made = FollowedDeque()
    made.item, made.reference, made.reads = item, reference, reads
    made.found, made.added, made.is_open, made.moves = {}, [], False, 0
    reads.require(conditions.equals(Attribute(reference, "maxlen"), item.maxlen))

    def of_user(number: int) -> Callable[[], Any]:
        return lambda: made._at(number)

    made.now = deque(map(of_user, range(len(item))), item.maxlen)
    return made
