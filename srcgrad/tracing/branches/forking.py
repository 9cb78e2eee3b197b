"""``branched``: an ``if`` whose two arms are both recorded.

One arm is what the user's test asks for: it runs like all else. The other one is tried
first, off the record; what it does is kept beside the record (``Speculation``), for
the graph to have an ``if`` where the user has one. Neither can do more than bind names,
and write into arrays (``arm_writes``).
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.checks import shown_location
from srcgrad.steps import Guard, Location, Node, Value
from srcgrad.tracing.arrays.functional_array import FunctionalArray, look_again
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.branches.arm_results import ArmResults, UnjoinedError
from srcgrad.tracing.branches.arm_writes import both_write
from srcgrad.tracing.branches.running_arms import Arm, is_number
from srcgrad.tracing.branches.tried_arms import Ran, Tried, values_of
from srcgrad.tracing.containment import quietly
from srcgrad.tracing.counts.arm_truths import is_truth
from srcgrad.tracing.counts.int_tests import IntTest
from srcgrad.tracing.counts.loop_counts import count_of
from srcgrad.tracing.counts.loop_indices import is_at_hand
from srcgrad.tracing.counts.maybe_ints import as_float
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import Refusal, SetsInArms

# An arm that is tried takes no more steps, and a deeper one is not tried.
MOST_STEPS, DEEPEST = 1000, 8


class Branching:
    """Runs the arms; ``arm`` is the one that runs now, the innermost.

    ``left``: the error by which an arm was left, whose names are lost.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.arm: Arm | None = None
        self.depth = 0
        self.left: BaseException | None = None
        self.results = ArmResults(recorder)

    def run(
        self,
        test: Any,
        arms: Sequence[Callable[..., Any]],
        names: Sequence[str | None],
        before: Sequence[Any],
        augmented: Sequence[bool],
    ) -> Any:
        """What the names are afterwards; ``arms`` are for False and for True."""
        if type(test) is not IntTest or self.recorder.within:
            return self._run(test, arms, names, before, augmented)[0]
        asked, given = test.in_graph(), (arms, names, before, augmented)
        results, is_joined = self._run(asked, *given, is_of_ints=True)
        if not is_joined:
            bool(test)  # so that a call that does not fit is told before it runs
        return results

    def _run(
        self,
        test: Any,
        arms: Sequence[Callable[..., Any]],
        names: Sequence[str | None],
        before: Sequence[Any],
        augmented: Sequence[bool],
        is_of_ints: bool = False,
    ) -> tuple[Any, bool]:
        """What ``run`` gives, and whether that is known of both arms."""
        if is_truth(test) and not self.recorder.within:
            self._compute(before)
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
            return self._called(arms[taken], before), False
        is_joined = False
        tried = self._tried(arms[not taken], before, is_of_ints)
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
                    is_joined = True
                except UnjoinedError as error:
                    self._note(guard, str(error))
        finally:
            if self.arm is not None:
                self.arm.writes.go_on(arm.writes)
        if not arm.is_plain and self.arm is not None:
            self.arm.spoil(arm.why)
        return results, is_joined

    def _compute(self, before: Sequence[Any]) -> None:
        """Have arrays in the graph that an arm may give as they are.

        What is written into them later on is seen under all their names.
        """
        writer = self.recorder.writer
        for item in before:
            if (
                type(item) is not FunctionalArray
                or type(item.content) is not np.ndarray
            ):
                continue
            if item.dtype.kind == "f":
                raw = np.array(item.content)
                args = (writer.symbols(item.content),)
                writer.add_step(Node(np.copy, args, out=writer.define(raw)))
                item.replace(TracedArray.make(raw, None))

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
            text = f"{shown_location(where)}{line} has one arm: {why}"
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
        tell = functools.partial(self._tell, self._where(ran.guard))
        names = [*names, *(None for _ in more)]
        found = self.results.joined(ran, names, own, tell)
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
        if type(step) is not Guard or step.convert is not bool:
            return False
        return step.value is writer.value_of(test)

    def _arm(self, is_tried: bool) -> Arm:
        outer, writer = self.arm, self.recorder.writer
        if outer is not None and outer.is_tried:  # as all in it
            return Arm(True, writer, outer.most, outer.is_of_ints)
        return Arm(is_tried, writer, writer.count() + MOST_STEPS)

    def _within(self, arm: Arm, function: Callable[..., Any], before: Any) -> Any:
        outer, self.arm = self.arm, arm
        self.depth += 1
        look_again()  # one that is tried and one that runs have parts of their own
        try:
            return self._called(function, before)
        finally:
            self.arm = outer
            self.depth -= 1
            look_again()

    def _called(self, function: Callable[..., Any], before: Any) -> Any:
        try:
            return function(*before)
        except Exception as error:
            self.left = error
            raise

    def let_go(self) -> None:
        """The run is over: hold no error any more."""
        self.left = None

    def _ended(self, arm: Arm, function: Callable[..., Any], before: Any) -> Any:
        """What an arm gives, all of whose writes are known."""
        results = self._within(arm, function, before)
        arm.writes.ends()
        return results

    def look_at_int(self, name: str) -> None:
        """Python is about to depend on an integer from outside.

        If the other arm alone does, of a test of integers, that would be one arm for
        each of these; so there is one arm as it is.
        """
        if self.arm is not None and self.arm.is_of_ints:
            self.arm.spoil(f"depends on `{name}` itself")

    def _tried(
        self, function: Callable[..., Any], before: Any, is_of_ints: bool = False
    ) -> Tried | str:
        """What an arm does that the test does not ask for; or why that cannot be."""
        writer = self.recorder.writer
        mark, speculations, seen = (
            writer.mark(),
            len(writer.speculations),
            writer.seen_writes,
        )
        results: Any = None
        values: dict[int, Value] = {}
        counts: dict[int, Any] = {}
        why = "runs a loop"
        arm = self._arm(is_tried=True)
        arm.is_of_ints |= is_of_ints
        try:
            results = quietly(self._ended, arm, function, before)
            counts = {
                id(each): count_of(self.recorder, each)
                for each in results
                if is_at_hand(each)
            }
            left = map(as_float, [*results, *arm.writes.items(), *counts.values()])
            values = values_of([*left], writer)
        except SetsInArms:
            raise
        except (Refusal, Exception) as error:
            # An error that the user has taken care not to make, perhaps.
            results, why = None, arm.why or _told(error)
        arm.writes.take_back()
        self.results.kept.writes += writer.writes[mark[1] :]
        del writer.writes[mark[1] :]
        writer.seen_writes = seen
        steps, _, loops = writer.cut(mark)
        inner = [
            speculation.shifted(mark[0])
            for speculation in writer.speculations[speculations:]
        ]
        del writer.speculations[speculations:]
        if results is None or loops:
            return why
        return Tried([*steps], inner, [*results], values, counts, arm.writes)


def _told(error: BaseException) -> str:
    """Why an arm that is tried has come to no end."""
    if isinstance(error, Refusal):
        return str(error).rpartition(": ")[2]
    return f"raises {type(error).__name__} where the test does not ask for it"
