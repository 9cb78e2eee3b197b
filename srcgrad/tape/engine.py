"""The engine: one walk over the graph, in reverse order of creation.

A node's number is higher than those of all nodes it leads to, so a heap on the numbers
meets every node after all that use its result: no counting of uses, no recursion, and
an order that does not depend on anything but the program.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any

import numpy as np

from srcgrad.errors import AnomalyError, add_note, describe, explained
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.rules.broadcasting import added, fit
from srcgrad.rules.chosen import Chosen, whole
from srcgrad.tape import freed
from srcgrad.tape.function import Edge, Function, Leaf, Needed, is_needed, meta_of
from srcgrad.tape.hooks import FUNCTION, run_on_function, run_on_gradient
from srcgrad.tape.indexed import IndexedFunction, in_place
from srcgrad.tape.unchosen_zeros import Choices

# What turns a saved array into a Variable with a place in the graph.
Wrap = Callable[[Any, Any, Any], Any]
# Runs a node.
Step = Callable[[Function, Any], None]


class ExecutionEngine:
    """Takes cotangents from the roots of a graph to its leaves.

    Parameters
    ----------
    retain_graph : bool
        Keep what the nodes saved, for another walk.
    wrap : callable, optional
        ``wrap(raw, edge, storage)`` makes a Variable. Given: the walk runs on
        Variables, and so can be differentiated or recorded itself. None: on ndarrays,
        which is faster.
    create_graph : bool
        Put the walk itself on the tape (needs ``wrap``).
    is_inner : bool
        The walk is part of another one, or only written down: it ends at its targets,
        and does not run the user's hooks.
    passing : callable, optional
        ``passing(node, g)`` is shown the cotangent of each node and leaf, and gives
        what goes on in its place.
    """

    def __init__(
        self,
        retain_graph: bool,
        wrap: Wrap | None = None,
        create_graph: bool = False,
        is_inner: bool = False,
        passing: Callable[[Function, Any], Any] | None = None,
    ) -> None:
        self._retain_graph = retain_graph
        self._is_inner = is_inner
        # What arrived at Variables after `retain_grad()`, or at targets on the way.
        self._kept: list[tuple[Edge, Any]] = []
        self._wrap = wrap
        self._create_graph = create_graph
        self._pending: dict[Function, Any] = {}
        self._heap: list[tuple[int, Function]] = []
        self._choices = Choices()
        # Nodes whose cotangent is an array of this walk's own, which nobody else sees:
        # it may be added to in place, and be kept without a copy.
        self.owned: set[Function] = set()
        self._stops: dict[Function, set[int]] = {}
        self._needed: Needed | None = None
        self._passing = passing
        self._is_observed = state.recorder is not None or passing is not None
        # Whether cotangents that are this walk's own may be changed in place.
        self._reuses = not (self._is_observed or wrap or state.anomaly)

    def run_backward(
        self,
        roots: Sequence[tuple[Edge, Any]],
        targets: Sequence[Edge] | None = None,
    ) -> Sequence[tuple[Edge, Any]]:
        """Walk the graph.

        Parameters
        ----------
        roots : sequence of (edge, cotangent)
            Where to start; roots that are given twice add up.
        targets : sequence of edges, optional
            Stop at these, and compute nothing that does not lead there. By default
            every leaf is a target.

        Returns
        -------
        sequence of (edge, cotangent)
            For each target that was reached. Nothing outside has been changed: storing
            them is the caller's, so that after an error every ``.grad`` is as it was.
        """
        if targets is not None:
            for node, number in targets:
                self._stops.setdefault(node, set()).add(number)
            self._needed = leading_to(self._stops, [edge for edge, _ in roots])
        if self._wrap is not None:
            # Each node's gradients are looked at as a whole.
            with override(grad_enabled=self._create_graph, checks_results=False):
                return self._walk(roots)
        return self._walk(roots)

    def _walk(self, roots: Sequence[tuple[Edge, Any]]) -> list[tuple[Edge, Any]]:
        step = self._checked_step if state.anomaly else self._step
        if not freed.FREED_MARKS or self._is_inner or self._retain_graph:
            return self._walk_by(step, roots)
        with override(walk=object()):
            return self._walk_by(functools.partial(self._noted_step, step), roots)

    def _walk_by(
        self, step: Step, roots: Sequence[tuple[Edge, Any]]
    ) -> list[tuple[Edge, Any]]:
        for edge, g in roots:
            if self._needed is None or edge[0] in self._needed:
                self._deliver(edge, g)
        found: list[tuple[Edge, Any]] = []
        heap, pending, stops = self._heap, self._pending, self._stops
        while heap:
            node = heappop(heap)[1]
            g = pending.pop(node)
            if node.hooks is not None or self._is_observed:
                g = self._shown(node, g)
            if node in stops:
                waits = node.on_the_way and not self._is_inner
                if not waits:
                    found += _captured(node, g, stops[node])
                if not waits and (self._is_inner or not self._leads_on(node, g)):
                    continue
            step(node, g)
        # What is left are leaves: they are never in the heap, having nothing to run.
        leaves: Any = pending
        if self._is_observed:
            leaves = sorted(pending, key=attrgetter("order"), reverse=True)
            pending = {leaf: self._shown(leaf, pending[leaf]) for leaf in leaves}
        found += [((leaf, 0), g) for leaf, g in pending.items()]
        return found + self._kept if self._kept else found

    def _shown(self, node: Function, g: Any) -> Any:
        """Let hooks see, and change, a node's cotangent; tell observers."""
        if self._passing is not None:
            seen = self._choices.seen(node, g)
            passed = self._passing(node, seen)
            g = g if passed is seen else passed
        if node.hooks is not None and not self._is_inner:
            g = self._run_hooks(node, g)
            self._choices.keep(node, g)
            self.owned.discard(node)  # what a hook returns is the user's
        if state.recorder is not None:
            state.recorder.gradient(node, self._choices.seen(node, g))
        return g

    def _pauses(self, node: Function) -> dict[int, Any]:
        """Who wants to see the complete cotangents of which results on the way."""
        asking = dict.fromkeys([*(node.hooks or ()), *self._stops.get(node, ())])
        return {
            number: functools.partial(self._pause, node, number)
            for number in asking
            if number != FUNCTION
        }

    def _leads_on(self, node: Function, g: Any) -> bool:
        """Whether a target's own arguments lead to targets too."""
        entered: Sequence[int] = (0,)
        if node.metas is not None:
            entered = [number for number, each in enumerate(g) if each is not None]
        return bool(node.leading(entered, (), self._needed or {}))

    def _step(self, node: Function, g: Any) -> None:
        """Run one node, and hand on what it gives."""
        needed, pending, gives_own = self._needed, self._pending, node.gives_own
        try:
            if node.metas is None:
                gradients = None
                # At a target somebody has its cotangent.
                reuses = self._reuses and node not in self._stops
                if self._choices and node in self._choices:
                    gradients = self._choices.pull_back(node, g, needed, self._wrap)
                elif reuses and isinstance(node, IndexedFunction):
                    gradients = in_place(node, g, self.owned, pending, needed)
                if gradients is None:
                    gradients = node.pull_back(g, needed, self._wrap)
            else:
                g = self._materialised(node, g)
                gradients = self._pull_back_several(node, g)
            if node.hooks is not None and FUNCTION in node.hooks:
                gradients = self._run_function_hooks(node, gradients, g)
            for edge, gradient in zip(node.edges, gradients, strict=True):
                if gradient is None or edge is None:
                    continue
                target = edge[0]
                if needed is not None and target not in needed:
                    continue
                # The common case of `_deliver`, without its calls.
                if (
                    type(gradient) is np.ndarray
                    and target not in pending
                    and target.metas is None
                    and gradient.shape == target.shape
                    and gradient.dtype is target.dtype
                ):
                    pending[target] = gradient
                    if type(target) is not Leaf:
                        heappush(self._heap, (-target.order, target))
                    else:
                        if gives_own:
                            self.owned.add(target)
                        if target.hooks is not None:
                            self._is_observed = True
                else:
                    self._deliver(edge, gradient)
        except Exception as error:
            add_note(error, f"in the backward pass of {describe(node.where)}")
            raise
        if not self._retain_graph:
            node.free()

    def _noted_step(self, step: Step, node: Function, g: Any) -> None:
        """Run one node, which is freed, and note that."""
        step(node, g)
        freed.note(node)

    def _checked_step(self, node: Function, g: Any) -> None:
        """Run one node, and see whether NaN or infinity comes of a finite cotangent.

        Raises
        ------
        AnomalyError
            Naming the line of the forward pass.
        """
        edges = [edge for edge in node.edges if edge is not None]
        seen, pending = self._choices.seen, self._pending
        was_finite = is_finite(seen(node, g)) and all(
            is_finite(seen(target, pending.get(target))) for target, _ in edges
        )
        retain_graph, self._retain_graph = self._retain_graph, True
        with np.errstate(all="ignore"):  # the error says it
            self._step(node, g)
        self._retain_graph = retain_graph
        for number, (target, _) in enumerate(edges):
            if was_finite and not is_finite(seen(target, pending.get(target))):
                with np.errstate(all="ignore"):
                    node.find_anomaly(g)
                raise explained(
                    AnomalyError(
                        f"{node.name()} returned nan or infinity as gradient {number}, "
                        "though the gradient that came in was finite"
                    ),
                    f"its forward pass ran at {describe(node.where)}",
                )
        if not retain_graph:
            node.free()

    def _deliver(self, edge: Edge, g: Any) -> None:
        """Fit a cotangent to its node's result, and add it to what is there."""
        node, number = edge
        if node.metas is not None and self._needed is not None:
            leading = self._needed[node]
            if leading is not None and number not in leading:
                return
        if type(g) is Chosen:
            is_first = node not in self._pending
            g = self._choices.put_off(node, g, self._pending, self._stops)
            if g is None:
                if is_first:
                    heappush(self._heap, (-node.order, node))
                return
        if self._choices and node in self._choices:
            self._pending[node] = self._choices.pop(node).resolved()
        before = self._pending.get(node)
        if type(node) is Leaf:
            self._is_observed |= node.hooks is not None
        elif before is None:
            heappush(self._heap, (-node.order, node))
        if node.metas is None:
            g = fit(g, node.shape, node.dtype)
            self._pending[node] = g if before is None else self._sum(node, before, g)
            return
        g = fit(g, *node.metas[number])
        if before is None:
            before = self._pending[node] = [None] * len(node.metas)
        other, dtype = before[number], node.metas[number][1]
        before[number] = g if other is None else added(other, g, dtype)

    def _sum(self, node: Function, before: Any, g: Any) -> Any:
        """Add two cotangents; in place only into one that nobody else can see."""
        if node in self.owned:
            before += g
            return before
        total = before + g
        if total.dtype is not node.dtype:  # where it has another byte order
            total = fit(total, node.shape, node.dtype)
        if type(total) is np.ndarray:
            self.owned.add(node)
        return total

    def _pull_back_several(self, node: Function, g: list[Any]) -> Sequence[Any]:
        """Run a node with several results."""
        if not node.on_the_way or self._is_inner:
            return node.pull_back(g, self._needed, self._wrap)
        stops, pauses = self._stops.get(node, ()), self._pauses(node)
        return node.pull_back_in_stages(g, self._needed, self._wrap, stops, pauses)

    def _materialised(self, node: Function, g: list[Any]) -> list[Any]:
        """Zeros for the results that nothing used."""
        assert node.metas is not None
        if not node.materializes:
            return g
        filled = []
        for each, (shape, dtype) in zip(g, node.metas, strict=True):
            if each is None:
                zeros = np.zeros(shape, dtype)
                each = zeros if self._wrap is None else self._wrap(zeros, None, None)
            filled.append(each)
        return filled

    def _run_hooks(self, node: Function, g: Any) -> Any:
        """What the hooks on a node's results make of its cotangent."""
        assert node.hooks is not None
        for number in list(node.hooks):
            each = g if node.metas is None else g[number]
            if number == FUNCTION or number in node.on_the_way or each is None:
                continue
            each = self._run_hooks_on(node, number, each)
            if node.metas is None:
                g = each
            else:
                g[number] = each
        return g

    def _run_hooks_on(self, node: Function, number: int, g: Any) -> Any:
        """The same for one result."""
        assert node.hooks is not None
        hooks = node.hooks[number]
        if hooks:
            g = run_on_gradient(hooks, g, node.variable_class, self._create_graph)
            g = fit(g, *meta_of((node, number)))
            self.owned.discard(node)  # a hook has seen it, and may have kept it
        if hooks.kept is not None:
            self._kept.append(((hooks.kept, 0), g))
        return g

    def _pause(self, node: Function, number: int, g: Any) -> Any:
        """Let hooks see a cotangent that is complete on the way through a node."""
        if node.hooks is not None and number in node.hooks:
            g = self._run_hooks_on(node, number, g)
        if number in self._stops.get(node, ()):
            self._kept.append(((node, number), g))
        return g

    def _run_function_hooks(
        self, node: Function, gradients: Sequence[Any], g: Any
    ) -> Sequence[Any]:
        """What the hooks on a node itself make of the gradients it gives."""
        assert node.hooks is not None
        if self._is_inner:
            return gradients
        fitted = [
            None if each is None or edge is None else fit(whole(each), *meta_of(edge))
            for each, edge in zip(gradients, node.edges, strict=True)
        ]
        outputs = (g,) if node.metas is None else g
        hooks, on_tape = node.hooks[FUNCTION], self._create_graph
        return run_on_function(hooks, fitted, outputs, node.variable_class, on_tape)


def first_cotangent(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Where a backward pass starts: ones; for no axes a scalar, which is faster."""
    return np.ones(shape, dtype) if shape else dtype.type(1.0)


def _captured(node: Function, g: Any, numbers: set[int]) -> list[tuple[Edge, Any]]:
    if node.metas is None:
        return [((node, 0), g)]
    return [((node, n), g[n]) for n in sorted(numbers) if g[n] is not None]


def is_finite(g: Any) -> bool:
    """Whether a cotangent (or each of a node's) has neither NaN nor infinity in it."""
    if isinstance(g, list):
        return all(map(is_finite, g))
    return g is None or bool(np.all(np.isfinite(raw_of(g))))


def leading_to(
    targets: Mapping[Function, Collection[int]], roots: Sequence[Edge]
) -> Needed:
    """The nodes on some path from the roots to the targets, both ends included.

    ``targets`` are numbers of results, by their nodes. For a node with several results
    those that lead to targets; for the others None.
    """
    # An argument's node has a lower number: below the lowest target there is nothing.
    lowest = min((node.order for node in targets), default=0)
    seen: set[Function] = set()
    entered: dict[Function, set[int]] = defaultdict(set)
    stack = list(roots)
    while stack:
        node, number = stack.pop()
        if node.metas is not None:
            entered[node].add(number)
        if node not in seen:
            seen.add(node)
            for edge in node.edges:
                if edge is not None and edge[0].order >= lowest:
                    stack.append(edge)
    needed: dict[Function, Collection[int] | None] = {}
    for node in sorted(seen, key=attrgetter("order")):
        if node.metas is not None:
            numbers = node.leading(entered[node], targets.get(node, ()), needed)
            if numbers:
                needed[node] = numbers
        elif node in targets:
            needed[node] = None
        else:
            for edge in node.edges:
                if (
                    edge is not None
                    and edge[0] in needed
                    and (edge[0].metas is None or is_needed(edge, needed))
                ):
                    needed[node] = None
                    break
    return needed
