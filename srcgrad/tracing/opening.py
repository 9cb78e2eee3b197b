"""Which arguments of a recording may be of any length, when all is said that it does.

What is not known to do the same with other lengths closes them: they are what they were
at this call, which is made sure of. See ``lengths`` and ``transforms.lengths``.
"""

from collections.abc import Callable

from srcgrad.graph import Halves, Joint
from srcgrad.tracing import conditions
from srcgrad.tracing.recording import Recording
from srcgrad.transforms.lengths import Opened, stay_open, with_lengths


def opened(
    graph: Joint, recording: Recording, halves_of: Callable[[Joint], Halves]
) -> Opened:
    """The graph for any lengths of some inputs, with conditions for all others.

    ``halves_of`` makes of it what is to be written.
    """
    places, sources = recording.lengths, recording.sources
    candidates = set(places)
    if recording.whole is not None and not recording.whole.are_all_there:
        # For a gradient that is not there it makes zeros itself.
        candidates.intersection_update(sources)
    found = Opened(graph, frozenset())
    if candidates:
        found = with_lengths(graph, candidates, sources)
    if found.open and not stay_open(halves_of(found.graph), found, sources):
        found = Opened(graph, frozenset())
    require = recording.outside.require
    for value, place in places.items():
        if value not in found.open:
            require(conditions.equals(place, value.shape[0]))
    for one, other in found.equal:
        require(conditions.are_equal(places[one], places[other]))
    return found
