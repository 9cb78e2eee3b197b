"""``branched``: an ``if`` whose two arms are both recorded.

One arm is what the user's test asks for: it runs like all else. The other one is tried
first, off the record; what it does is kept beside the record (``Fork``), for the graph
to have an ``if`` where the user has one. Neither can do more than bind
names, and write into arrays (``arm_writes``).
"""

import functools
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.checks import place
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.steps import Guard, Location, Node, Value
from srcgrad.tape.apply import put_on_tape
from srcgrad.tape.function import has_edge
from srcgrad.tracing.arm_writes import both_write
from srcgrad.tracing.joints import distinct, edge_of, off_the_walk
from srcgrad.tracing.maybe_ints import MaybeInt, are_maybe_ints, as_float, int_of
from srcgrad.tracing.own_array import look_again
from srcgrad.tracing.recorder import Recorder
from srcgrad.tracing.refusal import Refusal, give_up
from srcgrad.tracing.running_arms import Arm, is_number
from srcgrad.tracing.traced_array import TracedArray
from srcgrad.tracing.tried_arms import Ran, Tried, values_of
from srcgrad.transforms.branching import Fork
from srcgrad.transforms.iterations import is_same

# What one arm may give as another object than the other one does.
NUMBERS = (ArrayProtocol, np.generic, float, int, complex, MaybeInt)

# An arm that is tried takes no more steps, and a deeper one is not tried.
MOST_STEPS, DEEPEST = 1000, 8


def is_truth(item: Any) -> bool:
    """Whether something followed is a ``np.bool_``."""
    is_followed = isinstance(item, ArrayProtocol)
    return is_followed and item.dtype == bool and item.shape == ()


def is_followed_float(item: Any) -> bool:
    """Whether something followed is a Python float."""
    return isinstance(item, ArrayProtocol) and type(item.value) is float


class UnjoinedError(Exception):
    """What two arms give does not fit together: there is one of them."""


class Branching:
    """Runs the arms; ``arm`` is the one that runs now, the innermost."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.arm: Arm | None = None
        self.depth = 0
        self._outside = state.depth
        # Numbers that are two objects now, and what they were.
        self._same: list[tuple[Any, Any]] = []
        # What one of two arms gives, and the other one gives another object for.
        self._joint: list[Any] = []

    def tells(self, first: Any, second: Any) -> bool:
        """Whether it depends on a test if two numbers are the same object."""
        pair = first, second
        if first is second or not all(isinstance(each, NUMBERS) for each in pair):
            return False
        return any(joint is each for joint in self._joint for each in pair)

    def run(
        self,
        test: Any,
        arms: Sequence[Callable[..., Any]],
        names: Sequence[str | None],
        before: Sequence[Any],
        augmented: Sequence[bool],
    ) -> Any:
        """What the names are afterwards; ``arms`` are for False and for True."""
        taken = bool(test)
        writer = self.recorder.writer
        guard = writer.count() - 1
        changed = zip(before, augmented, strict=True)
        is_deep = self.arm is not None and self.depth >= DEEPEST
        if (
            is_deep
            or not self._looks_at(test, guard)
            or not all(is_number(item) for item, is_changed in changed if is_changed)
        ):
            return arms[taken](*before)
        tried = self._tried(arms[not taken], before)
        start, arm = writer.count(), self._arm(is_tried=False)
        try:
            results = self._within(arm, arms[taken], before)
            if isinstance(tried, str) or not arm.is_plain:
                self._note(guard, arm.why or str(tried))
            else:
                ran = Ran(guard, start, taken, tried, arm.writes)
                try:
                    results = self._with_writes(ran, names, results)
                    self._count(guard, taken)
                except UnjoinedError as error:
                    self._note(guard, str(error))
        finally:
            if self.arm is not None:
                self.arm.writes.go_on(arm.writes)
        if not arm.is_plain and self.arm is not None:
            self.arm.spoil(arm.why)
        return results

    def _where(self, guard: int) -> Location | None:
        """The line of an `if` that runs; None if it is in an arm that is tried."""
        if self.arm is not None and self.arm.is_tried:
            return None
        return self.recorder.writer.steps_from(guard)[0].where

    def _count(self, guard: int, taken: bool) -> None:
        if (where := self._where(guard)) is not None:
            self.recorder.ran[where, taken] += 1

    def _note(self, guard: int, why: str) -> None:
        """Note why only one arm of an `if` is known, for `explain()`."""
        self._tell(self._where(guard), why)

    def _tell(self, where: Location | None, why: str) -> None:
        if where is not None:
            line = where.text.strip().partition("\n")[0]
            text = f"{place(where)}{line} has one arm: {why}"
            self.recorder.notes.append(text)

    def _with_writes(
        self, ran: Ran, names: Sequence[str | None], results: Sequence[Any]
    ) -> Sequence[Any]:
        """The results of both, and what both have written, if they fit."""
        tried, writer = ran.tried, self.recorder.writer
        ran.writes.ends()
        more = [*both_write(tried.writes, ran.writes)]
        if more and ran.is_told_by_layout(writer):
            raise UnjoinedError("takes a view, or a copy, by the layout of an array")
        own = [*results]
        for each in more:
            if each.tried is not None:
                tried.results.append(each.tried)
            elif isinstance(rest := self._tried(each.left, ()), str):
                raise UnjoinedError(rest)
            else:
                tried.goes_on(rest)
            own += each.left() if each.ran is None else (each.ran,)
        found = self._joined(ran, [*names, *(None for _ in more)], own)
        count = len(writer.writes)
        ran.writes.put([*zip(more, found[len(results) :], strict=True)])
        writer.seen_writes += len(writer.writes) - count
        return tuple(found[: len(results)])

    def _looks_at(self, test: Any, guard: int) -> bool:
        """Whether it is written down that the test is as it is."""
        writer = self.recorder.writer
        if not is_truth(test) or self.recorder.within:
            return False
        if guard < 0 or not writer.knows(test.value):
            return False
        step = writer.steps_from(guard)[0]
        if not isinstance(step, Guard) or step.convert is not bool:
            return False
        return step.value is writer.value_of(test)

    def _arm(self, is_tried: bool) -> Arm:
        outer, writer = self.arm, self.recorder.writer
        if outer is not None and outer.is_tried:  # as all in it
            return Arm(True, writer, outer.most)
        return Arm(is_tried, writer, writer.count() + MOST_STEPS)

    def _within(self, arm: Arm, function: Callable[..., Any], before: Any) -> Any:
        outer, self.arm = self.arm, arm
        self.depth += 1
        try:
            return function(*before)
        finally:
            self.arm = outer
            self.depth -= 1
            look_again()

    def _tried(self, function: Callable[..., Any], before: Any) -> Tried | str:
        """What an arm does that the test does not ask for; or why that cannot be."""
        writer = self.recorder.writer
        mark, forks, seen = writer.mark(), len(writer.forks), writer.seen_writes
        results: Any = None
        values: dict[int, Value] = {}
        why = "runs a loop"
        arm = self._arm(is_tried=True)
        try:
            with np.errstate(all="ignore"):
                results = self._within(arm, function, before)
                arm.writes.ends()
            left = map(as_float, [*results, *arm.writes.items()])
            values = values_of([*left], writer)
        except (Refusal, Exception) as error:
            # An error that the user has taken care not to make, perhaps.
            results, why = None, arm.why or _told(error)
        arm.writes.take_back()
        del writer.writes[mark[1] :]
        writer.seen_writes = seen
        steps, _, loops = writer.cut(mark)
        inner = [fork.shifted(mark[0]) for fork in writer.forks[forks:]]
        del writer.forks[forks:]
        if results is None or loops:
            return why
        return Tried([*steps], inner, [*results], values, arm.writes)

    def _joined(
        self, fork: Ran, names: Sequence[str | None], results: Sequence[Any]
    ) -> list[Any]:
        """The results of the arm that ran, noted as results of both."""
        writer, tried = self.recorder.writer, fork.tried
        own = fork.made(writer)
        found: list[Any] = []
        joined: list[tuple[Value, Value, Value]] = []
        for name, item, other in zip(names, results, tried.results, strict=True):
            if item is other or is_same(item, other):
                found.append(item)
                continue
            given, number = (item, other), int_of(item)
            is_int = are_maybe_ints(item, other)
            if is_int:
                item, other = as_float(item), as_float(other)
            if not (fork.writes.is_own(item) and tried.writes.is_own(other)):
                # Who would write into which?
                raise _unfit(name, "is one array or another one that was there before")
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
                item, mine = self._own_float(item, own, name)
            elif _are_mixed(item, other):
                if value is None:
                    if _is_float(item):
                        raise _unfit(name, "is a number of which nothing is known")
                    value = tried.float_of(other, writer)
                if _is_float(item):
                    item, mine = self._own_float(item, own, name)
                elif writer.knows(item.value):
                    mine = writer.value_of(item)
                    if mine not in own:
                        item = self._another(item, name)
                else:
                    raise _unfit(name, "is a number of which nothing is known")
            elif value is None or not self._fits(item, other):
                raise _unfit(name, _differs(*given))
            else:
                mine = writer.value_of(item)
                if mine.kind == "array":
                    if not (own.get(mine) and tried.makes(value)):
                        raise _unfit(name, "is an array that an arm has not made")
                elif mine not in own:
                    # Under this name it is something else than under its old one.
                    if not self._may_be_another(item):
                        raise _unfit(name, "is an argument as it was given, in one arm")
                    item = self._another(item, name)
            new = writer.value_of(item)
            if edge_of(item) is None and (edge := edge_of(other)) is not None:
                item = off_the_walk(item, edge)
                writer.put_at(item.edge, new)
            own.pop(new, None)  # it is one result, and no other
            joined.append((new, mine, value))
            if is_int:
                tell = functools.partial(self._tell, self._where(fork.guard))
                item = writer.maybe_ints.noted(new, item, number, tell)
            found.append(item)
            if is_int or not np.ndim(raw_of(item)):
                self._joint.append(item)
        if joined:
            writer.forks.append(
                Fork(
                    fork.guard,
                    writer.count(),
                    fork.taken,
                    tuple(tried.steps),
                    tried.forks,
                    tuple(joined),
                )
            )
        return found

    def _may_end_a_walk(self, item: Any, other: Any) -> bool:
        """Whether somebody may walk back from one arm's result alone.

        From what is off the tape there is no walk. A transform that is recorded itself
        knows both arms: its walk is made from the graph.
        """
        if self.recorder.walks_once and state.depth == self._outside + 1:
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
        mine = given if isinstance(given, Value) else writer.value_of(item)
        return item, mine

    def _may_be_another(self, item: Any) -> bool:
        """Whether nobody minds that a number is another object from then on."""
        if item.dtype.kind not in "iufc" and not is_truth(item):
            return False
        is_users = not (state.depth or item.stands_for_array)
        return not (is_users and self.recorder.writer.is_input(item.value))

    def _another(self, item: Any, name: str | None) -> Any:
        other = np.logical_or(item, item) if is_truth(item) else np.positive(item)
        self._same += [(item, item.value), (other, other.value)]
        if name is not None:
            self.recorder.name(name, other)
        return other

    def check(self) -> None:
        """Make sure that no such number was changed in place: both names would see."""
        if any(item.value is not raw for item, raw in self._same):
            give_up("changes a number in place that an `if` may have left as it was")

    def _fits(self, item: Any, other: Any) -> bool:
        """Whether nobody can tell from a result, but by its value, which arm ran."""
        if not isinstance(item, ArrayProtocol):
            return False
        is_alike = type(item) is type(other) and has_edge(item) == has_edge(other)
        # A transform of numbers gives numbers, whatever they depend on.
        is_number = isinstance(item.value, np.generic) and bool(state.depth)
        return (
            (is_alike or is_number)
            and type(item.value) is type(other.value)
            and type(item.value) is not float
            and (item.shape, item.dtype) == (other.shape, other.dtype)
            and self.recorder.writer.knows(item.value)
        )


def _unfit(name: str | None, why: str) -> UnjoinedError:
    subject = "what it gives" if name is None else f"`{name}`"
    return UnjoinedError(f"{subject} {why}")


def _differs(item: Any, other: Any) -> str:
    kinds = {_kind(item), _kind(other)}
    if len(kinds) == 1:
        return f"is {kinds.pop()}, which one arm computes, and the other one does not"
    instead = "; write it as a float" if "an int" in kinds else ""
    return f"is {' or '.join(sorted(kinds))}, by arm{instead}"


def _kind(item: Any) -> str:
    raw = item.value if isinstance(item, MaybeInt) else raw_of(item)
    if isinstance(raw, np.ndarray):
        return f"{raw.dtype}[{', '.join(map(str, raw.shape))}]"
    name = type(raw).__name__
    return f"{'an' if name == 'int' else 'a'} {name}"


def _told(error: BaseException) -> str:
    """Why an arm that is tried has come to no end."""
    if isinstance(error, Refusal):
        return str(error).rpartition(": ")[2]
    return f"raises {type(error).__name__} where the test does not ask for it"


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
