"""``Asking``: what a recorded function asks of objects: what they are, have, equal."""

import contextlib
import enum
from typing import Any

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, meant
from srcgrad.rules.compressed import Compressed
from srcgrad.tape.function import has_edge
from srcgrad.tracing.arrays.replacements import replacement_of
from srcgrad.tracing.capture.attributes import Attributes
from srcgrad.tracing.capture.conditionals import Choosing
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.storing import Storing
from srcgrad.tracing.counts.arm_labels import ArmLabel
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.attribute_dicts import AttributeDict
from srcgrad.tracing.environment.containers import Followed, FollowedSet
from srcgrad.tracing.environment.environment_matrix import EnvironmentMatrix
from srcgrad.tracing.environment.symbolic import Symbolic, looked_at
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.refusal import InFull, give_up


class Asking:
    """What the instrumented copy calls where an object is asked, or compared."""

    def __init__(
        self,
        context: Context,
        attributes: Attributes,
        storing: Storing,
        choosing: Choosing,
    ) -> None:
        self._context, self._reads = context, context.reads
        self._attributes = attributes
        self._storing, self._choosing = storing, choosing

    def kind(self, function: Any, args: Any, kwargs: Any) -> Any:
        """``isinstance(...)`` or ``type(...)``, of what is stood for."""
        if state.depth and is_variable(args[0]):
            return replacement_of(function)(*args, **kwargs)
        if function is type and len(args) == 1 and not is_stand_in(args[0]):
            return self._reads.twins.kind_of(_stood_for(args[0]))
        return function(*map(_stood_for, args), **kwargs)

    def has(self, item: Any, name: str) -> bool:
        """``hasattr(item, name)``"""
        if type(item) is AttributeDict:
            with contextlib.suppress(AttributeError):
                self._context.attribute(item, name)
                return True
            return False
        reference = self._reads.reference_of(item)
        if reference is None or isinstance(item, ArrayProtocol):
            found = hasattr(_stood_for(item), name)
            is_live = state.depth and isinstance(item, ArrayProtocol) and has_edge(item)
            if is_live and found is not hasattr(item, name):
                # On the tape a transform has put a Variable there.
                give_up(f"asks whether there is a `{name}`, which a Variable has")
            return found
        return self._attributes.has_attribute(item, reference, name)

    def get(self, item: Any, name: str, *default: Any) -> Any:
        """``getattr(item, name)``"""
        if default and not self.has(item, name):
            return default[0]
        return self._context.attribute(item, name)

    def same(self, first: Any, second: Any) -> Any:
        """``first is second``"""
        pair = first, second
        is_label = ArmLabel in map(type, pair)
        if is_label and all(isinstance(_stood_for(each), enum.Enum) for each in pair):
            return self._storing.in_arms(self._choosing.compared("Eq", first, second))
        if first is not None and second is not None:
            first, second = pair = looked_at(first), looked_at(second)
        if first is not second and all(
            isinstance(x, ArrayProtocol) and x.stands_for_array for x in pair
        ):
            # They may well be one ndarray, given twice, and two at the next call.
            found = self._are_one_array(first, second)
            if found is None:
                give_up("asks whether two arrays are the same object")
            self._context.changes()
            return found
        recorder = self._reads.recorder
        if first is not second and all(map(recorder.is_stand_in, pair)):
            raise InFull
        if self._reads.branching.results.tells(first, second):
            give_up("asks which number it is that an `if` has left")
        self._compare(first, second)
        self._context.changes()  # what is the same object is in no name
        return first is second

    def compared(self, item: Any) -> Any:
        """``item == ...``, and whatever else asks an object what it is."""
        if not self._reads.twins.compares(item):
            self._attributes.look_at(item)
        if hasattr(type(item), "__next__"):
            self._context.changes()
        return item

    def searched(self, item: Any) -> Any:
        """``... in item``"""
        return item if self._reads.twins.knows(item) else self.compared(item)

    def _compare(self, first: Any, second: Any) -> None:
        """Note whether two objects are the same."""
        references = [
            item.reference
            if isinstance(item, Followed)
            else self._reads.reference_of(item)
            for item in (first, second)
        ]
        first_reference, second_reference = references
        if (
            first is not second
            and first_reference is not None
            and second_reference is not None
        ):
            self._reads.require(conditions.are_two(first_reference, second_reference))

    def _are_one_array(self, first: Any, second: Any) -> bool | None:
        """Whether two arrays of the environment are one there; None of other arrays."""
        found = map(self._reads.seen.input_of, (first, second))
        (first_reference, one), (second_reference, other) = found
        if first_reference is None or second_reference is None:
            return None
        is_one = one is other
        compare = conditions.are_one if is_one else conditions.are_two
        self._reads.require(compare(first_reference, second_reference))
        return is_one


def _stood_for(arg: Any) -> Any:
    if type(arg) is Text:
        return ""
    if isinstance(arg, Symbolic):
        return arg.concrete
    if isinstance(arg, (Followed, EnvironmentMatrix)):
        return arg.item
    if isinstance(arg, Compressed):
        give_up("asks what a sparse matrix is that it has made")
    if type(arg) is FollowedSet:
        return set()
    return meant(arg.value) if is_stand_in(arg) else arg


def is_variable(arg: Any) -> bool:
    """Whether it is a Variable to the user's code as well."""
    return isinstance(arg, ArrayProtocol) and not arg.stands_for_array


def is_stand_in(arg: Any) -> bool:
    """Whether it is an array or number to the user's code."""
    return isinstance(arg, ArrayProtocol) and arg.stands_for_array
