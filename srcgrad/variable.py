"""``Variable``: an ndarray that remembers how it was computed.

>>> import numpy as np
>>> from srcgrad import Variable
>>> x = Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> y = (x * x).sum()
>>> y.backward()
>>> x.grad
Variable containing:
array([2., 4.])
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad import inplace, operators
from srcgrad.calls import apply
from srcgrad.engine import ExecutionEngine
from srcgrad.errors import describe, here
from srcgrad.function import VOLATILE, Edge, Leaf, has_edge, new
from srcgrad.modes import state
from srcgrad.protocols import BINARY_OPERATORS, ArrayProtocol, Function
from srcgrad.storage import Storage
from srcgrad.updates import cast

NOT_A_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a "
    "computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)

# Accumulation into one `.grad` from several threads must not lose any.
_accumulating = threading.Lock()


class Variable(ArrayProtocol):
    """An array on the tape.

    Parameters
    ----------
    data : array_like
        An ndarray is shared, not copied; a number or nested list becomes one. A
        Variable gives its data.
    requires_grad : bool
        Whether gradients are wanted for it. Integer and boolean data have none.
    volatile : bool
        Whether everything computed from it stays off the tape.

    Raises
    ------
    TypeError
        If the data are not numbers.
    RuntimeError
        If ``requires_grad`` is asked for on integer or boolean data.

    Examples
    --------
    >>> x = Variable([[1.0, 2.0]], requires_grad=True)
    >>> np.exp(x).sum().grad_fn
    <SumBackward ...>
    """

    __slots__ = ("__weakref__", "edge", "kept", "storage", "value")

    value: Any
    edge: Edge | None
    storage: Storage | None
    kept: Any

    def __init__(
        self, data: Any, requires_grad: bool = False, volatile: bool = False
    ) -> None:
        if isinstance(data, ArrayProtocol):
            data = data.value
        if not isinstance(data, np.ndarray):
            data = np.asarray(data)
        if data.dtype.kind not in "fciub":
            raise TypeError(
                f"a Variable holds numbers, but got data of dtype {data.dtype} "
                f"({describe(here())})"
            )
        self.value = data
        self.edge = None
        self.storage = None
        self.kept = None
        if requires_grad:
            self.requires_grad = True
        if volatile:
            self.volatile = True

    @classmethod
    def make(cls, value: Any, edge: Edge | None) -> "Variable":
        """Wrap the result of an operation, as it is."""
        variable: Variable = new(cls)
        variable.value = value
        variable.edge = edge
        variable.storage = None
        variable.kept = None
        return variable

    # ----- What it is -----

    @property
    def data(self) -> Any:
        """The ndarray (or NumPy scalar) itself. Writes through it are not tracked."""
        if state.recorder is not None:
            state.recorder.escapes(self, "data")
        return self.value

    @data.setter
    def data(self, data: Any) -> None:
        if state.recorder is not None:
            state.recorder.escapes(self, "data")
        data = data.value if isinstance(data, ArrayProtocol) else np.asarray(data)
        if self.edge is not None and (
            data.shape != self.shape or data.dtype != self.dtype
        ):
            raise ValueError(
                f"data of shape {data.shape} and dtype {data.dtype} cannot replace "
                f"shape {self.shape} and dtype {self.dtype} of a Variable in a graph"
            )
        if self.storage is not None:
            self.storage.written(here())
        self.value = data
        self.storage = None

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to it."""
        return self.edge is not None and self.edge is not VOLATILE

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        if not self.is_leaf:
            raise RuntimeError(NOT_A_LEAF)
        if state.recorder is not None:
            state.recorder.escapes(self, "requires_grad")
        if not requires_grad:
            self.edge = None
        elif self.dtype.kind not in "fc":
            raise RuntimeError(
                "only Variables of floating point or complex dtype can require "
                f"gradients, but the data are {self.dtype} ({describe(here())}): "
                "convert them with .astype(float)"
            )
        elif self.edge is None:
            self.edge = (Leaf(self.shape, self.dtype), 0)

    def requires_grad_(self, requires_grad: bool = True) -> "Variable":
        """Set ``requires_grad`` in place, and return the Variable."""
        self.requires_grad = requires_grad
        return self

    @property
    def volatile(self) -> bool:
        """Whether what is computed from it stays off the tape."""
        return self.edge is VOLATILE

    @volatile.setter
    def volatile(self, volatile: bool) -> None:
        if not self.is_leaf:
            raise RuntimeError("you can only change volatile flags of leaf variables.")
        if volatile:
            self.edge = VOLATILE
        elif self.edge is VOLATILE:
            self.edge = None

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user rather than by an operation."""
        return self.edge is None or self.edge is VOLATILE or type(self.edge[0]) is Leaf

    @property
    def grad_fn(self) -> Any:
        """The Function that made it; None for a leaf."""
        return None if self.is_leaf or self.edge is None else self.edge[0]

    @property
    def creator(self) -> Any:
        """The Function that made it, or its ``Leaf`` (the old name of ``grad_fn``)."""
        return self.edge[0] if self.requires_grad and self.edge else None

    @property
    def output_nr(self) -> int:
        """Which of its Function's results it is."""
        return self.edge[1] if self.edge is not None else 0

    # ----- Gradients -----

    @property
    def grad(self) -> "Variable | None":
        """The gradient that has come together here so far; None before the first."""
        if self.edge is not None and type(self.edge[0]) is Leaf:
            grad: Variable | None = self.edge[0].grad
            return grad
        return None if self.kept is None else self.kept.grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        if grad is not None:
            if not isinstance(grad, Variable):
                raise TypeError(f"expected a Variable or None, but got {type(grad)}")
            if grad.shape != self.shape or grad.dtype != self.dtype:
                raise RuntimeError(
                    f"a gradient of shape {grad.shape} and dtype {grad.dtype} does not "
                    f"fit its Variable of shape {self.shape} and dtype {self.dtype}"
                )
        if self.edge is not None and type(self.edge[0]) is Leaf:
            self.edge[0].grad = grad
        else:
            self.kept = Leaf(self.shape, self.dtype)
            self.kept.grad = grad

    def zero_grad(self) -> None:
        """Set the gradient to zeros, if there is one."""
        if self.grad is not None:
            self.grad = Variable(np.zeros(self.shape, self.dtype))

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        retain_variables: bool | None = None,
    ) -> None:
        """Add the gradient of this Variable to ``.grad`` of every leaf it depends on.

        Parameters
        ----------
        gradient : array_like, optional
            The cotangent, of this Variable's shape; may be left out for one element.
        retain_graph : bool, optional
            Keep the buffers for another backward pass. Default: ``create_graph``.
        create_graph : bool
            Make the gradients differentiable themselves.
        retain_variables : bool, optional
            The old name of ``retain_graph``.

        Raises
        ------
        RuntimeError
            If there is nothing to differentiate, the gradient does not fit, or the
            buffers are gone.
        """
        if retain_variables is not None:
            retain_graph = retain_variables
        accumulate([self], [gradient], retain_graph, create_graph)

    def detach(self) -> "Variable":
        """Return a Variable on the same data without history."""
        edge = VOLATILE if self.edge is VOLATILE else None
        detached = type(self).make(self.value, edge)
        if type(self.value) is np.ndarray:
            detached.storage = self.own_storage()
            detached.storage.join(self, detached)
        if state.recorder is not None:
            state.recorder.detached(self, detached)
        return detached

    # ----- Arrays -----

    def own_storage(self) -> Storage:
        """The version counter, made when first asked for."""
        if self.storage is None:
            self.storage = Storage()
        return self.storage

    @property
    def _version(self) -> int:
        return 0 if self.storage is None else self.storage.version

    def _call(self, function: Function, args: Any, kwargs: Any) -> Any:
        if kwargs:
            if kwargs.get("out") is not None:
                return inplace.into_out(function, args, kwargs)
            kwargs.pop("out", None)
        if function in inplace.FUNCTIONS:
            return inplace.FUNCTIONS[function](*args, **kwargs)
        return apply(function, args, kwargs)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        if not kwargs and method == "__call__":
            fast = FAST.get(ufunc)
            if fast is not None:
                return fast(*inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    def __array_function__(
        self, function: Function, types: Any, args: Any, kwargs: Any
    ) -> Any:
        fast = FAST.get(function)
        if fast is not None and isinstance(args[0], Variable):
            return fast(*args, **kwargs)
        return self._call(function, args, kwargs)

    def astype(self, dtype: Any, **kwargs: Any) -> Any:
        """Convert to a dtype; the gradient is converted back."""
        return cast(self, np.dtype(dtype))

    def __setitem__(self, index: Any, value: Any) -> None:
        inplace.setitem(self, index, value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.requires_grad:
            raise TypeError(
                "a Variable that requires grad does not turn into an ndarray by itself: "
                "its gradient would be lost. Use `.detach()`, or `.data` for the array "
                f"({describe(here())})"
            )
        if state.recorder is not None:
            if self.shape:
                state.recorder.escapes(self, "__array__")
            self.item()
        return np.array(self.value, dtype=dtype, copy=copy)

    def item(self, *index: Any) -> Any:
        """The one element as a Python number, outside the graph."""
        value = self.value.item(*index) if hasattr(self.value, "item") else self.value
        return self._taken_out(lambda x: np.asarray(x).item(*index), value)

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists, outside the graph."""
        return self._taken_out(
            lambda x: np.asarray(x).tolist(), np.asarray(self.value).tolist()
        )

    def __bool__(self) -> bool:
        return bool(self._taken_out(bool, bool(self.value)))

    def __float__(self) -> float:
        return float(self._taken_out(float, float(self.value)))

    def __int__(self) -> int:
        return int(self._taken_out(int, int(self.value)))

    def __complex__(self) -> complex:
        return complex(self._taken_out(complex, complex(self.value)))

    def __index__(self) -> int:
        value = self.value
        return int(self._taken_out(int, value.__index__()))

    def __round__(self, digits: int | None = None) -> Any:
        return self.round(digits or 0)  # type: ignore[attr-defined]

    def _taken_out(self, convert: Any, seen: Any) -> Any:
        """Give a value to the user's Python code, and tell the recorder."""
        if state.recorder is not None:
            state.recorder.taken_out(self, convert, seen)
        return seen

    def __repr__(self) -> str:
        if state.recorder is not None:
            state.recorder.escapes(self, "__repr__")
        return f"Variable containing:\n{self.value!r}"

    def __str__(self) -> str:
        if state.recorder is not None:
            state.recorder.escapes(self, "__str__")
        return f"Variable containing:\n{self.value}"


def _install_augmented() -> None:
    """Give Variable ``+=`` and its kin, which work in place."""

    def augmented(function: Function) -> Function:
        def operate(self: Variable, other: Any) -> Any:
            return inplace.update(self, function, other)

        return operate

    for name, function, _ in BINARY_OPERATORS:
        setattr(Variable, f"__i{name}__", augmented(function))


_install_augmented()

# The same fast paths for operators and for ufuncs that meet a Variable.
FAST = operators.install(Variable)


def restore(raw: Any, edge: Edge | None, storage: Storage | None) -> Any:
    """Make a Variable of what a node saved, for a backward pass on Variables."""
    if edge is None and (state.recorder is None or not state.recorder.knows(raw)):
        return raw
    variable = Variable.make(raw, edge)
    variable.storage = storage
    return variable


def accumulate(
    variables: Sequence[Any],
    gradients: Sequence[Any],
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Walk back from several Variables, and add what arrives to the leaves' ``.grad``."""
    if state.recorder is not None:
        state.recorder.refuse("backward() changes the .grad of Variables")
    retain = create_graph if retain_graph is None else retain_graph
    engine = ExecutionEngine(retain, restore if create_graph else None, create_graph)
    pairs = zip(variables, gradients, strict=True)
    found = engine.run_backward([root(v, g, create_graph) for v, g in pairs])
    owned = engine.owned
    with _accumulating:
        for edge, g in found:
            leaf: Any = edge[0]
            before = leaf.grad
            if before is not None:
                leaf.grad = before + g if create_graph else _sum(before, g)
            elif type(g) is np.ndarray and leaf in owned:
                leaf.grad = Variable.make(g, None)
            else:  # it may be part of a gradient that flows elsewhere
                leaf.grad = (
                    g * 1.0 if create_graph else Variable.make(np.array(g), None)
                )


def _sum(before: Variable, g: Any) -> Variable:
    return Variable.make(np.asarray(before.value + g), None)


FIRST = np.float64(1.0)


def root(variable: Any, gradient: Any, keep_variable: bool) -> tuple[Edge, Any]:
    """Where a backward pass starts, and its first cotangent.

    Raises
    ------
    RuntimeError
        If the Variable has no graph, or the gradient does not fit it.
    """
    if not isinstance(variable, Variable):
        raise TypeError(
            f"expected a Variable to differentiate, but got {type(variable)}"
        )
    raw, edge = variable.value, variable.edge
    if gradient is None and type(raw) is np.float64 and has_edge(variable):
        return edge, FIRST if not keep_variable else Variable.make(FIRST, None)
    if edge is VOLATILE:
        raise RuntimeError("calling backward on a volatile variable")
    if variable.edge is None:
        raise RuntimeError(
            "there are no graph nodes that require computing gradients "
            f"({describe(here())}): no input of this Variable requires grad"
        )
    shape = variable.shape
    if gradient is None:
        if shape and variable.size != 1:
            raise RuntimeError(
                "backward should be called only on a scalar (i.e. 1-element array) or "
                "with gradient w.r.t. the variable"
            )
        dtype = variable.dtype
        gradient = np.ones(shape, dtype) if shape else dtype.type(1.0)
    elif not isinstance(gradient, Variable):
        gradient = np.asarray(gradient)
    if gradient.shape != shape:
        raise RuntimeError(
            f"a gradient of shape {gradient.shape} does not fit the Variable of shape "
            f"{variable.shape}"
        )
    if not keep_variable and isinstance(gradient, Variable):
        gradient = gradient.value
    elif keep_variable and not isinstance(gradient, Variable):
        gradient = Variable.make(gradient, None)
    return variable.edge, gradient
