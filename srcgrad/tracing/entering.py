"""``Reads``: what a traced function sees of what it reads outside, and what is noted.

A number or text that may decide something is a constant, under a condition; an array,
Variable or float is an input of the graph, read afresh at each call; a list, a dict, an
object is looked into as far as the function does; and what cannot be told is refused.
"""

import datetime
import decimal
import enum
import fractions
import functools
import logging
import operator
import pathlib
import re
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from srcgrad.emit.checks import place as line_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.variable import Variable
from srcgrad.tracing import conditions
from srcgrad.tracing.changing_ints import FollowedInt, as_seen
from srcgrad.tracing.conditions import MISSING, Condition
from srcgrad.tracing.containers import Followed, opened, set_like, stands_for
from srcgrad.tracing.containment import stage
from srcgrad.tracing.draws import OF_MODULES, Draw, State, state_of
from srcgrad.tracing.effects import Action, Effects, from_line_of_user
from srcgrad.tracing.instrument import instrument
from srcgrad.tracing.objects import Twins, is_looked_into, member_of
from srcgrad.tracing.outside import Outside
from srcgrad.tracing.own_array import contents
from srcgrad.tracing.places import (
    Argument,
    Attribute,
    Called,
    Formula,
    Item,
    Known,
    Place,
)
from srcgrad.tracing.recorder import Recorder
from srcgrad.tracing.refusal import Refusal, give_up
from srcgrad.tracing.signature import is_dynamic
from srcgrad.tracing.sources import Uninstrumentable
from srcgrad.tracing.stand_ins import stand_in
from srcgrad.tracing.texts import Text, is_live
from srcgrad.tracing.trust import (
    CACHED,
    HOLDERS,
    hidden_code,
    is_constant,
    is_followed_object,
    is_library_function,
    is_namedtuple,
    is_ours,
)
from srcgrad.tracing.user_functions import is_apply

# What is told by its identity: it stays what it is.
FIXED = (
    *(ModuleType, FunctionType, BuiltinFunctionType, type, np.ufunc, np.dtype),
    *(np.bool_, np.finfo, np.iinfo, enum.Enum, decimal.Decimal, fractions.Fraction),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, uuid.UUID),
    *(pathlib.PurePath, re.Pattern, logging.Logger),
)
# What is told by its value.
EQUAL = (bool, int, str, bytes, complex, type(None), type(...))


class Reads:
    """All reads of one traced call.

    Attributes
    ----------
    recorder : Recorder
    outside : Outside
        What has been noted.
    inputs : list of Variable
        What stands for the inputs of the graph beside the arguments.
    containers : set of int
        The arguments' own containers, by identity (the arguments keep them alive).
    contexts : dict
        What calls of the user's Functions have as ``ctx``, by identity.
    effects : Effects
        What else the function does.

    ``watcher_of(reads, function)`` is what the copy of a function calls; ``changing``
    are the integers that are known to change (the texts of their places).
    """

    def __init__(
        self,
        recorder: Recorder,
        watcher_of: Callable[["Reads", FunctionType], Any],
        changing: Collection[str] = (),
        drawn: list[State] | None = None,
    ) -> None:
        self.recorder = recorder
        self.outside = Outside()
        self._watcher_of = watcher_of
        self.inputs: list[Variable] = []
        self.containers: set[int] = set()
        self.contexts: dict[int, Any] = {}
        self.effects = Effects()
        self.twins = Twins(self)
        # Whether the function catches errors.
        self.catches = False
        # Whether it says what NumPy shall do where a result is no number.
        self.masks = False
        self._changing = {*changing}
        # The states of the generators that were drawn from, before that.
        self.drawn: list[State] = [] if drawn is None else drawn
        self._generators: dict[int, Place] = {}
        # The user's own objects that twins stand for.
        self._objects: dict[int, Any] = {}
        # The objects that it changes, by identity, and where they were found.
        self._changed: dict[int, tuple[Any, Place]] = {}
        # Objects by identity: where they were found first, and what stands for them.
        self._seen: dict[int, tuple[Place, Any]] = {}
        # The arrays that the recorder has, and what they belong to.
        self._raws: dict[int, Any] = {}
        self._alive: list[Any] = []
        # What names outside stand for: a second look sees the same.
        self.names: dict[tuple[int, str], Any] = {}

    # ----- Noting -----

    def require(self, condition: Condition) -> None:
        """Note a condition under the line that runs."""
        self.outside.require(condition, self.recorder.writer.current_location())

    def add_argument(self, number: int, name: str, leaf: Any, seen: Any) -> None:
        """Make an argument known that may be found outside, too, or is looked into.

        ``seen`` is what the function sees of it.
        """
        place = Argument(name, number)
        if isinstance(leaf, np.ndarray):
            self._raws[id(leaf)] = leaf
        if id(leaf) in self._seen:
            self.require(conditions.are_one(self._seen[id(leaf)][0], place))
        elif isinstance(leaf, Variable):
            self._note(place, leaf, seen)
            self._raws[id(leaf.value)] = leaf
        elif not is_dynamic(leaf) and is_looked_into(leaf):
            self._note_object(place, leaf, seen)

    def remembered(self, key: tuple[int, str], enter: Callable[[], Any]) -> Any:
        """What a name was seen to be before, or is now."""
        if key not in self.names:
            self.names[key] = enter()
        return self.checked(self.names[key])

    def checked(self, seen: Any) -> Any:
        """What is read, unless it has to be read at another time."""
        if self.recorder.is_in_users_backward and isinstance(seen, ArrayProtocol):
            give_up("reads what is outside in the backward of a Function")
        return seen

    def place_of(self, item: Any) -> Place | None:
        """Where an object was found, if it is one that is looked into."""
        found = self._seen.get(id(item))
        return None if found is None else found[0]

    def _note(self, place: Place, item: Any, seen: Any) -> Any:
        self._seen[id(item)] = place, seen
        self._alive.append(item)
        return seen

    # ----- Effects -----

    def acts(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Any = None,
        found: tuple[tuple[Place, Any], ...] = (),
    ) -> None:
        """Note an effect: a call of a function, from the line of the user's."""
        if self.recorder.is_in_users_backward:
            give_up("does more than compute in the backward of a Function")
        if self.recorder.is_in_element:
            give_up("does more than compute, for each element of a batch")
        where = self.recorder.writer.current_location()
        text = "" if where is None else f"{line_of(where)}{where.text}"
        action = Action(from_line_of_user(function), found, text)
        self.effects.add(action, args, kwargs or {})

    def changes_of(
        self, item: Any, place: Place, function: Callable[..., Any], args: Any
    ) -> None:
        """Note a change of an object that was found outside."""
        self._changed[id(item)] = item, place
        self.acts(function, args, found=((place, item),))

    def set_attribute(self, item: Any, name: str, value: Any) -> None:
        """``item.name = value`` of an object that is looked into."""
        place, kind = self._seen[id(item)][0], self.twins.kind_of(item)
        member = _member(kind, name)
        is_plain = (
            member is MISSING or _is_slot(member) or not hasattr(member, "__set__")
        )
        own = _member(kind, "__setattr__")
        if not is_plain or (own is not object.__setattr__ and kind not in HOLDERS):
            give_up(f"sets `{place.text}.{name}`, which its class does in its own way")
        self.names[id(item), name] = value
        self.changes_of(item, place, setattr, (name, value))

    def set_global(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """``name = value`` of a ``global`` name."""
        self.names[id(namespace), name] = value
        place = Known("globals", namespace)
        self.acts(operator.setitem, (name, value), found=((place, namespace),))

    def set_cell(self, name: str, cell: CellType, value: Any) -> None:
        """``name = value`` of a ``nonlocal`` name."""
        self.names[id(cell), name] = value
        place = Known(f"{name}_cell", cell)
        self.acts(setattr, ("cell_contents", value), found=((place, cell),))

    def let_go(self) -> None:
        """The run is over: hold none of what it has seen any more."""
        for table in (self._seen, self._raws, self.names, self._objects, self._changed):
            table.clear()
        self._alive.clear()
        self.inputs.clear()
        self.contexts.clear()
        self.effects.values = []
        self.twins.let_go()

    def is_made_again(self, leaf: Any) -> bool:
        """Whether a leaf of the result is made, or found, or told at each call."""
        return (
            self.twins.is_own(leaf)
            or isinstance(leaf, (Followed, FollowedInt, Text))
            or (self.place_of(leaf) is not None and not isinstance(leaf, ArrayProtocol))
        )

    def close_effects(self) -> None:
        """The run is over: what was changed is what it was found as, and no other."""
        for item, place in self._changed.values():
            for other in self._alive:
                if other is not item and type(other) is type(item):
                    first, second = sorted(
                        (place, self._seen[id(other)][0]), key=lambda each: each.text
                    )
                    self.outside.require(conditions.are_two(first, second))
        self.effects.close(self._found, self.outside.hold, self.twins)

    def _found(self, item: Any) -> tuple[Place, Any] | None:
        """What object from outside an argument of an effect stands for, and where."""
        if isinstance(item, Followed):
            return item.place, item.item
        if isinstance(item, FollowedInt):
            return item.place, item.value
        place = self.place_of(item)
        if place is None or isinstance(item, ArrayProtocol):
            return None
        return place, self._objects.get(id(item), item)

    # ----- Random numbers -----

    def draw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a generator's method that draws."""
        name, generator = function.__name__, function.__self__
        if self.recorder.is_in_element:
            give_up(f"draws by `{name}`, for each element of a batch")
        args = tuple([_own_copy(arg) for arg in args])
        kwargs = {key: _own_copy(arg) for key, arg in kwargs.items()}
        if is_live([*args, *kwargs.values()]):
            give_up(f"draws by `{name}` from what is computed: scale standard numbers")
        place = self.place_of(generator)
        if place is None and generator in OF_MODULES:
            place = self._generators.setdefault(
                id(generator), Known("random_state", generator)
            )
        if place is None:
            return function(*args, **kwargs)  # it was made inside, of a constant seed
        if self.recorder.is_in_users_backward:
            give_up("draws random numbers in the backward of a Function")
        if not any(known is generator for known, _ in self.drawn):
            self.drawn.append(state_of(generator))
        return self._drawn(Draw(place, name, args, kwargs), function(*args, **kwargs))

    def cached(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function that remembers its results: ``functools.cache``."""
        args = tuple([_own_copy(arg) for arg in args])
        kwargs = {key: _own_copy(arg) for key, arg in kwargs.items()}
        name = getattr(function, "__name__", "a cached function")
        if is_live([*args, *kwargs.values()]):
            give_up(
                f"calls `{name}` with what is computed, and it remembers its results"
            )
        place = Called(Known(name, function), "", args, kwargs)
        return self.remembered(
            (id(function), place.text),
            lambda: self.enter(place, function(*args, **kwargs)),
        )

    def _drawn(self, place: Draw, value: Any) -> Any:
        """What the function sees of a random number, which is an input."""
        if type(value) is int:
            self.outside.draw(place)
            return FollowedInt(place, value, self)
        if not is_dynamic(value):
            give_up(f"draws a {type(value).__name__} by `{place.text}`")
        return self._take(place, value, stand_in(value, self._raws))

    # ----- Entering -----

    def enter(self, place: Place, value: Any) -> Any:
        """What the function sees of a value that is found at a place."""
        if id(value) in self._seen:
            first, seen = self._seen[id(value)]
            self.require(conditions.are_one(place, first))
            return seen
        if isinstance(value, ArrayProtocol):
            return self._enter_variable(place, value)
        if is_dynamic(value):
            return self._take(place, value, stand_in(value, self._raws))
        if type(value) is int:
            return self._enter_int(place, value)
        if type(value) in EQUAL:
            self.require(conditions.equals(place, value))
            return value
        if isinstance(value, FIXED) or _is_known_function(value):
            self.require(conditions.is_same(place, value))
            inner = getattr(value, "__wrapped__", None) if is_ours(value) else None
            if isinstance(inner, MethodType) or is_ours(inner):
                self.enter(Attribute(place, "__wrapped__"), inner)
            return value
        return self._enter_container(place, value)

    def _enter_int(self, place: Place, value: int) -> Any:
        if place.text in self._changing:
            self.require(conditions.has_type(place, int))
            return FollowedInt(place, value, self)
        condition = conditions.equals(place, value)
        self.outside.ints[condition.text] = place.text
        self.require(condition)
        return value

    def length(self, item: Followed) -> Any:
        """``len`` of a container from outside."""
        place = Formula("len({})", item.place)
        if place.text in self._changing:
            length: Any = FollowedInt(place, len(item.item), self)
            return length + len(item.added) if item.added else length
        text = conditions.has_length(item.place, len(item.item)).text
        self.outside.ints[text] = place.text
        return len(item)

    def expects_change(self, name: str, item: Any = None) -> None:
        """Be told that a name, or ``item.name``, is about to change: ``n += 1``."""
        place = self.place_of(item)
        self._changing.add(name if place is None else Attribute(place, name).text)

    def taken(self, place: Place, value: float) -> Variable:
        """A number that is computed of what is outside, as an input of the graph."""
        return self._take(place, value, stand_in(value, self._raws))

    def _enter_variable(self, place: Place, value: Any) -> Any:
        if type(value) is not Variable:
            give_up(f"reads `{place.text}`, a {type(value).__name__}")
        variable = self._note(place, value, stand_in(value, self._raws))
        return self._take(place, value, variable)

    def _take(self, place: Place, leaf: Any, variable: Variable) -> Variable:
        """Make what is at a place an input of the graph."""
        self.outside.take(place, leaf, self.recorder.writer.current_location())
        self.recorder.add_input(variable, place.hint, is_place=True)
        self.inputs.append(variable)
        return variable

    def _enter_container(self, place: Place, value: Any) -> Any:
        kind = type(value)
        self.require(conditions.has_type(place, kind))
        if kind in (list, dict, OrderedDict, defaultdict):
            return self._note(place, value, stands_for(place, value, self))
        if kind is tuple or is_namedtuple(kind):
            return self._enter_tuple(place, value)
        if kind in (set, frozenset) and all(type(each) is str for each in value):
            self.require(conditions.equals(place, value))
            if kind is set:
                return self._note(place, value, set_like(place, value, self))
            return value
        if kind is functools.partial:
            return self._enter_partial(place, value)
        if kind is MethodType and isinstance(value.__func__, FunctionType):
            self.require(conditions.is_same(place, value))
            owner = self.enter(Attribute(place, "__self__"), value.__self__)
            return MethodType(value.__func__, owner)
        if is_looked_into(value):
            return self._note_object(place, value, self.twins.standing_for(value))
        return give_up(f"reads `{place.text}`, a {kind.__name__}")

    def _note_object(self, place: Place, value: Any, seen: Any) -> Any:
        """Note an object, and the twin that the function sees in its place."""
        self._note(place, value, seen)
        if seen is not value:
            self._objects[id(seen)] = value
            self._note(place, seen, seen)
        return seen

    def _enter_tuple(self, place: Place, value: Any) -> Any:
        self.require(conditions.has_length(place, len(value)))
        items = [self.enter(Item(place, i), item) for i, item in enumerate(value)]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return tuple(items) if type(value) is tuple else type(value)._make(items)

    def _enter_partial(self, place: Place, value: Any) -> Any:
        function = self.enter(Attribute(place, "func"), value.func)
        args = self.enter(Attribute(place, "args"), value.args)
        keywords = self.enter(Attribute(place, "keywords"), value.keywords)
        return functools.partial(function, *args, **keywords)

    # ----- Functions -----

    def instrumented(self, function: FunctionType) -> FunctionType:
        """The copy of a user's function, with a guard on the function itself."""
        self.require(conditions.is_unchanged(function))
        place = Known(function.__name__, function)
        try:
            with stage("following the source", Uninstrumentable):
                copy = instrument(function, self._watcher_of(self, function))
        except Uninstrumentable as reason:
            raise Refusal(str(reason)) from None
        defaults = function.__defaults__
        if defaults is not None and not all(map(is_constant, defaults)):
            own = Attribute(place, "__defaults__")
            copy.__defaults__ = tuple(
                [self.enter(Item(own, i), each) for i, each in enumerate(defaults)]
            )
        keywords = function.__kwdefaults__
        if keywords is not None and not all(map(is_constant, keywords.values())):
            own = Attribute(place, "__kwdefaults__")
            copy.__kwdefaults__ = {
                key: self.enter(Item(own, key), each) for key, each in keywords.items()
            }
        return copy

    # ----- Attributes of objects -----

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name`` of an object that is looked into."""
        place = self._seen[id(item)][0]
        kind = self.twins.kind_of(item)
        member = _member(kind, name)
        own = getattr(item, "__dict__", {})
        if (id(item), name) in self.names:
            return self.checked(self.names[id(item), name])
        if isinstance(member, property):
            return self._property(place, item, name, member)
        if name in own or _is_slot(member):
            return self._stored(place, item, name)
        if isinstance(member, FunctionType):
            self.require(conditions.has_method(place, name, member))
            return MethodType(member, item)
        if isinstance(member, (staticmethod, classmethod)):
            return self._of_class(place, item, name, member)
        if member is not MISSING and not hasattr(type(member), "__get__"):
            return self._stored(place, item, name)
        if member is MISSING and _member(kind, "__getattr__") is MISSING:
            self.require(conditions.lacks(place, name))
            return getattr(item, name)  # the error that it raises
        return give_up(f"reads `{place.text}.{name}`, which its class computes")

    def has_attribute(self, item: Any, place: Place, name: str) -> bool:
        """``hasattr`` of an object that is looked into."""
        if (id(item), name) in self.names:
            return True
        found = hasattr(item, name)
        condition = conditions.has if found else conditions.lacks
        self.require(condition(place, name))
        return found

    def class_attribute(self, kind: type, name: str, value: Any) -> Any:
        """``kind.name`` of a class of the user's."""
        member = _member(kind, name)
        if isinstance(member, FunctionType):
            self.require(conditions.is_same(Attribute(_known(kind), name), member))
            return member
        if isinstance(member, classmethod):
            function: Any = member.__func__
            self.require(conditions.has_method(_known(kind), name, function))
            return value
        if member is MISSING or isinstance(member, property):
            give_up(f"reads `{kind.__name__}.{name}`")
        place = Attribute(_known(kind), name)
        return self.remembered((id(kind), name), lambda: self.enter(place, value))

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
        if type(item) in (tuple, list, set, frozenset):
            for each in item:
                self.look_at(each)
        elif type(item) is dict:
            self.look_at([*item.values()])
        elif self.twins.is_own(item):
            give_up(f"hands a {type(item).__name__} that it has made to a library")
        elif id(item) in self._objects:
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

    def _stored(self, place: Place, item: Any, name: str) -> Any:
        value = getattr(item, name)
        found = Attribute(place, name)
        return self.remembered((id(item), name), lambda: self.enter(found, value))

    def _property(self, place: Place, item: Any, name: str, member: property) -> Any:
        if not isinstance(member.fget, FunctionType):
            give_up(f"reads `{place.text}.{name}`, which its class computes")
        self.require(conditions.has_class_member(place, name, member))
        return Getter(member.fget, item)

    def _of_class(self, place: Place, item: Any, name: str, member: Any) -> Any:
        function = member.__func__
        if not isinstance(function, FunctionType):
            give_up(f"reads `{place.text}.{name}`, which its class computes")
        if isinstance(member, staticmethod):
            return self.enter(Attribute(place, name), function)
        self.require(conditions.has_method(place, name, function))
        return MethodType(function, self.twins.kind_of(item))


class Getter(NamedTuple):
    """What computes an attribute: a property's function, and the object."""

    function: FunctionType
    item: Any


def _member(kind: type, name: str) -> Any:
    """What a class, or a base of it, has under a name, as it is."""
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), MISSING)


def _own_copy(arg: Any) -> Any:
    """A constant that a random number is drawn from."""
    arg = contents(as_seen(opened(arg)))
    return arg.copy() if isinstance(arg, np.ndarray) else arg


def _known(kind: type) -> Place:
    return Known(kind.__name__, kind)


def _is_slot(member: Any) -> bool:
    return type(member).__name__ == "member_descriptor"


def _is_known_function(value: Any) -> bool:
    if type(value) is CACHED:
        return True
    return is_library_function(value) or is_ours(value) or is_apply(value)
