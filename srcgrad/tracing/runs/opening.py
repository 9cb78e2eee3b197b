"""Which arguments of a recording may be of any length, when all is said that it does.

What is not known to do the same with other lengths closes them: they are what they were
at this call, which is made sure of. See ``lengths`` and ``transforms.lengths``.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from srcgrad.graph import Graph, Joint, Partition
from srcgrad.selections import selections_in
from srcgrad.steps import Value
from srcgrad.tracing.counts.lengths import RecordedAxes
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.references import Formula
from srcgrad.tracing.runs.recording import Recording
from srcgrad.transforms.loops.symbolic_lengths import (
    Opened,
    Returned,
    stay_open,
    with_lengths,
)

Shapes = Mapping[Value, tuple[Any, ...]]


def opened(
    graph: Joint, recording: Recording, halves_of: Callable[[Joint], Partition]
) -> Opened:
    """The graph for any lengths of some inputs, with conditions for all others.

    ``halves_of`` makes of it what is to be written.
    """
    places, sources = recording.lengths, recording.back.sources
    candidates = set(places)
    if recording.whole is not None and not recording.whole.are_all_there:
        # For a gradient that is not there it makes zeros itself.
        candidates.intersection_update(sources)
    found = Opened(graph, frozenset())
    if candidates or selections_in(graph.nodes):
        returned = _returned(recording)
        found = with_lengths(graph, candidates, sources, returned)
        if found.open or found.selected:
            partition = halves_of(found.graph)
            if not stay_open(partition, found, sources, returned):
                found = Opened(graph, frozenset())
    require = recording.interaction.environment.require
    for value, place in places.items():
        if value not in found.open:
            require(conditions.equals(place, value.shape[0]))
    for one, other in found.equal:
        more = other.shape[0] - one.shape[0]
        place = Formula(f"{{}} + {more}", places[one]) if more else places[one]
        require(conditions.are_equal(place, places[other]))
    return found


def _returned(recording: Recording) -> list[Returned]:
    """The outputs that may be of any length, where it is known what has to do with it.

    With a transform that is only what it derives; of several results zeros are made.
    """
    with_grad = recording.interface.with_grad
    if recording.whole is not None or len(with_grad) > 1:
        return []
    numbers = range(len(recording.graph.outputs))
    return [(i, 0 if i in with_grad else None) for i in numbers]


def shapes_of(graph: Graph, open_: Collection[Value]) -> Shapes:
    """The shapes of what a graph computes, by the lengths of those of its inputs.

    A number, or an input or selection, and how much longer it is than that.
    """
    selections = selections_in(graph.nodes)
    if not open_ and not selections:
        return {}
    axes = RecordedAxes(open_)
    axes.note_all(graph.nodes)
    firsts = (*(value for value in graph.inputs if value in open_), *selections)
    # The first of some that are as long: it is there when the others come.
    roots = {axes.root((value, 0)): value for value in firsts[::-1]}
    found: dict[Value, tuple[Any, ...]] = {}
    for step in graph.nodes:
        for value in (*step.inputs, *step.results):
            keys = [roots.get(axes.root((value, k))) for k in range(len(value.shape))]
            if any(key is not None for key in keys):
                found[value] = tuple(
                    n if key is None else (key, n - key.shape[0])
                    for key, n in zip(keys, value.shape, strict=True)
                )
    return found
