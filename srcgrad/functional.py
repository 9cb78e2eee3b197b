"""``grad`` and ``value_and_grad``: ndarrays, floats and containers in, the same out."""

import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

import numpy as np

from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.engine import ExecutionEngine, first_cotangent
from srcgrad.tape.function import Function, Leaf, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.argnums import Differentiation
from srcgrad.tracing.follow import run
from srcgrad.tracing.traced import Traced
from srcgrad.tracing.traced_array import TracedArray

Callback = Callable[..., Any]


def value_and_grad(
    function: Callback, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Any:
    """Make a function that returns a function's value and its gradient.

    A function decorated with ``srcgrad.trace`` runs as generated code, any other on the
    tape. Calls nest: ``grad(grad(f))`` is the second derivative.

    Parameters
    ----------
    function : callable
        Returns one real number (an array of one element), or with ``has_aux`` a tuple
        of that and anything else.
    argnums : int or sequence of int
        The positional arguments to differentiate by. Each is a float array, NumPy
        scalar, Python float, or a container of these.
    has_aux : bool
        Whether the function returns ``(value, aux)``.

    Returns
    -------
    callable
        With the function's arguments; returns ``(value, gradient)``, or
        ``((value, aux), gradient)``. The gradient is of the argument's kind, shape and
        dtype (a tuple of gradients for a sequence of ``argnums``). Of a complex
        argument it is the direction of steepest ascent (PyTorch's convention).

    Raises
    ------
    TypeError
        If an argument is not float or complex, or the value is not one real number.
    ValueError
        If ``argnums`` does not fit the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.value_and_grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    return Gradient(function, argnums, has_aux, with_value=True)


def grad(
    function: Callback, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Any:
    """Make a function that returns a function's gradient.

    Parameters and errors are those of ``value_and_grad``; returns the gradient, or with
    ``has_aux`` ``(gradient, aux)``.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> cube = lambda x: x**3
    >>> srcgrad.grad(cube)(2.0), srcgrad.grad(srcgrad.grad(cube))(2.0)
    (12.0, 12.0)
    """
    return Gradient(function, argnums, has_aux, with_value=False)


# The tracer follows the functions that are handed to these.
value_and_grad.is_transform = grad.is_transform = True  # type: ignore[attr-defined]


class Gradient:
    """A function's gradient; made by ``grad`` and ``value_and_grad``."""

    def __init__(
        self,
        function: Callback,
        argnums: int | Sequence[int],
        has_aux: bool,
        with_value: bool,
    ) -> None:
        if not callable(function):
            raise TypeError(
                f"expected a function to differentiate, but got {function!r}"
            )
        numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError(
                f"argnums is an int or a sequence of ints, but got {argnums!r} (an "
                "argument to differentiate by is passed by position)"
            )
        self._function = function
        self._is_single = isinstance(argnums, int)
        self._differentiation = Differentiation(numbers, has_aux)
        self._with_value = with_value
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = self._function
        if type(function) is Traced and (not state.depth or state.recorder is None):
            found = function.value_and_gradients(
                self._differentiation, args, kwargs, self._on_tape
            )
        else:
            found = self._on_tape(args, kwargs)
        result, gradients = found
        gradient = gradients[0] if self._is_single else tuple(gradients)
        if not self._differentiation.has_aux:
            return (result, gradient) if self._with_value else gradient
        value, aux = result
        return ((value, aux), gradient) if self._with_value else (gradient, aux)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        name = "value_and_grad" if self._with_value else "grad"
        return f"<{name} of {self._function!r}>"

    def followed_by(self, follow: Callback) -> "Gradient":
        """The same of an instrumented copy of the function (``tracing.reads``)."""
        numbers, has_aux = self._differentiation.argnums, self._differentiation.has_aux
        argnums = numbers[0] if self._is_single else numbers
        return Gradient(follow(self._function), argnums, has_aux, self._with_value)

    def _on_tape(self, args: Any, kwargs: Any) -> tuple[Any, Sequence[Any]]:
        """Run the function on the tape, and walk back from its value."""
        live = self._differentiation.leaves_of(args)
        leaves, structure = flatten(args)
        # An inner transform must leave its gradient on the tape of the outer one.
        is_nested = (
            state.depth > 0
            or state.recorder is not None
            or any(isinstance(leaf, Variable) for leaf in leaves)
        )
        variables = {i: _fresh(leaves[i]) for i in live}
        inputs = [variables.get(i, leaf) for i, leaf in enumerate(leaves)]
        edges: list[Any] = [variables[i].edge for i in live]
        with override(depth=state.depth + 1, grad_enabled=True):
            result = run(self._function, unflatten(structure, inputs), kwargs)
            self._differentiation.check(result, self._function)
            value = self._differentiation.value_of(result)
            has_graph = isinstance(value, Variable) and has_edge(value)
            found = _walked_back(value, edges, is_nested) if has_graph else {}
        gradients = [found.get(edge) for edge in edges]
        if is_nested:
            pairs = zip(live, gradients, strict=True)
            gradients = [_kept(g, leaves[i]) for i, g in pairs]
        else:
            # A gradient on the tape may be part of another, or read-only.
            gradients = [None if g is None else np.array(g) for g in gradients]
        packed = self._differentiation.packed(gradients, args)
        return _unwrapped(result, leaves, is_nested), packed


def _walked_back(value: Variable, edges: Sequence[Any], is_nested: bool) -> Any:
    """The cotangents that reach some places, from a value's own of one."""
    one = first_cotangent(value.shape, value.dtype)
    engine = ExecutionEngine(is_nested, restore if is_nested else None, is_nested)
    root: Any = value.edge
    start = Variable.make(one, None) if is_nested else one
    return dict(engine.run_backward([(root, start)], edges))


class Alias(Function):
    """The same array under a node of its own: what one transform differentiates by."""

    __slots__ = ()

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        return (g,)


def _fresh(leaf: Any) -> Variable:
    """A Variable for a leaf, on the tape by itself."""
    if isinstance(leaf, Variable):
        if not has_edge(leaf):
            return type(leaf).make(leaf.value, (Leaf.of(leaf), 0))
        node = Alias.link((leaf.edge,), leaf.value)
        return type(leaf).make(leaf.value, (node, 0), leaf.own_storage())
    return Variable.make(leaf, (Leaf.of(leaf), 0))


def _unwrapped(result: Any, leaves: Any, is_nested: bool) -> Any:
    """The result without the Variables that this transform has put in."""
    out, structure = flatten(result)
    if is_nested:
        inputs = [v for v in leaves if isinstance(v, Variable)]
        back = [
            _kept(leaf, inputs[0] if inputs else None)
            if isinstance(leaf, Variable)
            else leaf
            for leaf in out
        ]
    else:
        back = [raw_of(leaf) for leaf in out]
    return unflatten(structure, back)


def _kept(g: Any, leaf: Any) -> Any:
    """A result of a nested transform: on the outer tape if it depends on that."""
    if not isinstance(g, Variable):
        return g
    if isinstance(leaf, Variable) and not leaf.stands_for_array:
        return g
    if state.recorder is not None:
        return TracedArray.make(g.value, g.edge)
    return g if has_edge(g) or isinstance(leaf, Variable) else g.value
