"""``CompiledFunction``: the node of a call that ran through generated code."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import describe, here, told
from srcgrad.protocols import raw_of
from srcgrad.pytree import unflatten
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import (
    FREED,
    VOLATILE,
    Edge,
    Function,
    Needed,
    fill,
    is_needed,
    new,
)
from srcgrad.tape.variable import Variable, restore
from srcgrad.tape.versions import Version, check, entries, is_view, share
from srcgrad.tracing.interface import Output
from srcgrad.tracing.partial_backwards import Pause
from srcgrad.tracing.reach import Walk, bits_of, comes_by
from srcgrad.tracing.replay import Call
from srcgrad.tracing.trace import Trace


class CompiledFunction(Function):
    """The node of a call that ran through generated code.

    ``leaves`` are those of the call's arguments, ``inputs`` the arrays and numbers that
    the graph got, ``leaf_versions`` the versions of those that are Variables, whether
    they are saved or not. ``walks`` have freed what they would have freed on the tape;
    ``walk`` is the one that is coming by.
    """

    __slots__ = ("inputs", "leaf_versions", "leaves", "trace", "walk", "walks")

    gives_own = True  # `transforms.ownership` sees to it
    materializes = False

    trace: Trace
    leaves: Sequence[Any] | None
    inputs: Sequence[Any]
    leaf_versions: Sequence[Version]
    walk: Walk
    walks: tuple[Walk, ...]

    @property
    def on_the_way(self) -> frozenset[int]:  # type: ignore[override]
        """All results, if there are several: one may be computed from another."""
        return self.trace.gradients.on_the_way

    def leading(
        self, entered: Collection[int], targets: Collection[int], needed: Needed
    ) -> Collection[int]:
        reach, ends = self.trace.gradients.reach, self._ends(targets, needed)
        return [number for number in entered if reach.leads(number, ends)]

    def _ends(self, targets: Collection[int], needed: Needed | None) -> int:
        """What a walk is for, as ends: results that are targets, and leaves."""
        gradients = self.trace.gradients
        bits = 0
        for number in targets:
            bits |= gradients.reach.end(number)
        if needed is None:
            return bits | gradients.all.ends
        for edge, end in zip(self.edges, gradients.ends, strict=True):
            if edge is not None and is_needed(edge, needed):
                bits |= end
        return bits

    # ----- Going back -----

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        trace = self.trace
        is_simple = needed is None and wrap is None and self.metas is None
        if not is_simple or self.walks or trace.replay.has_user_backward:
            return self.pull_back_in_stages(g, needed, wrap, (), {})
        # The common case: one result, everything at once, for the first time.
        for own, version, _ in self.versions:
            if own.version != version:  # the test of `check`, without its call
                check(self.versions, self.where, self.name())
        self.walk = trace.gradients.all
        try:
            return trace.module.call_backward(self.saved, (g,))
        except Exception as error:
            return self._pull_back_instead(error, self.walk, (g,))

    def pull_back_in_stages(
        self,
        g: Any,
        needed: Needed | None,
        wrap: Any,
        targets: Collection[int],
        pauses: Mapping[int, Pause],
    ) -> Sequence[Any]:
        gradients = self.trace.gradients
        cotangents: Sequence[Any] = (g,)
        results = 1
        if self.metas is not None:
            cotangents = [each for each in g if each is not None]
            results = bits_of(i for i, each in enumerate(g) if each is not None)
        self.walk = walk = Walk(results, self._ends(targets, needed))
        if self.walks and gradients.reach.is_over(self.walks, walk):
            raise RuntimeError(FREED)
        self._check_unchanged(walk)
        if needed is not None:  # on the tape, it would not come by at the others
            pauses = {
                k: f for k, f in pauses.items() if gradients.reach.leads(k, walk.ends)
            }
        if wrap is not None:
            return self._pull_back_on_tape(walk, cotangents, pauses)
        if pauses:  # hooks run on the way, and must not run twice
            return self._run_route(walk, cotangents, pauses)
        try:
            if walk == gradients.all and self.saved is not ALL_FREED:
                return self.trace.module.call_backward(self.saved, cotangents)
            return self._run_route(walk, cotangents, pauses)
        except Exception as error:
            return self._pull_back_instead(error, walk, cotangents)

    def _run_route(
        self, walk: Walk, cotangents: Sequence[Any], pauses: Mapping[int, Pause]
    ) -> Sequence[Any]:
        gradients = self.trace.gradients
        route = gradients.backwards.route(walk, tuple(pauses))
        if self.saved is not ALL_FREED:
            return route.run(self.saved, cotangents, pauses)
        if route.reads:
            raise RuntimeError(FREED)
        return route.run(gradients.nothing_saved, cotangents, pauses)

    def _pull_back_instead(
        self, error: Exception, walk: Walk, cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """Decide whose an error of generated code is: the user's, if the tape has it.

        Raises
        ------
        Exception
            The user's own.
        """
        if self.leaves is None:
            raise error
        given = [Variable.make(g, None) for g in cotangents]
        try:
            found = self._pull_back_on_tape(walk, given, {})
        except Exception as users:
            raise error from (None if told(users) == told(error) else users)
        self.trace.report(error)
        return [None if g is None else raw_of(g) for g in found]

    def _check_unchanged(self, walk: Walk) -> None:
        """Raise if something that a walk needs is not as it was at the call.

        That is what was saved, and, where it runs, a user's ``backward``.

        Raises
        ------
        RuntimeError
            Saying what.
        """
        pairs = zip(self.versions, self.trace.gradients.buffers, strict=False)
        needed = [
            version
            for version, buffers in pairs
            # Nothing: generated code reads what the tape does not.
            if not buffers or any(comes_by(walk, buffer) for buffer in buffers)
        ]
        check(needed, self.where, self.name())
        if not self.trace.replay.has_user_backward:
            return
        changed = self.trace.read_outside(self.leaves or (), [])
        if isinstance(changed, str):
            raise RuntimeError(
                f"{changed} between the call at {describe(self.where)} and its "
                "backward pass: call the traced function again"
            )

    # ----- Going back on the tape -----

    def _pull_back_on_tape(
        self, walk: Walk, cotangents: Sequence[Any], pauses: Mapping[int, Pause]
    ) -> Sequence[Any]:
        """Gradients that can be differentiated again: the call runs on the tape.

        A result that others are computed from keeps its edge to this node there, so
        that cotangents stop at it: hooks see their sum, and second derivatives, too,
        lead here rather than into a tape that nobody holds.
        """
        check(self._versions_needed(), self.where, self.name())
        reach = self.trace.gradients.reach
        starts = self._run_on_tape()
        moved = {start: (self, number) for number, start in enumerate(starts)}

        def wrap(raw: Any, edge: Any, storage: Any) -> Any:
            return restore(raw, moved.get(edge, edge), storage)

        present = [
            number for number in range(len(starts)) if walk.results >> number & 1
        ]
        totals: dict[Edge, Any] = dict(
            zip([(self, number) for number in present], cotangents, strict=True)
        )
        targets = [
            *(edge for edge in self.edges if edge is not None),
            *((self, number) for number in reach.inner),
        ]
        for number in reach.order:
            g = totals.pop((self, number), None)
            if g is None:
                continue
            if number in pauses:
                g = pauses[number](g)
            engine = ExecutionEngine(True, wrap, create_graph=True, is_inner=True)
            for edge, more in engine.run_backward([(starts[number], g)], targets):
                before = totals.get(edge)
                totals[edge] = more if before is None else before + more
        return [None if edge is None else totals.get(edge) for edge in self.edges]

    def _run_on_tape(self) -> list[Edge]:
        """Put the call on the tape; where walks back from its results start."""
        trace = self.trace
        edges = dict(zip(trace.gradients.leaves, self.edges, strict=True))
        call = None
        if self.leaves is not None:
            versions = self.leaf_versions, self.versions
            call = Call(self.leaves, self.inputs, self.saved or (), *versions)
        inner: dict[int, Edge] = {
            trace.gradients.outputs[number]: (self, number)
            for number in trace.gradients.reach.inner
        }
        return trace.replay.run(call, edges, inner)

    def _versions_needed(self) -> list[Version]:
        """The versions of the arguments that something has to be computed of again."""
        needed = () if self.leaves is None else self.trace.replay.needed_versions
        return [self.leaf_versions[k] for k in needed]

    def find_anomaly(self, g: Any) -> None:
        """Walk through the graph on the tape, which raises at the line."""
        if self.leaves is None or any(
            own.version != version for own, version, _ in self._versions_needed()
        ):
            return
        cotangents: Sequence[Any] = (g,) if self.metas is None else g
        present = [i for i, each in enumerate(cotangents) if each is not None]
        starts = self._run_on_tape()
        roots = [(starts[i], cotangents[i]) for i in present]
        targets = [edge for edge in self.edges if edge is not None]
        ExecutionEngine(True, is_inner=True).run_backward(roots, targets)

    def free(self) -> None:
        gradients = self.trace.gradients
        reach = gradients.reach
        self.walks = (*self.walks, self.walk)
        if not reach.buffers:
            # The tape holds nothing, and can be walked again: so can this.
            if not gradients.nothing_saved and not self.trace.replay.has_user_backward:
                self._let_go()
        elif self.walk is gradients.all or reach.is_all_freed(self.walks):
            self.saved = ALL_FREED
            self._let_go()

    def _let_go(self) -> None:
        """Hold no argument any more."""
        self.leaves = None
        self.inputs = ()
        self.versions = self.leaf_versions = ()


# Stands for what a node has saved, when the tape would have freed all of that.
ALL_FREED: Any = object()


def results_of(
    trace: Trace,
    leaves: Sequence[Any],
    inputs: Sequence[Any],
    outs: Sequence[Any],
    saved: Any,
) -> Any:
    """Make what the function returns of the graph's outputs.

    ``saved`` is what the backward half needs; None: nothing goes on the tape.
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
    trace: Trace, leaves: Sequence[Any], inputs: Sequence[Any], outs: Sequence[Any]
) -> Any:
    """What a transform gives: of the function's own results, and what it derives.

    With it, the values that effects are about.
    """
    whole: Any = trace.whole
    derived = outs[trace.interface.count :]
    if not whole.are_all_there:
        rest = iter(derived)
        derived = [next(rest) if there else None for there in whole.is_there]
    if trace.interface.only == "array":
        return whole.pack(outs[0], derived), ()
    result = results_of(trace, leaves, inputs, outs, None)
    if trace.effects is None:
        return whole.pack(result, derived), ()
    result, values = result
    return whole.pack(result, derived), values


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
    trace: Trace,
    leaves: Sequence[Any],
    inputs: Sequence[Any],
    outs: Sequence[Any],
    saved: Any,
) -> CompiledFunction:
    """The node of a call: its edges, and the versions of what it reads later."""
    gradients = trace.gradients
    # A plain loop: `entries` would take twice the time.
    versions: list[Version] = []
    for i in gradients.variables:
        leaf = leaves[i]
        versions.append((leaf.storage or leaf.own_storage()).entry(leaf.value))
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
    node.walks = ()
    node.leaves = leaves
    node.inputs = inputs
    if trace.replay.has_user_backward:
        # The whole function may run again, on what has no version: on copies of that.
        positions = trace.interface.positions
        node.inputs = [
            raw.copy() if type(leaves[i]) is np.ndarray else raw
            for i, raw in zip(positions, inputs, strict=True)
        ]
    node.leaf_versions = versions
    return node


def _share_if_view(source: Any, result: Variable) -> None:
    # Whether it is a view at all may depend on the strides (`reshape`).
    if isinstance(source, Variable) and (
        is_view(result.value, source.value) or is_view(source.value, result.value)
    ):
        share(source, result)
