"""``PartialBackwards``: further backward functions of a trace.

``Trace.module`` has the one that takes all cotangents to all gradients. For a walk that
brings only some of them, is for some gradients only, or shows a cotangent to a hook on
the way, others are made here when they are first asked for.
"""

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad import emit
from srcgrad.graph import Graph, Joint, Partition
from srcgrad.protocols import raw_of
from srcgrad.steps import Value
from srcgrad.tape.variable import Variable
from srcgrad.tracing.graphs.reach import Reach, Walk
from srcgrad.transforms import own_gradients
from srcgrad.transforms.partition.stages import in_stages, without_marks
from srcgrad.transforms.partition.unreached import without_cotangents

# Called with a cotangent that is complete; gives what shall go on in its place.
Pause = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One generated function, and the look at a cotangent that comes after it.

    ``given`` are its arguments after ``saved``, ``made`` its results. The cotangent of
    ``result`` is ``before``, and ``after`` what goes on in its place; None in the last
    stage. ``module`` is None if nothing is to be computed before.
    """

    module: emit.Module | None
    given: tuple[Value, ...] = ()
    made: tuple[Value, ...] = ()
    result: int | None = None
    before: Value | None = None
    after: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """How to go back from some of the results: the stages, and where gradients are.

    ``gradients`` has for each gradient of the trace a Value, or None if it is not
    reached or not wanted. ``reads``: whether anything saved is read.
    """

    cotangents: tuple[Value, ...]
    stages: tuple[Stage, ...]
    gradients: tuple[Value | None, ...]
    reads: bool

    def run(
        self, saved: Any, cotangents: Sequence[Any], pauses: Mapping[int, Pause]
    ) -> list[Any]:
        """Compute the gradients; None for those that are not reached."""
        known: dict[Any, Any] = dict(zip(self.cotangents, cotangents, strict=True))
        for stage in self.stages:
            if stage.module is not None:
                given = [known[value] for value in stage.given]
                results = stage.module.call_backward(saved, given)
                known.update(zip(stage.made, results, strict=True))
            if stage.result is not None:
                known[stage.after] = pauses[stage.result](known[stage.before])
        return [None if value is None else known[value] for value in self.gradients]


class PartialBackwards:
    """The routes back through one trace.

    Parameters
    ----------
    name : str
        The function's.
    partition : Partition
        The graph.
    reach : Reach
        Where walks come by on the tape.

    Attributes
    ----------
    partition : Partition
        The graph.
    """

    def __init__(self, name: str, partition: Partition, reach: Reach) -> None:
        self.partition = partition
        self._name = name
        self._reach = reach
        self._whole = partition.in_full or partition.backward
        self._routes: dict[Any, Route] = {}

    @property
    def has_any(self) -> bool:
        """Whether anything flows back at all."""
        return self._whole is not None

    def route(self, walk: Walk, paused: tuple[int, ...]) -> Route:
        """The route of a walk that pauses at some results."""
        found = self._routes.get((walk, paused))
        if found is None:
            found = self._routes[walk, paused] = self._plan(walk, paused)
        return found

    @property
    def texts(self) -> list[str]:
        """The source of those that were made."""
        stages = [
            stage for route in list(self._routes.values()) for stage in route.stages
        ]
        return [stage.module.text for stage in stages if stage.module is not None]

    def _plan(self, walk: Walk, paused: tuple[int, ...]) -> Route:
        partition = self.partition
        whole = self._whole
        assert whole is not None
        present = [
            value
            for number, value in enumerate(partition.cotangents)
            if walk.results >> number & 1
        ]
        absent = set(partition.cotangents).difference(present)
        graph, found = without_cotangents(whole, present, absent)
        # A loop has zeros for what is not reached through it.
        ends = walk.ends & self._reach.ends_from(walk.results)

        def if_wanted(gradient: Value | None, end: int) -> Value | None:
            """What is left of a gradient, if the walk is for it."""
            is_wanted = ends >> end & 1 and gradient is not None
            return found.get(gradient, gradient) if is_wanted else None  # type: ignore[arg-type]

        gradients = tuple(
            if_wanted(gradient, end)
            for end, gradient in enumerate(partition.gradients)
            if gradient is not None
        )
        complete = self._complete(found, paused)
        marks = [value for value in complete.values() if value not in present]
        graph, gradients = _for_gradients(graph, gradients, marks)
        *first, last = in_stages(graph, partition.saved, marks)
        # As in the whole: each gradient is an array that nobody else holds.
        last, gradients = _owning(last, partition.saved, gradients)
        stages = [*self._paused(complete, first, walk), self._stage(last, walk)]
        read = {
            v for stage in (*first, last) for step in stage.nodes for v in step.inputs
        }
        reads = not read.union(last.outputs).isdisjoint(partition.saved)
        return Route(tuple(present), tuple(stages), gradients, reads)

    def _complete(
        self, found: Mapping[Value, Value | None], paused: Collection[int]
    ) -> dict[int, Value]:
        """The complete cotangents of some results, in the order of a walk back.

        One that nothing flows into on the way is complete as it comes.
        """
        partition = self.partition
        complete = {}
        for number in self._reach.in_order(paused):
            value = partition.complete[number] or partition.cotangents[number]
            rest = found.get(value, value)
            if rest is not None:
                complete[number] = rest
        return complete

    def _paused(
        self, complete: Mapping[int, Value], stages: Sequence[Graph], walk: Walk
    ) -> list[Stage]:
        """The stages that end where a cotangent is complete."""
        each = iter(stages)
        made = []
        for number, after in complete.items():
            if after in self.partition.cotangents:
                made.append(Stage(None, result=number, before=after, after=after))
                continue
            graph = next(each)
            stage = self._stage(graph, walk, f", to the cotangent of result {number}")
            before = graph.outputs[0]
            made.append(replace(stage, result=number, before=before, after=after))
        return made

    def _stage(self, graph: Graph, walk: Walk, where: str = "") -> Stage:
        partition = self.partition
        if not graph.nodes and not set(graph.outputs).intersection(partition.saved):
            return Stage(None)
        count = len(partition.cotangents)
        numbers = [str(k) for k in range(count) if walk.results >> k & 1]
        header = f"{self._name}: back from result {', '.join(numbers)}{where}"
        return Stage(
            emit.build_backward(self._name, replace(partition, backward=graph), header),
            graph.inputs[len(partition.saved) :],
            graph.outputs,
        )


def _for_gradients(
    graph: Graph, gradients: Sequence[Value | None], marks: Sequence[Value]
) -> tuple[Graph, tuple[Value | None, ...]]:
    """The graph with just these gradients as outputs, and these marks in it."""
    outputs = tuple(value for value in gradients if value is not None)
    # As outputs, the marks stay; after that they are none.
    graph = without_marks(replace(graph, outputs=(*outputs, *marks)), marks)
    graph = replace(graph, outputs=graph.outputs[: len(outputs)])
    each = iter(graph.outputs)
    return graph, tuple(None if g is None else next(each) for g in gradients)


def _owning(
    graph: Graph, saved: Sequence[Value], gradients: Sequence[Value | None]
) -> tuple[Graph, tuple[Value | None, ...]]:
    """The last stage with gradients that share no memory, and these gradients.

    What is saved is to the pass what the inputs of a graph are: the caller's memory.
    """
    given = graph.inputs[len(saved) :]
    joint = Joint(
        tuple(saved), graph.nodes, (), graph.constants, given, tuple(gradients)
    )
    owned = own_gradients(joint)
    outputs = tuple(value for value in owned.gradients if value is not None)
    return Graph(graph.inputs, owned.nodes, outputs, graph.constants), owned.gradients


class Looks:
    """Those that hooks take at cotangents on the way through a call: each once.

    ``pauses`` note what came of each, and ``again`` gives that, on the tape, if the
    generated code has failed in between. ``error`` is one that a hook has raised.
    """

    def __init__(self, pauses: Mapping[int, Pause]) -> None:
        self.error: Exception | None = None
        self._given = pauses
        self._seen: dict[int, Any] = {}
        self.pauses = {k: functools.partial(self._first, k) for k in pauses}
        self.again = {k: functools.partial(self._again, k) for k in pauses}

    def _first(self, number: int, g: Any) -> Any:
        try:
            self._seen[number] = self._given[number](g)
        except Exception as error:
            self.error = error
            raise
        return self._seen[number]

    def _again(self, number: int, g: Any) -> Any:
        if number not in self._seen:
            self._first(number, raw_of(g))
        return Variable.make(raw_of(self._seen[number]), None)
