"""What a compiled call returns, and how its results hang on the node of the call."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import here
from srcgrad.pytree import unflatten
from srcgrad.tape.function import VOLATILE, Edge, fill, new
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import Version, entries, is_view, share
from srcgrad.tracing.graphs.interface import Output
from srcgrad.tracing.runs.replay import NOTHING, linearized
from srcgrad.tracing.serving.compiled_function import CompiledFunction
from srcgrad.tracing.serving.trace import Trace


def results_of(
    trace: Trace,
    leaves: Sequence[Any],
    inputs: Sequence[Any],
    outs: Sequence[Any],
    saved: Any,
) -> Any:
    """Make what the function returns of the graph's outputs.

    ``saved`` is what the backward graph needs; None: nothing goes on the tape.
    """
    interface = trace.interface
    if trace.module.backward is None and trace.gradients.outputs:
        saved = ()  # on the tape, though nothing flows back
    node = None if saved is None else _node(trace, leaves, inputs, outs, saved)
    if interface.only == "variable":
        return _variable(trace, interface.outputs[0], leaves, outs[0], node, 0)
    results: list[Any] = []
    result: Any
    number = 0
    for output in interface.outputs:
        kind = output.kind
        if kind == "variable":
            result = _variable(trace, output, leaves, outs[output.source], node, number)
            number += output.has_grad
        elif kind == "array":
            result = outs[output.source]
        elif kind == "constant":
            result = np.array(outs[output.source])
        elif kind == "input":
            result = leaves[interface.positions[output.source]]
        elif kind == "same":
            result = results[output.source]
        else:
            result = output.source
        results.append(result)
    for i, k in interface.overlaps:
        _share_if_view(results[i], results[k])
    return unflatten(interface.structure, results)


def packed_of(
    trace: Trace,
    leaves: Sequence[Any],
    inputs: Sequence[Any],
    outs: Sequence[Any],
    saved: Any,
) -> Any:
    """What a transform gives: of the function's own results, and what it derives.

    With it, the values that effects are about.
    """
    whole: Any = trace.whole
    interface = trace.interface
    derived: Any
    if whole.is_linear:
        derived = functools.partial(_tangents, trace, saved)
    else:
        derived = outs[interface.count :]
        if not whole.are_all_there:
            derived = _with_none(whole, derived)
    if interface.only == "array":
        return whole.pack(outs[0], derived), ()
    if interface.only == "static":
        return whole.pack(interface.outputs[0].source, derived), ()
    result = results_of(trace, leaves, inputs, outs, None)
    if trace.effects is None:
        return whole.pack(result, derived), ()
    result, values = result
    return whole.pack(result, derived), values


def _with_none(whole: Any, derived: Sequence[Any]) -> Sequence[Any]:
    if whole.are_all_there:
        return derived
    rest = iter(derived)
    return [next(rest) if there else None for there in whole.is_there]


def _tangents(
    trace: Trace, saved: Any, tangents: Sequence[Any], is_nested: bool
) -> Sequence[Any]:
    """What tangents become; on the tape, step by step, where these are on one."""
    if is_nested and trace.along is not None:
        found: Sequence[Any] = linearized(trace.along, (*saved, *tangents))
    else:
        found = trace.module.call_backward(saved, tangents)
    return _with_none(trace.whole, found)


def _variable(
    trace: Trace,
    output: Output,
    leaves: Sequence[Any],
    raw: Any,
    node: CompiledFunction | None,
    number: int,
) -> Variable:
    """A Variable for one output of the graph."""
    edge: Edge | None = VOLATILE if output.volatile else None
    if node is not None and output.has_grad:
        edge = (node, number)
    result = Variable.make(raw, edge)
    for i in output.views:
        _share_if_view(leaves[trace.interface.positions[i]], result)
    if node is not None and output.source in trace.versions.outputs:
        node.versions += entries((result,))
        result.own_storage().is_replayed = True
    return result


def _node(
    trace: Trace,
    leaves: Sequence[Any],
    inputs: Sequence[Any],
    outs: Sequence[Any],
    saved: Any,
) -> CompiledFunction:
    """The node of a call: its edges, and the versions of what it reads later."""
    gradients, kept = trace.gradients, trace.versions
    # A plain loop: `entries` would take twice the time.
    versions: list[Version] = []
    for i in kept.variables:
        leaf = leaves[i]
        versions.append((leaf.storage or leaf.own_storage()).entry(leaf.value))
    for k in kept.replayed:
        leaves[kept.variables[k]].own_storage().is_replayed = True
    numbers = gradients.outputs
    node: CompiledFunction = fill(
        new(CompiledFunction),
        tuple([leaves[i].edge for i in gradients.leaves]),
        outs[numbers[0]] if len(numbers) == 1 else [outs[i] for i in numbers],
        saved,
        tuple([versions[i] for i in kept.saved]),
        here(),
    )
    node.trace = trace
    node.walks = node.linearized = ()
    node.leaves = leaves
    node.inputs = inputs
    copied = trace.replay.copied
    node.then = {k: inputs[k].copy() for k in copied} if copied else NOTHING
    node.leaf_versions = versions
    return node


def _share_if_view(source: Any, result: Variable) -> None:
    # Whether it is a view at all may depend on the strides (`reshape`).
    if isinstance(source, Variable) and (
        is_view(result.value, source.value) or is_view(source.value, result.value)
    ):
        share(source, result)
