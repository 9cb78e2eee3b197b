"""``scipy.optimize``: least squares, differentiated as other minima are."""

import functools
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments, why_aloud, why_full
from srcgrad.rules.compositions import signature_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.algorithm_results import close, stand
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.optimization.constrained import ends_of, limits_of_ends, minimum
from srcgrad.scipy.optimization.implicit import jacobian, replaces
from srcgrad.scipy.optimization.minima import closed, gradient_of
from srcgrad.scipy.parameters import Parameters, as_array, refuse, refusing
from srcgrad.scipy.replacing import replaces as in_place_of

# What each residual costs, of its square.
LOSSES: Any = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
    "huber": lambda z: np.where(
        z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0
    ),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


def cost_of(residual, loss="linear", scale=1.0):
    """What is minimised: half the sum of the squares, as the loss counts these."""

    def cost(x, *values):
        squares = (residual(x, *values) / scale) ** 2
        return 0.5 * scale**2 * np.sum(LOSSES[loss](squares))

    return cost


def with_slope_of_spread(spread, residual, x, variables, scale=1.0):
    """SciPy's covariances, and the derivatives of what these stand for."""
    slopes = jacobian(residual, x, variables)
    own = np.linalg.inv(slopes.T @ slopes) * scale
    return spread + (own - raw_of(own))


def ends_of_least_squares(bounds):
    """Bounds are a pair of arrays here."""
    return ends_of(bounds) if isinstance(bounds, optimize.Bounds) else bounds


def told_of(told, name, residual, x, variables):
    """What ``full_output`` tells of a fit: the residuals, and how it went."""
    told["fvec"] = residual(x, *variables)
    what = f"what scipy.optimize.{name} gives: compute it from the parameters"
    return close(told, what, [x, *variables])


@replaces("least_squares")
def least_squares(original, *args, **kwargs):
    given = signature_of(optimize.least_squares).bind(*args, **kwargs).arguments
    fun, x0 = given.pop("fun"), raw_of(given.pop("x0"))
    loss, scale = given.get("loss", "linear"), given.get("f_scale", 1.0)
    if loss not in LOSSES:
        refuse("optimize.least_squares", "with a loss of your own: use minimize")
    own = arguments(given.pop("args", ()), True), given.pop("kwargs", None) or {}
    parameters = Parameters(own)
    raw, options = parameters.raw
    found = original(fun, x0, args=raw, kwargs=options, **given)

    def residual(x, *values):
        args, options = parameters.filled(values)
        return np.atleast_1d(as_array(fun(x, *args, **options)))

    limits = []
    if "bounds" in given:
        limits = limits_of_ends(ends_of_least_squares(given["bounds"]), found.x.size)
    variables, cost = parameters.variables, cost_of(residual, loss, scale)
    found.x = minimum(gradient_of(cost, None), found.x, variables, limits)
    found.fun = as_array(fun(found.x, *own[0], **own[1]))
    found.cost = cost(found.x, *variables)
    around = [found.x, *variables]
    stand(found, "grad", gradient_of(cost, None), around)
    if loss == "linear":  # with others, SciPy's is weighted
        stand(found, "jac", lambda x, *values: jacobian(residual, x, values), around)
    return closed(found, "least_squares", around)


ALGORITHMS[optimize.least_squares] = Spec(
    *(least_squares, ("fun", "jac"), ("x", "fun", "cost")),
    told=("success",),
    against=why_aloud,
    unpacks=True,
)


@replaces("leastsq")
def leastsq(original, func, x0, args=(), *rest, **kwargs):
    parameters = Parameters(arguments(args))
    found = original(func, raw_of(x0), parameters.raw, *rest, **kwargs)

    def residual(x, *values):
        return np.atleast_1d(as_array(func(x, *parameters.filled(values))))

    variables = parameters.variables
    x = minimum(gradient_of(cost_of(residual), None), found[0], variables)
    if len(found) == 2 or not variables:
        return (x, *found[1:])
    _, spread, told, *rest = found
    if spread is not None:
        spread = with_slope_of_spread(spread, residual, x, variables)
    return (x, spread, told_of(told, "leastsq", residual, x, variables), *rest)


ALGORITHMS[optimize.leastsq] = Spec(
    leastsq, ("func", "Dfun"), items=1, against=why_full
)


# ----- Curves -----
UNBOUNDED = (-np.inf, np.inf)


def curve_fit(
    original, f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, **kwargs
):
    """By the data, and what the curve depends on.

    ``args`` are given to its functions after the parameters.
    """
    args, jac = kwargs.pop("args", ()), kwargs.pop("jac", None)
    bounds = kwargs.get("bounds", UNBOUNDED)
    parameters = Parameters((xdata, ydata, sigma, args))
    raw_x, raw_y, raw_sigma, raw_args = parameters.raw
    found = original(
        functools.wraps(f)(lambda x, *p: refusing(f)(x, *p, *raw_args)),
        *(raw_x, raw_y, raw_of(p0), raw_sigma, absolute_sigma),
        jac=(lambda x, *p: jac(x, *p, *raw_args)) if callable(jac) else jac,
        **kwargs,
    )
    if not parameters.variables:
        return found
    if kwargs.get("nan_policy") == "omit":
        refuse("optimize.curve_fit", "with nan_policy='omit'")

    def residual(p, *values):
        x, y, sigma, args = parameters.filled(values)
        return weighted(as_array(f(x, *p, *args)) - as_array(y), sigma)

    limits = limits_of_ends(ends_of_least_squares(bounds), found[0].size)
    variables, cost = parameters.variables, cost_of(residual)
    best = minimum(gradient_of(cost, None), found[0], variables, limits)
    spread = found[1]
    if np.all(np.isfinite(spread)):
        scale = 1.0
        if not absolute_sigma or sigma is None:
            free = np.size(raw_y) - len(found[0])
            scale = 2.0 * cost(best, *variables) / free
        spread = with_slope_of_spread(spread, residual, best, variables, scale)
    if kwargs.get("full_output"):
        told_of(found[2], "curve_fit", residual, best, variables)
    return (best, spread, *found[2:])


def weighted(residual, sigma):
    """By standard deviations, or by a matrix of covariances."""
    residual = np.reshape(residual, -1)
    if sigma is None:
        return residual
    if np.ndim(sigma) < 2:
        return residual / sigma
    return np.linalg.solve(np.linalg.cholesky(sigma), residual)


@functools.wraps(optimize.curve_fit)
def fit(*args, **kwargs):
    """The same with what its functions take from around them."""
    given = signature_of(optimize.curve_fit).bind(*args, **kwargs).arguments
    options = given.pop("kwargs", {})
    names = [name for name in ("f", "jac") if callable(given.get(name))]
    around = captured([given[name] for name in names])
    given |= {name: opened(given[name], around) for name in names}
    return curve_fit(optimize.curve_fit, **given, **options, args=tuple(around))


def _against(given):
    return "with `nan_policy`" if given.get("nan_policy") else why_full(given)


ALGORITHMS[optimize.curve_fit] = Spec(
    curve_fit, ("f", "jac"), items=2, against=_against
)
REPLACEMENTS[optimize.curve_fit] = fit
LOOKING.add(fit)


# ----- Without functions -----
@in_place_of(optimize.lsq_linear)
def lsq_linear(found, A, b, bounds):
    """Plain least squares of what is on no bound."""
    limits = limits_of_ends(ends_of_least_squares(bounds), found.x.size)
    parameters = Parameters((A, b))

    def gradient(x, *values):
        A, b = parameters.filled(values)
        return A.T @ (A @ x - b)

    found.x = minimum(gradient, found.x, parameters.variables, limits)
    found.fun = A @ found.x - b
    found.cost = 0.5 * np.sum(found.fun**2)
    if found.unbounded_sol is not None and np.ndim(found.unbounded_sol[0]):
        found.unbounded_sol = np.linalg.lstsq(A, b, rcond=-1)
    return closed(found, "lsq_linear", parameters.variables)


@in_place_of(optimize.isotonic_regression)
def isotonic_regression(found, y, weights):
    """Means of the blocks that it finds."""
    starts, sizes = found.blocks[:-1], np.diff(found.blocks)
    weights = np.ones(np.shape(y)) if weights is None else weights
    found.weights = np.add.reduceat(weights, starts)
    means = np.add.reduceat(weights * y, starts) / found.weights
    found.x = np.repeat(means, sizes)
    return found
