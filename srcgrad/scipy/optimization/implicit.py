"""``scipy.optimize``: solutions, differentiated implicitly in the parameters.

Where ``residual(x, p) == 0``, the slope of ``x`` in ``p`` solves a linear system with
the residual's Jacobian: nothing of how the solution was found is needed.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> root = optimize.brentq(lambda x, a: x * x - a, 0.0, 2.0, args=(a,))
>>> root.backward()
>>> round(a.grad.item(), 6)  # half of 1 / sqrt(2)
0.353553
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad import autograd
from srcgrad.modes import enable_grad, is_grad_enabled
from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments, why_aloud
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured, opened, passing_on, way_back
from srcgrad.scipy.parameters import (
    Opened,
    Parameters,
    as_array,
    pulled_back,
    refuse,
    separate,
    watched,
)
from srcgrad.scipy.results import close, stand
from srcgrad.tape.function import Function

Residual = Callable[..., Any]


class Solution(Function):
    """``x`` with ``residual(x, *parameters) == 0``."""

    is_algorithms = True

    @staticmethod
    def forward(ctx, residual, x, *parameters):
        if np.iscomplexobj(x):
            refuse("optimize", "of a complex root")
        x = np.array(x, float)
        ctx.residual = residual
        ctx.save_for_backward(x, *parameters)
        return x

    @staticmethod
    @way_back
    def backward(ctx, g):
        x, *parameters = ctx.saved_tensors
        multiplier = np.reshape(
            np.linalg.solve(
                jacobian(ctx.residual, x, parameters).T, -np.reshape(g, -1)
            ),
            x.shape,
        )
        args = [x, *parameters]
        _, gradients = pulled_back(
            ctx.residual,
            args,
            lambda out: np.reshape(multiplier, np.shape(raw_of(out))),
            range(1, len(args)),
        )
        return (None, None, *gradients)


def jacobian(residual, x, parameters):
    """The residual's derivative in ``x``, as a matrix, row by row."""
    create_graph = is_grad_enabled()
    if not create_graph and getattr(residual, "pull", None) is not None:
        return np.stack([_row(residual, x, parameters, i) for i in range(x.size)])
    place = separate(x)
    with enable_grad():
        out = np.reshape(residual(place, *parameters), -1)
    rows = []
    for unit in np.eye(out.size):
        (row,) = autograd.grad(
            *(out, place, unit), retain_graph=True, create_graph=create_graph
        )
        assert row is not None
        rows.append(np.reshape(row, -1))
    return np.stack(rows)


def _row(residual, x, parameters, number):
    """One row of it, where that is compiled."""

    def unit(out):
        found = np.zeros(np.shape(raw_of(out)))
        found.flat[number] = 1.0
        return found

    _, (row,) = pulled_back(residual, [x, *parameters], unit, [0])
    return np.reshape(row, -1)


def solution(residual, x, parameters):
    """What an algorithm has found, as a Variable that depends on the parameters."""

    own = Opened(residual, parameters, (0,))
    found = Solution.apply(own, raw_of(x), *parameters.variables)
    return found if np.ndim(raw_of(x)) or type(raw_of(x)) is np.ndarray else found[()]


def replaces(name, is_looking=False):
    """Register what runs instead of a function of SciPy's, if there are Variables.

    It gets that function, then the call's arguments. One that looks for Variables
    itself runs in any case.
    """
    original = getattr(optimize, name)

    def register(implementation):
        @functools.wraps(original)
        def replacement(*args, **kwargs):
            if is_looking or Parameters((args, kwargs)).variables:
                return implementation(checked, *args, **kwargs)
            return checked(*args, **kwargs)

        @functools.wraps(original)
        def checked(*args, **kwargs):
            options = {key: watched(item) for key, item in kwargs.items()}
            return original(*map(watched, args), **options)

        whole = passing_on(original, replacement, name == "least_squares")
        REPLACEMENTS[original] = whole
        LOOKING.add(whole)
        return implementation

    return register


def first_of(function):
    """A function that returns its slope besides, without that."""
    return lambda *values: function(*values)[0]


# ----- Roots -----


@replaces("root")
def root(original, fun, x0, args=(), **kwargs):
    """``scipy.optimize.root``"""
    parameters = Parameters(arguments(args))
    residual = first_of(fun) if kwargs.get("jac") is True else fun
    found = original(fun, raw_of(x0), parameters.raw, **kwargs)
    found.x = solution(residual, found.x, parameters)
    return told(found, "root", "fun", residual, found.x, parameters)


@replaces("fsolve")
def fsolve(original, func, x0, args=(), **kwargs):
    """``scipy.optimize.fsolve``"""
    parameters = Parameters(arguments(args))
    found = original(func, raw_of(x0), parameters.raw, **kwargs)
    if not kwargs.get("full_output"):
        return solution(func, found, parameters)
    x = solution(func, found[0], parameters)
    return (x, told(found[1], "fsolve", "fvec", func, x, parameters), *found[2:])


def told(found, name, key, residual, x, parameters):
    """What an algorithm tells of a root: what the function is there, and its steps."""
    around = [x, *parameters.variables]
    stand(found, key, Opened(residual, parameters, (0,)), around)
    what = f"what scipy.optimize.{name} gives: compute it from the root"
    return close(found, what, around)


@replaces("fixed_point")
def fixed_point(original, func, x0, args=(), **kwargs):
    """``scipy.optimize.fixed_point``"""
    parameters = Parameters(arguments(args))
    found = original(func, raw_of(x0), parameters.raw, **kwargs)
    return solution(
        lambda x, *values: as_array(func(x, *values)) - x, found, parameters
    )


@replaces("root_scalar")
def root_scalar(original, f, args=(), **kwargs):
    """``scipy.optimize.root_scalar``"""
    parameters = Parameters(arguments(args))
    found = original(f, parameters.raw, **Parameters(kwargs).raw)
    has_slope = kwargs.get("fprime") is True or kwargs.get("fprime2") is True
    residual = first_of(f) if has_slope else f
    found.root = solution(residual, found.root, parameters)
    return found


def bracketed(original, f, a, b, args=(), **kwargs):
    """``brentq`` and the others of its kind."""
    parameters = Parameters(arguments(args))
    found = original(f, raw_of(a), raw_of(b), parameters.raw, **kwargs)
    if not kwargs.get("full_output"):
        return solution(f, found, parameters)
    return told_with_root(solution(f, found[0], parameters), found[1])


def told_with_root(root, told):
    """A root, and what is told of it with ``full_output``: the root again."""
    told.root = root
    return root, told


for _name in ("brentq", "brenth", "bisect", "ridder", "toms748"):
    replaces(_name)(bracketed)


@replaces("newton")
def newton(original, func, x0, fprime=None, args=(), **kwargs):
    """``scipy.optimize.newton``"""
    parameters = Parameters(arguments(args))
    found = original(func, raw_of(x0), fprime, parameters.raw, **kwargs)
    if not kwargs.get("full_output"):
        return solution(func, found, parameters)
    root = solution(func, found[0], parameters)
    if len(found) == 2:
        return told_with_root(root, found[1])
    return (root, *found[1:])  # of many, an array each


# ----- As one node of a graph -----


def _against(given):
    return "with `full_output`" if given.get("full_output") else ""


ALGORITHMS[optimize.root] = Spec(
    *(root, ("fun", "jac"), ("x",)),
    told=("success", "status", "message"),
    against=why_aloud,
)
ALGORITHMS[optimize.root_scalar] = Spec(
    *(root_scalar, ("f", "fprime", "fprime2"), ("root",)), told=("converged", "flag")
)
ALGORITHMS[optimize.fsolve] = Spec(fsolve, ("func", "fprime"), against=_against)
ALGORITHMS[optimize.fixed_point] = Spec(fixed_point, ("func",))
ALGORITHMS[optimize.newton] = Spec(
    newton, ("func", "fprime", "fprime2"), against=_against
)
for _name in ("brentq", "brenth", "bisect", "ridder", "toms748"):
    ALGORITHMS[getattr(optimize, _name)] = Spec(bracketed, ("f",), against=_against)


# ----- Without `args` -----


def of_captured(original):
    """``newton_krylov`` and its kin, by what the function takes from around it."""

    @functools.wraps(original)
    def replacement(F, xin, *rest, **kwargs):
        around = captured(F)
        raw = [variable.value for variable in around]
        own = opened(F, around)
        found = original(watched(lambda x: own(x, *raw)), raw_of(xin), *rest, **kwargs)
        return Solution.apply(own, found, *around) if around else found

    return replacement


for _name in (
    *("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing"),
    *("linearmixing", "newton_krylov"),
):
    _original = getattr(optimize, _name)
    REPLACEMENTS[_original] = of_captured(_original)
    LOOKING.add(REPLACEMENTS[_original])
