"""``Reads``: all that one traced call reads and does outside, attributes included."""

import enum
import functools
from types import (
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.compressed import Compressed
from srcgrad.tracing.outside import conditions
from srcgrad.tracing.outside.conditions import MISSING
from srcgrad.tracing.outside.containers import Followed, attributes_like
from srcgrad.tracing.outside.members import class_member, is_slot, member_of
from srcgrad.tracing.outside.outside_matrix import called
from srcgrad.tracing.outside.places import (
    Attribute,
    Known,
    Place,
)
from srcgrad.tracing.outside.trust import (
    HOLDERS,
    hidden_code,
    is_followed_object,
)
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.watching.acting import DELETED, Acting

# What a function or a class is called.
CALLED = ("__name__", "__qualname__", "__module__", "__doc__")

# What `item.__class__` is, unless a class says something else.
OBJECTS_CLASS = vars(object)["__class__"]

# What gives the `__dict__` of an object.
OF_DICTS = (GetSetDescriptorType, MemberDescriptorType)

# In the place of that of an object with slots.
NO_DICT: dict[str, Any] = {}


class Getter(NamedTuple):
    """What computes an attribute: a property's function, and the object.

    ``is_kept``: it is computed once, and is a plain attribute then. ``names``: the
    name, for a ``__getattr__``.
    """

    function: FunctionType
    item: Any
    is_kept: bool = False
    names: tuple[str, ...] = ()


class Reads(Acting):
    """All reads of one traced call, and what it does beside computing."""

    # ----- Attributes of objects -----

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name`` of an object that is looked into."""
        place = self._seen[id(item)][0]
        kind = self.twins.kind_of(item)
        member = class_member(kind, name)
        own = getattr(item, "__dict__", NO_DICT)
        if name == "__dict__" and type(member) in OF_DICTS:
            return self.attributes_of(item, place)
        if (id(item), name) in self.names:
            seen = self.names[id(item), name]
            if seen is DELETED:
                give_up(f"reads `{place.text}.{name}`, which it has deleted")
            return self.checked(seen)
        if isinstance(member, property):
            return self._property(place, item, name, member)
        if name in own or is_slot(member):
            return self._stored(place, item, name)
        if isinstance(member, functools.cached_property):
            return self._property(place, item, name, member)
        if isinstance(member, FunctionType):
            self.require(conditions.has_method(place, name, member))
            return MethodType(member, item)
        if isinstance(member, (staticmethod, classmethod)):
            return self._of_class(place, item, name, member)
        if isinstance(member, functools.partialmethod):
            self.require(conditions.lacks_own(place, name))
            return self.twins.bound_partial(item, name)
        if name == "__class__" and member is OBJECTS_CLASS:
            return kind
        if member is not MISSING and not hasattr(type(member), "__get__"):
            return self._stored(place, item, name)
        if member is MISSING and class_member(kind, "__getattr__") is MISSING:
            self.require(conditions.lacks(place, name))
            try:
                return getattr(item, name)
            except AttributeError as error:
                raise self.foreseen(error) from None
        if member is MISSING and own is not NO_DICT:
            return self._by_getattr(place, item, name)
        return give_up(f"reads `{place.text}.{name}`, which its class computes")

    def attributes_of(self, item: Any, place: Place) -> Any:
        """``vars(item)``: to be looked at, and as it was before the call."""
        if self.is_changed(item):
            give_up(f"looks into `{place.text}.__dict__` after a change")
        found, own = Attribute(place, "__dict__"), item.__dict__
        if id(own) in self._seen:
            return self._seen[id(own)][1]
        self.require(conditions.has_type(found, dict))
        return self._note(found, own, attributes_like(found, own, self))

    def _by_getattr(self, place: Place, item: Any, name: str) -> Getter:
        """What a ``__getattr__`` of the user's gives, as long as nothing else does."""
        kind = self.twins.kind_of(item)
        base, function = member_of(kind, "__getattr__")
        if not isinstance(function, FunctionType):
            give_up(f"reads `{place.text}.{name}`, which its class computes")
        known = Attribute(_known(base), "__getattr__")
        self.require(conditions.is_same(known, function))
        self.require(conditions.lacks(_known(kind), name))
        self.require(conditions.lacks_own(place, name))
        return Getter(function, item, names=(name,))

    def has_attribute(self, item: Any, place: Place, name: str) -> bool:
        """``hasattr`` of an object that is looked into."""
        if (id(item), name) in self.names:
            return self.names[id(item), name] is not DELETED
        found = hasattr(item, name)
        condition = conditions.has if found else conditions.lacks
        self.require(condition(place, name))
        return found

    def class_attribute(self, kind: type, name: str, value: Any) -> Any:
        """``kind.name`` of a class of the user's."""
        member = class_member(kind, name)
        if name in CALLED:
            place = Attribute(_known(kind), name)
            return self.remembered((id(kind), name), lambda: self.enter(place, value))
        if isinstance(member, FunctionType):
            self.require(conditions.is_same(Attribute(_known(kind), name), member))
            return member
        if isinstance(member, classmethod):
            function: Any = member.__func__
            self.require(conditions.has_method(_known(kind), name, function))
            return value
        if member is MISSING or isinstance(member, property):
            give_up(f"reads `{kind.__name__}.{name}`, which only an object has")
        place = Attribute(_known(kind), name)
        return self.remembered((id(kind), name), lambda: self.enter(place, value))

    def function_attribute(self, function: FunctionType, name: str, value: Any) -> Any:
        """``function.name``: what it is called, or what was put upon it."""
        if name not in CALLED and vars(function).get(name, MISSING) is not value:
            give_up(f"reads `{function.__name__}.{name}`, put upon a function")
        place = Attribute(Known(function.__name__, function), name)
        return self.remembered((id(function), name), lambda: self.enter(place, value))

    def member_attribute(self, item: enum.Enum, name: str, value: Any) -> Any:
        """``item.name`` of a member of an Enum."""
        kind = type(item)
        if name == "name":
            return value
        if name == "value" or name in vars(item):
            place = Attribute(Known(f"{kind.__name__}.{item.name}", item), name)
            return self.remembered((id(item), name), lambda: self.enter(place, value))
        base, member = member_of(kind, name)
        return self.twins.found(item, base, member, name)

    def call_of(self, item: Any) -> Any:
        """What a call of an object that is looked into calls."""
        return self.attribute(item, "__call__")

    def look_at(self, item: Any) -> None:
        """Note that code that is not followed may ask an object what it is.

        All that it can be told is that it is the same; what it holds may have changed.
        """
        if isinstance(item, ArrayProtocol):
            return
        if isinstance(item, Compressed):
            give_up(f"hands `{called(item)}`, a sparse matrix, to a library")
        if type(item) in (tuple, list, set, frozenset):
            for each in item:
                self.look_at(each)
        elif type(item) is dict:
            self.look_at([*item.values()])
        elif self.twins.is_own(item):
            give_up(f"hands a {type(item).__name__} that it has made to a library")
        elif id(item) in self._objects and type(item) is not np.ndarray:
            give_up(f"hands `{self._seen[id(item)][0].text}` to a library")
        elif id(item) in self._changed:
            give_up(f"hands `{self._changed[id(item)][1].text}` on after a change")
        elif (place := self.place_of(item)) is not None and is_followed_object(item):
            self.require(conditions.is_same(place, item))
            if type(item) in HOLDERS or hidden_code(type(item)) is not None:
                give_up(f"compares or prints `{place.text}`, or hands it to a library")

    def compare(self, first: Any, second: Any) -> None:
        """Note whether two objects are the same."""
        places = [
            item.place if isinstance(item, Followed) else self.place_of(item)
            for item in (first, second)
        ]
        first_place, second_place = places
        if first is not second and first_place is not None and second_place is not None:
            self.require(conditions.are_two(first_place, second_place))

    def are_one_array(self, first: Any, second: Any) -> bool | None:
        """Whether two arrays from outside are one there; None of other arrays."""
        found = [self._inputs.get(id(item), (None, None)) for item in (first, second)]
        (first_place, one), (second_place, other) = found
        if first_place is None or second_place is None:
            return None
        is_one = one is other
        compare = conditions.are_one if is_one else conditions.are_two
        self.require(compare(first_place, second_place))
        return is_one

    def _stored(self, place: Place, item: Any, name: str) -> Any:
        value = getattr(item, name)
        found = Attribute(place, name)
        return self.remembered((id(item), name), lambda: self.enter(found, value))

    def _property(self, place: Place, item: Any, name: str, member: Any) -> Any:
        is_kept = isinstance(member, functools.cached_property)
        function = member.func if is_kept else member.fget
        if not isinstance(function, FunctionType):
            give_up(f"reads `{place.text}.{name}`, which its class computes")
        self.require(conditions.has_class_member(place, name, member))
        if is_kept:
            self.require(conditions.lacks_own(place, name))
        return Getter(function, item, is_kept)

    def _of_class(self, place: Place, item: Any, name: str, member: Any) -> Any:
        function = member.__func__
        if not isinstance(function, FunctionType):
            give_up(f"reads `{place.text}.{name}`, which its class computes")
        if isinstance(member, staticmethod):
            return self.enter(Attribute(place, name), function)
        self.require(conditions.has_method(place, name, function))
        return MethodType(function, self.twins.kind_of(item))


def _known(kind: type) -> Place:
    return Known(kind.__name__, kind)
