"""``Linearized``: a compiled call on the tape, and what is freed there.

On the tape there is one node for each operation: who walks back through it to second
derivatives frees what a walk to first ones needs, and the other way round. So a call is
put on the tape once, and what is freed there is gone for generated code, too.
"""

import weakref
from collections.abc import Sequence
from typing import Any

from srcgrad.tape import freed
from srcgrad.tape.function import Edge, Function
from srcgrad.tracing.graphs.reach import Buffer, Reach, Walk, comes_by, reach_of


class Linearized:
    """Where walks back from a call's results start, on the tape; what they come by.

    The nodes are held as long as the call's own is, unless they lead there: a result
    that others are computed from. That would be a cycle.
    """

    __slots__ = ("_buffers", "_held", "_starts")

    def __init__(
        self,
        node: Function,
        starts: list[Edge],
        edges: Sequence[Edge | None],
        ends: Sequence[int],
        reach: Reach,
    ) -> None:
        self._held = None if reach.inner else starts
        self._starts = [
            None if start is None else (weakref.ref(start[0]), start[1])
            for start in starts
        ]
        self._buffers: list[tuple[weakref.ref[Function], freed.Mark, Buffer]] = []
        numbers = [k for k, start in enumerate(starts) if start is not None]
        own = [reach.end(k) for k in numbers]
        # A walk stops at the results that others are computed from, and goes on there.
        inputs = [*edges, *((node, k) for k in reach.inner)]
        _, found = reach_of([starts[k] for k in numbers], inputs)
        leads = [*ends, *(reach.ends[k] for k in reach.inner), *own]
        comes_from = [
            sum(1 << k for k in range(len(starts)) if reach.leads(k, end))
            for end in own
        ]
        for each, (results, ends_of) in found.items():
            if each.has_buffers:
                buffer = Buffer(_joined(results, comes_from), _joined(ends_of, leads))
                self._buffers.append((weakref.ref(each), freed.marked(each), buffer))

    @property
    def starts(self) -> list[Edge] | None:
        """For each result with a gradient; None, if the nodes are gone."""
        found: list[Any] = []
        for start in self._starts:
            node = None if start is None else start[0]()
            if start is not None and node is None:
                return None
            found.append(None if start is None else (node, start[1]))
        return found

    @property
    def matters(self) -> bool:
        """Whether there is a node that may be freed, or one that has been."""
        return any(
            node() is not None or mark.walk is not None
            for node, mark, _ in self._buffers
        )

    def is_over(self, walk: Walk) -> bool:
        """Whether a walk before has freed something that this one needs."""
        return any(
            mark.is_over and comes_by(walk, buffer) for _, mark, buffer in self._buffers
        )

    def free(self, walk: Walk) -> None:
        """Free what a walk has come by."""
        for reference, _, buffer in self._buffers:
            node = reference()
            if node is not None and comes_by(walk, buffer):
                node.free()
                freed.note(node)


def _joined(numbers: int, sets: Sequence[int]) -> int:
    """The union of the ``sets`` whose bits ``numbers`` has; all are bits."""
    bits = 0
    for number, each in enumerate(sets):
        if numbers >> number & 1:
            bits |= each
    return bits
