"""``Trace``: a recording as generated source, and when that holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad import emit
from srcgrad.config import config
from srcgrad.errors import add_note
from srcgrad.graph import Graph, Halves, Value
from srcgrad.pytree import is_leaf
from srcgrad.tape.engine import first_cotangent
from srcgrad.tracing.assumptions import MISSING, FunctionGuard, NameGuard
from srcgrad.tracing.record import Output, Recording
from srcgrad.transforms import optimize, split


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One way through a function, as source.

    ``forward(*inputs)`` gives the graph's outputs and what is saved, or, as a text, the
    reason why this trace does not fit; ``backward(saved, *cotangents)`` gives the
    gradients of ``gradients_of``, numbers of inputs. ``cotangents_of`` are the outputs
    that have one, ``metas`` their shapes and dtypes, ``ones`` a cotangent of each.
    ``slots`` are the places among the gradients of the leaves that a transform asked
    for. ``is_plain``: the result is the graph's only output. ``is_direct``: the
    gradients that are asked for are just those that there are; ``is_single``: the
    result is one Variable. ``edges_of`` are ``gradients_of`` as leaves, ``variables``
    the leaves that are Variables with an array. ``saved_variables`` of these and
    ``saved_outputs`` are those whose memory is saved, so that a later in-place change
    is an error. ``overlaps`` are pairs of results that may share memory; ``rerun`` is
    as in ``Recording``.
    """

    header: str
    module: emit.Module
    forward: Callable[..., Any]
    backward: Any
    graph: Graph
    positions: tuple[int, ...]
    outputs: tuple[Output, ...]
    structure: Any
    names: tuple[NameGuard, ...]
    functions: tuple[FunctionGuard, ...]
    gradients_of: tuple[int, ...]
    edges_of: tuple[int, ...]
    cotangents_of: tuple[int, ...]
    metas: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    ones: tuple[Any, ...]
    slots: tuple[int | None, ...]
    variables: tuple[int, ...]
    saved_variables: tuple[int, ...]
    saved_outputs: frozenset[int]
    overlaps: tuple[tuple[int, int], ...]
    single: bool
    is_plain: bool
    is_direct: bool
    is_single: bool
    rerun: tuple[Any, Any] | None

    def changed(self) -> str | None:
        """What of the outside world is not as it was, if anything."""
        for guard in self.names:
            name, namespace, key, value = guard
            if type(namespace) is dict:
                if namespace.get(key, MISSING) is value:
                    continue
            elif guard.holds():
                continue
            return f"`{name}` was rebound"
        for function in self.functions:
            if not function.holds():
                return f"{function} changed"
        return None

    def run(self, raws: Sequence[Any]) -> tuple[Sequence[Any], Any] | str:
        """Run the generated forward: outputs and what is saved, or why not."""
        try:
            result = self.forward(*raws)
        except Exception as error:
            self._add_place(error)
            raise
        if type(result) is str:
            return result
        if self.backward is None:
            return ((result,) if self.single else result), None
        if self.single:
            return (result[0],), result[1]
        return result  # type: ignore[no-any-return]

    def _add_place(self, error: Exception) -> None:
        """Tell the user's line; the error itself is the same as on the tape."""
        line = self.module.users_line(error)
        add_note(error, f"in generated code for {line}", to_text=False)

    def pull_back(self, saved: Any, cotangents: Sequence[Any]) -> Sequence[Any]:
        """Run the generated backward: one gradient for each of ``gradients_of``."""
        try:
            result = self.backward(saved, *cotangents)
        except Exception as error:
            self._add_place(error)
            raise
        return (result,) if len(self.gradients_of) == 1 else result


def compile_recording(
    recording: Recording, name: str, header: str, wanted: Sequence[int] = ()
) -> Trace:
    """Optimise a recording, write it as source, and load that.

    ``wanted`` are the leaves of the arguments whose gradients a transform asks for.
    """
    graph = optimize(recording.graph, check=config.debug)
    halves = split(graph)
    saved_inputs, saved_outputs, inputs_under, overlaps = _shared_memory(halves)
    module = emit.build(name, halves, header)
    outputs = tuple(
        replace(output, views=inputs_under[output.source])
        if output.kind == "variable"
        else output
        for output in recording.outputs
    )
    positions, variables = recording.positions, recording.variables
    cotangents_of = tuple(o.source for o in outputs if o.has_grad)
    metas = tuple(
        (v.shape, v.dtype) for v in map(graph.outputs.__getitem__, cotangents_of)
    )
    gradients_of = tuple(i for i, g in enumerate(graph.gradients) if g is not None)
    places = {positions[i]: slot for slot, i in enumerate(gradients_of)}
    slots = tuple(map(places.get, wanted))
    only = outputs[0].kind if is_leaf(recording.structure) else None
    return Trace(
        header=header,
        module=module,
        forward=module.forward,
        backward=module.backward,
        graph=halves.forward,
        positions=positions,
        outputs=outputs,
        structure=recording.structure,
        names=recording.names,
        functions=recording.functions,
        gradients_of=gradients_of,
        edges_of=tuple(positions[i] for i in gradients_of),
        cotangents_of=cotangents_of,
        metas=metas,
        ones=tuple(first_cotangent(*meta) for meta in metas),
        slots=slots,
        variables=variables,
        saved_variables=tuple(
            k for k, i in enumerate(variables) if positions.index(i) in saved_inputs
        ),
        saved_outputs=saved_outputs,
        single=len(graph.outputs) == 1,
        overlaps=tuple(
            (i, k)
            for k, b in enumerate(outputs)
            for i, a in enumerate(outputs[:k])
            if a.kind == b.kind == "variable" and (a.source, b.source) in overlaps
        ),
        is_direct=slots == tuple(range(len(gradients_of))),
        is_single=only == "variable",
        is_plain=only == "array",
        rerun=recording.rerun,
    )


def _shared_memory(
    halves: Halves,
) -> tuple[
    frozenset[int], frozenset[int], tuple[tuple[int, ...], ...], set[tuple[int, int]]
]:
    """The inputs and outputs in saved memory; inputs and other outputs under each."""
    memory: dict[Value, set[Value]] = {}

    def of(value: Value) -> set[Value]:
        return memory.get(value, {value})

    for node in halves.forward.nodes:
        if node.shares_memory:
            sources = set[Value]().union(*map(of, node.inputs))
            memory.update(dict.fromkeys(node.results, sources))
    saved = set[Value]().union(*map(of, halves.saved))
    graph = halves.forward
    return (
        frozenset(i for i, value in enumerate(graph.inputs) if value in saved),
        frozenset(i for i, value in enumerate(graph.outputs) if of(value) & saved),
        tuple(
            tuple(i for i, value in enumerate(graph.inputs) if value in of(output))
            for output in graph.outputs
        ),
        {
            (i, k)
            for k, output in enumerate(graph.outputs)
            for i in range(k)
            if of(graph.outputs[i]) & of(output)
        },
    )
