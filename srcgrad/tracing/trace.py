"""A compiled trace: its generated module, and how a call runs through it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad import emit, storage
from srcgrad.config import config
from srcgrad.engine import ExecutionEngine, first_cotangent
from srcgrad.errors import add_note, describe, here, where_of
from srcgrad.function import FREED, VOLATILE, Edge, Function, new, next_order
from srcgrad.graph import Graph, Node, Value, evaluate
from srcgrad.guards import MISSING, FunctionGuard, NameGuard
from srcgrad.modes import override
from srcgrad.pytree import flatten, is_leaf, unflatten
from srcgrad.storage import Version
from srcgrad.tracer import Output, Recording
from srcgrad.transforms import Split, optimize, split
from srcgrad.transforms.rewrite import shares_memory
from srcgrad.variable import Variable, restore


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
    module = emit.build(
        name, halves.forward, halves.backward, halves.saved, header=header
    )
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
    halves: Split,
) -> tuple[
    frozenset[int], frozenset[int], tuple[tuple[int, ...], ...], set[tuple[int, int]]
]:
    """The inputs and outputs in saved memory; inputs and other outputs under each."""
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


class CompiledFunction(Function):
    """The node of a call that ran through generated code."""

    __slots__ = ("leaf_versions", "leaves", "trace")

    gives_own = True  # `transforms.ownership` sees to it

    trace: Trace
    leaves: Sequence[Any] | None
    leaf_versions: Sequence[Version]

    def pull_back(
        self, g: Any, needed: set[Function] | None, wrap: Any
    ) -> Sequence[Any]:
        if self.leaves is None:
            raise RuntimeError(FREED)
        for own, version, _ in self.versions:
            if own.version != version:
                storage.check(self.versions, self.where, self.name())
        if self.trace.rerun is not None:
            self._check_unchanged()
        if wrap is None:
            return self.trace.pull_back(self.saved, (g,) if self.metas is None else g)
        return self._pull_back_variables(g)

    def _pull_back_variables(self, g: Any) -> Sequence[Any]:
        """Differentiate the graph itself, run on the tape: for higher derivatives."""
        storage.check(tuple(self.leaf_versions), self.where, self.name())
        engine = ExecutionEngine(True, restore, create_graph=True, is_inner=True)
        targets = [edge for edge in self.edges if edge is not None]
        found = dict(engine.run_backward(self._roots_on_tape(g), targets))
        return [None if edge is None else found.get(edge) for edge in self.edges]

    def _roots_on_tape(self, g: Any) -> list[tuple[Edge, Any]]:
        """Run the graph on the tape; where a walk through that starts."""
        assert self.leaves is not None
        if self.trace.rerun is not None:
            return self._roots_of_rerun(g)
        edges = dict(zip(self.trace.edges_of, self.edges, strict=True))
        variables = tuple(
            _replayed(self.leaves[i], edges.get(i)) for i in self.trace.positions
        )
        with override(grad_enabled=True):
            outs = evaluate(self.trace.graph, variables, _note_line)
        cotangents = (g,) if self.metas is None else g
        return [
            (outs[i].edge, cotangent)
            for i, cotangent in zip(self.trace.cotangents_of, cotangents, strict=True)
        ]

    def _roots_of_rerun(self, g: Any) -> list[tuple[Edge, Any]]:
        """Run the function itself on the tape: it has gradients that a user wrote.

        The derivative of such a gradient is that of the user's ``backward``, which the
        recorded operations of ``forward`` know nothing of.
        """
        assert self.leaves is not None
        assert self.trace.rerun is not None
        function, structure = self.trace.rerun
        edges = dict(zip(self.trace.edges_of, self.edges, strict=True))
        again = [_again(leaf, edges.get(i)) for i, leaf in enumerate(self.leaves)]
        args, kwargs = unflatten(structure, again)
        with override(grad_enabled=True):
            results, _ = flatten(function(*args, **kwargs))
        (number,) = (k for k, o in enumerate(self.trace.outputs) if o.has_grad)
        return [(results[number].edge, g if self.metas is None else g[0])]

    def _check_unchanged(self) -> None:
        """Raise if a ``backward`` of the user's, or what it reads, was rebound since.

        Raises
        ------
        RuntimeError
            Saying what.
        """
        changed = self.trace.changed()
        if changed is not None:
            raise RuntimeError(
                f"{changed} between the call at {describe(self.where)} and its "
                "backward pass: call the traced function again"
            )

    def find_anomaly(self, g: Any) -> None:
        """Walk through the graph on the tape, which raises at the line."""
        if all(own.version == version for own, version, _ in self.leaf_versions):
            targets = [edge for edge in self.edges if edge is not None]
            engine = ExecutionEngine(True, is_inner=True)
            engine.run_backward(self._roots_on_tape(g), targets)

    def free(self) -> None:
        if self.saved:
            self.saved = self.leaves = None
            self.versions = self.leaf_versions = ()


def _note_line(node: Node, result: Any) -> None:
    """Give what runs again its line in the user's file."""
    for each in result if isinstance(result, (tuple, list)) else (result,):
        edge = getattr(each, "edge", None)
        if edge is not None and node.where is not None:
            edge[0].where = where_of(node.where.filename, node.where.line)


def _replayed(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, with the edge that it had."""
    if type(leaf) is not Variable:
        return leaf
    return leaf.value if edge is None else restore(leaf.value, edge, leaf.storage)


def _again(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, for the user's own function."""
    if type(leaf) is not Variable:
        return leaf
    again = Variable.make(leaf.value, leaf.edge if edge is None else edge)
    again.storage = leaf.storage
    return again


def results_of(
    trace: Trace, leaves: Sequence[Any], outs: Sequence[Any], saved: Any
) -> Any:
    """Make what the function returns of the graph's outputs.

    ``saved`` is what the backward half needs; None: nothing goes on the tape.
    """
    node = None if saved is None else _node(trace, leaves, saved)
    if trace.is_single:
        return _variable(trace, trace.outputs[0], leaves, outs[0], node, 0)
    results: list[Any] = []
    result: Any
    number = 0
    for output in trace.outputs:
        kind = output.kind
        if kind == "variable":
            result = _variable(trace, output, leaves, outs[output.source], node, number)
            number += output.has_grad
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
    for i, k in trace.overlaps:
        _share_storage(results[i], results[k])
    return unflatten(trace.structure, results)


def _variable(
    trace: Trace,
    output: Output,
    leaves: Sequence[Any],
    raw: Any,
    node: "CompiledFunction | None",
    number: int,
) -> Variable:
    """A Variable for one output of the graph."""
    edge: Edge | None = VOLATILE if output.volatile else None
    if node is not None and output.has_grad:
        edge = (node, number)
    result = Variable.make(raw, edge)
    for i in output.views:
        _share_storage(leaves[trace.positions[i]], result)
    if node is not None and output.source in trace.saved_outputs:
        _note_version(node, result)
    return result


def _node(trace: Trace, leaves: Sequence[Any], saved: Any) -> CompiledFunction:
    """The node of a call: its edges, and the versions of what it reads later."""
    node: CompiledFunction = new(CompiledFunction)
    node.trace = trace
    node.saved = saved
    node.leaves = leaves
    versions = []
    for position in trace.variables:
        leaf = leaves[position]
        own = leaf.storage or leaf.own_storage()
        versions.append((own, own.version, leaf.value))
    node.leaf_versions = versions
    node.versions = tuple([versions[i] for i in trace.saved_variables])
    node.edges = tuple([leaves[i].edge for i in trace.edges_of])
    node.order = next_order()
    node.where = here()
    node.hooks = node.metas = None
    if len(trace.metas) == 1:
        node.shape, node.dtype = trace.metas[0]
    else:
        node.metas = trace.metas
    return node


def _note_version(node: CompiledFunction, result: Variable) -> None:
    if type(result.value) is np.ndarray:
        own = result.own_storage()
        node.versions += ((own, own.version, result.value),)


def _share_storage(source: Any, result: Variable) -> None:
    # Whether it is a view at all may depend on the strides (`reshape`).
    if isinstance(source, Variable) and (
        storage.is_view(result.value, source.value)
        or storage.is_view(source.value, result.value)
    ):
        result.storage = source.own_storage()
        result.storage.join(source, result)
