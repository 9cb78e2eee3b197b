"""``Reach``: which saved arrays, and inputs, a walk back from which result comes by.

On the tape each result has a node of its own, and each walk runs, and frees, just what
lies between where it starts and where it goes. In generated code all results share one
node; yet what a walk may do, and what it gives, must be the same.

Sets are bits. *Results* are those that have a gradient, numbered in order. *Ends* are
the inputs of the graph by their numbers, and after these the results.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from srcgrad.tape.function import Edge, Function
from srcgrad.tracing.graphs.residuals import raws_in


class Walk(NamedTuple):
    """A walk back: from which results, to which ends."""

    results: int
    ends: int


class Buffer(NamedTuple):
    """What one node saves: from which results it is met, on the way to which ends."""

    results: int
    ends: int


@dataclass(frozen=True, slots=True)
class Reach:
    """Where walks come by.

    Attributes
    ----------
    count : int
        How many inputs there are: so many ends come before those of the results.
    ranks : tuple of int
        A sort key for the results: a walk comes by at what was computed last first, at
        the results of one operation at once.
    ends : tuple of int
        For each result the ends that it depends on, itself included.
    buffers : frozenset of Buffer
        All that the tape has saved.
    again : int
        The inputs that are others, given once more: all that flows is these others'.
    """

    count: int
    ranks: tuple[int, ...]
    ends: tuple[int, ...]
    buffers: frozenset[Buffer]
    again: int = 0

    @property
    def order(self) -> list[int]:
        """The results in the order in which a walk comes by."""
        return self.in_order(range(len(self.ranks)))

    def in_order(self, numbers: Iterable[int]) -> list[int]:
        """Some results in that order; those of one operation as they are given."""
        return sorted(numbers, key=self.ranks.__getitem__)

    @property
    def inner(self) -> tuple[int, ...]:
        """The results that others are computed from."""
        numbers = range(len(self.ends))
        return tuple(
            k
            for k in numbers
            if any(self.leads(other, self.end(k)) for other in numbers if other != k)
        )

    def end(self, number: int) -> int:
        """A result, as an end."""
        return 1 << (self.count + number)

    def leads(self, number: int, ends: int) -> bool:
        """Whether a result depends on one of some ends."""
        return bool(self.ends[number] & ends)

    def ends_from(self, results: int) -> int:
        """The ends that some results depend on, at least one of them."""
        bits = 0
        for number, ends in enumerate(self.ends):
            bits |= ends if results >> number & 1 else 0
        return bits

    def with_ends(self, ends: int) -> "Reach":
        """The same where each result may depend on some further ends."""
        return replace(self, ends=tuple(each | ends for each in self.ends))

    def is_over(self, walks: Iterable[Walk], walk: Walk) -> bool:
        """Whether a walk would need what walks before it have freed."""
        return any(
            comes_by(walk, buffer) and any(comes_by(old, buffer) for old in walks)
            for buffer in self.buffers
        )

    def is_all_freed(self, walks: Iterable[Walk]) -> bool:
        """Whether nothing is left that the tape has saved."""
        return all(
            any(comes_by(walk, buffer) for walk in walks) for buffer in self.buffers
        )


def comes_by(walk: Walk, buffer: Buffer) -> bool:
    """Whether a walk needs what is saved there."""
    return bool(walk.results & buffer.results and walk.ends & buffer.ends)


def bits_of(numbers: Iterable[int]) -> int:
    """A set of numbers as bits."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def reach_of(
    results: Sequence[Edge], inputs: Sequence[Edge | None]
) -> tuple[Reach, dict[Function, Buffer]]:
    """Follow the tape back from results to inputs, both given by their edges.

    Also returns the nodes on the way, with when a walk comes by.
    """
    count = len(inputs)
    end_of: dict[Edge, int] = {}
    again = 0
    for number, edge in enumerate(inputs):
        if edge is not None:
            again |= (edge in end_of) << number
            end_of[edge] = end_of.get(edge, 0) | 1 << number
    for number, edge in enumerate(results):
        end_of[edge] = end_of.get(edge, 0) | 1 << count + number
    input_nodes = {edge[0] for edge in inputs if edge is not None}
    starts = _starts(results, input_nodes)
    ends: dict[Function, int] = {}
    for node in reversed(starts):
        ends[node] = 0 if node in input_nodes else _joined(node, ends, end_of)
    nodes = {
        node: Buffer(bits, ends[node])
        for node, bits in starts.items()
        if node not in input_nodes
    }
    reach = Reach(
        count,
        tuple(-edge[0].order for edge in results),
        tuple(end_of[edge] | ends[edge[0]] for edge in results),
        frozenset(buffer for node, buffer in nodes.items() if node.has_buffers),
        again,
    )
    return reach, nodes


def buffers_on(
    raws: Iterable[Any], nodes: Mapping[Function, Buffer]
) -> tuple[frozenset[Buffer], ...]:
    """What is saved in the memory of each of some arrays."""
    saved: dict[int, set[Buffer]] = {}
    for node, buffer in nodes.items():
        for raw in raws_in(node.saved):
            saved.setdefault(id(_owner(raw)), set()).add(buffer)
    return tuple(frozenset(saved.get(id(_owner(raw)), ())) for raw in raws)


def _owner(raw: Any) -> Any:
    base = getattr(raw, "base", None)
    return raw if base is None else base


def _starts(results: Sequence[Edge], input_nodes: set[Function]) -> dict[Function, int]:
    """The nodes that some results are computed by, the last one first.

    For each the results that depend on it.
    """
    starts: dict[Function, int] = {}
    for number, (node, _) in enumerate(results):
        starts[node] = starts.get(node, 0) | 1 << number
    heap = [(-node.order, node) for node in starts]
    heapify(heap)
    found: dict[Function, int] = {}
    while heap:
        node = heappop(heap)[1]
        found[node] = starts[node]
        for edge in () if node in input_nodes else node.edges:
            if edge is None:
                continue
            if edge[0] not in starts:
                starts[edge[0]] = 0
                heappush(heap, (-edge[0].order, edge[0]))
            starts[edge[0]] |= starts[node]
    return found


def _joined(node: Function, ends: dict[Function, int], end_of: dict[Edge, int]) -> int:
    """The ends that a node's arguments lead to."""
    bits = 0
    for edge in node.edges:
        if edge is not None:
            bits |= end_of.get(edge, 0) | ends[edge[0]]
    return bits
