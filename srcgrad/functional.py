"""``grad`` and ``value_and_grad``: ndarrays, floats and containers in, the same out."""

import functools
import warnings
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

import numpy as np

from srcgrad.errors import Where, describe, here
from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.apply import is_plain
from srcgrad.tape.engine import ExecutionEngine, first_cotangent
from srcgrad.tape.function import Function, Leaf, finish, has_edge, new
from srcgrad.tape.variable import Variable, restore
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
        self._function = function
        self._is_single = isinstance(argnums, int)
        self._argnums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        if not all(isinstance(number, int) for number in self._argnums):
            raise TypeError(
                f"argnums is an int or a sequence of ints, but got {argnums!r} (an "
                "argument to differentiate by is passed by position)"
            )
        self._has_aux = has_aux
        self._with_value = with_value
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = self._function
        found = None
        if type(function) is Traced and (not state.depth or state.recorder is None):
            found = function.value_and_gradients(
                args, kwargs, self._argnums, self._has_aux, self._prepare, self._check
            )
        if found is None:
            found = self._on_tape(args, kwargs)
        result, gradients = found
        gradient = gradients[0] if self._is_single else tuple(gradients)
        if not self._has_aux:
            return (result, gradient) if self._with_value else gradient
        value, aux = result
        return ((value, aux), gradient) if self._with_value else (gradient, aux)

    def _prepare(self, args: Any) -> tuple[Sequence[int], Any]:
        """Which leaves to differentiate by, and how to pack up their gradients."""
        argnums = self._positions(len(args))
        flat = [flatten(arg) for arg in args]
        places = _leaf_places([len(leaves) for leaves, _ in flat], argnums)
        chosen = [leaf for i in argnums for leaf in flat[i][0]]
        for leaf in chosen:
            _check_leaf(leaf)
        live = [i for i, leaf in zip(places, chosen, strict=True) if leaf is not None]
        if all(type(args[i]) is np.ndarray and args[i].shape for i in argnums):
            return live, None  # as they are
        return live, functools.partial(_packed, argnums)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        name = "value_and_grad" if self._with_value else "grad"
        return f"<{name} of {self._function!r}>"

    def followed_by(self, follow: Callback) -> "Gradient":
        """The same of an instrumented copy of the function (``tracer.reads``)."""
        argnums = self._argnums[0] if self._is_single else self._argnums
        return Gradient(
            follow(self._function), argnums, self._has_aux, self._with_value
        )

    def _positions(self, count: int) -> list[int]:
        for number in self._argnums:
            if not -count <= number < count:
                raise ValueError(
                    f"argnums={number} does not fit a call with {count} positional "
                    f"arguments ({describe(here())})"
                )
        return [number % count for number in self._argnums]

    def _check(self, result: Any) -> None:
        _check_value(self._split(result)[0], self._function)

    def _split(self, result: Any) -> tuple[Any, Any]:
        if not self._has_aux:
            return result, None
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                "with has_aux=True the function must return (value, aux), but it "
                f"returned {type(_raw(result)).__name__} ({describe(here())})"
            )
        return result

    def _on_tape(self, args: Any, kwargs: Any) -> tuple[Any, Sequence[Any]]:
        """Run the function on the tape, and walk back from its value."""
        live, pack = self._prepare(args)
        leaves, structure = flatten(args)
        # An inner transform must leave its gradient on the tape of the outer one.
        is_nested = (
            state.depth > 0
            or state.recorder is not None
            or any(isinstance(leaf, Variable) for leaf in leaves)
        )
        variables = {i: _fresh(leaves[i]) for i in live}
        inputs = [variables.get(i, leaf) for i, leaf in enumerate(leaves)]
        with override(depth=state.depth + 1, grad_enabled=True, number_taken=None):
            result = self._function(*unflatten(structure, inputs), **kwargs)
            value, _ = self._split(result)
            _check_value(value, self._function)
            edges: list[Any] = [variables[i].edge for i in live]
            found: dict[Any, Any] = {}
            if state.number_taken and not (isinstance(value, Variable) and value.edge):
                _warn_of_number(state.number_taken)
            if isinstance(value, Variable) and has_edge(value):
                one = first_cotangent(value.shape, value.dtype)
                wrap = restore if is_nested else None
                engine = ExecutionEngine(is_nested, wrap, is_nested)
                start = Variable.make(one, None) if is_nested else one
                root: Any = value.edge
                found = dict(engine.run_backward([(root, start)], edges))
        gradients = [found.get(edge) for edge in edges]
        if is_nested:
            pairs = zip(live, gradients, strict=True)
            gradients = [_kept(g, leaves[i]) for i, g in pairs]
        else:
            # A gradient on the tape may be part of another, or read-only.
            gradients = [None if g is None else np.array(g) for g in gradients]
        if pack is None:
            pairs = zip(live, gradients, strict=True)
            packed = [_like(leaves[i], g) for i, g in pairs]
        else:
            packed = pack(gradients, args)
        return _unwrapped(result, leaves, is_nested), packed


class Alias(Function):
    """The same array under a node of its own: what one transform differentiates by."""

    __slots__ = ()

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        return (g,)


def _fresh(leaf: Any) -> Variable:
    """A Variable for a leaf, on the tape by itself."""
    if isinstance(leaf, Variable):
        if not has_edge(leaf):
            return type(leaf).make(leaf.value, (Leaf(leaf.shape, leaf.dtype), 0))
        node: Alias = new(Alias)
        node.edges = (leaf.edge,)
        node.saved, node.versions = (), ()
        finish(node, leaf.value)
        alias = type(leaf).make(leaf.value, (node, 0))
        alias.storage = leaf.own_storage()
        return alias
    return Variable.make(leaf, (Leaf(np.shape(leaf), np.result_type(leaf)), 0))


def _leaf_places(counts: Sequence[int], argnums: Sequence[int]) -> list[int]:
    """Where the leaves of some arguments are among all leaves."""
    starts = [sum(counts[:i]) for i in range(len(counts))]
    return [starts[i] + k for i in argnums for k in range(counts[i])]


def _packed(argnums: Sequence[int], gradients: Sequence[Any], args: Any) -> list[Any]:
    """The gradients of arguments, each of its leaf's kind and in its structure."""
    each = iter(gradients)
    trees = []
    for i in argnums:
        leaves, structure = flatten(args[i])
        like = [None if leaf is None else _like(leaf, next(each)) for leaf in leaves]
        trees.append(unflatten(structure, like))
    return trees


def _warn_of_number(where: Where) -> None:
    warnings.warn(
        "the value does not depend on what it is differentiated by, so the gradient is "
        f"zero: a number was taken out of a Variable at {describe(where)}. Use np "
        "functions there (np.sin for math.sin), or `.detach()` if that is meant",
        RuntimeWarning,
        stacklevel=4,
    )


def _check_leaf(leaf: Any) -> None:
    if leaf is None or type(leaf) is float:
        return
    if isinstance(leaf, np.ndarray) and not is_plain(leaf):
        raise TypeError(
            f"gradients are taken by plain ndarrays, but got {type(leaf).__name__}, "
            f"which computes in another way ({describe(here())}): use np.asarray"
        )
    dtype = getattr(leaf, "dtype", None)
    if isinstance(leaf, complex) or (dtype is not None and dtype.kind in "fc"):
        return
    kind = f"dtype {dtype}" if dtype is not None else type(leaf).__name__
    raise TypeError(
        f"gradients are taken by floats, complex numbers and arrays of these, but got "
        f"{kind} ({describe(here())}); convert it to float first"
    )


def _check_value(value: Any, function: Callback) -> None:
    is_number = isinstance(value, (float, int, np.ndarray, np.generic, ArrayProtocol))
    if (
        is_number
        and np.size(_raw(value)) == 1
        and np.result_type(_raw(value)).kind != "c"
    ):
        return
    got = type(_raw(value)).__name__
    if is_number:
        got = f"shape {np.shape(_raw(value))}, dtype {np.result_type(_raw(value))}"
    name = getattr(function, "__name__", repr(function))
    raise TypeError(
        f"a function to differentiate must return one real number, but {name} returned "
        f"{got} ({describe(here())})"
    )


def _raw(item: Any) -> Any:
    return item.value if isinstance(item, ArrayProtocol) else item


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
        back = [_raw(leaf) for leaf in out]
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


def _like(leaf: Any, g: Any) -> Any:
    """A gradient of the kind of its argument; zeros where there is none."""
    if isinstance(g, Variable):
        return g
    if type(leaf) is float:
        return 0.0 if g is None else float(g)
    if type(leaf) is complex:
        return 0j if g is None else complex(g)
    if isinstance(leaf, Variable):
        zeros = np.zeros(leaf.shape, leaf.dtype)
        return type(leaf).make(zeros if g is None else np.asarray(g), None)
    if isinstance(leaf, np.generic):
        return leaf.dtype.type(0 if g is None else g)
    return np.zeros(leaf.shape, leaf.dtype) if g is None else np.asarray(g)
