"""The graph of a run with its loops rolled, and with the branches that are known."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.graph import Graph, Joint, walk
from srcgrad.steps import Node, Value
from srcgrad.tracing.branches.kept_arrays import require_iterations
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.refusal import InFull
from srcgrad.tracing.runs.loop_reach import counts_matter
from srcgrad.transforms.algebra.cse import equal_constants
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.raising import keep_what_raises
from srcgrad.transforms.branches.branching import Speculation, branched, settled
from srcgrad.transforms.branches.maybe_ints import check_ints
from srcgrad.transforms.branches.mixed_kinds import UnfitError, with_one_kind
from srcgrad.transforms.loops.endings import MOST_PEELED
from srcgrad.transforms.loops.hoisting import hoisted
from srcgrad.transforms.loops.interleaving import (
    interleaved,
    with_views_at_hand,
    without,
)
from srcgrad.transforms.loops.regions import Region
from srcgrad.transforms.loops.rolling import rolled
from srcgrad.transforms.loops.slots import MisfitError
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.transforms.reading import exposed
from srcgrad.transforms.scalarize.scalars import is_of_numbers
from srcgrad.updates import moved

# What is written with numbers runs on Python's floats where its loops are written out:
# so they are, unless it takes so many steps that they take too long to compile. With
# its walk back a run may take so many times as many: that alone is not to be rolled.
MOST_NUMBERS = 256
WITH_WALK_BACK = 4


def shortest_of(
    writer: GraphWriter, graph: Graph, with_walks: bool = False
) -> int | None:
    """From how many steps on a loop of a known count is rolled; None: as ever.

    ``with_walks``: those of walks back are among the steps.
    """
    most = MOST_NUMBERS * (WITH_WALK_BACK if with_walks else 1)
    if any(
        speculation.is_in(region)
        for speculation in writer.speculations
        for region in writer.loops
    ):
        return None  # each iteration would have its own `if`
    if len(graph.nodes) < most and is_of_numbers(graph, graph.nodes):
        return most
    return None


def rolled_run(
    writer: GraphWriter,
    graph: Joint,
    guards: int,
    shortest: int | None = None,
    but_last: bool = False,
    peeled: int | None = 0,
) -> tuple[Joint, Joint, dict[Value, Any]]:
    """What was written down, with branches; with its loops rolled, too.

    Those of a count that is known stay, if they have fewer steps than ``shortest``.
    ``but_last``: last iterations stay. ``peeled``: so many first ones, at least, stay
    before a loop of any count; None: each loop has the count that it had.

    ``graph`` begins with so many guards, and then with the steps, maybe not all.
    What its Values stood for comes last, as it was then.
    """
    raws = {**graph.constants, **writer.raws}
    require_iterations(writer.loops, writer.steps, writer.writes)
    end = len(graph.nodes) - guards
    speculations = [
        speculation.shifted(-guards)
        for speculation in writer.speculations
        if speculation.end <= end
    ]
    regions = [region.shifted(-guards) for region in writer.loops]
    inputs = graph.inputs
    free = [v for each in regions for known in each.known_loops() for v in known.values]
    graph = replace(graph, inputs=(*inputs, *free))
    regions = [
        each.closed() if peeled is None else each.with_peeled(peeled)
        for each in regions
    ]
    with_branches, regions = branched_run(writer, graph, speculations, raws, regions)
    if but_last:
        regions = [each for region in regions for each in region.without_last()]
    # An array that each iteration makes anew, of the same numbers, is one.
    same = equal_constants(with_branches, exposed(with_branches))
    alike = with_branches
    if same:
        nodes = tuple([step.with_values(same) for step in with_branches.nodes])
        alike = replace(with_branches, nodes=nodes)
    regions = [region.renamed(same) for region in regions]
    try:
        with_loops = rolled(alike, regions, raws, shortest)
    except MisfitError as misfit:
        raise InFull from misfit
    with_loops = replace(with_loops, inputs=inputs)
    if not free:
        with_branches = replace(with_branches, inputs=inputs)
    if graph.inputs == inputs and with_loops.nodes == alike.nodes:
        with_loops = alike
    # Who gets the graph that there was knows that it has no loops.
    with_loops = hoisted(with_branches if with_loops is alike else with_loops, raws)
    _restore(with_loops, raws, writer)
    return settled(with_branches), settled(with_loops), raws


def branched_run(
    writer: GraphWriter,
    graph: Joint,
    speculations: Sequence[Speculation],
    raws: dict[Value, Any],
    regions: Sequence[Region],
) -> tuple[Joint, list[Region]]:
    """The graph with the branches that may be, and where its loops are."""
    with_branches, further, stand_ins = _branched(writer, graph, speculations, raws)
    moved = [region.renamed(stand_ins) for region in regions]
    for move in further:
        moved = [region.moved(move) for region in moved]
    return with_branches, moved


def run_of_any_count(
    writer: GraphWriter,
    graph: Joint,
    guards: int,
    shortest: int | None,
    but_last: bool,
    roots: Sequence[Value],
    active: Collection[Value],
) -> tuple[Joint, Joint, dict[Value, Any]]:
    """The same where an input has a gradient from a root at any count, or at none.

    ``active`` are the inputs that may have one. So many first iterations stay as it
    takes for that, and guards with them.
    """
    for peeled in (*range(MOST_PEELED + 1), None):
        found = rolled_run(writer, graph, guards, shortest, but_last, peeled)
        if not counts_matter(found[1], roots, active):
            return found
        if peeled and writer.has_known_loops:
            raise InFull  # more iterations would have to come before
    return found


def _branched(
    writer: GraphWriter,
    graph: Joint,
    speculations: Sequence[Speculation],
    raws: dict[Value, Any],
) -> tuple[Joint, list[Callable[[int], int]], Mapping[Value, Value]]:
    """The graph with branches where these may be, and where its steps are.

    Last, what stands there for some numbers.
    """
    maybe = writer.maybe_ints
    speculations = [
        speculation for speculation in speculations if not speculation.gives(maybe.seen)
    ]
    without_ints = [
        speculation
        for speculation in speculations
        if not speculation.gives(maybe.values.keys())
    ]
    for kept in (speculations, without_ints):
        noted = (set(writer.numpys), set(writer.asked), {*maybe.values})
        try:
            found, to = branched(graph, kept, raws, *noted)
            numpys, asked, ints = noted
            check_ints(found, ints if kept is speculations else (), maybe.wholes, asked)
            found, further, stand_ins = with_one_kind(found, numpys, asked, raws)
        except UnfitError:
            if len(without_ints) < len(speculations):
                maybe.give_up()
            continue
        return found, [to, further], stand_ins
    kept = [speculation for speculation in without_ints if not speculation.is_mixed]
    found, to = branched(graph, kept, raws)
    return found, [to], {}


def _restore(graph: Graph, raws: dict[Value, Any], writer: GraphWriter) -> None:
    """Have what has been overwritten as it was, where a graph has it."""
    if not writer.has_overwritten:
        return
    for step in walk(graph):
        for value in (*step.inputs, *step.results):
            if value in raws:
                raws[value] = writer.as_it_was(raws[value])


def rolled_as_it_ran(writer: GraphWriter, joint: Joint) -> Joint:
    """What was written down with its loops rolled, and those of its walks back.

    ``joint`` begins with guards, and then has all the steps, with their marks.
    """
    graph = without_marks(joint, mark=moved)
    if not writer.loops:
        return graph
    shortest = shortest_of(writer, graph, with_walks=True)
    guards = len(joint.nodes) - len(writer.steps)
    regions = [region.closed().shifted(-guards) for region in writer.loops]
    is_mark = [type(s) is Node and s.function is moved for s in joint.nodes]
    regions = without(is_mark, regions)
    graph, regions = with_views_at_hand(keep_what_raises(graph), regions)
    left = eliminate_dead_code(graph)
    stays = set(map(id, left.nodes))
    regions = without([id(step) not in stays for step in graph.nodes], regions)
    steps, regions = interleaved(left.nodes, regions)
    left = replace(left, nodes=tuple(steps))
    raws = dict(writer.raws)
    return hoisted(rolled(left, regions, raws, shortest), raws)
