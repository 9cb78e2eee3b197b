"""``scipy.optimize``: solutions, differentiated implicitly in the parameters.

Where ``residual(x, p) == 0``, the slope of ``x`` in ``p`` solves a linear system with
the residual's Jacobian: nothing of how the solution was found is needed.
"""

import functools
import inspect
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad import autograd
from srcgrad.modes import enable_grad, is_grad_enabled
from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments, why_aloud, why_full
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.algorithm_results import close, stand
from srcgrad.scipy.captures import captured, opened, passing_on, way_back
from srcgrad.scipy.parameters import (
    Opened,
    Parameters,
    as_array,
    pulled_back,
    refuse,
    refusing,
    separate,
)
from srcgrad.tape.function import Function


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
            options = {key: refusing(item) for key, item in kwargs.items()}
            return original(*map(refusing, args), **options)

        whole = passing_on(original, replacement, name == "least_squares")
        REPLACEMENTS[original] = whole
        LOOKING.add(whole)
        return implementation

    return register


def first_of(function):
    """A function that returns its slope besides, without that."""
    return lambda *values: function(*values)[0]


# ----- Roots -----
def told(found, name, key, residual, x, parameters):
    """What an algorithm tells of a root: what the function is there, and its steps."""
    around = [x, *parameters.variables]
    stand(found, key, Opened(residual, parameters, (0,)), around)
    what = f"what scipy.optimize.{name} gives: compute it from the root"
    return close(found, what, around)


def residual_of(name, function, given):
    """What is zero at the root."""
    if name == "fixed_point":
        return lambda x, *values: as_array(function(x, *values)) - x
    if any(given.get(each) is True for each in ("jac", "fprime", "fprime2")):
        return first_of(function)
    return function


def root_by(name, key):
    """The root that an algorithm finds for its function, the argument ``key``."""
    signature = inspect.signature(getattr(optimize, name))

    def implementation(original, *args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        given |= given.pop("kwargs", {})
        parameters = Parameters(arguments(given.get("args", ())))
        residual = residual_of(name, given[key], given)
        plain = Parameters({**given, "args": ()}).raw
        found = original(**{**plain, "args": parameters.raw})
        if name == "root":
            found.x = solution(residual, found.x, parameters)
            return told(found, name, "fun", residual, found.x, parameters)
        if name == "root_scalar":
            found.root = solution(residual, found.root, parameters)
            return found
        if not given.get("full_output"):
            return solution(residual, found, parameters)
        x = solution(residual, found[0], parameters)
        if name == "fsolve":
            infos = told(found[1], name, "fvec", residual, x, parameters)
            return (x, infos, *found[2:])
        if len(found) == 2:  # of several newton gives an array each
            found[1].root = x
        return (x, *found[1:])

    return implementation


# Their functions, the one whose root it is first, and how else they are recorded.
ROOTS: dict[str, tuple[tuple[str, ...], Any]] = {
    "root": (
        ("fun", "jac"),
        {
            "fields": ("x",),
            "told": ("success", "status", "message"),
            "against": why_aloud,
        },
    ),
    "root_scalar": (
        ("f", "fprime", "fprime2"),
        {"fields": ("root",), "told": ("converged", "flag")},
    ),
    "fsolve": (("func", "fprime"), {"against": why_full}),
    "fixed_point": (("func",), {}),
    "newton": (("func", "fprime", "fprime2"), {"against": why_full}),
    **{
        name: (("f",), {"against": why_full})
        for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
    },
}
for _name, (_functions, _options) in ROOTS.items():
    _own = replaces(_name)(root_by(_name, _functions[0]))
    ALGORITHMS[getattr(optimize, _name)] = Spec(_own, _functions, **_options)


# ----- Without `args` -----


def of_captured(original):
    """``newton_krylov`` and its kin, by what the function takes from around it."""

    @functools.wraps(original)
    def replacement(F, xin, *rest, **kwargs):
        around = captured(F)
        raw = [variable.value for variable in around]
        own = opened(F, around)
        found = original(refusing(lambda x: own(x, *raw)), raw_of(xin), *rest, **kwargs)
        return Solution.apply(own, found, *around) if around else found

    return replacement


for _name in (
    *("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing"),
    *("linearmixing", "newton_krylov"),
):
    _original = getattr(optimize, _name)
    REPLACEMENTS[_original] = of_captured(_original)
    LOOKING.add(REPLACEMENTS[_original])
