"""Lists and dicts of the environment, as a function sees them: each look is noted.

They stand for the user's own, as a ``TracedArray`` stands for an array. What is looked
up is noted with its place, so that a trace depends on no more than that: an element by
its key, a loop by the length or the keys. What the function changes in them is an
effect (``effects``), and seen at once, by who goes along them too. Their own storage is
empty: what goes round the methods finds nothing, instead of what may be stale.
"""

import enum
import itertools
import operator
import os
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.dict_views import Items, Keys, Values
from srcgrad.tracing.environment.references import Attribute, Item, Reference
from srcgrad.tracing.environment.symbolic import Symbolic, as_seen
from srcgrad.tracing.environment.trust import hidden_in
from srcgrad.tracing.refusal import give_up

# Keys that are their own literals.
PLAIN_KEYS = (str, int, bool, float, bytes, type(None))
# What a defaultdict may make its elements by.
DEFAULT_FACTORIES = (int, float, list, dict, set, str, None)
# What moves no element: what is new is a key.
SETTING = (operator.setitem, deque.__setitem__)
# Comes after all keys.
END: Any = object()


class Followed:
    """What a list and a dict of the environment have in common.

    Attributes
    ----------
    item : list or dict
        The user's own.
    reference : Reference
        Where it was found.
    reads : CapturedReads
        Who takes note.
    """

    item: Any
    reference: Reference
    reads: Any
    found: dict[Any, Any]
    # What of the user's own is still there: nothing, once it has been cleared.
    left: Any
    # What the function has appended; the keys that it has set.
    added: list[Any]
    # Whether it was changed in a way that leaves open what is where.
    is_open: bool
    # How often something was put in, taken out, or moved.
    moves: int

    def _clear(self, change: Callable[..., Any]) -> None:
        """Note that all is taken out; what is where is known from then on."""
        self.left = type(self.item)() if type(self.item) in (list, dict) else {}
        self.found.clear()
        self.added.clear()
        self.is_open = False
        self._note(change)

    def _require(self, condition: conditions.Condition) -> None:
        """Note a condition on what was in it, as far as that is still there."""
        if self.left is self.item:
            self.reads.require(condition)

    def _reorder(self, change: Callable[..., Any], *args: Any) -> None:
        """Note a change after which it can no more be told what is where."""
        self.is_open = True
        self._note(change, *args)

    def _check_open(self) -> None:
        if self.is_open:
            give_up(
                f"looks at `{self.reference.text}` after it has taken something out"
            )

    def _along(self, keys: Iterable[Any], moves: int) -> Iterator[Any]:
        """The keys, as long as they are those that were there after so many moves.

        After a move Python raises an error; so it does on the tape.
        """
        for key in itertools.chain(keys, (END,)):
            self._check_open()
            if moves != self.moves:
                give_up(f"goes along `{self.reference.text}` while it grows or shrinks")
            if key is not END:
                yield key

    def _note(self, change: Callable[..., Any], *args: Any) -> None:
        """Take note of a change, which the user's own gets when the run is over."""
        self.moves += change not in SETTING
        self.reads.changes_of(self.item, self.reference, change, args)

    def _at(self, key: Any) -> Any:
        """What the function sees of the element under a key, which is there."""
        self._check_open()
        if key not in self.found:
            reference = Item(self.reference, key)
            self.found[key] = self.reads.enter(reference, self.item[key])
        return self.reads.checked(self.found[key])

    def __len__(self) -> int:
        raise NotImplementedError

    def __copy__(self) -> Any:
        return self.opened()

    def opened(self) -> Any:
        """A container of the function's own with all that is in this one."""
        raise NotImplementedError

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        give_up(f"changes `{self.reference.text}` in a way that is not followed")

    def __reduce_ex__(self, protocol: Any) -> Any:
        give_up(f"copies or pickles `{self.reference.text}`")


def stands_for(reference: Reference, item: Any, reads: Any) -> Any:
    """What the function sees of a list or dict."""
    return made_of(STAND_INS[type(item)], reference, item, reads)


def attributes_like(reference: Reference, item: dict[str, Any], reads: Any) -> Any:
    """What the function sees of the ``__dict__`` of an object."""
    return made_of(FollowedAttributes, reference, item, reads)


def made_of(kind: Any, reference: Reference, item: Any, reads: Any) -> Any:
    """One that stands for a list or dict, of a kind of these."""
    made = kind.__new__(kind)
    made.item, made.reference, made.reads = item, reference, reads
    made.found = {}
    made.left = item
    made.added = []
    made.is_open, made.moves = False, 0
    return made


def opened(item: Any) -> Any:
    """An argument with containers of the function's own in the place of others."""
    if isinstance(item, Followed):
        return item.opened()
    if isinstance(item, Symbolic):
        return item.look()
    kind = type(item)
    if kind is tuple or kind is list:
        elements = [opened(element) for element in item]
        is_own = all(new is old for new, old in zip(elements, item, strict=True))
        return item if is_own else kind(elements)
    if kind is dict:
        values = opened([*item.values()])
        is_own = all(new is old for new, old in zip(values, item.values(), strict=True))
        return item if is_own else dict(zip(item, values, strict=True))
    return item


class FollowedList(Followed, list[Any]):
    """Stands for a list of the environment."""

    def opened(self) -> Any:
        return [opened(element) for element in self]

    def __len__(self) -> int:
        self._check_open()
        self._require(conditions.has_length(self.reference, len(self.item)))
        return len(self.left) + len(self.added)

    def __iter__(self) -> Iterator[Any]:
        len(self)  # how far it goes depends on that
        return self._elements(itertools.count())

    def __reversed__(self) -> Iterator[Any]:
        return self._elements(reversed(range(len(self))))

    def _elements(self, numbers: Iterable[int]) -> Iterator[Any]:
        """Some elements, as long as there are such: what is appended comes, too."""
        for number in numbers:
            self._check_open()
            if number >= len(self.left) + len(self.added):
                return
            yield self._element(number)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [*self][as_seen(key)]
        return self._element(self._number(key, "list index out of range"))

    def _number(self, key: Any, error: str) -> int:
        """Which element it is, from the start."""
        self._check_open()
        key, count = as_seen(key), len(self.left) + len(self.added)
        try:
            number: int = range(count)[key]
        except IndexError:
            len(self)
            raise self.reads.foreseen(IndexError(error)) from None
        if number >= len(self.left) or key < 0:
            len(self)  # from the end it depends on that
        return number

    def _element(self, number: int) -> Any:
        count = len(self.left)
        return self._at(number) if number < count else self.added[number - count]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._refuse()
        number = self._number(key, "list assignment index out of range")
        if number < len(self.left):
            self.found[number] = value
        else:
            self.added[number - len(self.left)] = value
        self._note(operator.setitem, number, value)

    def append(self, item: Any) -> None:
        self.added.append(item)
        self._note(list.append, item)

    def extend(self, items: Any) -> None:
        # An iterator is asked as the list grows, which it may look at.
        for item in [*items] if isinstance(items, list) else items:
            self.append(item)

    def __iadd__(self, items: Any) -> Any:
        self.extend(items)
        return self

    def __delitem__(self, key: Any) -> None:
        if not isinstance(key, slice):
            key = self._number(key, "list assignment index out of range")
        self._reorder(operator.delitem, key)

    def pop(self, key: Any = -1) -> Any:
        if not (self.left or self.added):
            len(self)
            raise self.reads.foreseen(IndexError("pop from empty list"))
        number = self._number(key, "pop index out of range")
        found = self._element(number)
        self._reorder(list.pop, number)
        return found

    def insert(self, key: Any, item: Any) -> None:
        self._reorder(list.insert, as_seen(key), item)

    def clear(self) -> None:
        self._clear(list.clear)

    def reverse(self) -> None:
        self._reorder(list.reverse)

    def __contains__(self, item: Any) -> bool:
        return item in [*self]

    def __eq__(self, other: object) -> bool:
        return [*self] == other

    def __ne__(self, other: object) -> bool:
        return [*self] != other

    def __lt__(self, other: Any) -> Any:
        return [*self] < other

    def __le__(self, other: Any) -> Any:
        return [*self] <= other

    def __gt__(self, other: Any) -> Any:
        return [*self] > other

    def __ge__(self, other: Any) -> Any:
        return [*self] >= other

    def __add__(self, other: Any) -> Any:
        return operator.add([*self], opened(other))

    def __radd__(self, other: Any) -> Any:
        return operator.add(opened(other), [*self])

    def __mul__(self, count: Any) -> Any:
        return [*self] * count

    __rmul__ = __mul__
    __hash__ = None

    def __repr__(self) -> str:
        return repr([*self])

    def copy(self) -> Any:
        return [*self]

    def index(self, *args: Any) -> int:
        return [*self].index(*args)

    def count(self, item: Any) -> int:
        return [*self].count(item)


class FollowedDict(Followed, dict[Any, Any]):
    """Stands for a dict of the environment."""

    def opened(self) -> Any:
        return {key: opened(value) for key, value in self.items()}

    def __len__(self) -> int:
        self._check_open()
        if self.added:
            keys = self._keys()
            return len(keys)
        self._require(conditions.has_length(self.reference, len(self.item)))
        return len(self.left)

    def _keys(self) -> list[Any]:
        self._check_open()
        keys = [*self.left]
        for key in keys:
            _check_key(key, self.reference)
        self._require(conditions.has_keys(self.reference, keys))
        return list(dict.fromkeys((*keys, *self.added)))

    def __setitem__(self, key: Any, value: Any) -> None:
        key = as_seen(key)
        _check_key(key, self.reference)
        if key not in self.added and key not in self.left:
            self.moves += 1
        self.found[key] = value
        self.added.append(key)
        self._note(operator.setitem, key, value)

    def __delitem__(self, key: Any) -> None:
        key = as_seen(key)
        if key not in self:
            raise self.reads.foreseen(KeyError(key))
        self._reorder(operator.delitem, key)

    def pop(self, key: Any, *default: Any) -> Any:
        key = as_seen(key)
        if key not in self:
            if default:
                return default[0]
            raise self.reads.foreseen(KeyError(key))
        found = self[key]
        self._reorder(type(self.item).pop, key)
        return found

    def clear(self) -> None:
        self._clear(type(self.item).clear)

    def update(self, *args: Any, **kwargs: Any) -> None:
        is_pairs = len(args) == 1 and not hasattr(args[0], "keys")
        # An iterator is asked as the dict grows, which it may look at.
        for key, value in args[0] if is_pairs else dict(*args).items():
            self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __iter__(self) -> Iterator[Any]:
        return self._along(self._keys(), self.moves)

    def __reversed__(self) -> Iterator[Any]:
        return self._along(reversed(self._keys()), self.moves)

    def __getitem__(self, key: Any) -> Any:
        key = as_seen(key)
        _check_key(key, self.reference)
        if key in self.added or key in self.left:
            return self._at(key)
        self._require(conditions.has_no_key(self.reference, key))
        if hasattr(type(self.item), "__missing__"):
            return self._missing(key)
        raise self.reads.foreseen(KeyError(key))

    def _missing(self, key: Any) -> Any:
        """What a dict that makes its elements has for a key that it lacks."""
        if type(self.item) is Counter:
            return 0
        factory = getattr(self.item, "default_factory", None)
        if type(self.item) is not defaultdict or factory not in DEFAULT_FACTORIES:
            give_up(f"looks up a key that `{self.reference.text}` lacks, and makes")
        reference = Attribute(self.reference, "default_factory")
        self.reads.require(conditions.is_same(reference, factory))
        if factory is None:
            raise self.reads.foreseen(KeyError(key))
        self[key] = factory()
        return self[key]

    def get(self, key: Any, default: Any = None) -> Any:
        return self._at(key) if key in self else default

    def __contains__(self, key: Any) -> bool:
        key = as_seen(key)
        self._check_open()
        _check_key(key, self.reference)
        is_there = key in self.added or key in self.left
        if key not in self.found:
            there = conditions.has_key if is_there else conditions.has_no_key
            self._require(there(self.reference, key))
        return is_there

    def keys(self) -> Any:
        return Keys(self)

    def values(self) -> Any:
        return Values(self)

    def items(self) -> Any:
        return Items(self)

    def copy(self) -> Any:
        if type(self.item) is defaultdict:
            give_up(f"copies `{self.reference.text}`, which makes its elements")
        kind = OrderedDict if type(self.item) is OrderedDict else dict
        return kind(self.items())

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == other

    def __ne__(self, other: object) -> bool:
        return dict(self.items()) != other

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    __hash__ = None

    def __repr__(self) -> str:
        return repr(dict(self.items()))


def is_key(key: Any) -> bool:
    """Whether a key is found again by what it is, with no code of the user's."""
    if type(key) is tuple:
        return all(map(is_key, key))
    if isinstance(key, enum.Enum):
        return hidden_in(key) is None
    return (type(key) in PLAIN_KEYS or isinstance(key, np.number)) and key == key


def _check_key(key: Any, reference: Reference) -> None:
    """Refuse a key that is not its own literal, and so cannot be looked up again."""
    if not is_key(key):
        give_up(f"looks up a {type(key).__name__} in `{reference.text}`")


class FollowedCounter(FollowedDict):
    """Stands for a Counter of the environment."""

    def opened(self) -> Any:
        return Counter(dict(self.items()))

    def copy(self) -> Any:
        return self.opened()

    def most_common(self, n: Any = None) -> Any:
        return self.opened().most_common(as_seen(n))

    def elements(self) -> Any:
        return self.opened().elements()

    def total(self) -> Any:
        return sum(self.values())

    def __add__(self, other: Any) -> Any:
        return self.opened() + opened(other)

    def __sub__(self, other: Any) -> Any:
        return self.opened() - opened(other)

    def __delitem__(self, key: Any) -> None:
        if key in self:
            super().__delitem__(key)

    update = subtract = _refuse = FollowedDict._refuse
    __or__ = __and__ = __ior__ = __iadd__ = __isub__ = _refuse


class FollowedView(FollowedDict):
    """Stands for a view of a dict that nothing can be changed through."""

    def _read_only(self, *args: Any) -> Any:
        raise TypeError("'mappingproxy' object does not support item assignment")

    __setitem__ = __delitem__ = _read_only
    update = setdefault = pop = clear = __ior__ = FollowedDict._refuse


class FollowedAttributes(FollowedView):
    """Stands for the ``__dict__`` of an object of the environment, to be looked at."""

    __setitem__ = __delitem__ = FollowedDict._refuse


class FollowedSet(set[Any]):
    """Stands for a set of texts of the environment: what it was but for changes."""

    note: Callable[..., None]

    def _change(self, change: Callable[..., Any], *args: Any) -> None:
        change(self, *args)
        self.note(change, *args)

    def add(self, item: Any) -> None:
        self._change(set.add, item)

    def discard(self, item: Any) -> None:
        self._change(set.discard, item)

    def remove(self, item: Any) -> None:
        self._change(set.remove, item)

    def clear(self) -> None:
        self._change(set.clear)

    def update(self, *others: Any) -> None:
        self._change(set.update, *others)

    def _refuse(self, *args: Any) -> Any:
        give_up("changes a set in a way that is not followed")


def set_like(reference: Reference, item: set[Any], reads: Any) -> FollowedSet:
    """What the function sees of a set."""
    made = FollowedSet(item)
    if [*made] != [*item]:
        give_up(f"reads `{reference.text}`, a set of an order of its own")
    made.note = lambda change, *args: reads.changes_of(item, reference, change, args)
    return made


STAND_INS: dict[type, type] = {
    list: FollowedList,
    dict: FollowedDict,
    OrderedDict: FollowedDict,
    defaultdict: FollowedDict,
    Counter: FollowedCounter,
    MappingProxyType: FollowedView,
    type(os.environ): FollowedView,
}

# Those that are not followed.
CHANGES_OF_SETS = (
    "__iand__ __ior__ __isub__ __ixor__ difference_update intersection_update pop "
    "symmetric_difference_update"
)
CHANGES_OF_LISTS = "__imul__ remove sort"
CHANGES_OF_DICTS = "popitem"


def _install_changes() -> None:
    changes: list[tuple[type, str]] = [
        (FollowedList, CHANGES_OF_LISTS),
        (FollowedDict, CHANGES_OF_DICTS),
        (FollowedSet, CHANGES_OF_SETS),
    ]
    for kind, names in changes:
        refuse: Any = kind._refuse  # type: ignore[attr-defined]
        for name in names.split():
            setattr(kind, name, refuse)


_install_changes()
