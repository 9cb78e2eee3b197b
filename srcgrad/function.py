"""``Function``, one node of the tape; ``Leaf``; and the node made from a rule.

A Variable's ``edge`` is ``(node, output number)``: where its gradient goes. Edges point
from results to arguments only, and a node knows no Variable, so a graph has no cycles
and dies with the last Variable that leads into it.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad import storage
from srcgrad.errors import Where, here
from srcgrad.rules.registry import Primitive
from srcgrad.storage import Version

Edge = tuple["Function", int]

# Nodes are numbered as they are made, so an argument's node always has a lower number
# than its user's: the engine needs no other order.
next_order = itertools.count().__next__

new: Callable[[type], Any] = object.__new__


class Function:
    """One node of the tape: what ran, what it saved, and where its gradients go.

    Attributes
    ----------
    edges : tuple of (Function, int) or None
        For each argument, where its gradient goes; None where none is needed.
    shape, dtype
        Of the result, and so of the cotangent that comes in.
    metas : tuple of (shape, dtype) or None
        The same for a function with several results, one for each.
    where : (code, instruction)
        The user's line that ran it.
    """

    __slots__ = (
        "__weakref__",
        "dtype",
        "edges",
        "hooks",
        "metas",
        "order",
        "saved",
        "shape",
        "versions",
        "where",
    )

    # Whether its gradients are arrays that nobody else can see.
    gives_own = False

    edges: tuple[Edge | None, ...]
    order: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    metas: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...] | None
    hooks: dict[int, Any] | None
    where: Where | None
    saved: tuple[Any, ...] | None
    versions: tuple[Version, ...]

    @property
    def next_functions(self) -> tuple[tuple["Function | None", int], ...]:
        """For each argument, the Function it came from and which output of it it was."""
        return tuple((None, 0) if edge is None else edge for edge in self.edges)

    previous_functions = next_functions

    def name(self) -> str:
        """The name of the node's type."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"

    def pull_back(
        self, g: Any, needed: "set[Function] | None", wrap: Any
    ) -> Sequence[Any]:
        """Take the cotangent of the result to those of the arguments, one for each edge.

        Parameters
        ----------
        g : array or list of arrays
            The cotangent; for several results, a list with one for each.
        needed : set of Function, optional
            The nodes whose gradient is needed at all; None: all.
        wrap : callable or None
            ``wrap(raw, edge, storage)`` makes a Variable of what was saved, where the
            backward pass itself is to be differentiated or recorded.
        """
        raise NotImplementedError

    def free(self) -> None:
        """Drop what was saved for the backward pass."""
        if self.saved:
            self.saved = None
            self.versions = ()


class Leaf(Function):
    """Where a user's Variable enters the graph: gradients end, and add up, here."""

    __slots__ = ("grad",)

    grad: Any

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.edges = ()
        self.order = next_order()
        self.shape = shape
        self.dtype = dtype
        self.metas = None
        self.hooks = None
        self.where = None
        self.saved = ()
        self.versions = ()
        self.grad = None


class _Volatile(Function):
    """The mark of a volatile Variable: nothing that it touches is put on the tape."""

    __slots__ = ()


VOLATILE: Edge = (new(_Volatile), 0)


class Plan:
    """Which rules of a primitive run, and what they need saved, for one set of arguments.

    ``rules`` pairs each VJP with the slots of its needs in ``saved``; ``saves`` gives
    for each slot (argument, what of it); ``names`` the arguments, one a rule.
    """

    __slots__ = ("names", "rules", "saves", "saves_out")

    def __init__(self, primitive: Primitive, names: tuple[str, ...]) -> None:
        self.names = names
        needs = dict.fromkeys(n for name in names for n in primitive.rules[name].needs)
        slots = {need: slot for slot, need in enumerate(needs)}
        self.saves = tuple(_split_need(need, primitive) for need in needs)
        self.saves_out = "out" in needs
        self.rules = tuple(
            (rule.vjp, tuple(slots[need] for need in rule.needs))
            for rule in map(primitive.rules.__getitem__, names)
        )


def _split_need(need: str, primitive: Primitive) -> tuple[str, str]:
    if need == "out" or need in primitive.parameters or need == primitive.variadic:
        return need, "value"
    base, _, metadata = need.rpartition("_")
    return base, metadata


class RuleFunction(Function):
    """The node of a primitive; each primitive has a subclass, ``MultiplyBackward``.

    ``counts`` is None, or tells for each of the plan's arguments how many arrays it is
    a sequence of (None: it is no sequence).
    """

    __slots__ = ("counts", "plan")

    primitive: Primitive
    plan: Plan
    counts: tuple[int | None, ...] | None

    def pull_back(
        self, g: Any, needed: set[Function] | None, wrap: Any
    ) -> Sequence[Any]:
        saved = self.saved
        if saved is None:
            raise RuntimeError(FREED)
        for own, version, _ in self.versions:
            if own.version != version:
                storage.check(self.versions, self.where, self.name())
        if wrap is not None:
            saved = self._wrapped(wrap)
        if self.counts is not None:
            return self._pull_back_sequences(g, saved)
        rules, edges = self.plan.rules, self.edges
        if len(rules) == 1:
            vjp, slots = rules[0]
            if len(slots) == 1:
                return (vjp(g, saved[slots[0]]),)
            return (vjp(g, *[saved[slot] for slot in slots]),)
        if needed is not None:
            return [
                vjp(g, *[saved[slot] for slot in slots])
                if edge is not None and edge[0] in needed
                else None
                for (vjp, slots), edge in zip(rules, edges, strict=True)
            ]
        return [vjp(g, *[saved[slot] for slot in slots]) for vjp, slots in rules]

    def _pull_back_sequences(self, g: Any, saved: tuple[Any, ...]) -> list[Any]:
        """The same where an argument is a sequence, with an edge for each element."""
        assert self.counts is not None
        gradients: list[Any] = []
        for (vjp, slots), count in zip(self.plan.rules, self.counts, strict=True):
            result = vjp(g, *[saved[slot] for slot in slots])
            each = [result] if count is None else list(result)
            if count is not None and len(each) != count:
                raise RuntimeError(
                    f"{self.name()} returned an invalid number of gradients - "
                    f"expected {count}, but got {len(each)}"
                )
            gradients += each
        return gradients

    def _wrapped(self, wrap: Any) -> tuple[Any, ...]:
        """What was saved, as Variables with their place in the graph."""
        assert self.saved is not None
        place: dict[str, Any] = {"out": self._own_edges()}
        position = 0
        for name, count in zip(self.plan.names, self._counts(), strict=True):
            if count is None:
                place[name] = self.edges[position]
            else:
                place[name] = self.edges[position : position + count]
            position += 1 if count is None else count
        storages = {id(raw): storage for storage, _, raw in self.versions}

        def restore(raw: Any, edge: Any) -> Any:
            return wrap(raw, edge, storages.get(id(raw)))

        return tuple(
            _restore(restore, raw, place.get(name)) if what == "value" else raw
            for raw, (name, what) in zip(self.saved, self.plan.saves, strict=True)
        )

    def _counts(self) -> tuple[int | None, ...]:
        return self.counts or (None,) * len(self.plan.names)

    def _own_edges(self) -> Any:
        if self.metas is None:
            return (self, 0)
        # An integer result (the exponent of `frexp`) is no place for a gradient.
        return [
            (self, number) if dtype.kind in "fc" else None
            for number, (_, dtype) in enumerate(self.metas)
        ]


FREED = (
    "Trying to backward through the graph second time, but the buffers have already been "
    "freed. Please specify retain_graph=True when calling backward for the first time."
)


def _restore(restore: Any, raw: Any, place: Any) -> Any:
    if isinstance(raw, (tuple, list)):
        places = place if type(place) in (list, tuple) else [None] * len(raw)
        # An edge is a tuple too, but a value with one edge is no sequence.
        return sequence_like(
            raw, [_restore(restore, r, p) for r, p in zip(raw, places, strict=True)]
        )
    return restore(raw, place)


def sequence_like(sequence: Any, elements: list[Any]) -> Any:
    """A tuple, list or named tuple of other elements."""
    kind = type(sequence)
    return kind(*elements) if hasattr(kind, "_fields") else kind(elements)


_node_classes: dict[Primitive, type[RuleFunction]] = {}
_plans: dict[tuple[Primitive, tuple[str, ...]], Plan] = {}


def node_class_of(primitive: Primitive) -> type[RuleFunction]:
    """The node type of a primitive, named after it."""
    found = _node_classes.get(primitive)
    if found is None:
        name = primitive.name.title().replace("_", "") + "Backward"
        members = {"__slots__": (), "primitive": primitive}
        found = _node_classes[primitive] = type(name, (RuleFunction,), members)
    return found


def plan_of(primitive: Primitive, names: tuple[str, ...]) -> Plan:
    """The plan for the arguments that need a gradient."""
    found = _plans.get((primitive, names))
    if found is None:
        found = _plans[primitive, names] = Plan(primitive, names)
    return found


def has_edge(variable: Any) -> bool:
    """Whether a Variable requires grad."""
    edge = variable.edge
    return edge is not None and edge is not VOLATILE


def finish(node: Function, raw: Any) -> None:
    """Fill in what every node has: its number, its result's shape and dtype, the line."""
    node.order = next_order()
    node.hooks = node.metas = None
    node.where = here()
    if isinstance(raw, (np.ndarray, np.generic)):
        node.shape, node.dtype = raw.shape, raw.dtype
    elif isinstance(raw, (tuple, list)):
        node.metas = tuple((np.shape(r), dtype_of(r)) for r in raw)
    else:
        node.shape, node.dtype = (), dtype_of(raw)


def dtype_of(raw: Any) -> np.dtype[Any]:
    """The dtype of an array, scalar, or Python number."""
    dtype = getattr(raw, "dtype", None)
    return np.result_type(raw) if dtype is None else dtype
