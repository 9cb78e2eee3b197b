"""``Ends``: where a run has ended, on the tape and in the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.steps import Value
from srcgrad.tape.function import Edge, Function
from srcgrad.tape.variable import Variable
from srcgrad.tracing.capture.returned import outputs_of
from srcgrad.tracing.graphs.interface import Output
from srcgrad.tracing.graphs.reach import Buffer, Reach, reach_of
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.residuals import Residuals


class Ends(NamedTuple):
    """Where a run has ended.

    ``roots`` are the results with a gradient; ``inner`` has the edges of those of them
    that others are computed from, and None for the rest.
    """

    outputs: Sequence[Output]
    values: Sequence[Value]
    roots: Sequence[Any]
    inner: Sequence[Edge | None]
    reach: Reach
    nodes: Mapping[Function, Buffer]
    residuals: Residuals


def ends_of(
    recorder: Recorder,
    out_leaves: Sequence[Any],
    inputs: Sequence[Variable],
    counted: Sequence[bool],
    is_whole: bool,
) -> Ends:
    outputs, values = outputs_of(recorder, out_leaves, inputs)
    if is_whole:
        outputs = tuple(
            [replace(o, has_grad=False) if o.has_grad else o for o in outputs]
        )
    roots = [
        leaf
        for leaf, output in zip(out_leaves, outputs, strict=True)
        if output.has_grad
    ]
    edges: list[Any] = [leaf.edge for leaf in roots]
    reach, nodes = reach_of(edges, [variable.edge for variable in inputs])
    residuals = recorder.writer.residuals(list(nodes), counted)
    inner = [edge if i in reach.inner else None for i, edge in enumerate(edges)]
    return Ends(outputs, values, roots, inner, reach, nodes, residuals)
