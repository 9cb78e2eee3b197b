"""``Carrying``: what a loop carries, as the parameters of one iteration of it.

The names that a loop binds, and the arrays that it writes into, hold Values of the
graph. When an iteration begins that is to be recorded as a function, each of these
gives way to a parameter of the same kind; what is there when the next one begins is
what the function returns. If Python sees the same both times, but for these, all other
iterations are that function. So they run without Python, and what they give takes the
place of what the names held.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.steps import Value
from srcgrad.tape.function import VOLATILE, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    contents,
    look_again,
)
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.loop_states import Head, LoopState, Unfit
from srcgrad.tracing.counts.collected import Collected, ListItem, row_of
from srcgrad.tracing.graphs.joints import distinct
from srcgrad.tracing.refusal import InFull
from srcgrad.transforms.loops.iterations import meta_of
from srcgrad.transforms.loops.regions import Known, Region


class Ran(NamedTuple):
    """A ``number`` of iterations have run; ``is_over``: there are no more."""

    number: int
    is_over: bool


class Limit(NamedTuple):
    """So many iterations are ``left``; None: as many as it takes.

    ``stops``: then the loop ends as if its test had failed; ``is_last``: or else it has
    come to its end. ``is_alike``: after a test that comes last that is the same.
    ``counts``: its first test is of a whole number that is counted down. ``may_end``:
    it may be left before, by a test.
    """

    left: int | None
    stops: bool = False
    is_last: bool = True
    is_alike: bool = False
    counts: bool = False
    may_end: bool = True


class Indices:
    """The numbers of one iteration, as Values of the graph, by where they stand.

    ``is_spoiled``: Python has looked at one.
    """

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._known: dict[tuple[int, int], tuple[Value, Any]] = {}
        self.is_spoiled = False

    def index(self, start: int, step: int) -> Any:
        """What stands for a number that goes up by ``step`` each time."""
        if (start, step) not in self._known:
            raw = np.int64(start)
            value = Value((), raw.dtype, None, "float", "i")
            self._recorder.writer.stands_for(raw, value, None)
            self._known[start, step] = value, raw
        return self._known[start, step][1]

    @property
    def starts(self) -> dict[Value, tuple[int, int]]:
        """For each Value the number, and the step."""
        return {value: key for key, (value, _) in self._known.items()}

    @property
    def numbers(self) -> dict[Value, int]:
        """For each Value the number."""
        return {value: start for value, (start, _) in self.starts.items()}


class Carrying:
    """One try to have a loop as a function of what it carries.

    ``look`` knows its names, the arrays that it has written into so far, and what
    counts it down; ``filled`` are the lists that it fills; ``entry`` is the try that
    was made of the first iteration, if one was.
    """

    def __init__(
        self,
        recorder: Any,
        look: Any,
        filled: Sequence[Collected],
        entry: "Carrying | None" = None,
    ) -> None:
        self._recorder, self._look, self._filled = recorder, look, filled
        self._entry = entry
        order: Sequence[Any] = () if entry is None else entry.order
        self._state = LoopState(recorder, look, filled, order)
        self._frame, counters = look.frame, look.bound[1]
        self._counts = {name: self._frame.f_locals[name] for name in counters}
        self.is_spoiled = False
        self.indices = Indices(recorder)
        self._parameters: list[Value] = []
        self._firsts: list[Value] = []
        self._fresh: list[Any] = []
        # The names of arrays that others have, too, when it begins.
        self._shared: set[str] = set()
        # What an iteration leaves as it was, by the number of its parameter.
        self._unchanged: dict[int, Any] = {}
        self._head: Head | None = None
        self._before: dict[Value, int] = {}
        self._start, self._changes = 0, (0, 0)
        # How many items the lists had, that it fills.
        self._lengths: list[int] = []

    @property
    def order(self) -> Sequence[Any]:
        """The names of what it carries, in order."""
        return self._state.order

    def enters(self, before: Indices | None) -> bool:
        """An iteration begins that is to be the function: whether it may be.

        ``before`` are the indices of the one before it.
        """
        writer = self._recorder.writer
        try:
            head = self._state.look_at()
        except Unfit:
            return False
        if not head.leaves and not self._filled:
            return False
        known = self._frame.f_locals
        self._shared = {
            name
            for name in self._look.bound[0]
            if type(known.get(name)) is FunctionalArray
            and sum(known[name] is each for each in known.values()) > 1
        }
        self._before = {} if before is None else before.numbers
        self._start, self._changes = writer.count(), self._changes_now()
        self._lengths = [len(each.items) for each in self._filled]
        for leaf in head.leaves:
            first = writer.value_of(leaf)
            raw = distinct(leaf.value)
            made = type(leaf).make(raw, leaf.edge, leaf.storage)
            parameter = writer.define(raw, leaf.edge)
            if meta_of(parameter) != meta_of(first):
                return False
            writer.names.give_as(parameter, first)
            self._recorder.lengths.carry(first, parameter)
            self._firsts.append(first)
            self._parameters.append(parameter)
            self._fresh.append(made)
        self._recorder.has_carried = True
        pairs = zip(self._fresh, head.leaves, strict=True)
        self._recorder.note_parameters(pairs)
        self._state.put(iter(self._fresh))
        self._head = head
        look_again()  # what was seen before is no part of the iteration
        return True

    def leaves(self, region: Region, limit: Limit) -> Ran | None:
        """The next one begins: what has run instead of it, if the last was a function.

        This one is among those that are left.
        """
        found, writer = None, self._recorder.writer
        look_again()
        head, items = self._as_before(), self._collected()
        self._state.take_back()
        if self._state.is_lost:
            raise InFull  # who holds the other one does not see what is written
        if head is not None and items is not None:
            self._keep_unchanged(head)
            own = [(writer.value_of(item), has_edge(item)) for item in items]
            found = self._recorder.run_loop(
                self._recorder,
                region,
                self._carried(head),
                own,
                self.indices.starts,
                limit,
            )
        if found is None or items is None:
            self.gives_up()
            return None
        known = replace(
            found.known,
            before=self._before,
            entry=self._at_entry(),
            may_be_none=self._begins_alike(head, found.known.iteration),
        )
        region.known = known
        writer.forget_inside(self._start)
        results = self._results(known, found.carried, head)
        self._recorder.note_stand_ins(
            result
            for result, leaf in zip(results, head.leaves, strict=True)
            if self._recorder.is_stand_in(leaf)
        )
        got = self._items_of_lists(known, found.collected, head, results)
        self._state.put(iter(results))
        for filled, made, last in got:
            filled.with_items(made, last, known.exit_condition is not None)
            self._recorder.note_stand_ins((*map(row_of, made), *results))
        count = known.count - 1
        for name, before in self._counts.items():
            now = self._frame.f_locals[name]
            self._recorder.rebound[name] = now + (now - before) * count
        return Ran(count, found.is_over)

    def _keep_unchanged(self, head: Head) -> None:
        """What an iteration leaves as it was is no parameter of it."""
        assert self._head is not None
        every = (self._fresh, head.leaves, self._head.leaves)
        for number, (fresh, leaf, old) in enumerate(zip(*every, strict=True)):
            if leaf is fresh:
                self._unchanged[number] = old
        pairs = [(self._parameters[k], self._firsts[k]) for k in self._unchanged]
        if pairs:
            self._recorder.writer.rename(dict(pairs), self._start)

    def _results(
        self, known: Known, given: Sequence[tuple[Any, Any]], head: Head
    ) -> list[Any]:
        """What is there after the loop: what it left as it was is what it was."""
        leaves = [
            leaf for k, leaf in enumerate(head.leaves) if k not in self._unchanged
        ]
        made = iter(
            [
                self._result(leaf, each.output, each.result, *own)
                for each, own, leaf in zip(known.carried, given, leaves, strict=True)
            ]
        )
        return [
            self._unchanged[k] if k in self._unchanged else next(made)
            for k in range(len(head.leaves))
        ]

    def _items_of_lists(
        self,
        known: Known,
        collected: Sequence[Sequence[tuple[Any, Any]]],
        head: Head,
        results: Sequence[Any],
    ) -> list[tuple[Collected, list[Any], Any]]:
        """The items that each list gets, and the last as the loop carries it."""
        found = []
        carried = {
            id(leaf): own for leaf, own in zip(head.leaves, results, strict=True)
        }
        lists = zip(self._filled, known.collected, collected, strict=True)
        for filled, each, own in lists:
            last = filled.items[-1]
            row = row_of(last)
            like = contents(row)
            items: list[Any] = [
                self._result(like, each.output, value, *item)
                for value, item in zip(each.results, own, strict=True)
            ]
            items = [*map(FunctionalArray, items)] if row is not like else items
            items = (
                [ListItem(None, item) for item in items] if row is not last else items
            )
            read = carried.get(id(last), items[-1])
            self._state.instead[id(last)] = read
            found.append((filled, items, read))
        return found

    def _result(
        self, like: Any, output: Value, value: Value, raw: Any, edge: Any
    ) -> Any:
        """What stands for a result of the loop, in the place of something like it.

        ``output`` is what the iteration has given that was recorded.
        """
        writer = self._recorder.writer
        writer.stands_for(raw, value, edge)
        writer.names.give_as(value, output)
        self._recorder.lengths.carry(output, value)
        if edge is not None:
            writer.put_at(edge, value)
        return type(like).make(raw, edge)

    def withdraws(self) -> None:
        """The iteration does not begin: all names hold what they held."""
        assert self._head is not None
        for name in self._state.order:
            self._recorder.rebound.pop(name, None)
        self._state.put(iter(self._head.leaves))

    def gives_up(self) -> None:
        """The loop goes on as ever: all is as if there had been no parameters."""
        if self._state.is_lost:
            self._recorder.is_in_vain = True
        pairs = zip(self._parameters, self._firsts, strict=True)
        values = dict(pair for k, pair in enumerate(pairs) if k not in self._unchanged)
        self._recorder.writer.rename(values, self._start)

    def _changes_now(self) -> tuple[int, int]:
        """What has changed, but for lists that are filled, and objects."""
        writer = self._recorder.writer
        told = writer.list_changes + writer.object_changes
        return writer.changes[0] - told, writer.changes[1]

    def _collected(self) -> list[Any] | None:
        """The items that lists have got, one each; None: one has got others."""
        lists = self._filled
        if [len(each.items) for each in lists] != [n + 1 for n in self._lengths]:
            return None
        items = [row_of(each.items[-1]) for each in lists]
        if not all(map(self._is_new, items)):
            return None
        for item in items:
            content = item.content if type(item) is FunctionalArray else item
            if type(content) not in (TracedArray, Variable) or content.edge is VOLATILE:
                return None
        return items

    def _is_new(self, item: Any) -> bool:
        """Whether an item was made in this iteration: the array that it is, too."""
        return type(item) is not FunctionalArray or self._look.is_made_now(item)

    def _as_before(self) -> Any:
        """What Python sees, if that is what it saw one iteration before."""
        before = self._head
        is_spoiled = self.is_spoiled or self.indices.is_spoiled
        if is_spoiled or self._changes_now() != self._changes:
            return None
        try:
            head = self._state.look_at()
        except Unfit:
            return None
        assert before is not None
        count = len(before.form)
        added, live = head.form[count:], self._look.seen.live
        # What the loop binds first, and nobody reads later, comes of it alone.
        if any(type(name) is not str or name in live for name, *_ in added):
            return None
        is_same = head.form[:count] == before.form
        return Head(before.form, head.leaves[: len(before.leaves)]) if is_same else None

    def _at_entry(self) -> tuple[Value | None, ...]:
        """For all that it carries what that was before the first iteration.

        None: nothing was there; no items, if it cannot be told.
        """
        entry, head = self._entry, self._head
        if entry is None or entry._head is None or head is None or self._filled:
            return ()
        own, leaves = entry._head.form, head.leaves
        if head.form[: len(own)] != own:
            return ()
        firsts = [*entry._firsts, *[None] * (len(leaves) - len(entry._firsts))]
        return tuple([f for k, f in enumerate(firsts) if k not in self._unchanged])

    def _begins_alike(self, head: Head, number: int) -> bool:
        """Whether names that are read later hold at first what they hold at iteration
        ``number``, but for what is carried: else no iterations are another way.
        """
        seen, entry, count = self._look.seen, self._entry, 0
        shared: set[str] = set() if entry is None else entry._shared
        if seen is None or not shared.isdisjoint(seen.live):
            return False
        first, own = seen.heads[0], seen.heads[number]
        for name, _, leaves in head.form:
            is_carried, count = leaves > count, leaves
            if (
                name in seen.live
                and not is_carried
                and first.get(name) != own.get(name)
            ):
                return False
        return True

    def _carried(self, head: Head) -> list[tuple[Value, Value, Value, bool]]:
        """Each parameter, what it is at first, what comes of it; and if on the tape."""
        outputs = map(self._recorder.writer.value_of, head.leaves)
        flows = map(has_edge, head.leaves)
        every = zip(self._parameters, self._firsts, outputs, flows, strict=True)
        return [each for k, each in enumerate(every) if k not in self._unchanged]
