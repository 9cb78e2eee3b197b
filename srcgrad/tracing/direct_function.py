"""Calls of a traced function itself that only compute, with what goes on the tape.

As ``direct`` for transforms: one written function takes the call apart, runs the
generated code, and makes the node. The result is most often one Variable that shares
no memory, and then all that ``compiled_call`` would ask is known beforehand.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.errors import here
from srcgrad.tape.function import fill, new
from srcgrad.tape.variable import Variable
from srcgrad.tracing.compiled_call import results_of
from srcgrad.tracing.compiled_function import CompiledFunction
from srcgrad.tracing.direct import written_call
from srcgrad.tracing.replay import NOTHING
from srcgrad.tracing.trace import Trace
from srcgrad.tracing.unpacking import Unpacking


def with_direct(trace: Trace, unpacking: Unpacking) -> Trace:
    """Give the trace of a function's own calls, which only computes, the shorter way.

    As ``direct_call``, it gives what the call does, or ``MISS``.
    """
    does_more = trace.effects is not None or trace.quiet is not None
    if trace.whole is not None or trace.module.outside is not None or does_more:
        return trace
    inputs = [unpacking.raws[i] for i in trace.interface.positions]
    direct = written_call(
        *(unpacking, trace.module, trace.assumptions, inputs, GIVEN),
        _result(unpacking, trace, inputs),
    )
    return replace(trace, direct=direct)


GIVEN: dict[str, Any] = {
    "NOTHING": NOTHING,
    "Node": CompiledFunction,
    "fill": fill,
    "here": here,
    "make": Variable.make,
    "new": new,
    "results_of": results_of,
}


def _result(unpacking: Unpacking, trace: Trace, inputs: Sequence[str]) -> list[str]:
    """The statements that make the result of ``outs``."""
    module, interface = trace.module, trace.interface
    leaves = f"[{', '.join(unpacking.leaves)}]"
    arguments = f"trace, {leaves}, [{', '.join(inputs)}]"
    if module.backward is None:
        if interface.only == "array" and module.has_one_output:
            return ["return outs"]
        raws = "(outs,)" if module.has_one_output else "outs"
        return [f"return results_of({arguments}, {raws}, {module.saved!r})"]
    if not module.has_one_output:
        return ["raws, saved = outs", f"return results_of({arguments}, raws, saved)"]
    if not _is_plain(trace):
        return ["raw, saved = outs", f"return results_of({arguments}, (raw,), saved)"]
    return ["raw, saved = outs", *_node(unpacking, trace, inputs)]


def _is_plain(trace: Trace) -> bool:
    """Whether the one result is a Variable that is nobody else's, and is not saved."""
    output, memory = trace.interface.outputs[0], trace.gradients.saved_outputs
    return (
        trace.interface.only == "variable"
        and output.has_grad
        and not output.views
        and output.source not in memory
        and not trace.replay.copied
    )


def _node(unpacking: Unpacking, trace: Trace, inputs: Sequence[str]) -> list[str]:
    """What ``compiled_call`` does for such a result."""
    gradients, names, lines = trace.gradients, unpacking.leaves, list[str]()
    versions = []
    for i in gradients.variables:
        storage = f"storage_{names[i]}"
        lines.append(f"{storage} = {names[i]}.storage or {names[i]}.own_storage()")
        versions.append(f"({storage}, {storage}.version, {unpacking.raws[i]})")
    edges = _tuple([unpacking.edges[names[i]] for i in gradients.leaves])
    saved = _tuple([versions[i] for i in gradients.saved_variables])
    return [
        *lines,
        f"node = fill(new(Node), {edges}, raw, saved, {saved}, here())",
        "node.trace = trace",
        "node.walks = node.replayed = ()",
        f"node.leaves = {_tuple(names)}",
        f"node.inputs = {_tuple(inputs)}",
        "node.then = NOTHING",
        f"node.leaf_versions = {_tuple(versions)}",
        "return make(raw, (node, 0))",
    ]


def _tuple(names: Sequence[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"
