"""``Entering``: what a traced function sees of what is outside, and what is noted.

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
import weakref
from collections import ChainMap, deque
from collections.abc import Callable, Collection
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.variable import Variable
from srcgrad.tracing.branches.forking import Branching
from srcgrad.tracing.branches.held_attributes import Held
from srcgrad.tracing.containment import stage
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.outside import conditions
from srcgrad.tracing.outside.attribute_dicts import AttributeDict, is_attribute_dict
from srcgrad.tracing.outside.callables import is_ours
from srcgrad.tracing.outside.changing_ints import FollowedInt
from srcgrad.tracing.outside.conditions import Condition
from srcgrad.tracing.outside.containers import (
    KINDS,
    Followed,
    is_key,
    made_of,
    set_like,
    stands_for,
)
from srcgrad.tracing.outside.draws import Draw, State
from srcgrad.tracing.outside.error_states import ErrorStates
from srcgrad.tracing.outside.iterators import OTHERS, PLAIN, FollowedIterator
from srcgrad.tracing.outside.objects import Twins, is_looked_into
from srcgrad.tracing.outside.outside_array import OutsideArray
from srcgrad.tracing.outside.outside_matrix import OutsideMatrix, is_sparse
from srcgrad.tracing.outside.places import (
    Argument,
    Attribute,
    Formula,
    Item,
    Known,
    Place,
)
from srcgrad.tracing.outside.queues import FollowedDeque, deque_like
from srcgrad.tracing.outside.reader import Outside
from srcgrad.tracing.outside.signature import is_dynamic
from srcgrad.tracing.outside.stand_ins import stand_in
from srcgrad.tracing.outside.trust import (
    CACHED,
    CODE,
    hidden_in_class,
    is_constant,
    is_indexer,
    is_library_function,
    is_namedtuple,
)
from srcgrad.tracing.refusal import Refusal, give_up
from srcgrad.tracing.user_code.instrument import instrument
from srcgrad.tracing.user_code.sources import Uninstrumentable
from srcgrad.tracing.watching.effects import Effects
from srcgrad.tracing.watching.user_functions import is_apply

# What a transform may be of that holds something itself.
HOLDING = (MethodType, functools.partial)

# What is told by its identity: it stays what it is.
FIXED = (
    *(ModuleType, FunctionType, BuiltinFunctionType, type, np.ufunc, np.dtype),
    *(np.bool_, np.finfo, np.iinfo, enum.Enum, decimal.Decimal, fractions.Fraction),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, uuid.UUID),
    *(pathlib.PurePath, re.Pattern, logging.Logger, operator.itemgetter),
)
# Kinds of arrays that are no numbers; how much of one is compared at each call.
LABELS = "SUMmV"
MANY_LABELS = 1 << 16
# What is told by its value.
EQUAL = (bool, int, str, bytes, complex, type(None), type(...))


class Entering:
    """The reads of names, elements and functions; the base of ``Reads``.

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

    ``watching_of(reads)`` has what copies call; ``changing`` are the integers that are
    known to change (the texts of their places).
    """

    def __init__(
        self,
        recorder: Recorder,
        watching_of: Callable[[Any], Any],
        changing: Collection[str] = (),
        drawn: list[State] | None = None,
    ) -> None:
        self.recorder = recorder
        self.outside = Outside()
        self.inputs: list[Variable] = []
        self.containers: set[int] = set()
        self.contexts: dict[int, Any] = {}
        self.effects = Effects()
        self.branching = Branching(recorder)
        self.held = Held()
        self.twins = Twins(self)
        # Whether the function catches errors.
        self.catches = False
        # What tells something: `print`, say; and whether names were read after that.
        self.told: list[Callable[..., Any]] = []
        self.reads_after_telling = False
        # Errors that come again wherever the conditions hold.
        self._foreseen: list[BaseException] = []
        # What it says that NumPy shall do where a result is no number.
        self.error_states: ErrorStates | None = None
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
        # What stands for something outside, and where that was found.
        self._inputs: dict[int, tuple[Place, Any]] = {}
        # The arrays among arguments and inputs, and where they were found.
        self._arrays: list[tuple[Place, Any]] = []
        # What stays under its name in a library, by identities: said once.
        self._lasting: set[tuple[int, str, int]] = set()
        # What names outside stand for: a second look sees the same.
        self.names: dict[tuple[int, str], Any] = {}
        self._watching = watching_of(self)

    # ----- Noting -----

    def require(self, condition: Condition) -> None:
        """Note a condition under the line that runs."""
        self.outside.require(condition, self.recorder.writer.current_location())

    def pin(self, place: Place, value: int) -> None:
        """Note that Python depends on the integer at a place."""
        self.branching.look_at_int(place.text)
        self.require(conditions.equals(place, value))

    def stays(self, owner: Any, text: str, name: str, value: Any) -> None:
        """Note that what a library's module or object has under a name is what it was.

        Each call of a trace looks at this: once, however many lines use the name.
        """
        key = id(owner), name, id(value)
        if key not in self._lasting:
            self._lasting.add(key)
            place = Attribute(Known(text, owner), name)
            self.require(conditions.is_same(place, value)._replace(mention=""))

    def add_argument(self, number: int, name: str, leaf: Any, seen: Any) -> None:
        """Make an argument known that may be found outside, too, or is looked into.

        ``seen`` is what the function sees of it.
        """
        place = Argument(name, number)
        self._note_array(place, leaf)
        if isinstance(leaf, np.ndarray):
            self._raws[id(leaf)] = leaf
        if isinstance(seen, (OutsideArray, OutsideMatrix)):
            return
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
        seen = self.names[key]
        if self.told and not isinstance(seen, (*CODE, logging.Logger)):
            # `__name__` is what a file is called.
            self.reads_after_telling |= not key[1].startswith("__")
        return self.checked(seen)

    def checked(self, seen: Any) -> Any:
        """What is read, unless it has to be read at another time."""
        if self.recorder.is_in_users_backward and isinstance(seen, ArrayProtocol):
            give_up("reads what is outside in the backward of a Function")
        return seen

    def foreseen(self, error: Exception) -> Exception:
        """An error that comes again as long as the conditions hold."""
        self._foreseen.append(error)
        return error

    def is_foreseen(self, error: BaseException | None) -> bool:
        """Whether an error that is caught is one of these."""
        return any(each is error for each in self._foreseen)

    def place_of(self, item: Any) -> Place | None:
        """Where an object was found, if it is one that is looked into."""
        found = self._seen.get(id(item))
        return None if found is None else found[0]

    def original_of(self, item: Any) -> Any:
        """What was found, of which the function sees something else; else itself.

        None for what an object does that the function has made.
        """
        if self.twins.is_own(item):
            return None
        if isinstance(item, functools.partial) and id(item) not in self._objects:
            function = self.original_of(item.func)
            args = [*map(self.original_of, item.args)]
            keywords = {k: self.original_of(each) for k, each in item.keywords.items()}
            if function is None:
                return None
            return functools.partial(function, *args, **keywords)
        if type(item) is MethodType:
            owner = self.original_of(item.__self__)
            return None if owner is None else MethodType(item.__func__, owner)
        return self._objects.get(id(item), item)

    def seen_of(self, item: Any) -> Any:
        """What the function sees of something that was found; else the thing itself."""
        found = self._seen.get(id(item))
        return item if found is None else found[1]

    def _note(self, place: Place, item: Any, seen: Any) -> Any:
        self._seen[id(item)] = place, seen
        self._alive.append(item)
        return seen

    def let_go(self) -> None:
        """The run is over: hold none of what it has seen any more."""
        for table in (self._seen, self._raws, self.names, self._objects, self._changed):
            table.clear()
        self._alive.clear()
        self._inputs.clear()
        self._arrays.clear()
        self._foreseen.clear()
        self.inputs.clear()
        self.contexts.clear()
        self.effects.values = []
        self.twins.let_go()
        self.recorder.let_go()
        self._watching.let_go()
        del self._watching

    # ----- Entering -----

    def enter(self, place: Place, value: Any) -> Any:
        """What the function sees of a value that is found at a place."""
        if id(value) in self._seen:
            first, seen = self._seen[id(value)]
            self.require(conditions.are_one(place, first))
            return seen
        if isinstance(value, ArrayProtocol):
            return self._enter_variable(place, value)
        if type(value) is np.ndarray and value.dtype.kind in LABELS:
            return self._enter_labels(place, value)
        if is_dynamic(value):
            taken = self._take(place, value, stand_in(value, self._raws))
            return self.may_write(place, value, taken)
        if type(value) is int:
            return self._enter_int(place, value)
        if type(value) in EQUAL:
            self.require(conditions.equals(place, value))
            return value
        if isinstance(value, FIXED) or _is_known_function(value):
            if isinstance(value, type) and (unseen := hidden_in_class(value)):
                give_up(f"reads `{place.text}`, a class with a `{unseen}` of its own")
            self.require(conditions.is_same(place, value))
            if isinstance(value, decimal.Decimal):
                self.require(conditions.has_decimal_context())
            inner = getattr(value, "__wrapped__", None) if is_ours(value) else None
            if isinstance(inner, HOLDING) or is_ours(inner) or is_looked_into(inner):
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
        if isinstance(item, FollowedDeque) or item.left is not item.item:
            return len(item)
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
        taken = self._take(place, value, stand_in(value, self._raws))
        writer = self.recorder.writer
        writer.maybe_ints.wholes.add(writer.value_of(taken))
        return taken

    def take_array(self, place: Place, value: Any) -> Variable:
        """An array that is looked up anew each time, as an input of the graph."""
        self._alive.append(value)
        return self._take(place, value, stand_in(value, self._raws))

    def keep_alive(self, item: Any) -> None:
        """Hold something whose parts are told by their identity."""
        self._alive.append(item)

    def arrays(self) -> list[tuple[Place, Any]]:
        """The arrays among arguments and inputs, and where they were found."""
        return self._arrays

    def _enter_variable(self, place: Place, value: Any) -> Any:
        if type(value) is not Variable:
            give_up(f"reads `{place.text}`, a {type(value).__name__}")
        variable = self._note(place, value, stand_in(value, self._raws))
        return self._take(place, value, variable)

    def _take(self, place: Place, leaf: Any, variable: Variable) -> Variable:
        """Make what is at a place an input of the graph."""
        self.outside.take(place, leaf, self.recorder.writer.current_location())
        self.recorder.add_input(variable, place.hint, True, place.text)
        self.inputs.append(variable)
        self._inputs[id(variable)] = place, leaf
        self._note_array(place, leaf)
        return variable

    def _note_array(self, place: Place, leaf: Any) -> None:
        if isinstance(raw_of(leaf), np.ndarray) and not isinstance(place, Draw):
            self._arrays.append((place, leaf))

    def wrote(self, own: OutsideArray, index: Any, value: Any) -> None:
        """Note a write into an array from outside."""
        raise NotImplementedError

    def may_write(self, place: Place, leaf: Any, seen: Any) -> Any:
        """What the function sees of an array, if it is known to write into it."""
        if type(leaf) is not np.ndarray or place.text not in self._changing:
            return seen
        if id(leaf) in self._seen:
            first, own = self._seen[id(leaf)]
            self.require(conditions.are_one(first, place))
            return own
        own = OutsideArray(seen, leaf, place, self.wrote)
        return self._note_object(place, leaf, own)

    def _enter_container(self, place: Place, value: Any) -> Any:
        kind = type(value)
        self.require(conditions.has_type(place, kind))
        if kind is deque:
            return self._note(place, value, deque_like(place, value, self))
        if kind is ChainMap:
            maps = self.enter(Attribute(place, "maps"), value.maps)
            return self._note(place, value, ChainMap(*maps))
        if kind in KINDS:
            return self._note(place, value, stands_for(place, value, self))
        if kind in (*PLAIN, *OTHERS):
            return self._note_object(place, value, FollowedIterator(place, value))
        if kind is tuple or is_namedtuple(kind):
            return self._enter_tuple(place, value)
        if kind in (set, frozenset) and all(map(is_key, value)):
            self.require(conditions.has_elements(place, value))
            if kind is set:
                return self._note(place, value, set_like(place, value, self))
            return value
        if kind is range or (kind is slice and _is_plain_slice(value)):
            self.require(conditions.is_worth(place, value))
            return value
        if kind is functools.partial:
            return self._enter_partial(place, value)
        if kind is MethodType and isinstance(value.__func__, FunctionType):
            self.require(conditions.is_same(place, value))
            owner = self.enter(Attribute(place, "__self__"), value.__self__)
            return MethodType(value.__func__, owner)
        if is_attribute_dict(kind):
            seen = made_of(AttributeDict, place, value, self)
            return self._note(place, value, seen)
        if is_sparse(value):
            return self._note(place, value, OutsideMatrix(value, place, self))
        if is_looked_into(value):
            return self._note_object(place, value, self.twins.standing_for(value))
        return give_up(f"reads `{place.text}`, a {kind.__name__}")

    def _enter_labels(self, place: Place, value: np.ndarray[Any, Any]) -> Any:
        """An array of texts or dates: a constant, as long as it holds the same."""
        is_plain = value.flags.c_contiguous and not value.dtype.hasobject
        if not is_plain or value.nbytes > MANY_LABELS:
            give_up(f"reads `{place.text}`, an array of dtype {value.dtype}")
        self.require(conditions.has_content(place, value))
        # Of bytes, so that nothing can make it writeable.
        seen = np.ndarray(value.shape, value.dtype, value.tobytes())
        self._objects[id(seen)] = value
        self._note(place, seen, seen)
        return self._note(place, value, seen)

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
        seen = functools.partial(function, *args, **keywords)
        return self._note_object(place, value, seen)

    # ----- Functions -----

    def instrumented(self, function: FunctionType) -> FunctionType:
        """The copy of a user's function, with a guard on the function itself."""
        self.require(conditions.is_unchanged(function))
        place = Known(function.__name__, function)
        try:
            with stage("following the source", Uninstrumentable):
                copy = instrument(function, self._watching.watcher(function))
        except Uninstrumentable as reason:
            raise Refusal(str(reason)) from None
        copy.copied_from = weakref.ref(function)  # type: ignore[attr-defined]
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


def _is_plain_slice(item: slice) -> bool:
    return all(
        type(end) in (int, type(None)) for end in (item.start, item.stop, item.step)
    )


def _is_known_function(value: Any) -> bool:
    if type(value).__hash__ is None:  # what is called, and may change: a Polynomial
        return False
    if type(value) is CACHED or is_indexer(value):
        return True
    return is_library_function(value) or is_ours(value) or is_apply(value)
