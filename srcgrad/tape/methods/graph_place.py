"""How a Variable hangs in the graph: its flags, its Function or Leaf, its gradient."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import refuse_use_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.function import VOLATILE, Edge, Leaf, has_edge
from srcgrad.tape.methods.missing_gradients import check_use

NOT_A_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a "
    "computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)


class Placed:
    """The properties of a Variable that tell of its place in the graph."""

    __slots__ = ()

    edge: Edge | None
    kept: Any
    make: Callable[[Any, Edge | None], Any]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to it."""
        return self.edge is not None and self.edge is not VOLATILE

    @requires_grad.setter
    def requires_grad(self: Any, requires_grad: bool) -> None:
        refuse_use_of("requires_grad")
        if not self.is_leaf:
            raise RuntimeError(NOT_A_LEAF)
        if not requires_grad:
            if self.edge is not VOLATILE:
                self._leave_graph()
        elif self.dtype.kind not in "fc":
            raise located(
                RuntimeError(
                    "only Variables of floating point or complex dtype can require "
                    f"gradients, but the data are {self.dtype}"
                ),
                "convert them with .astype(float)",
                kind="not-differentiable",
            )
        elif self.edge is None:
            self.edge = (self._own_leaf(), 0)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set ``requires_grad`` in place, and return the Variable."""
        self.requires_grad = requires_grad
        return self

    @property
    def volatile(self) -> bool:
        """Whether what is computed from it stays off the tape."""
        return self.edge is VOLATILE

    @volatile.setter
    def volatile(self: Any, volatile: bool) -> None:
        refuse_use_of("volatile")
        if not self.is_leaf:
            raise RuntimeError("you can only change volatile flags of leaf variables.")
        if volatile:
            self._leave_graph()
            self.edge = VOLATILE
        elif self.edge is VOLATILE:
            self.edge = None

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user rather than by an operation."""
        refuse_use_of("is_leaf")
        return self.edge is None or self.edge is VOLATILE or type(self.edge[0]) is Leaf

    @property
    def grad_fn(self) -> Any:
        """The Function that made it; None for a leaf."""
        return None if self.is_leaf else self.edge[0]  # type: ignore[index]

    @property
    def creator(self) -> Any:
        """The Function that made it, or its ``Leaf`` (the old name of ``grad_fn``)."""
        refuse_use_of("creator")
        if self.edge is not None and has_edge(self):
            return self.edge[0]
        return self._own_leaf()

    @property
    def output_nr(self) -> int:
        """Which of its Function's results it is."""
        return self.edge[1] if self.edge is not None else 0

    # ----- Gradients -----

    @property
    def grad(self) -> Any:
        """The gradient that has come together here so far; None before the first."""
        refuse_use_of("grad")
        if self.edge is not None and type(self.edge[0]) is Leaf:
            found = self.edge[0].grad
        else:
            found = None if self.kept is None else self.kept.grad
        if found is None:
            check_use(sys._getframe(1), self)
        return found

    @grad.setter
    def grad(self, grad: Any) -> None:
        refuse_use_of("grad")
        if grad is not None:
            if not isinstance(grad, ArrayProtocol):
                raise located(
                    TypeError(f"expected a Variable or None, but got {type(grad)}")
                )
            if grad is self:
                raise located(RuntimeError("a Variable cannot be its own gradient"))
            if grad.shape != self.shape or grad.dtype != self.dtype:
                raise located(
                    RuntimeError(
                        f"a gradient of shape {grad.shape} and dtype {grad.dtype} "
                        f"does not fit its Variable of shape {self.shape} and dtype "
                        f"{self.dtype}"
                    )
                )
        self._grad_holder().grad = grad

    def zero_grad(self) -> None:
        """Set the gradient to zeros, if there is one."""
        if self.grad is not None:
            self.grad = self.make(np.zeros(self.shape, self.dtype), None)

    def detach_(self) -> Any:
        """Forget the history, in place: the Variable becomes a leaf."""
        refuse_use_of("detach_")
        if self.edge is not VOLATILE:
            self._leave_graph()
        return self

    def _grad_holder(self) -> Any:
        if self.edge is not None and type(self.edge[0]) is Leaf:
            return self.edge[0]
        return self._own_leaf()

    def _own_leaf(self: Any) -> Any:
        """The Leaf that keeps the gradient where none flows."""
        if self.kept is None or self.kept.shape != self.shape:
            self.kept = Leaf.of(self)
        return self.kept

    def _leave_graph(self: Any) -> None:
        """Become a leaf that does not require grad; a leaf's gradient stays."""
        if self.edge is not None and self.edge is not VOLATILE:
            self.kept = self.edge[0] if type(self.edge[0]) is Leaf else None
        self.edge = None
