"""``scipy.optimize``: minima, differentiated as roots of the gradient."""

import functools
import inspect
from types import SimpleNamespace

import numpy as np
from scipy import optimize
from scipy.optimize import _slsqp_py

from srcgrad.modes import enable_grad
from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments, why_aloud
from srcgrad.rules.compositions import bound
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.rules.scipy.scipy_sources import instead_of, on_variables
from srcgrad.scipy.algorithm_results import close, members_of, stand, without_slope
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.optimization.constrained import (
    Constraints,
    Limit,
    ends_of,
    limits_of_ends,
    minimum,
)
from srcgrad.scipy.optimization.implicit import first_of, replaces
from srcgrad.scipy.parameters import Parameters, as_array, pulled_back, refuse

# The names that SciPy has for what is minimised, for its slope, and for a start.
FUNCTIONS, SLOPES = ("fun", "func", "f"), ("jac", "fprime")

# What gives the minimum alone.
OF_ONE_RESULT = (
    *("fmin", "fmin_powell", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fminbound"),
    *("brent", "golden"),
)


def gradient_of(fun, jac):
    """The gradient that is zero at a minimum: the user's own, or that of the tape."""
    if callable(jac):
        return jac

    value = first_of(fun) if jac is True else fun

    def gradient(x, *values):
        with enable_grad():
            _, (found,) = pulled_back(lambda x: np.sum(value(x, *values)), [x], None)
        return found

    return gradient


@replaces("minimize", is_looking=True)
def minimize(
    original,
    fun,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    **kwargs,
):
    """``scipy.optimize.minimize``"""
    held, ends = Constraints(constraints), ends_of(bounds)
    parameters = Parameters((arguments(args), held.args))
    raw, raw_held = parameters.raw
    found = original(
        *(fun, raw_of(x0), raw, method, jac, hess, hessp, bounds),
        **({"constraints": held.raw(raw_held)} if held.items else {}),
        **kwargs,
    )
    if not parameters.variables:
        return found
    slope = gradient_of(fun, jac)
    limits = held.limits(lambda i: lambda *values: parameters.filled(values)[1][i])
    if bounds is not None:
        limits += limits_of_ends(ends, np.size(found.x))
    found.x = minimum(
        lambda x, *values: slope(x, *parameters.filled(values)[0]),
        *(found.x, parameters.variables, limits),
    )
    value = fun(found.x, *arguments(args))
    value = value[0] if jac is True else value
    found.fun = np.reshape(value, ()) if np.ndim(value) else value
    around = [found.x, *parameters.variables]

    def at_place(function):
        return lambda x, *values: as_array(function(x, *parameters.filled(values)[0]))

    # Beside `grad`, `jac` is that of the constraints.
    stand(
        found, "grad" if "grad" in members_of(found) else "jac", at_place(slope), around
    )
    if callable(hess):
        stand(found, "hess", at_place(hess), around)
    return closed(found, "minimize", around)


def closed(found, name, variables):
    """A result whose other members tell how it was found: they have no slope."""
    what = f"what scipy.optimize.{name} gives: compute it from `x`"
    return close(found, what, variables, but=("execution_time",))


def at_minimum(slope, x, parameters, bounds):
    """A minimum inside its bounds, or on some."""
    limits: list[Limit] = []
    if bounds is not None:
        limits = limits_of_ends(ends_of(bounds), np.size(x))
    return minimum(
        lambda x, *values: slope(x, *parameters.filled(values)),
        *(x, parameters.variables, limits),
    )


def _against(given):
    return "with constraints" if given.get("constraints") else why_aloud(given)


ALGORITHMS[optimize.minimize] = Spec(
    *(minimize, ("fun", "jac", "hess", "hessp"), ("x", "fun")),
    told=("success", "status", "message"),
    against=_against,
)


# ----- Those of other signatures -----


def _against_more(is_aloud, given):
    """``is_aloud``: it prints how it went, if it is not told not to."""
    for name in ("full_output", "retall"):
        if given.get(name):
            return f"with `{name}`"
    if is_aloud and given.get("disp", True):
        return "without `disp=False`, so that it prints"
    return ""


def by_slsqp(func, x0, args, jac, bounds, constraints, callback, **options):
    """``_minimize_slsqp``, as SciPy's own ``fmin_slsqp`` calls it"""
    return REPLACEMENTS[optimize.minimize](
        *(func, x0, args, "SLSQP", jac),
        bounds=bounds if np.size(bounds) else None,
        constraints=constraints,
        callback=callback,
        options=options,
    )


instead_of(_slsqp_py._minimize_slsqp, by_slsqp)
slsqp_of_source = on_variables(optimize.fmin_slsqp)


@replaces("fmin_slsqp", is_looking=True)
def fmin_slsqp(original, *args, **kwargs):
    return slsqp_of_source(*args, **kwargs)


@replaces("fmin_cobyla", is_looking=True)
def fmin_cobyla(original, *args, **kwargs):
    given = SimpleNamespace(**bound(optimize.fmin_cobyla, args, kwargs))
    functions = [given.cons] if callable(given.cons) else given.cons
    if not all(map(callable, functions)):
        raise TypeError(
            "cons must be a sequence of callable functions or a single callable "
            "function."
        )
    options = {"rhobeg": given.rhobeg, "tol": given.rhoend, "maxiter": given.maxfun}
    args = given.args if given.consargs is None else given.consargs
    return REPLACEMENTS[optimize.minimize](
        *(given.func, given.x0, given.args, "COBYLA"),
        constraints=[{"type": "ineq", "fun": f, "args": args} for f in functions],
        options={**options, "catol": given.catol, "disp": bool(given.disp)},
        callback=given.callback,
    ).x


def found_by(name):
    """``fmin`` and its kin, and what searches for the least of many minima."""
    signature = inspect.signature(getattr(optimize, name))
    (function,) = (each for each in FUNCTIONS if each in signature.parameters)

    def least(original, *args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        if len(given.get("constraints") or ()):
            refuse(f"optimize.{name}", "with constraints: use minimize from its result")
        fun = given[function]
        slope = next((given[each] for each in SLOPES if given.get(each)), None)
        if slope is None and name in ("fmin_l_bfgs_b", "fmin_tnc"):
            slope = not given.get("approx_grad")  # the function gives its slope besides
        parameters = Parameters(arguments(given.get("args", ())))
        rest = {key: raw_of(item) for key, item in given.items()}
        found = original(**{**rest, "args": parameters.raw})
        bounds = given.get("bounds")
        if name == "minimize_scalar" and bounds is not None:
            bounds = [bounds]
        if name == "fminbound":
            bounds = [(given["x1"], given["x2"])]

        is_on_grid = name == "brute" and given.get("finish", 0) is None

        def of_parameters(x):
            if not is_on_grid:  # a point of it does not move, until it jumps
                x = at_minimum(gradient_of(fun, slope), x, parameters, bounds)[()]
            place = np.atleast_1d(x) if is_on_grid else x
            value = fun(place, *parameters.filled(parameters.variables))
            return x, value[0] if slope is True else value

        variables = parameters.variables
        if hasattr(found, "x"):
            found.x, found.fun = of_parameters(found.x)
            return closed(found, name, variables)
        if not isinstance(found, tuple):
            return of_parameters(found)[0]
        x, value = of_parameters(found[0])
        # Not all say how much it is: without `full_output`, its steps come after it.
        is_told = given.get("full_output") or name == "fmin_l_bfgs_b"
        first = (x, value) if is_told else (x,)
        what = f"what else scipy.optimize.{name} gives: compute it from its minimum"
        return *first, *without_slope(found[len(first) :], what, variables)

    return least


@replaces("basinhopping", is_looking=True)
def basinhopping(original, func, x0, *rest, **kwargs):
    """``scipy.optimize.basinhopping``, whose ``args`` are the minimiser's"""
    around = captured(func)
    options = dict(kwargs.pop("minimizer_kwargs", None) or {})
    args = (*arguments(options.get("args", ())), *around)
    parameters, fun = Parameters(args), opened(func, around)
    if not parameters.variables:
        return original(func, x0, *rest, minimizer_kwargs=options, **kwargs)
    options["args"] = parameters.raw
    found = original(fun, raw_of(x0), *rest, minimizer_kwargs=options, **kwargs)
    slope = gradient_of(fun, options.get("jac"))
    found.x = at_minimum(slope, found.x, parameters, options.get("bounds"))
    value = fun(found.x, *args)
    found.fun = value[0] if options.get("jac") is True else value
    found.lowest_optimization_result |= {"x": found.x, "fun": found.fun}
    return closed(found, "basinhopping", parameters.variables)


for _name in (
    *("fmin", "fmin_powell", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_l_bfgs_b"),
    *("fmin_tnc", "fminbound", "brent", "golden", "brute", "differential_evolution"),
    *("dual_annealing", "shgo", "direct", "minimize_scalar"),
):
    _found_by = replaces(_name)(found_by(_name))
    if _name in OF_ONE_RESULT:
        _parameters = inspect.signature(getattr(optimize, _name)).parameters
        _functions = (*FUNCTIONS, "fprime", "fhess", "fhess_p")
        ALGORITHMS[getattr(optimize, _name)] = Spec(
            _found_by,
            tuple(each for each in _functions if each in _parameters),
            against=functools.partial(_against_more, "disp" in _parameters),
        )
ALGORITHMS[optimize.minimize_scalar] = Spec(
    *(_found_by, ("fun",), ("x", "fun")), told=("success",), against=why_aloud
)
