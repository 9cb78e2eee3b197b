"""``CapturedReads``: what a traced function sees of the environment, and what is noted.

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
from collections.abc import Callable, Collection
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.variable import Variable
from srcgrad.tracing.branches.forking import Branching
from srcgrad.tracing.branches.held_attributes import Held
from srcgrad.tracing.capture.acting import Acting
from srcgrad.tracing.capture.catching import Catching
from srcgrad.tracing.capture.entered_containers import (
    TEXT_KINDS,
    enter_container,
    enter_texts,
)
from srcgrad.tracing.capture.seen import Seen
from srcgrad.tracing.capture.user_functions import is_apply
from srcgrad.tracing.containment import stage
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.class_members import class_member
from srcgrad.tracing.environment.columns import has_numbers
from srcgrad.tracing.environment.conditions import MISSING, Condition
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.draws import State
from srcgrad.tracing.environment.environment_array import EnvironmentArray
from srcgrad.tracing.environment.environment_matrix import EnvironmentMatrix
from srcgrad.tracing.environment.followed_tuples import FollowedTuple
from srcgrad.tracing.environment.objects import Twins, is_looked_into
from srcgrad.tracing.environment.queues import FollowedDeque
from srcgrad.tracing.environment.reader import Environment
from srcgrad.tracing.environment.references import (
    Argument,
    Attribute,
    Formula,
    Item,
    Known,
    Reference,
)
from srcgrad.tracing.environment.signature import is_dynamic
from srcgrad.tracing.environment.stand_ins import stand_in
from srcgrad.tracing.environment.trust import (
    CACHED,
    CODE,
    hidden_in_class,
    is_constant,
    is_indexer,
    is_library_function,
)
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import Refusal, give_up
from srcgrad.tracing.user_code.instrument import instrument
from srcgrad.tracing.user_code.sources import Uninstrumentable

# What a transform may be of that holds something itself.
HOLDING = (MethodType, functools.partial)

# What a function or a class is called.
NAMES_OF_CALLABLES = ("__name__", "__qualname__", "__module__", "__doc__")

# What is told by its identity: it stays what it is.
FIXED = (
    *(ModuleType, FunctionType, BuiltinFunctionType, type, np.ufunc, np.dtype),
    *(np.bool_, np.finfo, np.iinfo, enum.Enum, decimal.Decimal, fractions.Fraction),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, uuid.UUID),
    *(pathlib.PurePath, re.Pattern, logging.Logger, operator.itemgetter),
)
# What is told by its value.
EQUAL = (bool, int, str, bytes, complex, type(None), type(...))


class CapturedReads:
    """What one run reads: names, elements and functions, as the function sees them.

    Attributes
    ----------
    recorder : Recorder
    environment : Environment
        What has been noted.
    inputs : list of Variable
        What stands for the inputs of the graph beside the arguments.
    containers : set of int
        The arguments' own containers, by identity (the arguments keep them alive).
    contexts : dict
        What calls of the user's Functions have as ``ctx``, by identity.
    seen : Seen
        The objects that were met.
    acting : Acting
        What else the function does.
    catching : Catching
        What it says of errors.
    names : dict
        What names of the environment stand for, by namespace: a second look sees the
        same.
    columns : dict
        The columns of lists along which loops go, and what stands for their arrays.
    tuples : dict
        The tuples of integers that change, by identity of what stands for them.
    drawn : list
        The states of the generators that were drawn from, before that.

    ``run_capture_of(reads)`` has what copies call; ``changing`` are the integers that
    are known to change (the texts of their places).
    """

    def __init__(
        self,
        recorder: Recorder,
        run_capture_of: Callable[[Any], Any],
        changing: Collection[str] = (),
        drawn: list[State] | None = None,
    ) -> None:
        self.recorder, self.environment = recorder, Environment()
        self.seen, self.catching = Seen(), Catching(recorder)
        self.acting = Acting(recorder, self.environment)
        self.inputs: list[Variable] = []
        self.containers: set[int] = set()
        self.contexts: dict[int, Any] = {}
        self.effects = self.acting.effects
        self.branching, self.held = Branching(recorder), Held()
        self.names: dict[tuple[int, str], Any] = {}
        self.columns: dict[tuple[int, str, bool], tuple[Any, dict[int, Any]]] = {}
        self.tuples: dict[int, FollowedTuple] = {}
        self.drawn: list[State] = [] if drawn is None else drawn
        self._changing = {*changing}
        # What stays under its name in a library, by identities: said once.
        self._lasting: set[tuple[int, str, int]] = set()
        # For what stands for objects of the environment.
        self.reference_of, self.foreseen = (
            self.seen.reference_of,
            self.catching.foreseen,
        )
        self.changes_of = self.acting.changes_of
        self.twins = Twins(self)
        self._run_capture = run_capture_of(self)

    # ----- Noting -----

    def require(self, condition: Condition) -> None:
        """Note a condition under the line that runs."""
        self.environment.require(condition, self.recorder.writer.current_location())

    def pin(self, reference: Reference, value: int) -> None:
        """Note that Python depends on the integer at a place."""
        self.branching.look_at_int(reference.text)
        self.require(conditions.equals(reference, value))

    def stays(self, owner: Any, text: str, name: str, value: Any) -> None:
        """Note that what a library's module or object has under a name is what it was.

        Each call of a trace looks at this: once, however many lines use the name.
        """
        key = id(owner), name, id(value)
        if key not in self._lasting:
            self._lasting.add(key)
            reference = Attribute(Known(text, owner), name)
            self.require(conditions.is_same(reference, value)._replace(mention=""))

    def add_argument(self, number: int, name: str, leaf: Any, seen: Any) -> None:
        """Make an argument known that the environment may have, too, or is looked into.

        ``seen`` is what the function sees of it.
        """
        reference = Argument(name, number)
        self.seen.note_array(reference, leaf)
        if isinstance(leaf, np.ndarray):
            self.seen.raws[id(leaf)] = leaf
        if isinstance(seen, (EnvironmentArray, EnvironmentMatrix)):
            return
        first = self.reference_of(leaf)
        if first is not None:
            self.require(conditions.are_one(first, reference))
        elif isinstance(leaf, Variable):
            self.seen.note(reference, leaf, seen)
            self.seen.raws[id(leaf.value)] = leaf
        elif not is_dynamic(leaf) and is_looked_into(leaf):
            self.seen.note_object(reference, leaf, seen)

    def remembered(self, key: tuple[int, str], enter: Callable[[], Any]) -> Any:
        """What a name was seen to be before, or is now."""
        if key not in self.names:
            self.names[key] = enter()
        seen = self.names[key]
        if self.acting.told and not isinstance(seen, (*CODE, logging.Logger)):
            self.acting.note_read(key[1])
        return self.checked(seen)

    def read(self, owner: Any, name: str, reference: Reference, value: Any) -> Any:
        """What a name of an owner was seen to be before; or what is at a place now."""
        return self.remembered((id(owner), name), lambda: self.enter(reference, value))

    def checked(self, seen: Any) -> Any:
        """What is read, unless it has to be read at another time."""
        if self.recorder.is_in_users_backward and isinstance(seen, ArrayProtocol):
            give_up("reads the environment in the backward of a Function")
        return seen

    def found_at(self, item: Any) -> Reference:
        """Where an object was found that is looked into."""
        reference = self.reference_of(item)
        assert reference is not None
        return reference

    def is_changed(self, item: Any) -> bool:
        """Whether the function has changed an object of the environment."""
        pair = item, self.seen.users_own(item)
        return any(id(each) in self.acting.changed for each in pair)

    def is_changing(self, reference: Reference) -> bool:
        """Whether what is at a place is known to change from call to call."""
        return reference.text in self._changing

    def original_of(self, item: Any) -> Any:
        """What was found, of which the function sees something else; else itself.

        None for what an object does that the function has made.
        """
        if self.twins.is_own(item):
            return None
        if isinstance(item, functools.partial) and not self.seen.is_object(item):
            function = self.original_of(item.func)
            args = [*map(self.original_of, item.args)]
            keywords = {k: self.original_of(each) for k, each in item.keywords.items()}
            if function is None:
                return None
            return functools.partial(function, *args, **keywords)
        if type(item) is MethodType:
            owner = self.original_of(item.__self__)
            return None if owner is None else MethodType(item.__func__, owner)
        return self.seen.users_own(item)

    def let_go(self) -> None:
        """The run is over: hold none of what it has seen any more."""
        parts = self.seen, self.catching, self.branching, self.twins, self.recorder
        for part in parts:
            part.let_go()
        tables = self.names, self.contexts, self.columns, self.tuples
        for table in (*tables, self.acting.changed):
            table.clear()
        self.inputs.clear()
        self.effects.values = []
        self._run_capture.let_go()
        # Copies that are left, in checkpoints, hold it, and run as before.
        self._run_capture = weakref.proxy(self._run_capture)

    # ----- Entering -----

    def enter(self, reference: Reference, value: Any) -> Any:
        """What the function sees of a value that is found at a place."""
        first = self.reference_of(value)
        if first is not None:
            self.require(conditions.are_one(reference, first))
            return self.seen.seen_of(value)
        if isinstance(value, ArrayProtocol):
            return self._enter_variable(reference, value)
        if type(value) is np.ndarray and value.dtype.kind in TEXT_KINDS:
            return enter_texts(self, reference, value)
        if is_dynamic(value):
            return self.may_write(reference, value, self.take(reference, value))
        if type(value) is int:
            return self._enter_int(reference, value)
        if type(value) in EQUAL:
            self.require(conditions.equals(reference, value))
            return value
        if isinstance(value, FIXED) or _is_known_function(value):
            if isinstance(value, type) and (unseen := hidden_in_class(value)):
                give_up(
                    f"reads `{reference.text}`, a class with a `{unseen}` of its own"
                )
            self.require(conditions.is_same(reference, value))
            if isinstance(value, decimal.Decimal):
                self.require(conditions.has_decimal_context())
            inner = getattr(value, "__wrapped__", None) if is_ours(value) else None
            if isinstance(inner, HOLDING) or is_ours(inner) or is_looked_into(inner):
                self.enter(Attribute(reference, "__wrapped__"), inner)
            return value
        return enter_container(self, reference, value)

    def _enter_int(self, reference: Reference, value: int) -> Any:
        if self.is_changing(reference):
            self.require(conditions.has_type(reference, int))
            return FollowedInt(reference, value, self)
        condition = conditions.equals(reference, value)
        self.environment.ints[condition.text] = reference.text
        self.require(condition)
        return value

    def enter_integers(self, reference: Reference, value: tuple[Any, ...]) -> Any:
        """What the function sees of a tuple of many integers, or of tuples of such."""
        if self.is_changing(reference):
            own = FollowedTuple(value, reference, self)
            self.require(own.condition)
            self.tuples[id(own.seen)] = own
            return own.seen
        condition = has_numbers(reference, value)
        self.environment.ints[condition.text] = reference.text
        self.require(condition)
        return value

    def length(self, item: Followed) -> Any:
        """``len`` of a container of the environment."""
        if isinstance(item, FollowedDeque) or item.left is not item.item:
            return len(item)
        reference = Formula("len({})", item.reference)
        if self.is_changing(reference):
            length: Any = FollowedInt(reference, len(item.item), self)
            return length + len(item.added) if item.added else length
        text = conditions.has_length(item.reference, len(item.item)).text
        self.environment.ints[text] = reference.text
        return len(item)

    def expects_change(self, name: str, item: Any = None) -> None:
        """Be told that a name, or ``item.name``, is about to change: ``n += 1``."""
        reference = self.reference_of(item)
        self._changing.add(
            name if reference is None else Attribute(reference, name).text
        )

    def taken(self, reference: Reference, value: float) -> Variable:
        """A number that is computed of the environment, as an input of the graph."""
        taken = self.take(reference, value)
        writer = self.recorder.writer
        writer.maybe_ints.wholes.add(writer.value_of(taken))
        return taken

    def take_array(self, reference: Reference, value: Any) -> Variable:
        """An array that is looked up anew each time, as an input of the graph."""
        self.seen.alive.append(value)
        return self.take(reference, value)

    def take(self, reference: Reference, leaf: Any) -> Variable:
        """Make what is at a place an input of the graph."""
        variable = stand_in(leaf, self.seen.raws)
        self.environment.take(reference, leaf, self.recorder.writer.current_location())
        self.recorder.add_input(variable, reference.hint, True, reference.text)
        self.inputs.append(variable)
        self.seen.note_input(reference, leaf, variable)
        return variable

    def _enter_variable(self, reference: Reference, value: Any) -> Any:
        if type(value) is not Variable:
            give_up(f"reads `{reference.text}`, a {type(value).__name__}")
        return self.seen.note(reference, value, self.take(reference, value))

    def may_write(self, reference: Reference, leaf: Any, seen: Any) -> Any:
        """What the function sees of an array, if it is known to write into it."""
        if type(leaf) is not np.ndarray or reference.text not in self._changing:
            return seen
        first = self.reference_of(leaf)
        if first is not None:
            self.require(conditions.are_one(first, reference))
            return self.seen.seen_of(leaf)
        own = EnvironmentArray(seen, leaf, reference, self.acting.wrote)
        return self.seen.note_object(reference, leaf, own)

    # ----- Classes and functions -----

    def class_attribute(self, kind: type, name: str, value: Any) -> Any:
        """``kind.name`` of a class of the user's."""
        member, owner = class_member(kind, name), Known(kind.__name__, kind)
        reference = Attribute(owner, name)
        if name in NAMES_OF_CALLABLES:
            return self.read(kind, name, reference, value)
        if isinstance(member, FunctionType):
            self.require(conditions.is_same(reference, member))
            return member
        if isinstance(member, classmethod):
            function: Any = member.__func__
            self.require(conditions.has_method(owner, name, function))
            return value
        if member is MISSING or isinstance(member, property):
            give_up(f"reads `{kind.__name__}.{name}`, which only an object has")
        return self.read(kind, name, reference, value)

    def instrumented(self, function: FunctionType) -> FunctionType:
        """The copy of a user's function, with a guard on the function itself."""
        self.require(conditions.is_unchanged(function))
        reference = Known(function.__name__, function)
        try:
            with stage("following the source", Uninstrumentable):
                copy = instrument(function, self._run_capture.capture(function))
        except Uninstrumentable as reason:
            raise Refusal(str(reason)) from None
        copy.copied_from = weakref.ref(function)  # type: ignore[attr-defined]
        defaults = function.__defaults__
        if defaults is not None and not all(map(is_constant, defaults)):
            own = Attribute(reference, "__defaults__")
            copy.__defaults__ = tuple(
                [self.enter(Item(own, i), each) for i, each in enumerate(defaults)]
            )
        keywords = function.__kwdefaults__
        if keywords is not None and not all(map(is_constant, keywords.values())):
            own = Attribute(reference, "__kwdefaults__")
            copy.__kwdefaults__ = {
                key: self.enter(Item(own, key), each) for key, each in keywords.items()
            }
        return copy


def _is_known_function(value: Any) -> bool:
    if type(value).__hash__ is None:  # what is called, and may change: a Polynomial
        return False
    if type(value) is CACHED or is_indexer(value):
        return True
    return is_library_function(value) or is_ours(value) or is_apply(value)
