"""``grad``, ``value_and_grad`` and ``elementwise_grad``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad.functional.arguments import Arguments, check_value
from srcgrad.functional.differentiated import value_of
from srcgrad.functional.forms import Form, packing
from srcgrad.functional.naming import name_of
from srcgrad.functional.on_tape import Lifted, running, walked_back
from srcgrad.functional.transform import Checked, Found, Transform
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tape.engine import first_cotangent
from srcgrad.tape.variable import Variable
from srcgrad.tracing.following.running import run

Callback = Callable[..., Any]
Argnums = int | Sequence[int] | None
Argnames = str | Sequence[str] | None

# For type checkers: the function's parameters, the first two of them, its value, aux.
P = ParamSpec("P")
A = TypeVar("A", bound=Any)  # so that pyright lets a lambda compute with it
B = TypeVar("B", bound=Any)
R = TypeVar("R")
Aux = TypeVar("Aux")
First = Literal[0] | None


@overload
def value_and_grad(
    function: np.ufunc, argnums: Argnums = None, has_aux: bool = False
) -> Transform[..., tuple[Any, Any]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[A, P], R],
    argnums: First = None,
    has_aux: Literal[False] = False,
) -> Transform[Concatenate[A, P], tuple[R, A]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[A, P], tuple[R, Aux]],
    argnums: First = None,
    *,
    has_aux: Literal[True],
) -> Transform[Concatenate[A, P], tuple[tuple[R, Aux], A]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[A, B, P], R],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Transform[Concatenate[A, B, P], tuple[R, tuple[A, B]]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[A, P], R],
    argnums: int | list[int] | tuple[int] | None,
    has_aux: bool = False,
) -> Transform[Concatenate[A, P], tuple[R, Any]]: ...
@overload
def value_and_grad(
    function: Callable[Concatenate[A, B, P], R],
    argnums: tuple[int, ...],
    has_aux: bool = False,
) -> Transform[Concatenate[A, B, P], tuple[R, Any]]: ...
@overload
def value_and_grad(
    function: Callable[P, R],
    argnums: None = None,
    has_aux: bool = False,
    *,
    argnames: str | Sequence[str],
) -> Transform[P, tuple[R, Any]]: ...
def value_and_grad(
    function: Callback,
    argnums: Argnums = None,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
) -> Any:
    """Make a function that returns a function's value and its gradient.

    The first call with arguments of certain shapes runs on the tape, later ones run as
    generated code. Calls nest: ``grad(grad(f))`` is the second derivative.

    Parameters
    ----------
    function : callable
        Returns one real number (an array of one element), or with ``has_aux`` a tuple
        of that and anything else.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by; by default the first. Each is a
        float array, NumPy scalar, Python float, or a container of these.
    has_aux : bool
        Whether the function returns ``(value, aux)``.
    argnames : str or sequence of str, optional
        The same by name, however these are passed.

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
        If ``argnums`` or ``argnames`` do not fit the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.value_and_grad(lambda x: np.sum(x**2))(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    chosen = Arguments.of(function, argnums, argnames)
    return ValueAndGrad(function, chosen, has_aux)


@overload
def grad(
    function: np.ufunc, argnums: Argnums = None, has_aux: bool = False
) -> Transform[..., Any]: ...
@overload
def grad(
    function: Callable[Concatenate[A, P], Any],
    argnums: First = None,
    has_aux: Literal[False] = False,
) -> Transform[Concatenate[A, P], A]: ...
@overload
def grad(
    function: Callable[Concatenate[A, P], tuple[Any, Aux]],
    argnums: First = None,
    *,
    has_aux: Literal[True],
) -> Transform[Concatenate[A, P], tuple[A, Aux]]: ...
@overload
def grad(
    function: Callable[Concatenate[A, B, P], Any],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Transform[Concatenate[A, B, P], tuple[A, B]]: ...
@overload
def grad(
    function: Callable[Concatenate[A, P], Any],
    argnums: int | list[int] | tuple[int] | None,
    has_aux: bool = False,
) -> Transform[Concatenate[A, P], Any]: ...
@overload
def grad(
    function: Callable[Concatenate[A, B, P], Any],
    argnums: tuple[int, ...],
    has_aux: bool = False,
) -> Transform[Concatenate[A, B, P], Any]: ...
@overload
def grad(
    function: Callable[P, Any],
    argnums: None = None,
    has_aux: bool = False,
    *,
    argnames: str | Sequence[str],
) -> Transform[P, Any]: ...
def grad(
    function: Callback,
    argnums: Argnums = None,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
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
    return Grad(function, Arguments.of(function, argnums, argnames), has_aux)


@overload
def elementwise_grad(
    function: np.ufunc, argnums: Argnums = None
) -> Transform[..., Any]: ...
@overload
def elementwise_grad(
    function: Callable[Concatenate[A, P], Any], argnums: First = None
) -> Transform[Concatenate[A, P], A]: ...
@overload
def elementwise_grad(
    function: Callable[P, Any],
    argnums: Argnums = None,
    *,
    argnames: str | Sequence[str] | None = None,
) -> Transform[P, Any]: ...
def elementwise_grad(
    function: Callback, argnums: Argnums = None, *, argnames: Argnames = None
) -> Any:
    """Make a function that returns the derivative of each element of a result.

    Each element of the result depends on the element of the argument in its place
    alone, as with ``np.sin``; else it is the gradient of the sum. Parameters are those
    of ``grad``.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.elementwise_grad(np.sinh)(np.zeros(3))
    array([1., 1., 1.])
    """
    return ElementwiseGrad(function, Arguments.of(function, argnums, argnames), False)


# The tracer follows the functions that are handed to these.
_transform: Any
for _transform in (value_and_grad, grad, elementwise_grad):
    _transform.is_transform = True


class ValueAndGrad(Transform[..., Any]):
    """A function's value and gradient."""

    walks_once = True
    suffix, gives_what = "value_and_grad", "the value and the gradient of"

    _arguments: Arguments
    _has_aux: bool

    def __init__(self, function: Callback, arguments: Arguments, has_aux: bool) -> None:
        super().__init__(function, arguments, has_aux)
        self._arguments = arguments
        self._has_aux = has_aux

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        chosen = self._arguments.chosen(args, kwargs, self._base)
        trees = [*args, *kwargs.values()]
        forms = [Form.of(trees[number]) for number in chosen]
        lifted = Lifted(args, kwargs, chosen)
        with running():
            result = run(self._function, lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
            value = value_of(result) if self._has_aux else result
            self._check(value)
            found = walked_back([value], [one(value)], lifted.places, lifted.is_nested)
        derived = [lifted.kept(g) for g in found]

        pack = self._packing(packing(forms, self._arguments.is_single))
        given_back = lifted.given_back(self._shown(result))
        return Found(
            given_back, derived, pack, is_closed_over=lifted.outer.is_closed_over
        )

    def checked_by(self, args: Any, kwargs: Any) -> Checked | None:
        if isinstance(self._function, Transform):
            return None
        places = self._arguments.chosen(args, kwargs, self._base)
        value_part = "[0]" if self._has_aux else ""
        part = self._gradient_part
        return Checked("grad", places, self._arguments.is_single, part, value_part)

    @property
    def _gradient_part(self) -> str:
        """Where the gradient is in what is given."""
        return "[1]"

    def _shown(self, result: Any) -> Any:
        """What of the function's result is given back."""
        return result

    def _check(self, value: Any) -> None:
        name = name_of(self._function)
        check_value(value, raw_of(value), name)

    def _packing(self, gradient: Callback) -> Callback:
        """Make ``Found.pack`` of what gives the gradient its form."""
        return lambda result, derived: (result, gradient(derived))


class Grad(ValueAndGrad):
    """A function's gradient."""

    suffix, gives_what = "grad", "the gradient of"

    @property
    def _gradient_part(self) -> str:
        return "[0]" if self._has_aux else ""

    def _shown(self, result: Any) -> Any:
        return (None, result[1]) if self._has_aux else None

    def _packing(self, gradient: Callback) -> Callback:
        if self._has_aux:
            return lambda result, derived: (gradient(derived), result[1])
        return lambda result, derived: gradient(derived)


class ElementwiseGrad(Grad):
    """The gradient of the sum of a function's results."""

    suffix, gives_what = "derivative", "the derivative of each element of"

    def _check(self, value: Any) -> None:
        for leaf in flatten(value)[0]:
            is_left_out = leaf is None and value is not None  # of a container
            if not is_left_out and np.asarray(raw_of(leaf)).dtype.kind != "f":
                super()._check(leaf)


def one(value: Any) -> Any:
    """The cotangent that a gradient starts from."""
    if not isinstance(value, Variable):
        return None
    return first_cotangent(value.shape, value.dtype)
