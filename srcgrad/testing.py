"""``check_grads``: all derivatives of a function against differences, for your tests.

It is what ``jax.test_util`` and ``autograd.test_util`` have under this name, and needs
no plugin of pytest's or of any other framework.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.checking import (
    Allowed,
    Problem,
    compare,
    cotangents_for,
    directions_in,
    is_differentiable,
)
from srcgrad.functional.gradients import grad
from srcgrad.functional.jvp import Jvp
from srcgrad.modes import no_grad, set_stance
from srcgrad.pytree import flatten, paths, unflatten
from srcgrad.tape.variable import Variable
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.decorator import trace

__all__ = ["check_grads"]


def check_grads(
    function: Callable[..., Any],
    args: Any,
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float = 1e-5,
    rtol: float = 1e-3,
    eps: float = 1e-6,
) -> None:
    """Compare derivatives with central differences, in tests of your own functions.

    Each is computed twice: on the tape, and by the generated code. An order above 1
    checks the derivatives of derivatives: forward mode of reverse mode, and so on.

    Parameters
    ----------
    function : callable
        Of arrays, floats and containers of these; so is what it returns.
    args : tuple
        The arguments at which to check. Those of dtype float64 or complex128, and
        Python's floats, are differentiated by; the others are passed on. What is no
        tuple or list is the one argument.
    order : int
        Up to which order.
    modes : sequence of {"fwd", "rev"}
        Forward mode (``jvp``), reverse mode (``grad``, ``vjp``).
    atol, rtol : float
        Allowed: ``abs(a - n) <= atol + rtol * abs(n)``, for each element.
    eps : float
        The step of the differences.

    Raises
    ------
    GradcheckError
        An ``AssertionError`` that says which derivative is wrong, of which argument and
        element, and both numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from srcgrad.testing import check_grads
    >>> check_grads(lambda x, y: np.sin(x) * y, (np.array([0.5, 2.0]), 3.0))
    """
    if order < 1 or not modes or not set(modes) <= set(DERIVATIVES):
        raise ValueError(
            f"check_grads: order is 1 or more, and modes are among "
            f"{tuple(DERIVATIVES)}, but got order={order!r}, modes={modes!r}"
        )
    allowed = Allowed(eps, atol, rtol)
    for stance, how in (("tape", "on the tape"), ("default", "compiled")):
        with DOOR, set_stance(stance):
            _check(function, args, order, tuple(modes), f"({how})", allowed)


def _check(
    function: Callable[..., Any],
    args: Any,
    order: int,
    modes: tuple[str, ...],
    path: str,
    allowed: Allowed,
) -> None:
    for mode in modes:
        problem = _ArrayProblem(function, args, f"check_grads, {mode} {path}")
        derivative = DERIVATIVES[mode](problem)
        # A first call runs on the tape, and compiles: the next is what is looked at.
        derivative.of_inputs(*problem.args, derivative.directions)
        compare(problem, derivative, allowed)
        if order > 1:
            inputs = (*problem.args, derivative.directions)
            further = order - 1, modes, f"of {mode} {path}", allowed
            _check(derivative.of_inputs, inputs, *further)


class _ArrayProblem(Problem):
    """A function that is called with arrays, as the transforms call it.

    ``numbers`` are the arguments that are differentiated by, ``paths`` lead to the
    outputs in what it returns.
    """

    def __init__(self, function: Callable[..., Any], args: Any, name: str) -> None:
        super().__init__(function, args, name)
        self.args: tuple[Any, ...] = unflatten(self.structure, self.values)
        self._argument_of = [path[0] for path in self.places]
        self.numbers = tuple(sorted({self._argument_of[i] for i in self.checked}))
        with no_grad():
            result = function(*self.args)
        found = zip(paths(result), flatten(result)[0], strict=True)
        outputs = [path for path, leaf in found if is_differentiable(leaf)]
        self.paths = tuple([outputs[j] for j in self.live])

    def run(
        self, values: Sequence[Any], requires_grad: bool
    ) -> tuple[list[Any], list[Any]]:
        if requires_grad:
            return super().run(values, requires_grad)
        result = self.function(*unflatten(self.structure, values))
        outputs = filter(is_differentiable, flatten(result)[0])
        return [], [Variable(out) for out in outputs]

    def containers(self, by_checked: Sequence[Any]) -> tuple[Any, ...]:
        """What there is for each value that is checked, as the arguments hold these."""
        found = dict(zip(self.checked, by_checked, strict=True))
        leaves = [
            found.get(i, value if value is None else np.zeros_like(value))
            if self._argument_of[i] in self.numbers
            else None
            for i, value in enumerate(self.values)
        ]
        whole = unflatten(self.structure, leaves)
        return tuple(whole[number] for number in self.numbers)

    def by_checked(self, containers: Any) -> list[Any]:
        """What containers like these have for each value that is checked."""
        own = [i for i, n in enumerate(self._argument_of) if n in self.numbers]
        found = dict(zip(own, flatten(containers)[0], strict=True))
        return [found[i] for i in self.checked]


# The functions inside are followed by the tracer, as the user's are.


class _Forward:
    """Forward mode: one product with the derivative for each element of an input."""

    def __init__(self, problem: _ArrayProblem) -> None:
        self._problem = problem
        self._checked = [problem.values[i] for i in problem.checked]
        self.directions = problem.containers(cotangents_for(self._checked))
        function, places = problem.function, problem.paths

        def outputs(*args: Any) -> list[Any]:
            result = function(*args)
            found = []
            for path in places:
                out = result
                for key in path:
                    out = out[key]
                found.append(out)
            return found

        push = Jvp(outputs, False, problem.numbers)

        def tangents(*inputs: Any) -> Any:
            *args, directions = inputs
            return push(args, directions)[1]

        self.of_inputs = trace(tangents)

    def gradients(self, cotangents: Sequence[Any]) -> list[Any]:
        found = [np.zeros_like(value) for value in self._checked]
        for i, gradient in zip(self._problem.checked, found, strict=True):
            for index in np.ndindex(gradient.shape):
                gradient[index] = self._transposed(i, index, cotangents)
        return found

    def entry(self, j: int, k: Any, part: Any, i: int, index: Any) -> Any:
        return self._transposed(i, index, _of_one(self._problem.outputs, j, k, part))

    def _transposed(self, i: int, index: Any, cotangents: Sequence[Any]) -> Any:
        """The product of an element's tangents of the outputs with their cotangents."""
        problem, total = self._problem, 0.0
        for direction in directions_in(problem.values[i]):
            given = _of_one(self._checked, problem.checked.index(i), index, direction)
            moved = self.of_inputs(*problem.args, problem.containers(given))
            pairs = zip(cotangents, moved, strict=True)
            total += direction * sum(np.sum(np.real(np.conj(u) * t)) for u, t in pairs)
        return total


class _Reverse:
    """Reverse mode: the gradient of a product with the outputs."""

    def __init__(self, problem: _ArrayProblem) -> None:
        self._problem = problem
        self.directions = tuple(cotangents_for(problem.outputs))
        function, places = problem.function, problem.paths

        def projected(*inputs: Any) -> Any:
            *args, directions = inputs
            result = function(*args)
            total: Any = 0.0
            for path, u in zip(places, directions, strict=True):
                out = result
                for key in path:
                    out = out[key]
                total = total + np.sum(np.real(np.conjugate(u) * out))
            return total

        self.of_inputs = trace(grad(projected, argnums=problem.numbers))

    def gradients(self, cotangents: Sequence[Any]) -> list[Any]:
        found = self.of_inputs(*self._problem.args, tuple(cotangents))
        return self._problem.by_checked(found)

    def entry(self, j: int, k: Any, part: Any, i: int, index: Any) -> Any:
        found = self.gradients(_of_one(self._problem.outputs, j, k, part))
        return found[self._problem.checked.index(i)][index]


def _of_one(likes: Sequence[Any], number: int, index: Any, value: Any) -> list[Any]:
    """Arrays of zeros, but for one element of one of them."""
    made = [np.zeros(like.shape, like.dtype) for like in likes]
    made[number][index] = value
    return made


DERIVATIVES: dict[str, Callable[[_ArrayProblem], Any]] = {
    "fwd": _Forward,
    "rev": _Reverse,
}
