"""A compiled trace: a recording, its generated module, and how a call runs through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad import emit, storage
from srcgrad.config import config
from srcgrad.engine import ExecutionEngine
from srcgrad.errors import here
from srcgrad.function import FREED, VOLATILE, Edge, Function, new, next_order
from srcgrad.graph import Graph, Value, evaluate
from srcgrad.guards import MISSING, FunctionGuard, NameGuard
from srcgrad.modes import override
from srcgrad.pytree import unflatten
from srcgrad.tracer import Output, Recording
from srcgrad.transforms import Split, optimize, split
from srcgrad.transforms.rewrite import shares_memory
from srcgrad.storage import Version
from srcgrad.variable import Variable, restore


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One way through a function, as source.

    ``forward(*inputs)`` gives the graph's outputs and what is saved, or, as a text, the
    reason why this trace does not fit; ``backward(saved, *cotangents)`` gives the
    gradients of ``gradients_of``, numbers of inputs. ``cotangents_of`` are the outputs
    that have one, ``metas`` their shapes and dtypes. ``saved_inputs`` and
    ``saved_outputs`` are those whose memory is saved, so that a later in-place change
    is an error.
    """

    header: str
    module: emit.Module
    graph: Graph
    positions: tuple[int, ...]
    outputs: tuple[Output, ...]
    structure: Any
    names: tuple[NameGuard, ...]
    functions: tuple[FunctionGuard, ...]
    gradients_of: tuple[int, ...]
    cotangents_of: tuple[int, ...]
    metas: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    saved_inputs: frozenset[int]
    saved_outputs: frozenset[int]
    single: bool

    def changed(self) -> str | None:
        """What of the outside world is not as it was, if anything."""
        for _, namespace, key, value in self.names:
            if type(namespace) is dict:
                if namespace.get(key, MISSING) is value:
                    continue
            elif namespace.cell_contents is value:
                continue
            return f"{key} was rebound"
        for function in self.functions:
            if not function.holds():
                return f"{function} changed"
        return None

    def run(self, raws: Sequence[Any]) -> tuple[Sequence[Any], Any] | str:
        """Run the generated forward: the graph's outputs and what is saved, or why not."""
        result = self.module.forward(*raws)
        if type(result) is str:
            return result
        if self.module.backward is None:
            return ((result,) if self.single else result), None
        outs, saved = result
        return ((outs,) if self.single else outs), saved

    def pull_back(self, saved: Any, cotangents: Sequence[Any]) -> Sequence[Any]:
        """Run the generated backward: one gradient for each of ``gradients_of``."""
        assert self.module.backward is not None
        result = self.module.backward(saved, *cotangents)
        return (result,) if len(self.gradients_of) == 1 else result  # type: ignore[no-any-return]


def compile_recording(recording: Recording, name: str, header: str) -> Trace:
    """Optimise a recording, write it as source, and load that."""
    graph = optimize(recording.graph, check=config.debug)
    halves = split(graph)
    saved_inputs, saved_outputs = _saved_memory(halves)
    module = emit.build(
        name, halves.forward, halves.backward, halves.saved, header=header
    )
    cotangents_of = tuple(o.source for o in recording.outputs if o.has_grad)
    differentiated = [graph.outputs[i] for i in cotangents_of]
    return Trace(
        header=header,
        module=module,
        graph=halves.forward,
        positions=recording.positions,
        outputs=recording.outputs,
        structure=recording.structure,
        names=recording.names,
        functions=recording.functions,
        gradients_of=tuple(i for i, g in enumerate(graph.gradients) if g is not None),
        cotangents_of=cotangents_of,
        metas=tuple((value.shape, value.dtype) for value in differentiated),
        saved_inputs=saved_inputs,
        saved_outputs=saved_outputs,
        single=len(graph.outputs) == 1,
    )


def _saved_memory(halves: Split) -> tuple[frozenset[int], frozenset[int]]:
    """The inputs and outputs that lie in memory which is saved."""
    memory: dict[Value, set[Value]] = {}

    def of(value: Value) -> set[Value]:
        return memory.get(value, {value})

    for node in halves.forward.nodes:
        if shares_memory(node):
            sources = set[Value]().union(*map(of, node.inputs))
            memory.update(dict.fromkeys(node.results, sources))
    saved = set[Value]().union(*map(of, halves.saved))
    graph = halves.forward
    return (
        frozenset(i for i, value in enumerate(graph.inputs) if value in saved),
        frozenset(i for i, value in enumerate(graph.outputs) if of(value) & saved),
    )


class CompiledFunction(Function):
    """The node of a call that ran through generated code."""

    __slots__ = ("input_versions", "inputs", "trace")

    gives_own = True  # `transforms.ownership` sees to it

    trace: Trace
    inputs: tuple[Any, ...] | None
    input_versions: tuple[Version, ...]

    def pull_back(
        self, g: Any, needed: set[Function] | None, wrap: Any
    ) -> Sequence[Any]:
        if self.inputs is None:
            raise RuntimeError(FREED)
        storage.check(self.versions, self.where, self.name())
        if wrap is None:
            cotangents = (g,) if self.metas is None else g
            return self.trace.pull_back(self.saved, cotangents)
        return self._pull_back_variables(g)

    def _pull_back_variables(self, g: Any) -> Sequence[Any]:
        """Differentiate the graph itself, run on the tape: for higher derivatives."""
        assert self.inputs is not None
        storage.check(self.input_versions, self.where, self.name())
        edges = dict(zip(self.trace.gradients_of, self.edges, strict=True))
        storages = {id(raw): own for own, _, raw in self.input_versions}
        variables = tuple(
            raw if i not in edges else restore(raw, edges[i], storages.get(id(raw)))
            for i, raw in enumerate(self.inputs)
        )
        with override(grad_enabled=True):
            outs = evaluate(self.trace.graph, variables)
        cotangents = (g,) if self.metas is None else g
        roots = [
            (outs[i].edge, cotangent)
            for i, cotangent in zip(self.trace.cotangents_of, cotangents, strict=True)
        ]
        engine = ExecutionEngine(True, restore, create_graph=True)
        targets = [edge for edge in self.edges if edge is not None]
        found = dict(engine.run_backward(roots, targets))
        return [found.get(edge) for edge in self.edges]

    def free(self) -> None:
        if self.saved:
            self.saved = self.inputs = None
            self.versions = self.input_versions = ()


def results_of(
    trace: Trace, leaves: Sequence[Any], outs: Sequence[Any], saved: Any
) -> Any:
    """Make what the function returns of the graph's outputs."""
    node = _node(trace, leaves, saved) if saved is not None else None
    results: list[Any] = []
    number = 0
    for output in trace.outputs:
        kind = output.kind
        if kind == "variable":
            edge: Edge | None = VOLATILE if output.volatile else None
            if output.has_grad and node is not None:
                edge = (node, number)
                number += 1
            result = Variable.make(outs[output.source], edge)
            for i in output.views:
                _share_storage(leaves[trace.positions[i]], result)
            if node is not None and output.source in trace.saved_outputs:
                _note_version(node, result)
        elif kind == "array":
            result = outs[output.source]
        elif kind == "constant":
            result = np.array(outs[output.source])
        elif kind == "input":
            result = leaves[trace.positions[output.source]]
        elif kind == "same":
            result = results[output.source]
        else:
            result = output.source
        results.append(result)
    return unflatten(trace.structure, results)


def _node(trace: Trace, leaves: Sequence[Any], saved: Any) -> CompiledFunction:
    node: CompiledFunction = new(CompiledFunction)
    node.trace = trace
    node.saved = saved
    positions = trace.positions
    inputs = [leaves[i] for i in positions]
    node.edges = tuple([inputs[i].edge for i in trace.gradients_of])
    versions = []
    saved_versions = []
    raws = []
    for i, leaf in enumerate(inputs):
        if type(leaf) is Variable:
            raw = leaf.value
            if type(raw) is np.ndarray:
                own = leaf.storage or leaf.own_storage()
                versions.append((own, own.version, raw))
                if i in trace.saved_inputs:
                    saved_versions.append(versions[-1])
            raws.append(raw)
        else:
            raws.append(leaf)
    node.inputs = tuple(raws)
    node.input_versions = tuple(versions)
    node.versions = tuple(saved_versions)
    node.order = next_order()
    node.hooks = None
    node.where = here()
    if len(trace.metas) == 1:
        node.metas = None
        node.shape, node.dtype = trace.metas[0]
    else:
        node.metas = trace.metas
    return node


def _note_version(node: CompiledFunction, result: Variable) -> None:
    if type(result.value) is np.ndarray:
        own = result.own_storage()
        node.versions += ((own, own.version, result.value),)


def _share_storage(source: Any, result: Variable) -> None:
    if isinstance(source, Variable) and type(source.value) is np.ndarray:
        result.storage = source.own_storage()
        result.storage.join(source, result)
