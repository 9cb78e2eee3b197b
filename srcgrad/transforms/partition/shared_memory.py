"""Whose memory the results of a graph are in, and what is saved."""

from collections.abc import Iterable
from dataclasses import dataclass

from srcgrad.graph import Partition
from srcgrad.steps import Value


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """What may be in the same memory; inputs and outputs by their numbers.

    Attributes
    ----------
    saved_inputs, saved_outputs : frozenset of int
        Those in whose memory something saved is.
    inputs_under : tuple of tuple of int
        For each output the inputs in whose memory it is.
    overlaps : frozenset of (int, int)
        Pairs of outputs, the lower number first.
    """

    saved_inputs: frozenset[int]
    saved_outputs: frozenset[int]
    inputs_under: tuple[tuple[int, ...], ...]
    overlaps: frozenset[tuple[int, int]]


def shared_memory(partition: Partition) -> SharedMemory:
    """Follow the views of the forward graph."""
    graph = partition.forward
    origins = graph.origins()
    saved = set[Value]().union(*(origins.get(v, {v}) for v in partition.saved))
    under = [origins.get(output, {output}) for output in graph.outputs]
    return SharedMemory(
        saved_inputs=_numbers(graph.inputs, saved),
        saved_outputs=frozenset(i for i, found in enumerate(under) if found & saved),
        inputs_under=tuple(
            tuple(sorted(_numbers(graph.inputs, found))) for found in under
        ),
        overlaps=frozenset(
            (i, k) for k in range(len(under)) for i in range(k) if under[i] & under[k]
        ),
    )


def _numbers(values: Iterable[Value], chosen: set[Value]) -> frozenset[int]:
    return frozenset(i for i, value in enumerate(values) if value in chosen)
