"""What functions hold, and the objects that they lead to: their Variables.

>>> import srcgrad
>>> rate = srcgrad.Variable(2.0, requires_grad=True)
>>> rates = {"slow": rate}
>>> holdings = Holdings(lambda t, y: -rates["slow"] * y)
>>> list(holdings.variables.values()) == [rate], id(rates) in holdings.holders
(True, True)
"""

import dis
import functools
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from types import CellType, CodeType, FunctionType, MemberDescriptorType, MethodType
from typing import Any

from srcgrad.protocols import ArrayProtocol

# Whose functions and objects hold no Variables of the user's.
LIBRARIES = frozenset({"numpy", "scipy", "builtins"}) | sys.stdlib_module_names
SEQUENCES = (tuple, list, deque)


class Holdings:
    """What can be reached from some functions.

    Attributes
    ----------
    variables : dict
        The Variables, by id, in the order in which they were found.
    holders : set of int
        The ids of what leads to one of them.
    """

    def __init__(self, functions: Any) -> None:
        self.variables: dict[int, Any] = {}
        self.holders: set[int] = set()
        self._parents: dict[int, list[int]] = {}
        self._items: dict[int, Any] = {id(functions): functions}
        waiting = [functions]
        while waiting:
            holder = waiting.pop()
            for item in held_by(holder):
                kind: Any = type(item)
                if not is_of_interest(kind):
                    continue
                self._parents.setdefault(id(item), []).append(id(holder))
                if id(item) in self._items:
                    continue
                self._items[id(item)] = item
                if not isinstance(item, ArrayProtocol):
                    waiting.append(item)
                elif not is_plain(item):
                    self.variables[id(item)] = item
        self._mark(self.variables)
        self._mark_who_shares_globals()

    def _mark(self, ids: Iterable[int]) -> None:
        waiting = list(ids)
        while waiting:
            for parent in self._parents.get(waiting.pop(), ()):
                if parent not in self.holders:
                    self.holders.add(parent)
                    waiting.append(parent)

    def _mark_who_shares_globals(self) -> None:
        """Functions see what others write into the globals of their module."""
        functions = [f for f in self._items.values() if type(f) is FunctionType]
        changed = {id(f.__globals__) for f in functions if stores_globals(f.__code__)}
        held = {id(f.__globals__) for f in functions if id(f) in self.holders}
        shared = [id(f) for f in functions if id(f.__globals__) in changed & held]
        self.holders.update(shared)
        self._mark(shared)


def is_plain(item: Any) -> bool:
    """Whether a followed function has made it, and put no Variable in it."""
    return item.stands_for_array and item.edge is None


def held_by(item: Any) -> Iterator[Any]:
    """What something holds that may be, or lead to, a Variable."""
    kind: Any = type(item)
    if isinstance(item, functools.partial):
        members: Iterable[Any] = (item.func, item.args, item.keywords)
    elif isinstance(item, FunctionType):
        members = held_by_function(item)
    elif isinstance(item, MethodType):
        members = (item.__func__, item.__self__)
    elif isinstance(item, CellType):
        members = () if is_empty(item) else (item.cell_contents,)
    elif is_container(item):
        members = item.values() if isinstance(item, dict) else item
        # A long list of numbers is looked through once, at C's speed.
        if not any(map(is_of_interest, kinds_of(members))):
            return
    elif is_object(kind):
        members = attributes_of(item).values()
    else:
        return
    yield from members


def kinds_of(items: Iterable[Any]) -> set[Any]:
    return set(map(type, items))


def held_by_function(function: FunctionType) -> Iterator[Any]:
    module = function.__module__ or ""
    if module.partition(".")[0] in LIBRARIES:
        return
    if module.startswith("srcgrad.tracing."):  # what makes a followed copy of one
        return
    yield from function.__closure__ or ()
    yield from (function.__defaults__, function.__kwdefaults__)
    space = function.__globals__
    yield from (space[name] for name in names_in(function.__code__) if name in space)


@functools.lru_cache(maxsize=4096)
def is_of_interest(kind: Any) -> bool:
    """Whether something of this type may be, or hold, a Variable of the user's."""
    kinds = (FunctionType, MethodType, CellType, functools.partial, dict, *SEQUENCES)
    return issubclass(kind, (ArrayProtocol, *kinds)) or is_object(kind)


def is_container(item: Any) -> bool:
    """Whether it is a container that no class of the user's has changed."""
    kind = type(item)
    if isinstance(item, tuple):
        return True
    return isinstance(item, (dict, list, deque)) and not is_users(kind)


def is_users(kind: type) -> bool:
    root = kind.__module__.partition(".")[0]
    return root not in LIBRARIES and root != "srcgrad"


@functools.lru_cache(maxsize=4096)
def is_object(kind: Any) -> bool:
    """Whether it is a class of the user's whose objects are attributes alone."""
    if not is_users(kind) or issubclass(kind, type):
        return False
    try:
        object.__new__(kind)
    except TypeError:  # it is made of something else as well
        return False
    return True


def slots_of(kind: type) -> list[tuple[str, Any]]:
    return [
        (name, member)
        for base in kind.__mro__
        for name, member in vars(base).items()
        if type(member) is MemberDescriptorType
    ]


def attributes_of(item: Any) -> dict[str, Any]:
    """The attributes of an object; no code of its class runs."""
    found = {}
    for name, slot in slots_of(type(item)):
        try:
            found[name] = slot.__get__(item)
        except AttributeError:  # nothing is in it
            continue
    try:
        return {**found, **object.__getattribute__(item, "__dict__")}
    except AttributeError:
        return found


def is_empty(cell: CellType) -> bool:
    return cell == CellType()


@functools.lru_cache(maxsize=1024)
def names_in(code: CodeType) -> tuple[str, ...]:
    """The names that a function may look up among its globals."""
    return (*code.co_names, *(name for each in inner(code) for name in names_in(each)))


@functools.lru_cache(maxsize=1024)
def stores_globals(code: CodeType) -> bool:
    """Whether a function has a ``global`` name that it binds."""
    return any(
        step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
        for step in dis.get_instructions(code)
    ) or any(map(stores_globals, inner(code)))


def inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]
