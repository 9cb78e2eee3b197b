"""Calls of a traced function itself, with what goes on the tape, in one function.

As ``direct`` for transforms: one written function takes the call apart, reads the
environment, runs the generated code, makes the node, and does what else the user's
lines do. The results are most often Variables that share no memory, and then all that
``compiled_call`` would ask is known beforehand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.errors import here
from srcgrad.pytree import unflatten
from srcgrad.tape.function import VOLATILE, fill, new
from srcgrad.tape.variable import Variable
from srcgrad.tracing.runs.replay import NOTHING
from srcgrad.tracing.serving.compiled_call import results_of
from srcgrad.tracing.serving.compiled_function import CompiledFunction
from srcgrad.tracing.serving.direct import written_call
from srcgrad.tracing.serving.trace import Trace
from srcgrad.tracing.serving.unpacking import Unpacking


class Names(NamedTuple):
    """What the written function calls the leaves: those of the call, then those read.

    ``raws`` are the same with a Variable's array or number in its place; ``edges`` are
    the expressions for the edges of those leaves that are Variables.
    """

    leaves: Sequence[str]
    raws: Sequence[str]
    edges: Mapping[str, str]


def with_direct(trace: Trace, unpacking: Unpacking) -> Trace:
    """Give the trace of a function's own calls the shorter way.

    As ``direct_call``, it gives what the call does, or ``MISS``. Not where random
    numbers are drawn: then it would have to be undone.
    """
    if trace.whole is not None or trace.quiet is not None or trace.guards.draws:
        return trace
    read = [f"read_{number}" for number in range(len(trace.guards.environment.taken))]
    held = [f"held_{number}" for number in range(len(trace.guards.environment.held))]
    names = Names(
        [*unpacking.leaves, *read],
        [*unpacking.raws, *(f"raw_{name}" for name in read)],
        {**unpacking.edges, **{name: f"{name}.edge" for name in read}},
    )
    inputs = [names.raws[i] for i in trace.interface.positions]
    given, effects = {**GIVEN, "environment": trace.guards.function}, list[str]()
    result = _result(names, trace, inputs, given)
    if trace.effects is not None:
        result[-1] = result[-1].replace("return", "result, values =", 1)
        effects = [f"return finish(result, values, {_tuple(held)})"]
        given["finish"] = trace.effects.finish
    direct = written_call(
        *(unpacking, trace.module, trace.guards.assumptions, inputs, given),
        *(result, _reading(trace, names, read, held), effects),
    )
    return replace(trace, direct=direct)


def _reading(
    trace: Trace, names: Names, read: Sequence[str], held: Sequence[str]
) -> list[str]:
    """The statements that read the environment."""
    if trace.guards.function is None:
        return []
    looked_into = ", ".join(names.leaves[i] for i in trace.guards.looked_into)
    lines = [f"found = environment({looked_into})"]
    lines += ["if type(found) is str:", "    return MISS"]
    if read or held:
        lines.append(f"{_tuple([*read, *held])} = found")
    return lines + [
        f"raw_{name} = {name}.value if type({name}) is Variable else {name}"
        for name in read
    ]


GIVEN: dict[str, Any] = {
    "NOTHING": NOTHING,
    "Node": CompiledFunction,
    "VOLATILE": VOLATILE,
    "Variable": Variable,
    "array": np.array,
    "fill": fill,
    "here": here,
    "make": Variable.make,
    "new": new,
    "results_of": results_of,
}


def _result(
    names: Names, trace: Trace, inputs: Sequence[str], given: dict[str, Any]
) -> list[str]:
    """The statements that make the result of ``outs``."""
    module = trace.module
    lines, outs = ["outs, saved = outs"], "outs"
    if module.backward is None:
        lines = [f"saved = {module.saved!r}"]
        if trace.interface.only == "array" and module.has_one_output:
            return ["return outs"]
    if module.has_one_output:
        outs = "(outs,)"
    is_noted = module.backward is None and module.saved is not None
    if is_noted or not _is_plain(trace):
        arguments = f"trace, [{', '.join(names.leaves)}], [{', '.join(inputs)}]"
        return [*lines, f"return results_of({arguments}, {outs}, saved)"]
    if module.backward is not None:
        lines += _node(names, trace, inputs)
    return [*lines, *_leaves(names, trace, given), f"return {_packed(trace, given)}"]


def _is_plain(trace: Trace) -> bool:
    """Whether all Variables of the result are nobody else's, and none is saved."""
    memory = trace.versions.outputs
    return not (
        trace.interface.overlaps
        or trace.replay.copied
        or any(
            output.kind == "variable" and (output.views or output.source in memory)
            for output in trace.interface.outputs
        )
    )


def _leaves(names: Names, trace: Trace, given: dict[str, Any]) -> list[str]:
    """What ``compiled_call.results_of`` does for such results, a line for each."""
    interface, lines, count = trace.interface, list[str](), 0
    for number, output in enumerate(interface.outputs):
        found = _out(trace, output.source)
        if output.kind == "variable":
            edge = "VOLATILE" if output.volatile else "None"
            if trace.module.backward is not None and output.has_grad:
                edge = f"(node, {count})"
            count += output.has_grad
            found = f"make({found}, {edge})"
        elif output.kind == "constant":
            found = f"array({found})"
        elif output.kind == "input":
            found = names.leaves[interface.positions[output.source]]
        elif output.kind == "same":
            found = f"result_{output.source}"
        elif output.kind == "static":
            found = f"static_{number}"
            given[found] = output.source
        lines.append(f"result_{number} = {found}")
    return lines


def _out(trace: Trace, source: Any) -> str:
    """What ``forward`` gives, by its number."""
    return "outs" if trace.module.has_one_output else f"outs[{source}]"


def _packed(trace: Trace, given: dict[str, Any]) -> str:
    """The results in their containers."""
    interface = trace.interface
    names = [f"result_{number}" for number in range(len(interface.outputs))]
    packed = _written(unflatten(interface.structure, names))
    if packed is None:
        given["structure"] = interface.structure
        return f"structure.unflatten({_tuple(names)})"
    return packed


def _written(tree: Any) -> str | None:
    """A tree of names as an expression; None for other containers than these."""
    kind = type(tree)
    if kind is str:
        return tree  # type: ignore[no-any-return]
    if kind not in (tuple, list):
        return None
    parts = list(map(_written, tree))
    if None in parts:
        return None
    text = "".join(f"{part}, " for part in parts)
    return f"({text})" if kind is tuple else f"[{text}]"


def _node(names: Names, trace: Trace, inputs: Sequence[str]) -> list[str]:
    """What ``compiled_call`` does for the node."""
    gradients, kept, lines = trace.gradients, trace.versions, list[str]()
    versions = []
    for i in kept.variables:
        leaf = names.leaves[i]
        lines.append(f"storage_{i} = {leaf}.storage or {leaf}.own_storage()")
        versions.append(f"(storage_{i}, storage_{i}.version, {names.raws[i]})")
    lines += [f"storage_{kept.variables[k]}.is_replayed = True" for k in kept.replayed]
    edges = _tuple([names.edges[names.leaves[i]] for i in gradients.leaves])
    saved = _tuple([versions[i] for i in kept.saved])
    made = [_out(trace, source) for source in gradients.outputs]
    like = made[0] if len(made) == 1 else f"[{', '.join(made)}]"
    return [
        *lines,
        f"node = fill(new(Node), {edges}, {like}, saved, {saved}, here())",
        "node.trace = trace",
        "node.walks = node.linearized = ()",
        f"node.leaves = {_tuple(names.leaves)}",
        f"node.inputs = {_tuple(inputs)}",
        "node.then = NOTHING",
        f"node.leaf_versions = {_tuple(versions)}",
    ]


def _tuple(names: Sequence[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"
