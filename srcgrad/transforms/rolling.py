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
>>> print(rolled(graph, [Region([0, 1, 2, 3, 4], 5)], {}))
h_1 = loop(h, x)
    body(h_2, x_1):
        h_3 = multiply(h_2, x_1)
        return h_3
return h_1
"""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.graph import Graph, Node, Program, Step, Value
from srcgrad.loops import Loop
from srcgrad.transforms.iterations import Iteration, agree
from srcgrad.transforms.slots import Misfit, Slots

# Fewer iterations are not worth a loop.
FEWEST = 4


@dataclass(slots=True)
class Region:
    """Where a loop ran: at which step each iteration began, and where all ended.

    ``inner`` are the loops inside, in order; ``name`` is the user's for the index.
    """

    starts: list[int]
    end: int = 0
    inner: "list[Region]" = field(default_factory=list)
    name: str | None = None

    def shifted(self, by: int) -> "Region":
        """The same, where so many steps fewer come before."""
        starts = [start - by for start in self.starts]
        inner = [region.shifted(by) for region in self.inner]
        return Region(starts, self.end - by, inner, self.name)


def rolled(
    graph: Program, regions: Sequence[Region], raws: MutableMapping[Value, Any]
) -> Program:
    """Roll the loops of a graph, the outer ones first.

    ``raws`` has what some Values stood for in the run; those of bodies are added.
    """
    roller = _Roller(graph, raws)
    steps = tuple(roller.parts(0, len(graph.nodes), regions))
    if len(steps) == len(graph.nodes):
        return graph
    return graph.with_nodes(steps, {})


class _Roller:
    """The steps of a graph, and up to where their results are wanted."""

    def __init__(self, graph: Graph, raws: MutableMapping[Value, Any]) -> None:
        self.steps = graph.nodes
        self.raws = raws
        self.last_use: dict[Value, int] = {}
        for place, step in enumerate(graph.nodes):
            self.last_use.update(dict.fromkeys(step.inputs, place))
        self.last_use.update(dict.fromkeys(graph.results, len(graph.nodes)))
        self.last_use.update(
            dict.fromkeys(getattr(graph, "kept", ()), len(graph.nodes))
        )

    def parts(self, start: int, end: int, regions: Sequence[Region]) -> Iterator[Step]:
        """The steps between two places, with loops for some regions among them."""
        for region in regions:
            if not start <= region.starts[0] <= region.end <= end:
                continue
            yield from self.steps[start : region.starts[0]]
            yield from self._rolled(region)
            start = region.end
        yield from self.steps[start:end]

    def _rolled(self, region: Region) -> Iterator[Step]:
        """A region, with a loop for each run of iterations that agree."""
        bounds = [*region.starts, region.end]
        pairs = list(zip(bounds, bounds[1:], strict=False))
        done = 0
        while done < len(pairs):
            count = self._run_length(pairs, done)
            loop = None
            if count >= FEWEST:
                loop = self._loop(region, pairs[done : done + count])
            if loop is None:
                start, end = pairs[done]
                yield from self.parts(start, end, region.inner)
                done += 1
            else:
                yield loop
                done += count

    def _run_length(self, pairs: Sequence[tuple[int, int]], first: int) -> int:
        """How many iterations from one on do the same."""
        start, end = pairs[first]
        if len(pairs) - first < FEWEST or start == end:
            return 1
        model = Iteration(self.steps[start:end])
        count = 1
        for start, end in pairs[first + 1 :]:
            if end - start != len(model.steps):
                break
            if not agree(model, Iteration(self.steps[start:end])):
                break
            count += 1
        return count

    def _loop(self, region: Region, pairs: Sequence[tuple[int, int]]) -> Node | None:
        """The node for some iterations, unless they differ in what cannot be told."""
        iterations = [Iteration(self.steps[start:end]) for start, end in pairs]
        try:
            slots = Slots(iterations, region.name)
        except Misfit:
            return None
        end = pairs[-1][1]
        last, kept = self._wanted(iterations, end, slots)
        start = pairs[1][0]
        model = iterations[1]
        fresh = {v: replace(v) for step in model.steps for v in step.results}
        steps = slots.body(fresh)
        numbers = model.numbers()

        def own(number: int) -> Value:
            return fresh[numbers[number]]

        carried = slots.carried_on(own)
        outputs = (*carried, *map(own, last), *map(own, kept))
        body = Graph(slots.parameters, tuple(steps), outputs)
        inner = [
            each.shifted(start)
            for each in region.inner
            if start <= each.starts[0] and each.end <= pairs[1][1]
        ]
        self._note_raws(fresh, slots)
        body = rolled(body, inner, self.raws)
        loop = Loop(
            body,
            len(pairs),
            tuple(slots.indices),
            len(slots.each),
            len(carried),
            len(last),
            len(kept),
        )
        results = slots.results(kept)
        results += [iterations[-1].numbers()[number] for number in last]
        results += [each.numbers()[number] for number in kept for each in iterations]
        where = model.steps[0].where
        return Node(loop, slots.arguments, out=tuple(results), where=where)

    def _wanted(
        self, iterations: Sequence[Iteration], end: int, slots: Slots
    ) -> tuple[list[int], list[int]]:
        """The results that are wanted outside: of the last iteration, and of all."""
        last, kept = [], []
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

    def _note_raws(self, fresh: Mapping[Value, Value], slots: Slots) -> None:
        for old, new in fresh.items():
            if old in self.raws:
                self.raws[new] = self.raws[old]
        slots.note_raws(self.raws)
