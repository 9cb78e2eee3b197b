"""Objects of the user's classes, as Python's own syntax finds them in followed copies.

What ``p * q``, ``for v in p``, ``with p:`` or ``abs(p)`` runs of a class does not stand
in the function's text, and would run as it is. So the copy gives Python a *stand-in* of
the object there: its special methods are the followed ones, and get the object itself.

>>> class Pair:
...     def __init__(self, v):
...         self.v = v
...     def __mul__(self, other):
...         return Pair(self.v * other.v)
>>> def followed(method):
...     print("runs", method.__qualname__)
...     return method
>>> objects, p = Objects(followed), Pair(3.0)
>>> type(objects.seen(p) * objects.seen(p)) is Pair
runs Pair.__mul__
True
>>> objects.seen(2.0)
2.0
"""

import dataclasses
import operator
from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from srcgrad.facts import Operation
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.plain_writes import Written
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray, FunctionalView
from srcgrad.tracing.environment.class_members import class_member, member_of
from srcgrad.tracing.environment.conditions import MISSING
from srcgrad.tracing.environment.objects import is_generated
from srcgrad.tracing.environment.special import (
    SPECIAL_NAMES,
    has_special_methods,
    is_followed,
)

# Where methods are defined that other methods of the same object make.
MIXINS = frozenset({"collections.abc", "_collections_abc", "functools"})
ITERATORS = frozenset({"__iter__", "__reversed__"})
# Types that are no classes of the user's.
PYTHONS_TYPES = frozenset(
    {
        *(int, float, complex, bool, str, bytes, tuple, list, dict, set, range, slice),
        *(np.ndarray, np.float64, np.float32, np.int64, np.bool_, zip, enumerate, map),
        *(
            type(None),
            Variable,
            FunctionalArray,
            FunctionalView,
            FunctionType,
            ModuleType,
            type,
        ),
    }
)
# Functions of Python's that are such syntax, too: of all their arguments, of those
# after a function, of the items of what they are given.
OF_OBJECTS = frozenset(
    {
        *(
            abs,
            bool,
            dict,
            divmod,
            enumerate,
            format,
            frozenset,
            hash,
            int,
            iter,
            len,
            list,
        ),
        *(next, pow, print, range, repr, reversed, round, set, str, tuple, zip),
        *(own.python for own in (*BINARY_OPERATORS, *COMPARISONS)),
        *(own.augmented for own in BINARY_OPERATORS if own.augmented),
        *(operator.neg, operator.pos, operator.abs, operator.invert),
        *(operator.truth, operator.not_, operator.index),
    }
)
AFTER_FUNCTIONS = frozenset({map, filter})
OF_FIRST = frozenset({operator.getitem, operator.setitem, operator.delitem})
OF_ITEMS = frozenset({all, any, max, min, sorted})
NUMBER_METHODS: dict[Any, str] = {float: "__float__", complex: "__complex__"}


class StandIn:
    """The base of all stand-ins: of an item, whose methods some objects follow."""

    __slots__ = ("srcgrad_item", "srcgrad_objects")

    def __init__(self, item: Any, objects: "Objects") -> None:
        self.srcgrad_item = item
        self.srcgrad_objects = objects

    def __getattr__(self, name: str) -> Any:
        return getattr(self.srcgrad_item, name)

    def __eq__(self, other: object) -> bool:
        return self.srcgrad_item is real(other) or NotImplemented

    def __hash__(self) -> int:
        return hash(self.srcgrad_item)

    def __repr__(self) -> str:
        return repr(self.srcgrad_item)


def real(item: Any) -> Any:
    """What something is, or stands for."""
    return item.srcgrad_item if isinstance(item, StandIn) else item


class Objects:
    """The stand-ins; ``of`` gives the followed copy of a method."""

    def __init__(self, of: Callable[[Any], Any]) -> None:
        self.of = of
        self._kinds: WeakKeyDictionary[type, Any] = WeakKeyDictionary()

    def seen(self, item: Any) -> Any:
        """What Python is given for an item: its stand-in, or itself."""
        kind = type(item)
        if kind in PYTHONS_TYPES or issubclass(kind, StandIn):
            return item
        made = self._kind_of(kind)
        return item if made is None else made(item, self)

    def _kind_of(self, kind: type) -> Any:
        """The class of the stand-ins of a class; None: its objects need none."""
        if kind not in self._kinds:
            self._kinds[kind] = self._made(kind) if has_special_methods(kind) else None
        return self._kinds[kind]

    def _made(self, kind: type) -> type:
        # It stands below those of its bases: of two, Python asks the lower one first.
        below = {base: self._kind_of(base) for base in kind.__mro__[1:-1]}
        bases = tuple([below[base] for base in kind.__bases__ if below.get(base)])
        members: dict[str, Any] = {"__slots__": (), "__module__": kind.__module__}
        for name in SPECIAL_NAMES:
            base, member = member_of(kind, name)
            if member is not MISSING and base is not object and not below.get(base):
                members[name] = _forwarding(name, member)
        return type(kind.__name__, bases or (StandIn,), members)

    # ----- What else Python runs of a class -----

    @staticmethod
    def start_in_own_way(kind: Any) -> bool:
        """Whether objects of a dataclass start with a ``__post_init__`` to follow."""
        start, after = kind.__init__, class_member(kind, "__post_init__")
        is_data = type(start) is FunctionType and is_generated(start)
        new: Any = object.__new__
        is_plain = type(kind) is type and kind.__new__ is new
        return is_data and is_plain and kind.__dictoffset__ and is_followed(after)

    def made(self, kind: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``kind(*args, **kwargs)`` of such a dataclass."""
        item = object.__new__(kind)
        vars(item)["__post_init__"] = self.of(item.__post_init__)
        try:
            kind.__init__(item, *args, **kwargs)
        finally:
            vars(item).pop("__post_init__", None)
        return item

    def mixed_in(self, method: Any) -> Any:
        """A method that is made of others of its object, which are to be followed."""
        function, owner = method.__func__, method.__self__
        seen = self.seen(owner) if _is_mixin(function) else owner
        return method if seen is owner else MethodType(function, seen)

    def replaced(self, item: Any, /, **changes: Any) -> Any:
        """``dataclasses.replace``"""
        fields = {} if isinstance(item, type) else _plain_fields(item)
        if fields is None or not changes.keys() <= fields.keys():
            return dataclasses.replace(item, **changes)  # the error, mostly
        kept = {name: getattr(item, name) for name in fields if name not in changes}
        return self.of(type(item))(**kept, **changes)

    def updated(self, items: Any) -> Any:
        """What stands for a list or a dict in ``items[index] += value``."""
        return _Updated(items, self)

    def given_to(self, function: Operation) -> Operation:
        """A function that is given stand-ins."""

        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs = {name: self.seen(item) for name, item in kwargs.items()}
            return function(*map(self.seen, args), **kwargs)

        return call

    def described(self, item: Any, name: str) -> Any:
        """``item.name``, if a descriptor of the user's gives it; else MISSING."""
        member = class_member(type(item), name)
        get = class_member(type(member), "__get__")
        return self.of(get)(member, item, type(item)) if is_followed(get) else MISSING

    def setting(self, item: Any, name: str) -> Any:
        """What ``.name = value`` is done to for an object."""
        kind = type(item)
        if kind in PYTHONS_TYPES:
            return item
        member = class_member(kind, name)
        if type(member) is property and is_followed(member.fset):
            return _Setting(lambda _, value: self.of(member.fset)(item, value))
        own = class_member(kind, "__setattr__")
        if not is_followed(own):
            return item
        return _Setting(lambda name, value: self.of(own)(item, name, value))

    def computed(self, item: Any, name: str) -> Any:
        """``item.name``, which the user's ``__getattr__`` may give."""
        try:
            return object.__getattribute__(item, name)
        except AttributeError:
            return self.of(type(item).__getattr__)(item, name)

    # ----- Functions of Python's -----

    def taking(self, function: Any, found: Operation) -> Operation:
        """What is called for a function, of objects too; ``found``: of anything else"""
        if function is sum:
            return self._sum(found)
        if function in OF_ITEMS:
            return self._of_items(function, found)
        if function in NUMBER_METHODS:
            return self._number(NUMBER_METHODS[function], found)
        if function not in OF_OBJECTS | AFTER_FUNCTIONS | OF_FIRST:
            return found
        first = int(function in AFTER_FUNCTIONS)
        last = 1 if function in OF_FIRST else None

        def call(*args: Any, **kwargs: Any) -> Any:
            asked = map(self.seen, args[first:last])
            rest = () if last is None else args[last:]
            return real(found(*args[:first], *asked, *rest, **kwargs))

        return call

    def _sum(self, found: Operation) -> Operation:
        def call(iterable: Any, /, start: Any = 0) -> Any:
            iterable = self.seen(iterable)
            if type(iterable) in PYTHONS_TYPES and type(iterable) not in (
                list,
                tuple,
            ):
                return found(iterable, start)
            items = [*iterable]
            if PYTHONS_TYPES.issuperset(map(type, items)):
                return found(items, start)
            for item in items:
                start = self.seen(start) + self.seen(item)
            return start

        return call

    def _of_items(self, function: Any, found: Operation) -> Operation:
        def call(*args: Any, key: Any = None, **kwargs: Any) -> Any:
            args = tuple(map(self.seen, args)) if len(args) == 1 else args
            items = args[0] if len(args) == 1 else args
            has_objects = type(items) in (
                list,
                tuple,
            ) and not PYTHONS_TYPES.issuperset(map(type, items))
            if function in (any, all) and has_objects:
                return function(map(self.seen, items))
            if key is None and not has_objects:
                return found(*args, **kwargs)
            by = real if key is None else self.of(key)
            return function(*args, key=lambda item: self.seen(by(item)), **kwargs)

        return call

    def _number(self, name: str, found: Operation) -> Operation:
        def call(*args: Any, **kwargs: Any) -> Any:
            stand_in = self.seen(args[0]) if len(args) == 1 else None
            method = getattr(stand_in, name, None)
            if not isinstance(stand_in, StandIn) or method is None:
                return found(*args, **kwargs)
            number = method()
            # It may stay in the graph: Python would not take that from the method.
            return found(number if isinstance(number, ArrayProtocol) else stand_in)

        return call


class _Updated(Written):
    __slots__ = ("_objects",)

    def __init__(self, items: Any, objects: Objects) -> None:
        super().__init__(items)
        self._objects = objects

    def __getitem__(self, index: Any) -> Any:
        return self._objects.seen(super().__getitem__(index))


class _Setting:
    __slots__ = ("_set",)
    _set: Callable[[str, Any], Any]

    def __init__(self, set_value: Callable[[str, Any], Any]) -> None:
        object.__setattr__(self, "_set", set_value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._set(name, value)


def _plain_fields(item: Any) -> Any:
    """The fields of an object that are its class's arguments; None: others as well."""
    fields = getattr(item, "__dataclass_fields__", {})
    found = {name: each for name, each in fields.items() if each.init}
    is_plain = fields and len(found) == len(dataclasses.fields(item)) == len(fields)
    return found if is_plain else None


def _is_mixin(function: Any) -> bool:
    return type(function) is FunctionType and function.__module__ in MIXINS


def _forwarding(name: str, member: Any) -> Any:
    """A special method of stand-ins, for that of the items."""
    if not hasattr(type(member), "__get__"):
        return member  # `__hash__ = None`, `__array_priority__ = 10`

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        item, objects = self.srcgrad_item, self.srcgrad_objects
        own = class_member(type(item), name)
        if _is_mixin(own):
            return real(own(self, *map(objects.seen, args), **kwargs))
        bound = own.__get__(item, type(item))
        result = objects.of(bound)(*map(real, args), **kwargs)
        if name in ITERATORS:
            return objects.seen(result)
        # Of a float that is followed, a test is NumPy's.
        is_truth = name == "__bool__" and isinstance(raw_of(result), np.bool_)
        return bool(result) if is_truth else result

    return method
