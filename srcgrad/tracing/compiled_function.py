"""``CompiledFunction``: the node of a call that ran through generated code."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import describe, here, where_of
from srcgrad.graph import Node, evaluate
from srcgrad.modes import override
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape import versions as storage
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import FREED, VOLATILE, Edge, Function, new, next_order
from srcgrad.tape.variable import Variable, restore
from srcgrad.tape.versions import Version
from srcgrad.tracing.record import Output
from srcgrad.tracing.trace import Trace


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
