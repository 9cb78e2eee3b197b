"""``Storing``: what the instrumented copy calls where the user changes something.

What the function has made itself it may change; what was found in the environment
changes when the run is over (``effects``); and what cannot be told is refused.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, first_variable, meant, raw_of
from srcgrad.tape.variable import Variable
from srcgrad.tape.ways import is_python_number
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    contents,
    is_in_graph,
)
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.branches.arm_writes import element_of
from srcgrad.tracing.capture.attributes import Attributes
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.telling import Telling
from srcgrad.tracing.counts.arm_truths import ArmTruth, is_truth
from srcgrad.tracing.counts.loop_counts import LoopCount
from srcgrad.tracing.counts.loop_indices import as_index
from srcgrad.tracing.environment.changing_ints import (
    FollowedInt,
    as_seen,
    beside_floats,
)
from srcgrad.tracing.environment.containers import opened
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.environment.trust import AUGMENTED, PLAIN_TYPES
from srcgrad.tracing.graphs.joints import distinct
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.user_code.list_operands import OPERATORS, operands, takes_lists

# What `+=` changes not at all, or on the tape, which notes it.
UNCHANGING = (int, float, complex, str, bytes, tuple, np.generic, FollowedInt, Variable)


LISTS = list, tuple

# The attributes of arrays that `+=` may set, to what they are.
KEPT = frozenset({"real", "imag"})


class Storing:
    """The writes of a recorded run."""

    def __init__(
        self, context: Context, telling: Telling, attributes: Attributes
    ) -> None:
        self._context, self._telling = context, telling
        self._attributes = attributes
        self._reads, self._recorder = context.reads, context.recorder

    @contextlib.contextmanager
    def writing(self, item: Any, index: Any, value: Any) -> Iterator[Any]:
        """While something is stored in an array: the index.

        What a loop does goes on in arrays that it looks at, all else changes unseen.
        """
        writer, arm = self._recorder.writer, self._reads.branching.arm
        index = self._recorder.lengths.item(item, index)
        if arm is not None and not arm.writes.may_write(item, index):
            is_array = isinstance(item, (np.ndarray, ArrayProtocol))
            arm.spoil(
                "writes into an array that is not the function's own: work on a copy"
                if is_array
                else "changes a container: do that after the `if`"
            )
        is_array = isinstance(item, ArrayProtocol)
        # Else it is written into an ndarray, now, and not in the graph.
        is_computed = is_in_graph(item) or first_variable(contents(value)) is not None
        place = as_index(index) if is_array and is_computed else as_seen(index)
        is_own = type(item) is FunctionalArray
        if not (is_own and is_computed and writer.is_seen_by_loops(item)):
            writer.note_change()
            yield as_seen(place)
            return
        count = len(writer.writes)
        yield as_seen(place)
        writer.seen_writes += len(writer.writes) - count

    def named(self, name: str, value: Any) -> Any:
        """``name = value``"""
        if isinstance(value, FunctionalArray) and value.name is None:
            value.name = name
        if type(value) is LoopCount:
            value.named(name)
        else:
            self._recorder.name(name, value)
        return value

    def store(self, value: Any, item: Any, index: Any) -> None:
        """``item[index] = value``"""
        with self.writing(item, index, value) as place:
            self.check_own(item)
            self._check_stored(item, value)
            self._put(value, item, index, place)

    def _put(self, value: Any, item: Any, index: Any, place: Any) -> None:
        """Store something; ``place`` is what the index is in the graph."""
        arm = self._reads.branching.arm
        item[place] = value
        self._rename(item)
        if arm is not None and (
            type(item) is list or isinstance(item, FunctionalArray)
        ):
            arm.writes.wrote(item, element_of(index, place, item), value)

    def store_attribute(
        self, value: Any, item: Any, name: str, is_plain: bool = False
    ) -> None:
        """``item.name = value``; plainly, if not by a ``__setattr__`` of its class."""
        is_own = self._reads.twins.is_own(item)
        self._context.changes(item if is_own else None)
        self._reads.held.check(item, name)
        if is_own:
            self._reads.twins.set_attribute(item, name, value, is_plain)
        elif self._reads.reference_of(item) is None or isinstance(item, ArrayProtocol):
            give_up(f"changes the attribute `{name}` of an object")
        else:
            self._attributes.set_attribute(item, name, value, is_plain)

    def put_back(self, value: Any, item: Any, name: str) -> None:
        """``item.name = value`` after it."""
        self._reads.held.put_back(item, name)
        self.store_attribute(value, item, name)

    def augmented_attribute(
        self, symbol: str, item: Any, name: str, value: Any
    ) -> None:
        """``item.name += value`` and its kin."""
        if isinstance(item, (ArrayProtocol, np.ndarray)) and name not in KEPT:
            give_up(f"changes the attribute `{name}` of an array")
        self._reads.expects_change(name, item)
        before = self._context.attribute(item, name)
        self.check_own(before)
        with self._changing(before, value):
            changed = AUGMENTED[symbol](before, value)
        if changed is not before or not self._attributes.is_plain_attribute(item, name):
            self.store_attribute(changed, item, name)

    def delete_item(self, item: Any, index: Any) -> None:
        """``del item[index]``"""
        self._context.changes()
        self.check_own(item)
        del item[as_seen(index)]

    def delete_attribute(self, item: Any, name: str) -> None:
        """``del item.name``"""
        self._context.changes()
        self._reads.held.check(item, name)
        if self._reads.twins.is_own(item):
            delattr(item, name)
        elif self._reads.reference_of(item) is None or isinstance(item, ArrayProtocol):
            give_up(f"deletes the attribute `{name}` of an object")
        else:
            self._attributes.delete_attribute(item, name)

    def augmented(self, name: str, symbol: str, item: Any, value: Any) -> Any:
        """``name += value`` and its kin."""
        self.check_own(item)
        if self._reads.branching.arm is not None:
            self._reads.branching.arm.look_at_change(item)
        with self._changing(item, value):
            if symbol == "Mod" and isinstance(item, (str, Text)):
                return self._telling.remainder(item, value)
            before, value = self._operands(symbol, item, value)
            # Of a list and an array there is a new array.
            operation = AUGMENTED if before is item else OPERATORS
            changed = operation[symbol](before, value)
        self._recorder.name(name, changed)
        self._rename(changed)
        return changed

    @contextlib.contextmanager
    def _changing(self, item: Any, value: Any) -> Iterator[None]:
        """While ``+=`` changes something: loops see an array that they look at."""
        writer = self._recorder.writer
        count = len(writer.writes)
        is_seen = isinstance(item, UNCHANGING) or self._is_seen(item, value)
        if not is_seen:
            self._context.changes()
        yield
        if is_seen:
            writer.seen_writes += len(writer.writes) - count

    def _is_seen(self, item: Any, value: Any) -> bool:
        """Whether loops see what is written into something, and nobody else does."""
        if type(item) is not FunctionalArray or self._reads.branching.arm is not None:
            return False
        is_computed = is_in_graph(item) or first_variable(contents(value)) is not None
        return is_computed and self._recorder.writer.is_seen_by_loops(item)

    def operated(self, symbol: str, first: Any, second: Any) -> Any:
        """``first @ second``, say, one of which may be a list."""
        found = OPERATORS[symbol](*self._operands(symbol, first, second))
        if is_truth(found) and is_python_number(first) and is_python_number(second):
            # In a transform: what stands for a number of Python's.
            OPERATORS[symbol](raw_of(first), raw_of(second))  # or its error
            return self.in_arms(found)
        return found

    def in_arms(self, test: Any) -> Any:
        """A test of the graph as what Python has for it, ``True`` or ``False``."""
        if not is_truth(test):
            return test
        raw = distinct(float(test.value))
        writer = self._recorder.writer
        writer.write_plain(float, (writer.value_of(test),), raw, None)
        return ArmTruth(bool(test.value), TracedArray.make(raw, None))

    def _operands(self, symbol: str, first: Any, second: Any) -> tuple[Any, Any]:
        """Two operands, with arrays for lists, those of the environment too."""
        pair = first, second
        has_list = isinstance(first, LISTS) or isinstance(second, LISTS)
        if has_list and any(takes_lists(symbol, each) for each in pair):
            first, second = opened(beside_floats(pair))
            return operands(symbol, first, second)
        return pair

    def augmented_item(self, symbol: str, item: Any, index: Any, value: Any) -> None:
        """``item[index] += value`` and its kin."""
        with self.writing(item, index, value) as place:
            self.check_own(item)
            self._check_stored(item, value)
            part: Any = item[place]
            if isinstance(item, Variable) and type(meant(part.value)) is np.ndarray:
                part = np.copy(part)  # a view's change would not be seen in the item
            self._put(AUGMENTED[symbol](part, value), item, index, place)

    def _rename(self, item: Any) -> None:
        """Give the new content of an array of the function's own its name."""
        if isinstance(item, FunctionalArray) and item.root.name is not None:
            self._recorder.name(item.root.name, item.root.content)

    def _check_stored(self, item: Any, value: Any) -> None:
        """Refuse what would be a number in an ndarray, and no longer in the graph."""
        if type(item) is np.ndarray and first_variable(value) is not None:
            give_up("stores a result in an array that it did not compute")

    def check_own(self, item: Any) -> None:
        """Refuse to change an argument, or what is not followed."""
        if isinstance(item, (Text, FollowedInt)):
            return
        if id(item) in self._reads.containers:
            give_up("changes one of its arguments")
        twins = self._reads.twins
        if twins.is_own(item) or type(item) is not twins.kind_of(item):
            return
        if not isinstance(item, (ArrayProtocol, *PLAIN_TYPES)):
            give_up(f"changes a {type(item).__name__}, which is not followed")
