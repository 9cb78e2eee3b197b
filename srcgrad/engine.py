"""The engine: one walk over the graph, in reverse order of creation.

A node's number is higher than those of all nodes it leads to, so a heap on the numbers
meets every node after all that use its result: no counting of uses, no recursion, and
an order that does not depend on anything but the program.
"""

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from srcgrad.errors import add_note, describe
from srcgrad.function import Edge, Function, Leaf
from srcgrad.modes import override, state
from srcgrad.rules.broadcasting import unbroadcast
from srcgrad.updates import cast

# What turns a saved array into a Variable with a place in the graph.
Wrap = Callable[[Any, Any, Any], Any]


class ExecutionEngine:
    """Takes cotangents from the roots of a graph to its leaves.

    Parameters
    ----------
    retain_graph : bool
        Keep what the nodes saved, for another walk.
    wrap : callable, optional
        ``wrap(raw, edge, storage)`` makes a Variable. Given: the walk runs on Variables, and so
        can be differentiated or recorded itself. None: on ndarrays, which is faster.
    create_graph : bool
        Put the walk itself on the tape (needs ``wrap``).
    """

    def __init__(
        self, retain_graph: bool, wrap: Wrap | None = None, create_graph: bool = False
    ) -> None:
        self._retain_graph = retain_graph
        self._wrap = wrap
        self._create_graph = create_graph
        self._pending: dict[Function, Any] = {}
        self._heap: list[tuple[int, Function]] = []
        # Cotangents that this walk has made itself and may add to in place.
        self._owned: set[Function] = set()

    def run_backward(
        self,
        roots: Iterable[tuple[Edge, Any]],
        targets: Sequence[Edge] | None = None,
    ) -> list[tuple[Edge, Any]]:
        """Walk the graph.

        Parameters
        ----------
        roots : iterable of (edge, cotangent)
            Where to start; roots that are given twice add up.
        targets : sequence of edges, optional
            Stop at these, and compute nothing that does not lead there. By default
            every leaf is a target.

        Returns
        -------
        list of (edge, cotangent)
            For each target that was reached. Nothing outside has been changed: storing
            them is the caller's, so that an error half-way leaves every ``.grad`` alone.
        """
        roots = list(roots)
        stops: dict[Function, set[int]] = {}
        for node, number in targets or ():
            stops.setdefault(node, set()).add(number)
        needed = None if targets is None else leading_to(stops, [e for e, _ in roots])
        if self._wrap is not None:
            with override(grad_enabled=self._create_graph):
                return self._walk(roots, stops, needed)
        return self._walk(roots, stops, needed)

    def _walk(
        self,
        roots: list[tuple[Edge, Any]],
        stops: dict[Function, set[int]],
        needed: set[Function] | None,
    ) -> list[tuple[Edge, Any]]:
        wanted = _always if needed is None else needed.__contains__
        for edge, g in roots:
            if wanted(edge[0]):
                self._deliver(edge, g)
        found: list[tuple[Edge, Any]] = []
        heap, pending = self._heap, self._pending
        while heap:
            node = heappop(heap)[1]
            g = pending.pop(node)
            if node.hooks is not None:
                g = self._run_hooks(node, g)
            if state.recorder is not None:
                state.recorder.gradient_of(node, g)
            if node in stops:
                found += _captured(node, g, stops[node])
                # A target's own arguments may be targets too.
                if needed is not None and not any(
                    edge is not None and edge[0] in needed for edge in node.edges
                ):
                    continue
            elif type(node) is Leaf:
                if needed is None:
                    found.append(((node, 0), g))
                continue
            self._step(node, g, wanted)
        return found

    def _step(self, node: Function, g: Any, wanted: Callable[[Function], bool]) -> None:
        """Run one node, and hand on what it gives."""
        if node.metas is not None:
            g = self._materialised(node, g)
        try:
            gradients = node.pull_back(g, wanted, self._wrap)
            for edge, gradient in zip(node.edges, gradients, strict=True):
                if gradient is not None and edge is not None and wanted(edge[0]):
                    self._deliver(edge, gradient)
        except Exception as error:
            add_note(error, f"in the backward pass of {describe(node.where)}")
            raise
        if not self._retain_graph:
            node.free()

    def _deliver(self, edge: Edge, g: Any) -> None:
        """Fit a cotangent to its node's result, and add it to what is there."""
        node, number = edge
        if node.metas is None:
            g = fit(g, node.shape, node.dtype)
            before = self._pending.get(node)
            if before is None:
                self._pending[node] = g
                heappush(self._heap, (-node.order, node))
            else:
                self._pending[node] = self._sum(node, before, g)
            return
        g = fit(g, *node.metas[number])
        slots = self._pending.get(node)
        if slots is None:
            slots = self._pending[node] = [None] * len(node.metas)
            heappush(self._heap, (-node.order, node))
        slots[number] = g if slots[number] is None else slots[number] + g

    def _sum(self, node: Function, before: Any, g: Any) -> Any:
        """Add two cotangents; in place only into one that nobody else can see."""
        if node in self._owned:
            before += g
            return before
        total = before + g
        if type(total) is np.ndarray:
            self._owned.add(node)
        return total

    def _materialised(self, node: Function, g: list[Any]) -> list[Any]:
        """Zeros for the results that nothing used."""
        assert node.metas is not None
        filled = []
        for each, (shape, dtype) in zip(g, node.metas, strict=True):
            if each is None:
                zeros = np.zeros(shape, dtype)
                each = zeros if self._wrap is None else self._wrap(zeros, None, None)
            filled.append(each)
        return filled

    def _run_hooks(self, node: Function, g: Any) -> Any:
        assert node.hooks is not None
        for number, hooks in node.hooks.items():
            each = g if node.metas is None else g[number]
            if each is None:
                continue
            for hook in list(hooks.values()):
                each = hook(each)
            if node.metas is None:
                g = each
            else:
                g[number] = each
        return g


def _always(node: Function) -> bool:
    return True


def _captured(node: Function, g: Any, numbers: set[int]) -> list[tuple[Edge, Any]]:
    if node.metas is None:
        return [((node, 0), g)]
    return [((node, n), g[n]) for n in sorted(numbers) if g[n] is not None]


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Fit a cotangent to the array it belongs to: undo broadcasting, and its dtype.

    Raises
    ------
    RuntimeError
        If the shapes have nothing to do with each other.
    """
    if type(g) is float or type(g) is int or type(g) is complex:
        g = np.float64(g) if type(g) is not complex else np.complex128(g)
    if g.shape != shape:
        if not _broadcasts(shape, g.shape):
            raise RuntimeError(
                f"a gradient of shape {g.shape} does not fit its input of shape {shape}"
            )
        g = unbroadcast(g, shape)
    if g.dtype is not dtype and g.dtype != dtype:
        if g.dtype.kind == "c" and dtype.kind != "c":
            g = np.real(g)
        if g.dtype != dtype:
            g = cast(g, dtype)
    return g


def _broadcasts(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    """Whether an array of the first shape can have been broadcast to the second."""
    if len(shape) > len(wide):
        return False
    pairs = zip(reversed(shape), reversed(wide), strict=False)
    return all(n in (1, m) for n, m in pairs)


def leading_to(
    targets: Iterable[Function], roots: Sequence[Edge]
) -> set[Function]:
    """The nodes on some path from the roots to the targets, both ends included."""
    goal = set(targets)
    order: list[Function] = []
    seen: set[Function] = set()
    stack = [node for node, _ in roots]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            stack += [edge[0] for edge in node.edges if edge is not None]
    needed: set[Function] = set()
    for node in sorted(order, key=lambda node: node.order):
        if node in goal or any(e is not None and e[0] in needed for e in node.edges):
            needed.add(node)
    return needed
