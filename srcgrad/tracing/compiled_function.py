"""``CompiledFunction``: the node of a call that ran through generated code."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import describe, here
from srcgrad.pytree import unflatten
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import FREED, VOLATILE, Edge, Function, fill, new
from srcgrad.tape.variable import Variable, restore
from srcgrad.tape.versions import Version, check, entries, is_view, share
from srcgrad.tracing.interface import Output
from srcgrad.tracing.trace import Trace


class CompiledFunction(Function):
    """The node of a call that ran through generated code.

    ``leaves`` are those of the call's arguments, ``leaf_versions`` the versions of
    those that are Variables, whether they are saved or not.
    """

    __slots__ = ("leaf_versions", "leaves", "trace")

    gives_own = True  # `transforms.ownership` sees to it

    trace: Trace
    leaves: Sequence[Any] | None
    leaf_versions: tuple[Version, ...]

    def pull_back(
        self, g: Any, needed: set[Function] | None, wrap: Any
    ) -> Sequence[Any]:
        if self.leaves is None:
            raise RuntimeError(FREED)
        for own, version, _ in self.versions:
            if own.version != version:
                check(self.versions, self.where, self.name())
        if self.trace.replay.function is not None:
            self._check_unchanged()
        cotangents = (g,) if self.metas is None else g
        if wrap is None:
            return self.trace.pull_back(self.saved, cotangents)
        # To differentiate the gradient again, the graph itself runs on the tape.
        check(self.leaf_versions, self.where, self.name())
        engine = ExecutionEngine(True, restore, create_graph=True, is_inner=True)
        found = dict(engine.run_backward(self._roots(cotangents), self._targets))
        return [None if edge is None else found.get(edge) for edge in self.edges]

    def _roots(self, cotangents: Any) -> list[tuple[Edge, Any]]:
        """Run the call again, on the tape; where a walk back through that starts."""
        assert self.leaves is not None
        trace = self.trace
        edges = dict(zip(trace.gradients.leaves, self.edges, strict=True))
        return trace.replay.roots(self.leaves, edges, cotangents)

    @property
    def _targets(self) -> list[Edge]:
        return [edge for edge in self.edges if edge is not None]

    def _check_unchanged(self) -> None:
        """Raise if a ``backward`` of the user's, or what it reads, was rebound since.

        Raises
        ------
        RuntimeError
            Saying what.
        """
        changed = self.trace.assumptions.broken()
        if changed is not None:
            raise RuntimeError(
                f"{changed} between the call at {describe(self.where)} and its "
                "backward pass: call the traced function again"
            )

    def find_anomaly(self, g: Any) -> None:
        """Walk through the graph on the tape, which raises at the line."""
        if all(own.version == version for own, version, _ in self.leaf_versions):
            roots = self._roots((g,) if self.metas is None else g)
            ExecutionEngine(True, is_inner=True).run_backward(roots, self._targets)

    def free(self) -> None:
        if self.saved:
            self.saved = self.leaves = None
            self.versions = self.leaf_versions = ()


def results_of(
    trace: Trace, leaves: Sequence[Any], outs: Sequence[Any], saved: Any
) -> Any:
    """Make what the function returns of the graph's outputs.

    ``saved`` is what the backward half needs; None: nothing goes on the tape.
    """
    interface = trace.interface
    node = None if saved is None else _node(trace, leaves, outs, saved)
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
        _share_if_view(leaves[trace.interface.positions[i]], result)
    if node is not None and output.source in trace.gradients.saved_outputs:
        node.versions += entries((result,))
    return result


def _node(
    trace: Trace, leaves: Sequence[Any], outs: Sequence[Any], saved: Any
) -> CompiledFunction:
    """The node of a call: its edges, and the versions of what it reads later."""
    gradients = trace.gradients
    # One call of `entries` would do, at twice the time.
    versions = tuple(
        [
            (leaf.storage or leaf.own_storage()).entry(leaf.value)
            for leaf in [leaves[i] for i in gradients.variables]
        ]
    )
    numbers = gradients.outputs
    node: CompiledFunction = fill(
        new(CompiledFunction),
        tuple([leaves[i].edge for i in gradients.leaves]),
        outs[numbers[0]] if len(numbers) == 1 else [outs[i] for i in numbers],
        saved,
        tuple([versions[i] for i in gradients.saved_variables]),
        here(),
    )
    node.trace = trace
    node.leaves = leaves
    node.leaf_versions = versions
    return node


def _share_if_view(source: Any, result: Variable) -> None:
    # Whether it is a view at all may depend on the strides (`reshape`).
    if isinstance(source, Variable) and (
        is_view(result.value, source.value) or is_view(source.value, result.value)
    ):
        share(source, result)
