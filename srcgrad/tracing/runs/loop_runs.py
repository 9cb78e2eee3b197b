"""A loop of which one iteration was recorded: the others run without Python.

The steps of that iteration become the body of a ``Loop``, as they will be compiled. It
runs node by node from where the recorded iteration has ended. On the tape all is one
node, which puts the iterations there when a gradient comes by.
"""

import itertools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad import emit
from srcgrad.deadline import check
from srcgrad.graph import Graph, Joint, Partition, evaluate, map_bodies, walk
from srcgrad.loops import ExitCondition, Loop
from srcgrad.modes import override, state
from srcgrad.steps import Guard, Location, Node, Step, Value
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Function, Leaf, already_freed, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.graphs.joints import distinct
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.rolled_runs import branched_run
from srcgrad.transforms.branches.branching import settled
from srcgrad.transforms.loops.known_loops import known_loop, with_test
from srcgrad.transforms.loops.regions import Carried, Collected, Known, Region
from srcgrad.transforms.loops.rolling import rolled
from srcgrad.unboxing import of_kind

# So many iterations run node by node before what they do is written as source.
WRITTEN_FROM = 10
# So many iterations have to go one way where the loop goes on another way.
FEWEST_ALIKE = 5


class Found(NamedTuple):
    """A loop, and for all that it carries what that is in the end, and its edge.

    And so for each item of each list; ``is_over``: no iterations are left.
    """

    known: Known
    carried: Sequence[tuple[Any, Edge | None]]
    collected: Sequence[Sequence[tuple[Any, Edge | None]]]
    is_over: bool


class Unfit(Exception):  # noqa: N818 (no fault)
    """The loop is not one."""


def run_loop(
    recorder: Any,
    region: Region,
    carried: Sequence[tuple[Value, Value, Value, bool]],
    collected: Sequence[tuple[Value, bool]],
    indices: Mapping[Value, tuple[int, int]],
    limit: Any,
) -> Found | None:
    """Run the iterations that come after one that was recorded; None: it cannot be.

    Parameters
    ----------
    recorder : Recorder
    region : Region
        The loop, of which the last iteration is that one.
    carried : sequence of tuple
        For all that it carries the parameter, what it was at first, what it is now, and
        whether it has a gradient.
    collected : sequence of tuple
        For each list what the iteration has given for it, and the same.
    indices : mapping
        For each index where it starts, and its step.
    limit : Limit
        How many iterations are left.
    """
    writer = recorder.writer
    known = Known(
        len(region.starts) - 2,
        tuple([Carried(p, f, o, o.twin()) for p, f, o, _ in carried]),
        indices,
        1,
        collected=tuple([Collected(output, ()) for output, _ in collected]),
    )
    outputs = [each[2] for each in carried] + [output for output, _ in collected]
    try:
        node = _node(writer, region, known)
        around = [_raw_of(writer, value) for value in node.args[len(carried) :]]
        runner = _Runner(node, around, [writer.raw_of(value) for value in outputs])
    except (Refusal, Exception):
        return None
    body = runner.loop.body
    if any(type(s) is Node and s.has_effect and not s.bodies for s in walk(body)):
        return None  # it draws, say
    guards = sum(type(step) is Guard for step in body.nodes)
    where = writer.current_location()
    ended = _ended(body, runner, limit, where) if runner.run(limit.left) else None
    # That the first iteration is another way than the second says nothing of the end.
    is_odd = not known.iteration and runner.count == 1 and runner.test > 0
    if ended is None or is_odd:
        return None
    known = replace(
        known,
        count=runner.count,
        exit_condition=ended[0],
        test=ended[1],
        guards=guards,
        is_alike=limit.is_alike,
        collected=tuple(
            Collected(output, tuple([output.twin() for _ in range(runner.count)]))
            for output, _ in collected
        ),
    )
    raws = [[distinct(raw)] for raw in runner.states]
    raws += [[*map(distinct, items)] for items in runner.items]
    flows = [each[3] for each in carried] + [flow for _, flow in collected]
    edges = _edges(recorder, node, known, raws, flows)
    pairs = [[*zip(*each, strict=True)] for each in zip(raws, edges, strict=True)]
    count = len(carried)
    is_over = runner.test < 0 and limit.is_last
    return Found(known, [own for (own,) in pairs[:count]], pairs[count:], is_over)


def _ended(
    body: Graph, runner: "_Runner", limit: Any, where: Location | None
) -> tuple[ExitCondition | None, int] | None:
    """How a loop ends, and by which guard; None: it cannot be told.

    ``where`` is its head, at which the next iteration begins.
    """
    test = None if runner.test < 0 else runner.test
    if test is not None and not limit.may_end:
        # Another way through the body: these are a loop, the others are recorded.
        return (None, -1) if runner.count >= FEWEST_ALIKE else None
    most = None
    if limit.left is not None:
        most = limit.left + 1  # the iteration that was recorded is one of them
    comes_last = body.nodes and type(body.nodes[-1]) is Guard
    if test is None and limit.is_alike and comes_last:
        number = sum(type(step) is Guard for step in body.nodes) - 1
        return ExitCondition(is_last=True, most=most, stops=True), number
    if test is None and limit.stops and _is_headed(body, where):
        test = 0
    if test is None:  # all that it does is known for so many iterations
        return (None, -1) if limit.is_last or limit.stops else None
    counts = limit.counts and not test
    return ExitCondition(most=most, stops=limit.stops, counts=counts), test


def _is_headed(body: Graph, where: Location | None) -> bool:
    """Whether the only guard of a loop, which has always held, is of its own test.

    One that stands in its body does not end it, nor does the choice between numbers
    that are compared in the test.
    """
    own, *others = [s.where for s in body.nodes if type(s) is Guard] or [None]
    if own is None or others or where is None:
        return False
    is_same = (own.filename, own.line) == (where.filename, where.line)
    return is_same and " if " not in own.text


def _raw_of(writer: Any, value: Value) -> Any:
    return writer.as_it_was(writer.raw_of(value))


def _node(writer: Any, region: Region, known: Known) -> Node:
    """The loop, of the steps that were recorded, as far as they are known."""
    start, end = region.starts[known.iteration : known.iteration + 2]
    steps = writer.steps_from(start)[: end - start]
    speculations = [
        each.shifted(start) for each in writer.speculations if each.guard >= start
    ]
    if any(each.gives(writer.maybe_ints.values.keys()) for each in speculations):
        raise Unfit
    inner = [each.shifted(start) for each in region.inner_of(start, end)]
    raws = {**writer.constants, **writer.raws}
    every: Any = (*known.carried, *known.collected)
    outputs = tuple([each.output for each in every])
    free = _free(steps, inner, speculations)
    made = {value for step in steps for value in step.results}
    made.update(each.parameter for each in known.carried)
    free.update(dict.fromkeys(v for v in outputs if v not in made))
    graph = Joint(tuple(free), tuple(steps), outputs, {})
    if not made.issuperset(each.output for each in known.collected):
        raise Unfit
    own = Region([0], known=known)
    graph, regions = branched_run(writer, graph, speculations, raws, [*inner, own])
    if any(type(s) is Node and s.function is of_kind for s in graph.nodes):
        raise Unfit  # a number is Python's or NumPy's, and iterations may differ
    *inner, own = regions
    assert own.known is not None
    known = own.known

    def roll(body: Graph, regions: Sequence[Region]) -> Graph:
        return rolled(body, regions, raws)

    node = known_loop(
        replace(known, exit_condition=None), graph.nodes, inner, raws, roll
    )
    loop: Any = node.function
    return replace(node, function=replace(loop, body=settled(loop.body)))


def _free(
    steps: Sequence[Step], inner: Sequence[Region], speculations: Sequence[Any]
) -> dict[Value, None]:
    """What some steps take, and do not make."""
    made = {value for step in steps for value in step.results}
    own = [*steps, *(step for each in speculations for step in each.other)]
    found = dict.fromkeys(v for step in own for v in step.inputs if v not in made)
    for region in inner:
        for known in region.known_loops():
            found.update(dict.fromkeys(known.values))
            firsts = (each.first for each in known.carried)
            found.update(dict.fromkeys(v for v in firsts if v not in made))
    return found


class _Runner:
    """Iterations after the first one, up to where a guard does not hold."""

    def __init__(self, node: Node, around: Sequence[Any], outs: Sequence[Any]) -> None:
        function: Any = node.function
        self.loop: Loop = function
        self._around = around
        self._body = _checked(self.loop.body)
        # What does the same, when so many have run that it is worth to be written.
        self._written: Callable[..., Any] | None = None
        # How many have run, the recorded one included; which guard has ended that.
        self.count, self.test = 1, -1
        self.states = outs[: self.loop.carried]
        # What they have given for lists.
        self.items = [[item] for item in outs[self.loop.carried :]]
        self._signals = False

    def run(self, left: int | None) -> bool:
        """Run them, no more than are left: whether all are as the recorded one was."""
        settings = np.geterr()
        noted: Any = {k: v if v == "ignore" else "call" for k, v in settings.items()}
        try:
            with (
                np.errstate(**noted, call=self._signal),
                override(recorder=None),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("error")
                while left is None or self.count <= left:
                    check()
                    self._iterate()
                    if self._signals:
                        return False
        except _Failed as failed:
            self.test = failed.number
            return failed.number >= 0 and not self._signals
        except Exception:
            return False  # Python runs into it itself
        return True

    def _signal(self, kind: str, flag: int) -> None:
        self._signals = True

    def _iterate(self) -> None:
        own = (start + step * self.count for start, step in self.loop.indices)
        given = (*own, *self.states, *self._around)
        if self.count == WRITTEN_FROM:
            self._written = emit.build("loop", Partition(self.loop.body)).forward
        found = None if self._written is None else self._written(*given)
        if len(self.loop.body.outputs) == 1 and type(found) is not str:
            found = None if self._written is None else (found,)
        if found is None or type(found) is str:  # a guard, and it says which
            found = evaluate(self._body, given)
        self.states = found[: self.loop.carried]
        for items, item in zip(self.items, found[self.loop.carried :], strict=True):
            items.append(item)
        self.count += 1


class _Failed(Exception):  # noqa: N818 (no fault)
    """A guard does not hold: which of the body; -1: of one inside of it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class _Check:
    """What looks whether a guard holds, as the function of a node."""

    __name__ = "check"

    def __init__(self, guard: Guard, number: int) -> None:
        self.guard, self.number = guard, number

    def __call__(self, value: Any) -> None:
        if not replace(self.guard, value=value).holds():
            raise _Failed(self.number)


def _checked(body: Graph, is_inner: bool = False) -> Graph:
    """A body that raises an error where a guard does not hold."""
    nodes: list[Step] = []
    number = 0
    for step in body.nodes:
        if type(step) is Guard and not step.ends:
            function: Any = _Check(step, -1 if is_inner else number)
            none = Value((), np.dtype(bool))
            nodes.append(Node(function, (step.value,), {}, none))
        else:
            nodes.append(map_bodies(lambda b: _checked(b, True), step))
        number += type(step) is Guard
    return replace(body, nodes=tuple(nodes))


# ----- On the tape -----


def _edges(
    recorder: Any,
    node: Node,
    known: Known,
    raws: Sequence[Sequence[Any]],
    flows: Sequence[bool],
) -> list[list[Edge | None]]:
    """Where the gradients of the results go: those carried, the items of each list."""
    writer = recorder.writer
    edges = [writer.edge_of(value) for value in node.args]
    if not any(flows) or not any(edges) or not state.grad_enabled:
        return [[None] * len(each) for each in raws]
    loop: Any = node.function
    if known.exit_condition is not None:
        loop = replace(loop, body=with_test(loop.body, known.test))
    loop = replace(loop, count=known.count, exit_condition=known.exit_condition)
    loop = replace(loop, ys=0, lists=len(known.collected))
    # What is run again has to be as it was: its owner may change it until then.
    given = tuple([_kept(_raw_of(writer, value)) for value in node.args])
    ways = [_way(loop, output) for output in loop.body.outputs]
    found: list[list[Edge | None]] = [[None] * len(each) for each in raws]
    # Each node of the tape leads to what all of its results were computed from.
    for way in dict.fromkeys(ways):
        own = [k for k, each in enumerate(ways) if each == way and flows[k]]
        leads = tuple([e if k in way else None for k, e in enumerate(edges)])
        if not own or not any(leads):
            continue
        function: LoopRun = LoopRun.link(leads, [raw for k in own for raw in raws[k]])
        function.saved, function.loop, function.outputs = given, loop, own
        numbers = itertools.count()
        for k in own:
            found[k] = [(function, next(numbers)) for _ in raws[k]]
    return found


def _kept(raw: Any) -> Any:
    return raw.copy("K") if isinstance(raw, np.ndarray) else raw


def _way(loop: Loop, output: Value) -> frozenset[int]:
    """The arguments, by number, that an output of the body depends on."""
    needed = loop.needed_inside([output])
    given = loop.body.inputs[len(loop.indices) :]
    return frozenset(k for k, value in enumerate(given) if value in needed)


class LoopRun(Function):
    """The node of a loop that ran without Python: it holds what that began with."""

    __slots__ = ("loop", "outputs")
    materializes = False
    runs_again = True

    loop: Loop
    # Those of the body's, by number, that it is for.
    outputs: Sequence[int]

    def name(self) -> str:
        """What its gradients are called after."""
        return "LoopBackward"

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        if self.saved is None:
            raise already_freed()
        pairs = zip(self.saved, self.edges, strict=True)
        given = [
            raw if edge is None else _again(distinct(raw), edge, wrap)
            for raw, edge in pairs
        ]
        # What it signals has been ignored, or it would not have run without Python.
        with override(grad_enabled=True), np.errstate(all="ignore"):
            outs = self.loop(*given)
        groups = [[out] for out in outs[: self.loop.carried]]
        groups += outs[self.loop.carried :]
        results = [out for k in self.outputs for out in groups[k]]
        starts: Any = [
            (result.edge, each)
            for result, each in zip(
                results, [g] if self.metas is None else g, strict=True
            )
            if each is not None and isinstance(result, Variable) and has_edge(result)
        ]
        targets: Any = [each.edge for each in given if isinstance(each, Variable)]
        is_nested = wrap is not None
        engine = ExecutionEngine(True, restore if is_nested else None, is_nested, True)
        found: Any = dict(engine.run_backward(starts, targets)) if starts else {}
        return [
            found.get(each.edge) if isinstance(each, Variable) else None
            for each in given
        ]


def is_told_inside(edges: Iterable[Edge | None], nodes: Iterable[Function]) -> bool:
    """Whether of what a loop gives one result is computed from another, inside of it.

    Who hooks the other one, or asks for its gradient, is not told of that. ``edges``
    are those of results that he gets, ``nodes`` all that they are computed by.
    """
    own = [edge[0] for edge in edges if edge is not None and type(edge[0]) is LoopRun]
    runs = [node for node in nodes if type(node) is LoopRun]
    for first, other in itertools.product(own, runs):
        if first.loop is other.loop:
            outs = first.loop.body.outputs
            for a, b in itertools.product(first.outputs, other.outputs):
                if a != b and outs[a] in first.loop.needed_inside([outs[b]]):
                    return True
    return False


class Entry(Function):
    """Where a loop begins that is put on the tape for a walk back."""

    __slots__ = ()

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        return (g,)


def _again(raw: Any, edge: Edge, wrap: Any) -> Variable:
    """An argument of the loop, on the tape where it was if that is to go on."""
    node = Leaf.inside(raw) if wrap is None else Entry.link((edge,), raw)
    return Variable.make(raw, (node, 0))


def leaves_loop(recorder: Any, region: Region, after: Any) -> None:
    """A loop has ended by a test: that it fails is said by the loop.

    If it is another way that Python has left it by, the recording is of no use.
    ``after`` are the indices of the iteration in which that was.
    """
    writer, known = recorder.writer, region.known
    assert known is not None
    region.known = replace(known, after=after.numbers)
    recorder.is_in_vain = recorder.is_in_vain or after.is_spoiled
    if known.exit_condition is None:
        return
    start = region.starts[-1]
    steps = writer.steps_from(start)
    inner = region.inner_of(start, region.end)
    places = {each.guard - start for each in writer.speculations if each.guard >= start}
    for each in inner:
        places.update(range(each.starts[0] - start, each.end - start))
    guards = [k for k, s in enumerate(steps) if type(s) is Guard and k not in places]
    is_whole = len(region.starts) == known.iteration + 2
    if is_whole and not guards and known.exit_condition.stops:
        return  # by its count
    if not is_whole or len(guards) <= known.test:
        recorder.is_in_vain = True
        return
    guard: Any = steps[guards[known.test]]
    writer.replace_step(guard, Guard(True, bool, True, guard.where))
