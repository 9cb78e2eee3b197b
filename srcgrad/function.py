"""``Function``, one node of the tape; and ``Leaf``, where a user's Variable enters it.

A Variable's ``edge`` is ``(node, output number)``: where its gradient goes. Edges point
from results to arguments only, and a node knows no Variable, so a graph has no cycles
and dies with the last Variable that leads into it.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import Where, here
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


FREED = (
    "Trying to backward through the graph second time, but the buffers have already been "
    "freed. Please specify retain_graph=True when calling backward for the first time."
)


def sequence_like(sequence: Any, elements: list[Any]) -> Any:
    """A tuple, list or named tuple of other elements."""
    kind = type(sequence)
    return kind(*elements) if hasattr(kind, "_fields") else kind(elements)


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
