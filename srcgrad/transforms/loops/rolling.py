"""Iterations of a loop that do the same become one ``Loop``.

The tracer runs a loop like all else, and tells where its iterations begin. Here these
are compared, step by step. What they do differently has to be one of these: what comes
from the iterations before is *carried*; an integer in an index that goes up or down
evenly is an *index*; other values and numbers are items of *each* of some sequences.
Iterations that do not fit, the first one perhaps, stay as they are.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x = Value((), f8, "x")
>>> h = [Value((), f8, "h") for _ in range(6)]
>>> nodes = [Node(np.multiply, pair, out=out) for pair, out in
...          zip([(h[0], x), (h[1], x), (h[2], x), (h[3], x), (h[4], x)], h[1:])]
>>> graph = Graph((x, h[0]), tuple(nodes), (h[-1],))
>>> print(rolled(graph, [Region([0, 1, 2, 3, 4], 5)], {}, shortest=5))
h_1 = loop(h, x)
    body(h_2, x_1):
        h_3 = multiply(h_2, x_1)
        return h_3
return h_1
"""

import bisect
import functools
import itertools
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.branches import Branch
from srcgrad.deadline import check
from srcgrad.graph import Graph, Program, walk
from srcgrad.loops import ExitCondition, Loop
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.loops.checkpoints import checkpointed
from srcgrad.transforms.loops.endings import Open, is_steady, numbered, open_iterations
from srcgrad.transforms.loops.first_iterations import (
    from_entry,
    with_one_before,
    without_first,
)
from srcgrad.transforms.loops.gatherings import Gatherings, Run
from srcgrad.transforms.loops.iterations import Iteration, agree
from srcgrad.transforms.loops.known_loops import (
    check_unread,
    known_loop,
    with_last,
    with_lists,
    with_the_last,
)
from srcgrad.transforms.loops.regions import Known, Region
from srcgrad.transforms.loops.slots import MisfitError, Slots

# Fewer iterations are not worth a loop; nor are so few steps in all of them, which
# take less time one after another, and not long to compile.
FEWEST, SHORTEST = 4, 64

# So many iterations are looked at in vain until not each one is where a loop may begin.
PATIENCE = 5000


def rolled(
    graph: Program,
    regions: Sequence[Region],
    raws: MutableMapping[Value, Any],
    shortest: int | None = None,
) -> Program:
    """Roll the loops of a graph, the outer ones first.

    ``raws`` has what some Values stood for in the run; those of bodies are added. Loops
    of fewer steps than ``shortest`` stay.
    """
    roller = _Roller(graph, raws, SHORTEST if shortest is None else shortest)
    steps = tuple(roller.parts(0, len(graph.nodes), regions))
    if steps == graph.nodes:
        return graph
    return graph.with_nodes(steps, {})


class _Roller:
    """The steps of a graph, and up to where their results are wanted."""

    def __init__(
        self, graph: Graph, raws: MutableMapping[Value, Any], shortest: int
    ) -> None:
        self.steps = [*graph.nodes]
        self.shortest = shortest
        self.raws = raws
        self._iterations: dict[tuple[int, int], Iteration] = {}
        self.last_use: dict[Value, int] = {}
        for place, step in enumerate(graph.nodes):
            self.last_use.update(dict.fromkeys(step.inputs, place))
        self.last_use.update(dict.fromkeys(graph.results, len(graph.nodes)))
        self.last_use.update(
            dict.fromkeys(getattr(graph, "residuals", ()), len(graph.nodes))
        )
        self.gatherings = Gatherings(graph.nodes, self.last_use)

    def parts(self, start: int, end: int, regions: Sequence[Region]) -> list[Step]:
        """The steps between two places, with loops for some regions among them."""
        found: list[Step] = []
        for region in regions:
            if not start <= region.starts[0] <= region.end <= end:
                continue
            found += self.steps[start : region.starts[0]]
            found += self._rolled(region)
            start = region.end
        return found + self.steps[start:end]

    def _rolled(self, region: Region) -> list[Step]:
        """A region, with a loop for each run of iterations that agree."""
        check()
        if region.known is not None:
            return self._known(region, region.known)
        if region.has_known:
            return self.parts(region.starts[0], region.end, region.inner)
        opened = self._opened(region)
        return self._counted(region) if opened is None else opened

    def _known(self, region: Region, known: Known) -> list[Step]:
        """A region that was recorded as a loop, and what comes before and after it."""
        inside, number = region.inner, known.iteration
        start, end = region.starts[number : number + 2]
        begin = region.starts[max(number - 1, 0)]
        roll = functools.partial(rolled, raws=self.raws, shortest=self.shortest)
        inner = [each.shifted(start) for each in region.inner_of(start, end)]
        steps, name = self.steps[start:end], region.name
        node = known_loop(known, steps, inner, self.raws, roll, name)
        before = [*self.parts(region.starts[0], begin, inside)]
        first = [*self.parts(begin, start, inside)]
        if number < region.peeled:
            peeled, node = without_first(node, self.raws)
            before, first = [*before, *first, *peeled], []
        node = with_last(node)
        after = [*self.parts(end, region.end, inside)]
        own = (lambda v: self._is_read(v, start)), known.before
        ends = (lambda v: self._is_read(v, region.end)), known.after

        def at_end(loop: Node) -> Node | None:
            return with_the_last(loop, after, *ends, known.is_alike)

        longer = with_one_before(node, first, *own) if number > region.peeled else None
        if longer is not None and _may_begin(known, longer, at_end):
            node, first = longer, []
        elif not region.peeled and known.entry:
            whole = from_entry(node, known, [*before, *first], *own)
            if whole is not None and _may_begin(known, whole, at_end):
                node, before, first = whole, [], []
        first = [step.with_values(known.before) for step in first]
        whole = at_end(node)
        if whole is not None:
            node, after = whole, []
        check_unread(after, *ends)
        after = [step.with_values(known.after) for step in after]
        node = with_lists(
            with_last(node), lambda items: self._list_of(items, region.end), ends[0]
        )
        return [*before, *first, node, *after]

    def _list_of(self, items: Sequence[Value], end: int) -> Value | None:
        """A list of what a loop gives in each iteration, if only arrays are made of it.

        These take the list then, from the place ``end`` on.
        """
        places = self.gatherings.places_of(items, end)
        if not places or any(
            self.gatherings.last_use(value, {*places}) >= end for value in items
        ):
            return None
        own = _list_of(items[0])
        for place, first in places.items():
            node = self.gatherings.with_list(place, first, len(items), own)
            self.steps[place] = node
            whole = self.raws.get(node.results[0])
            if whole is not None:
                self.raws[own] = whole[first : first + len(items)]
        return own

    def _is_read(self, value: Value, place: int) -> bool:
        """Whether a step reads a Value from a place on."""
        return self.last_use.get(value, -1) >= place

    def _counted(self, region: Region) -> list[Step]:
        """The same of a region that is as long as it was."""
        found: list[Step] = []
        bounds = [*region.starts, region.end]
        pairs = list(itertools.pairwise(bounds))
        done = misfits = 0
        while done < len(pairs):
            count = self._run_length(pairs, done)
            loop = None
            start, end = pairs[done]
            steps = self.steps[start:end]
            if count >= FEWEST and (
                count * _size(steps) >= self.shortest or _has_branch(steps)
            ):
                loop = self._loop(region, pairs[done : done + count])
            if loop is None:
                # Those that come next do not fit together either, most likely.
                misfits += count
                far = min(1 + misfits // PATIENCE, count)
                found += self.parts(start, pairs[done + far - 1][1], region.inner)
                done += far
            else:
                found += loop
                done += count
                misfits = 0
        return found

    def _run_length(self, pairs: Sequence[tuple[int, int]], first: int) -> int:
        """How many iterations from one on do the same."""
        start, end = pairs[first]
        if len(pairs) - first < FEWEST or start == end:
            return 1
        model = self._iteration(start, end)
        count = 1
        for start, end in pairs[first + 1 :]:
            if end - start != len(model.steps):
                break
            if not agree(model, self._iteration(start, end)):
                break
            count += 1
        return count

    def _iteration(self, start: int, end: int) -> Iteration:
        """The steps between two places; they are asked for again and again."""
        if (start, end) not in self._iterations:
            self._iterations[start, end] = Iteration(self.steps[start:end])
        return self._iterations[start, end]

    def _opened(self, region: Region) -> list[Step] | None:
        """A region with a loop that ends by a test, if it is one."""
        if region.loop_heads is None:
            return None
        starts, end, peeled = region.starts, region.end, region.peeled
        for opened in open_iterations(
            region.loop_heads, starts, end, self.steps, peeled
        ):
            loop = self._open_loop(region, opened)
            if loop is not None:
                start, behind = opened.places[0][0], opened.places[-1][1]
                before = self.parts(starts[0], start, region.inner)
                if opened.exit_condition.stops and region.loop_heads.limit == "first":
                    # Where the limit ends it, there is no test any more.
                    if self._reads_between(behind, end):
                        return None
                    return [*before, *loop]
                return [
                    *before,
                    *loop,
                    *self.parts(behind, max(opened.gone, behind), region.inner),
                    *self.parts(max(opened.gone + 1, behind), end, region.inner),
                ]
        return None

    def _reads_between(self, start: int, end: int) -> bool:
        """Whether what some steps make is wanted later."""
        made = (value for step in self.steps[start:end] for value in step.results)
        return any(self.last_use.get(value, -1) >= end for value in made)

    def _open_loop(self, region: Region, opened: Open) -> list[Step] | None:
        assert region.loop_heads is not None
        try:
            slots = Slots(opened.iterations, region.name)
        except MisfitError:
            return None
        if not is_steady(opened, slots, region.loop_heads):
            return None
        found = numbered(slots, self.steps[opened.places[-1][1] : opened.gone])
        if None in found or any(self.last_use.get(v, -1) > opened.gone for v in found):
            return None
        runs = self.gatherings.of(slots, region.end)
        wanted = self._wanted_at_end(opened, slots, runs)
        if wanted is None:
            return None
        exit_condition = opened.exit_condition
        return self._written(
            region, opened.places, slots, wanted, [], exit_condition, runs
        )

    def _loop(
        self, region: Region, pairs: Sequence[tuple[int, int]]
    ) -> list[Step] | None:
        """A loop for some iterations, unless they differ in what cannot be told."""
        iterations = [self._iteration(start, end) for start, end in pairs]
        try:
            slots = Slots(iterations, region.name)
        except MisfitError:
            return None
        last, kept = self._wanted(iterations, pairs[-1][1], slots)
        results = [(0, number) for number in last]
        return self._written(region, pairs, slots, results, kept, None)

    def _written(
        self,
        region: Region,
        pairs: Sequence[tuple[int, int]],
        slots: Slots,
        last: Sequence[tuple[int, int]],
        kept: Sequence[int],
        exit_condition: ExitCondition | None,
        runs: Sequence[Run] = (),
    ) -> list[Step] | None:
        """The loop of some iterations; before it comes what is the same in all.

        ``last`` are the results that are wanted in the end, and how many iterations
        before these are; ``runs`` those of which lists are wanted.
        """
        iterations = slots.iterations
        model = iterations[1]
        fresh = {v: v.twin() for step in model.steps for v in step.results}
        own = [fresh[value] for value in model.numbers()]
        carried = slots.carried_on(own)
        if not carried and not kept:
            return None  # of such iterations only the last one runs
        ends = [slots.before(own, *each) for each in last]
        listed = {run: slots.before(own, run.lag, run.number) for run in runs}
        lists = {value: _list_of(value) for value in listed.values()}
        outputs = (*carried, *ends, *(own[i] for i in kept), *lists)
        body = Graph(slots.parameters, tuple(slots.body(fresh)), outputs)
        self._note_raws(fresh, slots)
        start, end = pairs[1]
        inner = [
            each.shifted(start).closed()
            for each in region.inner
            if start <= each.starts[0] and each.end <= end
        ]
        before: list[Step] = []
        # Nothing comes before a loop that may not run at all.
        if exit_condition is None or exit_condition.is_last:
            before, body, inner = hoisted(body, len(slots.around), inner)
        before = [step.with_values(slots.outer) for step in before]
        moved = [value for step in before for value in step.results]
        parameters = {value: value.twin() for value in moved}
        for value, parameter in parameters.items():
            self.raws[parameter] = self.raws.get(value)
        loop = Loop(
            rolled(_with_inputs(body, parameters), inner, self.raws, self.shortest),
            len(pairs),
            tuple(slots.indices),
            len(slots.each),
            len(carried),
            len(last),
            len(kept),
            len(lists),
            exit_condition=exit_condition,
        )
        for run, value in listed.items():
            items = lists[value]
            node = self.gatherings.with_list(run.place, run.first, len(pairs), items)
            self.steps[run.place] = node
            whole = self.raws.get(node.results[0])
            if whole is not None:
                self.raws[items] = whole[run.first : run.first + len(pairs)]
        results = slots.results(kept, self.raws)
        results += [iterations[-1 - lag].numbers()[number] for lag, number in last]
        results += [each.numbers()[number] for number in kept for each in iterations]
        results += lists.values()
        first = model.steps[0]
        args = (*slots.arguments, *moved)
        node = Node(loop, args, out=tuple(results), where=first.where)
        return [*before, checkpointed(node, iterations[0].steps, model.steps)]

    def _wanted(
        self, iterations: Sequence[Iteration], end: int, slots: Slots
    ) -> tuple[list[int], list[int]]:
        """The results that are wanted outside: of the last iteration, and of all."""
        last: list[int] = []
        kept: list[int] = []
        own = slots.carried_numbers
        for number, _ in enumerate(iterations[0].numbers()):
            users = [
                place
                for place, each in enumerate(iterations)
                if self.last_use.get(each.numbers()[number], -1) >= end
            ]
            if not users or (users == [len(iterations) - 1] and number in own):
                continue
            (last if users == [len(iterations) - 1] else kept).append(number)
        return last, kept

    def _wanted_at_end(
        self, opened: Open, slots: Slots, runs: Sequence[Run]
    ) -> list[tuple[int, int]] | None:
        """What is wanted outside of a loop with an ending; None: it cannot be told.

        That is how many iterations before the last a result was computed, and which.
        """
        iterations, end = opened.iterations, opened.places[-1][1]
        states = {(state.lag, state.number) for state in slots.states.values()}
        wanted = []
        listed: dict[int, set[int]] = {}
        for run in runs:
            listed.setdefault(run.number, set()).add(run.place)
        for lag, each in enumerate(reversed(iterations)):
            for number, value in enumerate(each.numbers()):
                last_use = self.last_use.get(value, -1)
                if number in listed and self.gatherings.is_any(value):
                    last_use = self.gatherings.last_use(value, listed[number])
                if last_use < end:
                    continue
                if not lag and (1, number) in states:
                    continue  # it is carried out
                if not opened.exit_condition.is_last or (
                    lag and (lag, number) not in states
                ):
                    return None
                wanted.append((lag, number))
        return wanted

    def _note_raws(self, fresh: Mapping[Value, Value], slots: Slots) -> None:
        for old, new in fresh.items():
            if old in self.raws:
                self.raws[new] = self.raws[old]
        slots.note_raws(self.raws)


def hoisted(
    body: Graph, around: int, inner: Sequence[Region]
) -> tuple[list[Step], Graph, list[Region]]:
    """Take out of a body what is the same in all iterations.

    Returns the steps that come before the loop, the rest, and the loops in that; of
    these nothing is taken, for they are long.
    """
    same = set(body.inputs[len(body.inputs) - around :])
    before: list[Step] = []
    places: list[int] = []
    for place, step in enumerate(body.nodes):
        if (
            type(step) is Node
            and same.issuperset(step.inputs)
            and not step.has_effect
            and not step.shares_memory
            and not set(body.outputs).intersection(step.results)
            and not any(each.starts[0] <= place < each.end for each in inner)
        ):
            same.update(step.results)
            before.append(step)
            places.append(place)
    nodes = [step for place, step in enumerate(body.nodes) if place not in places]

    def to(place: int) -> int:
        return place - bisect.bisect_left(places, place)

    return before, replace(body, nodes=tuple(nodes)), [e.moved(to) for e in inner]


def _with_inputs(body: Graph, parameters: Mapping[Value, Value]) -> Graph:
    """A body with further inputs that are around, for some Values outside."""
    if not parameters:
        return body
    nodes = tuple(step.with_values(parameters) for step in body.nodes)
    return replace(body, inputs=(*body.inputs, *parameters.values()), nodes=nodes)


def _list_of(value: Value) -> Value:
    """A list of what a Value of a body is in each iteration."""
    hint = f"{value.name or value.hint or 'item'}s"
    return replace(value, name=None, kind="list", hint=hint)


def _has_branch(steps: Sequence[Step]) -> bool:
    """Whether each iteration would have an ``if`` of its own."""
    return any(type(step) is Node and type(step.function) is Branch for step in steps)


def _size(steps: Sequence[Step]) -> int:
    """How many steps there are, those in bodies included."""
    return sum(1 for _ in walk(Graph((), tuple(steps), ())))


def _may_begin(known: Known, node: Node, at_end: Callable[[Node], Node | None]) -> bool:
    """Whether the first iteration may be one of a loop's, which may then have none.

    ``at_end`` makes it one whose test comes last, if it is.
    """
    if known.may_be_none:
        return True
    loop: Any = (at_end(node) or node).function
    return not loop.may_be_empty
