"""What leaves a followed function: ndarrays and Variables, not arrays of its own.

>>> h = FunctionalArray(np.zeros(2))
>>> left([h, (1.0, h)])
[array([0., 0.]), (1.0, array([0., 0.]))]
"""

import operator
from collections import deque
from collections.abc import Callable
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import Leaf, has_edge, sequence_like
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray, FunctionalView
from srcgrad.tracing.arrays.traced_array import TracedArray, as_result
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.environment_array import EnvironmentArray, left_of

NONE: frozenset[Any] = frozenset()
# Holds nothing, ever.
NOBODY: dict[int, Any] = {}
# What may be such an array, or hold some.
HOLDING_KINDS = frozenset(
    {FunctionalArray, FunctionalView, EnvironmentArray, Variable, TracedArray}
    | {list, tuple, dict, set, deque, FunctionType}
)

# What is none and holds none.
HOLDING_NOTHING = frozenset({Variable, np.ndarray, str, bytes, type(None)}).union(
    (int, float, complex, bool), np.sctypeDict.values()
)


def _content(item: Any) -> Any:
    """An ndarray or Variable for an array of a function's own."""
    return left_of(item) if isinstance(item, FunctionalArray) else item


def given_to_user(item: Any) -> Any:
    """The same, and a number or Variable for what stands for a number."""
    item = _content(item)
    return as_result(item) if type(item) is TracedArray else item


def numbers_given(result: Any) -> Any:
    """The result of a traced function that another one calls: numbers are given so."""
    if type(result) in HOLDING_NOTHING:
        return result
    return _Change(lambda i: as_result(i) if type(i) is TracedArray else i).of(result)


def left(result: Any, replace: Callable[[Any], Any] = _content) -> Any:
    """A result with ndarrays or Variables for the arrays that a function has made.

    Lists, dicts and objects of the user's stay the same ones.
    """
    kind = type(result)
    if kind in HOLDING_NOTHING:
        return result
    if issubclass(kind, (ArrayProtocol, np.ndarray)):
        return replace(result)
    change = _Change(replace)
    result = change.of(result)
    leaves, structure = flatten(result)
    for leaf in leaves:
        if type(leaf) not in HOLDING_NOTHING:
            change.within(leaf)
    new = [
        replace(leaf) if isinstance(leaf, ArrayProtocol) else leaf for leaf in leaves
    ]
    if all(map(operator.is_, new, leaves)):
        return result
    return unflatten(structure, new)


class LeftBehind:
    """What a followed function, and those that it calls, have stored into.

    ``outer`` is the same of the function around. As long as that may compute on with
    what is stored, it stays as it is. ``depth`` counts the transforms that run.
    """

    # Most functions have nothing around them and store nothing: to make one is to be
    # quick.
    outer: "LeftBehind | None" = None
    depth = 0
    holders = NOBODY
    # The nodes of what transforms differentiate by, and what is known to lead to these
    # alone.
    _starts: frozenset[Any] | set[Any] = NONE

    @classmethod
    def within(cls, outer: "LeftBehind | None", depth: int, given: Any) -> Any:
        """One inside of another, or of a transform; ``given`` are the arguments.

        They are of a transform, if it is deeper than what is around.
        """
        left = cls()
        left.outer, left.depth = outer, depth
        if depth > (0 if outer is None else outer.depth):
            edges: Any = [
                leaf.edge for leaf in flatten(given)[0] if type(leaf) is Variable
            ]
            left._starts = {edge[0] for edge in edges if type(edge) is tuple}
        return left

    def note(self, holder: Any) -> None:
        """Note what is stored into."""
        if self.holders is NOBODY:
            self.holders = {}
        self.holders[id(holder)] = holder

    def result(self, result: Any) -> Any:
        """The result, apart from what is left behind if a transform goes on with it."""
        is_users = not self.depth and state.recorder is None
        result = left(result, given_to_user if is_users else _content)
        if not (self.holders and self.depth):
            return result
        leaves, structure = flatten(result)
        return unflatten(structure, leaves)

    def settle(self) -> None:
        """Leave nothing behind that the user does not know."""
        outer = self.outer
        if outer is not None:
            outer.holders = outer.holders | self.holders
            outer._starts = outer._starts | self._starts
            return
        if not self.holders:
            return
        change = _Change(self._known_elsewhere)
        for holder in self.holders.values():
            change.within(holder)

    def _known_elsewhere(self, item: Any) -> Any:
        """An ndarray or number for what only a transform has made a Variable."""
        item = _content(item)
        if type(item) is TracedArray and state.recorder is None:
            return item.value  # kept, it is the number that it stands for
        if not self._starts or type(item) is not Variable or not has_edge(item):
            return item
        return raw_of(item) if self._is_transforms(item) else item

    def _is_transforms(self, variable: Variable) -> bool:
        """Whether nothing that it was computed from is a Variable of the user's."""
        edge: Any = variable.edge
        nodes, seen = [edge[0]], set[Any]()
        while nodes:
            node = nodes.pop()
            if node not in self._starts and node not in seen:
                seen.add(node)
                if type(node) is Leaf:
                    return False
                nodes += [before[0] for before in node.edges if before is not None]
        self._starts = self._starts | seen
        return True


class _Change:
    """Replaces what containers and objects hold, wherever it is."""

    def __init__(self, replace: Callable[[Any], Any]) -> None:
        self._replace = replace
        self._seen: set[int] = set()

    def of(self, item: Any) -> Any:
        """What is to stand for an item."""
        if isinstance(item, ArrayProtocol):
            return self._replace(item)
        if isinstance(item, tuple):
            parts = list(map(self.of, item))
            if all(new is old for new, old in zip(parts, item, strict=True)):
                return item
            changed = sequence_like(item, parts)
            self.within(changed)
            return changed
        if isinstance(item, (list, dict, set, deque, FunctionType)):
            self.within(item)
        return item

    def within(self, holder: Any) -> None:
        """Replace what something holds, without running code of its own."""
        if id(holder) in self._seen or isinstance(holder, Followed):
            return  # what a recording follows is one of the environment
        self._seen.add(id(holder))
        if isinstance(holder, (dict, set)):
            self._keys(holder)
        members, store = _members(holder)
        for key, member in list(members):
            if _may_hold(type(member)):
                new = self.of(member)
                if new is not member:
                    store(holder, key, new)

    def _key(self, key: Any) -> Any:
        """What is to stand for a key: for a number's stand-in, the number.

        In a transform a Variable is one, and another key when it is over.
        """
        is_one = type(key) is TracedArray
        if state.depth and type(key) is Variable:
            is_one = type(key.value) is not np.ndarray
        if not is_one:
            return self.of(key)
        return key if state.recorder is not None else key.value

    def _keys(self, holder: Any) -> None:
        """Replace the keys of a dict, the elements of a set: numbers, and tuples."""
        keys = list(holder)
        if not any(map(_may_hold, set(map(type, keys)))):
            return
        new = list(map(self._key, keys))
        if all(one is other for one, other in zip(new, keys, strict=True)):
            return
        if isinstance(holder, set):
            set.clear(holder)
            set.update(holder, new)
        else:
            values = [dict.__getitem__(holder, key) for key in keys]
            dict.clear(holder)
            dict.update(holder, zip(new, values, strict=True))


def _members(holder: Any) -> tuple[Any, Any]:
    """What something holds, by keys, and how to store under a key."""
    if isinstance(holder, dict):
        return holder.items(), dict.__setitem__
    if isinstance(holder, set):
        return (), None
    if isinstance(holder, (list, deque)):
        kind: Any = list if isinstance(holder, list) else deque
        # A long list of numbers is looked through once, at C's speed.
        has_some = any(map(_may_hold, set(map(type, holder))))
        return enumerate(holder) if has_some else (), kind.__setitem__
    if isinstance(holder, FunctionType):
        return _cells(holder), _fill
    if isinstance(holder, CellType):
        content = () if holder == CellType() else [(holder, holder.cell_contents)]
        return content, _fill
    return _attributes(holder), _bind


def _may_hold(kind: type) -> bool:
    """Whether it is such an array, or a container: a namedtuple, a defaultdict too."""
    return kind in HOLDING_KINDS or issubclass(kind, (tuple, list, dict, deque))


def _cells(function: FunctionType) -> list[tuple[CellType, Any]]:
    """The cells of a function that is made inside, but those that are still empty."""
    cells = [cell for cell in function.__closure__ or () if cell != CellType()]
    return [(cell, cell.cell_contents) for cell in cells]


def _fill(holder: Any, cell: CellType, content: Any) -> None:
    cell.cell_contents = content


def _attributes(item: Any) -> Any:
    """The attributes of an object, without running code of its own."""
    if issubclass(type(item), (type, ModuleType)):
        return vars(item).items()
    slots = [
        (name, member.__get__(item))
        for kind in type(item).__mro__
        for name, member in vars(kind).items()
        if type(member) is MemberDescriptorType and _is_set(member, item)
    ]
    try:
        return [*slots, *object.__getattribute__(item, "__dict__").items()]
    except AttributeError:
        return slots


def _bind(item: Any, name: str, value: Any) -> None:
    """Bind an attribute; what a property of the same name reads, too."""
    own = getattr(item, "__dict__", None)
    if type(own) is dict and name in own:
        own[name] = value
    else:
        object.__setattr__(item, name, value)


def _is_set(member: Any, item: Any) -> bool:
    try:
        member.__get__(item)
    except AttributeError:
        return False
    return True
