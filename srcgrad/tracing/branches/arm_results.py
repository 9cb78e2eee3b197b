"""``ArmResults``: what comes of two arms of an ``if``, as something that is either one.

What fits together becomes one Value, whichever arm runs; what does not leaves the
``if`` with one arm. Nobody can tell from a result, but by its value, which arm ran.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, is_truth, raw_of
from srcgrad.steps import Node, Value
from srcgrad.tape.apply import put_on_tape
from srcgrad.tape.function import has_edge
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.branches.kept_arrays import (
    KeptArrays,
    ToldApart,
)
from srcgrad.tracing.branches.tried_arms import Ran, Tried, new_in
from srcgrad.tracing.counts.arm_labels import ArmLabel, are_labels
from srcgrad.tracing.counts.loop_counts import count_of, joined_count
from srcgrad.tracing.counts.loop_indices import is_at_hand
from srcgrad.tracing.counts.maybe_ints import (
    ByArm,
    are_ints,
    are_maybe_ints,
    are_truths,
    as_float,
)
from srcgrad.tracing.environment.symbolic import concrete_of, is_counted
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.graphs.joints import distinct, edge_of, off_the_walk
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import InFull, give_up
from srcgrad.transforms.branches.branching import Speculation
from srcgrad.transforms.loops.iterations import is_same

# What one arm may give as another object than the other one does.
NUMBERS = (ArrayProtocol, np.generic, float, int, complex, ByArm)

Tell = Callable[[str], None]


def is_followed_float(item: Any) -> bool:
    """Whether something followed is a Python float."""
    return isinstance(item, ArrayProtocol) and type(item.value) is float


class UnjoinedError(Exception):
    """What two arms give does not fit together: there is one of them."""


class _Joined(NamedTuple):
    """A result, as what stands for it from then on; and what it is in either arm."""

    item: Any
    mine: Value
    other: Value


class ArmResults:
    """Those of the branches of a run; ``kept`` are arrays that an arm has kept.

    That may be, unless it could be told in a run before.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.kept, self.may_keep = recorder, KeptArrays(), True
        self._environment = state.depth
        # Numbers that are two objects now, and what they were.
        self._same: list[tuple[Any, Any]] = []
        # What one of two arms gives, and the other one gives another object for.
        self._joint: list[Any] = []
        # Arrays that depend on nothing and that one arm gives, and what they are.
        self._constants: list[tuple[Any, Value]] = []

    def tells(self, first: Any, second: Any) -> bool:
        """Whether it depends on a test if two numbers or arrays are one object."""
        pair = first, second
        kinds = (*NUMBERS, np.ndarray)
        if first is second or not all(isinstance(each, kinds) for each in pair):
            return False
        return any(joint is each for joint in self._joint for each in pair)

    def check(self) -> None:
        """Make sure that no such number was changed in place: both names would see."""
        if any(item.value is not raw for item, raw in self._same):
            give_up("changes a number in place that an `if` may have left as it was")

    def check_kept(self, results: Iterable[Any], inputs: Iterable[Any]) -> None:
        """Start again without arrays that are kept, if that can be told."""
        writer = self.recorder.writer
        if not self.kept:
            return
        if any(writer.value_of(array) is not value for array, value in self._constants):
            raise ToldApart  # it was written into
        self.kept.writes += writer.writes
        if self.kept.may_be_written(writer.steps, writer.loops, writer.renames):
            raise InFull  # one iteration does not tell
        ends = [
            [value for item in items if (value := _value_of(item, writer)) is not None]
            for items in (results, inputs)
        ]
        if self.kept.are_told(writer.steps, writer.speculations, *ends):
            raise ToldApart

    def joined(
        self, ran: Ran, names: Sequence[str | None], results: Sequence[Any], tell: Tell
    ) -> list[Any]:
        """The results of the arm that ran, noted as results of both.

        ``tell`` is told why there is one arm, if that comes out later.
        """
        writer = self.recorder.writer
        own = ran.made(writer)
        found: list[Any] = []
        pairs: list[tuple[Value, Value, Value]] = []
        arrays: set[Value] = set()
        for name, item, other in zip(names, results, ran.tried.results, strict=True):
            if item is other or is_same(item, other):
                found.append(item)
                continue
            given = item, other = _as_counts(self.recorder, item, other, ran.tried)
            is_int, is_count = are_maybe_ints(*given), are_ints(*given)
            is_flag, is_name = are_truths(*given), are_labels(*given)
            constant = _constant_of(*given)
            if is_name:
                item, other = map(writer.labels.as_float, given)
            elif is_flag:
                item, other = self._truths_as_floats(ran, item, other)
            elif is_int or is_count:
                item, other = as_float(item), as_float(other)
            elif constant is not None:
                item, other = self._computed(ran, item, other)
            each = self._either(ran, own, item, other, name, given)
            if each.mine.kind == "array":
                self._note_array(ran, each, arrays, name)
            new = writer.value_of(each.item)
            if constant is not None:
                before = writer.value_of(constant)
                self._constants.append((constant, before))
                self._keep(before, new, name)
            item = self._on_tape(each.item, other, new)
            own.pop(new, None)  # it is one result, and no other
            pairs.append((new, each.mine, each.other))
            if is_int:
                item = writer.maybe_ints.noted(new, item, given[0], tell)
            elif is_count:
                item = joined_count(self.recorder, name or "count", item, given)
            elif is_flag:
                item = writer.maybe_ints.truth(new, item, given[0], tell)
            elif is_name:
                item = ArmLabel(concrete_of(given[0]), item, writer.labels)
            found.append(item)
            is_array = isinstance(item, ArrayProtocol) and np.ndim(raw_of(item))
            if constant is not None or not is_array:
                self._joint.append(item)
        if pairs:
            steps, speculations = tuple(ran.tried.steps), ran.tried.speculations
            end = writer.count()
            speculation = Speculation(
                ran.guard, end, ran.taken, steps, speculations, tuple(pairs)
            )
            writer.speculations.append(speculation)
        return found

    def _on_tape(self, item: Any, other: Any, new: Value) -> Any:
        """A result at a place on the tape, if the other arm's has one."""
        if edge_of(item) is not None or (edge := edge_of(other)) is None:
            return item
        if isinstance(item, FunctionalArray):
            item.replace(off_the_walk(item.content, edge))
        else:
            item = off_the_walk(item, edge)
        self.recorder.writer.put_at(item.edge, new)
        return item

    def _either(
        self,
        ran: Ran,
        own: Container[Value],
        item: Any,
        other: Any,
        name: str | None,
        given: tuple[Any, Any],
    ) -> _Joined:
        """One result of both; ``own`` is what the arm that ran has made."""
        writer, tried = self.recorder.writer, ran.tried
        value = tried.values.get(id(other))
        if writer.knows(raw_of(item)) and writer.is_off_tape(
            item, writer.value_of(item)
        ):
            # Its gradient would go on, as that of its Value does.
            raise _unfit(name, "has no gradient of what it is made of")
        is_off = value is not None and writer.is_off_tape(other, value)
        if is_off or self._may_end_a_walk(item, other):
            raise _unfit(name, "has a gradient in one arm, and none in the other")
        if _is_float(item) and _is_float(other):
            # Python's numbers, which depend on the test from here on.
            value = tried.float_of(other, writer) if value is None else value
            return _Joined(*self._own_float(item, own, name), value)
        if _are_mixed(item, other):
            return self._mixed(ran, own, item, other, name)
        if value is None or not self._fits(item, other):
            raise _unfit(name, _differs(*given))
        mine = writer.value_of(item)
        if mine.kind == "array":
            return self._array(ran, item, other, name)
        if mine not in own:
            # Under this name it is something else than under its old one.
            if not self._may_be_another(item):
                raise _unfit(name, "is an argument as it was given, in one arm")
            item = self._another(item, name)
        return _Joined(item, mine, value)

    def _mixed(
        self, ran: Ran, own: Container[Value], item: Any, other: Any, name: str | None
    ) -> _Joined:
        """A number that is Python's in one arm, and NumPy's in the other one."""
        writer, tried = self.recorder.writer, ran.tried
        value = tried.values.get(id(other))
        if value is None:
            if _is_float(item):
                raise _unfit(name, "is a number of which nothing is known")
            value = tried.float_of(other, writer)
        if _is_float(item):
            return _Joined(*self._own_float(item, own, name), value)
        if not writer.knows(item.value):
            raise _unfit(name, "is a number of which nothing is known")
        mine = writer.value_of(item)
        if mine not in own:
            item = self._another(item, name)
        return _Joined(item, mine, value)

    def _truths_as_floats(self, ran: Ran, item: Any, other: Any) -> tuple[Any, Any]:
        """Truths of both arms as floats, which each of them computes."""
        writer = self.recorder.writer
        if is_truth(item):
            raw = distinct(float(item.value))
            args = (writer.value_of(item),)
            writer.add_step(Node(float, args, out=writer.define(raw)))
            item = TracedArray.make(raw, None)
        if is_truth(other):
            other = ran.tried.truth_of(other, writer)
        return as_float(item), as_float(other)

    # ----- Arrays -----

    def _computed(self, ran: Ran, item: Any, other: Any) -> tuple[Any, Any]:
        """Two arrays, of which one depends on nothing: a copy of it is in the graph."""
        writer = self.recorder.writer
        if not _is_constant(item):
            return item, ran.tried.array_of(other, writer)
        raw = np.array(item)
        writer.add_step(Node(np.copy, (writer.symbols(item),), out=writer.define(raw)))
        return TracedArray.make(raw, None), other

    def _array(self, ran: Ran, item: Any, other: Any, name: str | None) -> _Joined:
        """An array that both arms have made, or that one has, and the other has not.

        Of one that is kept a copy goes on under the name, which generated code does not
        make.
        """
        writer, tried = self.recorder.writer, ran.tried
        mine, value = writer.value_of(item), tried.values[id(other)]
        arms = [
            (item, mine, ran.made(writer), ran.writes),
            (other, value, new_in(tried.steps), tried.writes),
        ]
        for array, content, made, writes in arms:
            if not made.get(content, True):
                raise _unfit(name, "is a part of another array, in one arm")
            is_plain = type(array) is FunctionalArray and writes.is_own(array) == (
                content in made
            )
            if isinstance(array, FunctionalArray) and not is_plain:
                # Who would write into which?
                raise _unfit(name, "is one array or another one that was there before")
        if mine not in arms[0][2]:
            item = _copied(item)
            if name is not None:
                self.recorder.name(name, item)
        if isinstance(other, FunctionalArray) and not isinstance(item, FunctionalArray):
            item = FunctionalArray(item)  # as it may be written into
        return _Joined(item, mine, value)

    def _note_array(
        self, ran: Ran, each: _Joined, found: set[Value], name: str | None
    ) -> None:
        """Note which arrays it may be that were there before, and are no others."""
        writer = self.recorder.writer
        new, pair = writer.value_of(each.item), (each.mine, each.other)
        if not found.isdisjoint(pair):
            raise _unfit(name, "is another name's array, too")
        found.update(pair)
        is_kept = each.mine is not new or each.other not in new_in(ran.tried.steps)
        if self.kept or is_kept:
            for value in pair:
                self._keep(value, new, name, is_kept)

    def _keep(
        self, before: Value, new: Value, name: str | None, is_kept: bool = True
    ) -> None:
        """Note that a result may be an array that was there before."""
        if is_kept and not self.may_keep:
            raise _unfit(name, "is an array that an arm has not made")
        self.kept.note(self.recorder.writer.count(), new, before)

    # ----- Numbers -----

    def _may_end_a_walk(self, item: Any, other: Any) -> bool:
        """Whether somebody may walk back from one arm's result alone.

        From what is off the tape there is no walk. A transform that is recorded itself
        knows both arms: its walk is made from the graph.
        """
        if self.recorder.walks_once and state.depth == self._environment + 1:
            return False
        return (edge_of(item) is None) != (edge_of(other) is None)

    def _own_float(
        self, item: Any, own: Container[Value], name: str | None
    ) -> tuple[Any, Value]:
        """Something followed that stands for a Python float, made in the arm.

        And what it is in the arm, where a copy is not needed.
        """
        writer = self.recorder.writer
        given = writer.value_of(item) if isinstance(item, ArrayProtocol) else item
        if not isinstance(item, ArrayProtocol) or given not in own:
            # `float` gives the very object that it is given: both names would be one.
            raw = distinct(raw_of(item))
            writer.add_step(Node(float, (given,), out=writer.define(raw)))
            if isinstance(item, ArrayProtocol) and has_edge(item):
                item = put_on_tape(float, (item,), {}, [item], raw)
                writer.put_at(item.edge, writer.value_of(item))
            else:
                item = TracedArray.make(raw, None)
        if name is not None:
            self.recorder.name(name, item)
        mine = given if type(given) is Value else writer.value_of(item)
        return item, mine

    def _may_be_another(self, item: Any) -> bool:
        """Whether nobody minds that a number is another object from then on."""
        if item.dtype.kind not in "iufc" and not is_truth(item):
            return False
        if type(item.value) is complex:
            return False  # NumPy makes one of its own of it
        is_users = not (state.depth or item.stands_for_array)
        return not (is_users and self.recorder.writer.is_input(item.value))

    def _another(self, item: Any, name: str | None) -> Any:
        other = np.logical_or(item, item) if is_truth(item) else np.positive(item)
        self._same += [(item, item.value), (other, other.value)]
        if name is not None:
            self.recorder.name(name, other)
        return other

    def _fits(self, item: Any, other: Any) -> bool:
        """Whether nobody can tell from a result, but by its value, which arm ran."""
        if not isinstance(item, ArrayProtocol):
            return False
        first, second = (
            each.content if isinstance(each, FunctionalArray) else each
            for each in (item, other)
        )
        is_alike = type(first) is type(second)
        # A transform of numbers gives numbers, whatever they depend on.
        is_number = isinstance(item.value, np.generic)
        is_fit = (
            is_alike or is_number
            if state.depth
            else (is_alike and has_edge(item) == has_edge(other))
        )
        return (
            is_fit
            and type(item.value) is type(other.value)
            and type(item.value) is not float
            and (item.shape, item.dtype) == (other.shape, other.dtype)
            and self.recorder.writer.knows(item.value)
        )


def _as_counts(recorder: Recorder, item: Any, other: Any, tried: Tried) -> Any:
    """Two results, with counts for numbers of iterations, if both are integers."""
    pair = item, other
    if not any(map(is_at_hand, pair)) or not all(map(_is_int, pair)):
        return pair
    if is_at_hand(item):
        item = count_of(recorder, item)
    return item, tried.counts.get(id(other), other)


def _is_int(item: Any) -> bool:
    return type(item) is int or is_counted(item) or is_at_hand(item)


def _unfit(name: str | None, why: str) -> UnjoinedError:
    subject = "what it gives" if name is None else f"`{name}`"
    return UnjoinedError(f"{subject} {why}")


def _differs(item: Any, other: Any) -> str:
    kinds = {_kind(item), _kind(other)}
    if len(kinds) == 1:
        return f"is {kinds.pop()}, which one arm computes, and the other one does not"
    others = kinds - {"an int"}
    is_float = any(kind.startswith(("a float", "float", "a bool")) for kind in others)
    instead = "; write it as a float" if "an int" in kinds and is_float else ""
    return f"is {' or '.join(sorted(kinds))}, by arm{instead}"


def _kind(item: Any) -> str:
    raw = raw_of(concrete_of(item))
    if isinstance(raw, np.ndarray):
        return f"{raw.dtype}[{', '.join(map(str, raw.shape))}]"
    name = type(raw).__name__
    return f"{'an' if name == 'int' else 'a'} {name}"


def _is_float(item: Any) -> bool:
    """Whether it is a Python float; in a transform it may have a gradient."""
    if is_followed_float(item):
        return bool(state.depth) or not has_edge(item)
    return type(item) is float


def _are_mixed(item: Any, other: Any) -> bool:
    """Whether one of two is a Python float, and the other one NumPy's."""
    if not _is_float(item):
        item, other = other, item
    return (
        _is_float(item)
        and isinstance(other, ArrayProtocol)
        and other.stands_for_array
        and type(other.value) is np.float64
        and (bool(state.depth) or not has_edge(other))
    )


def _is_constant(item: Any) -> bool:
    """Whether it is an array that is no part of the graph, and not written into."""
    return type(item) is np.ndarray and item.dtype.kind == "f"


def _constant_of(item: Any, other: Any) -> Any:
    """The one of two arrays that is such a constant, if one is."""
    if _is_constant(item) == _is_constant(other):
        return None
    return item if _is_constant(item) else other


def _copied(item: Any) -> Any:
    """Another array, of which the same is known."""
    if isinstance(item, FunctionalArray):
        return FunctionalArray(np.copy(item.content))
    return np.copy(item)


def _value_of(item: Any, writer: GraphWriter) -> Value | None:
    if isinstance(item, ArrayProtocol):
        return writer.value_of(item) if writer.knows(raw_of(item)) else None
    return writer.value_of(item) if _is_constant(item) else None
