"""``Backwards``: the generated backward functions of a trace.

One takes all cotangents to all gradients. For a walk that brings only some of them, is
for some gradients only, or shows a cotangent to a hook on the way, others are made when
they are first asked for.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad import emit
from srcgrad.graph import Graph, Halves, Joint, Value
from srcgrad.tracing.reach import Reach, Walk
from srcgrad.transforms import own_gradients
from srcgrad.transforms.stages import in_stages, without_places
from srcgrad.transforms.unreached import without_cotangents

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
class Way:
    """How to go back from some of the results: the stages, and what they give.

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


class Backwards:
    """The ways back through one trace.

    Parameters
    ----------
    name : str
        The function's.
    halves : Halves
        The graph.
    reach : Reach
        Where walks come by.
    """

    def __init__(self, name: str, halves: Halves, reach: Reach) -> None:
        self._name = name
        self._halves = halves
        self._reach = reach
        self._ways: dict[Any, Way] = {}

    def way(self, walk: Walk, paused: tuple[int, ...]) -> Way:
        """The way of a walk that pauses at the places of some results."""
        found = self._ways.get((walk, paused))
        if found is None:
            found = self._ways[walk, paused] = self._made(walk, paused)
        return found

    @property
    def texts(self) -> list[str]:
        """The source of those that were made."""
        stages = [stage for way in list(self._ways.values()) for stage in way.stages]
        return [stage.module.text for stage in stages if stage.module is not None]

    def _made(self, walk: Walk, paused: tuple[int, ...]) -> Way:
        halves = self._halves
        whole = halves.in_full or halves.backward
        assert whole is not None
        present = [
            value
            for number, value in enumerate(halves.cotangents)
            if walk.results >> number & 1
        ]
        absent = set(halves.cotangents).difference(present)
        graph, found = without_cotangents(whole, present, absent)

        def left(value: Value | None, end: int) -> Value | None:
            """What is there of a gradient or place, if the walk is for it."""
            is_wanted = walk.ends >> end & 1 and value is not None
            return found.get(value, value) if is_wanted else None  # type: ignore[arg-type]

        gradients = tuple(
            left(gradient, end)
            for end, gradient in enumerate(halves.gradients)
            if gradient is not None
        )
        places = self._places(found, paused)
        kept = [value for value in places.values() if value not in present]
        outputs = tuple(value for value in gradients if value is not None)
        graph = without_places(replace(graph, outputs=(*outputs, *kept)), kept)
        graph = replace(graph, outputs=graph.outputs[: len(outputs)])
        each = iter(graph.outputs)
        gradients = tuple(None if g is None else next(each) for g in gradients)
        *first, last = in_stages(graph, halves.saved, kept)
        # As in the whole: each gradient is an array that nobody else holds.
        last, gradients = _owning(last, halves.saved, gradients)
        stages = [*self._paused(places, first, walk), self._stage(last, walk)]
        read = {
            v for stage in (*first, last) for step in stage.nodes for v in step.inputs
        }
        reads = not read.union(last.outputs).isdisjoint(halves.saved)
        return Way(tuple(present), tuple(stages), gradients, reads)

    def _places(
        self, found: Mapping[Value, Value | None], paused: Collection[int]
    ) -> dict[int, Value]:
        """The Values at the places of some results, in the order of a walk back.

        A cotangent that nothing flows into on the way is complete as it comes.
        """
        halves = self._halves
        places = {}
        for number in self._reach.in_order(paused):
            value = halves.places[number] or halves.cotangents[number]
            rest = found.get(value, value)
            if rest is not None:
                places[number] = rest
        return places

    def _paused(
        self, places: Mapping[int, Value], stages: Sequence[Graph], walk: Walk
    ) -> list[Stage]:
        """The stages that end at a place."""
        each = iter(stages)
        made = []
        for number, after in places.items():
            if after in self._halves.cotangents:
                made.append(Stage(None, result=number, before=after, after=after))
                continue
            graph = next(each)
            stage = self._stage(graph, walk, f", to the cotangent of result {number}")
            before = graph.outputs[0]
            made.append(replace(stage, result=number, before=before, after=after))
        return made

    def _stage(self, graph: Graph, walk: Walk, where: str = "") -> Stage:
        halves = self._halves
        if not graph.nodes and not set(graph.outputs).intersection(halves.saved):
            return Stage(None)
        count = len(halves.cotangents)
        numbers = [str(k) for k in range(count) if walk.results >> k & 1]
        header = f"{self._name}: back from result {', '.join(numbers)}{where}"
        return Stage(
            emit.build_backward(self._name, replace(halves, backward=graph), header),
            graph.inputs[len(halves.saved) :],
            graph.outputs,
        )


def _owning(
    graph: Graph, saved: Sequence[Value], gradients: Sequence[Value | None]
) -> tuple[Graph, tuple[Value | None, ...]]:
    """The last stage with gradients that share no memory, and these gradients."""
    given = graph.inputs[len(saved) :]
    joint = Joint(
        tuple(saved), graph.nodes, (), graph.constants, given, tuple(gradients)
    )
    owned = own_gradients(joint)
    outputs = tuple(value for value in owned.gradients if value is not None)
    return Graph(graph.inputs, owned.nodes, outputs, graph.constants), owned.gradients
