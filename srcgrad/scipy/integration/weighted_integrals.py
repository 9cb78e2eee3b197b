"""``scipy.integrate.quad`` with ``weight=``, and of complex integrands.

A weight belongs to QUADPACK, which knows its moments. So the slopes of such an integral
are integrals with a weight as well:

>>> import srcgrad
>>> from srcgrad.scipy import integrate
>>> rate = srcgrad.Variable(3.0, requires_grad=True)
>>> part, _ = integrate.quad(lambda x: x, 0.0, 1.0, weight="cos", wvar=rate)
>>> part.backward()
>>> round(rate.grad.item(), 6)  # minus the integral of x ** 2 * sin(3 * x)
-0.213951
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import passing_on, way_back
from srcgrad.scipy.integration import integrals
from srcgrad.scipy.integration.integrals import (
    keep_limits,
    limits_of,
    middle_of,
    sloped,
    split,
)
from srcgrad.scipy.parameters import Opened, Parameters, pulled_back, refuse, watched
from srcgrad.scipy.results import close
from srcgrad.tape.function import Function

Integrand = Callable[..., Any]

# Which weight the slope of another has, by its first and its second exponent.
LOGARITHMS: dict[tuple[str, int], str] = {
    ("alg", 0): "alg-loga",
    ("alg", 1): "alg-logb",
    ("alg-loga", 1): "alg-log",
    ("alg-logb", 0): "alg-log",
}
AT: dict[str, Callable[[Any, Any], Any]] = {
    "cos": lambda x, rate: np.cos(rate * x),
    "sin": lambda x, rate: np.sin(rate * x),
    "cauchy": lambda x, pole: 1.0 / (x - pole),
}


class Weighted(Function):
    """The integral of ``integrand(x, *values)`` times a weight, which has numbers.

    ``numbers`` are the two limits and what the weight is made of: its rate, its pole,
    or its exponents. The limits of one with exponents are no Variables.
    """

    is_algorithms = True

    @staticmethod
    def forward(ctx, integrand, found, weight, *given):
        count = 4 if weight.startswith("alg") else 3
        ctx.integrand, ctx.weight = integrand, weight
        is_value = ctx.needs_input_grad[3 : 3 + count]
        keep_limits(ctx, given[:count], is_value, given[count:])
        return np.array(found)

    @staticmethod
    @way_back
    def backward(ctx, g):
        numbers, values = limits_of(ctx)
        worths: list[Any] = [None] * len(numbers)
        for place in (0, 1):
            if ctx.is_value[place]:
                worths[place] = at_end(ctx, numbers, values, g, place)
        for place in range(2, len(numbers)):
            if ctx.is_value[place]:
                worths[place] = by_weight(ctx, numbers, values, g, place - 2)
        gradients: list[Any] = []
        if values:
            slope = sloped(ctx.integrand)
            gradients = split(
                weighted(slope, ctx.weight, numbers, (g, *values)), values
            )
        return (None, None, None, *worths, *gradients)


def at_end(ctx, numbers, values, g, place):
    """What a limit adds: 0 or 1 for the lower or the upper one."""
    sign = 1.0 if place else -1.0
    worth = np.sum(g * ctx.integrand(numbers[place], *values))
    return sign * worth * AT[ctx.weight](numbers[place], numbers[2])


def by_weight(ctx, numbers, values, g, place):
    """The slope in the weight's rate, pole or exponent."""
    integrand, weight = ctx.integrand, ctx.weight

    def whole(x, g, *values):
        return np.reshape(np.sum(g * integrand(x, *values)), 1)

    def along(x, g, *values):
        return np.reshape(pulled_back(integrand, [x, *values], g, [0])[1][0], 1)

    def raised(x, g, *values):
        return x * whole(x, g, *values)

    if weight == "cos":
        return -weighted(raised, "sin", numbers, (g, *values))[0]
    if weight == "sin":
        return weighted(raised, "cos", numbers, (g, *values))[0]
    if weight == "cauchy":  # the pole moves along the integrand, and the limits do not
        ends = [at_end(ctx, numbers, values, g, end) for end in (0, 1)]
        return weighted(along, weight, numbers, (g, *values))[0] - sum(ends)
    if (weight, place) not in LOGARITHMS:
        refuse(
            "integrate.quad",
            f"by this exponent of the weight {weight!r}: write it into the integrand",
        )
    return weighted(whole, LOGARITHMS[weight, place], numbers, (g, *values))[0]


def weighted(integrand, weight, numbers, values):
    """Integrate a vector, as a node: its numbers one by one."""
    raw = [raw_of(value) for value in values]
    low, high, *wvar = (float(raw_of(number)) for number in numbers)

    @functools.cache
    def computed(x):
        return np.asarray(raw_of(integrand(x, *raw)))

    options = {"weight": weight, "wvar": wvar if wvar[1:] else wvar[0]}
    options |= {"epsabs": 1e-12, "epsrel": 1e-10, "limit": 500, "full_output": 1}
    found = [
        integrate.quad(lambda x, i=i: computed(x)[i], low, high, **options)[0]
        for i in range(np.size(computed(middle_of(low, high))))
    ]
    return Weighted.apply(integrand, np.array(found), weight, *numbers, *values)


# ----- Exponents at the limits -----
def of_unit(integrand, weight, limits, wvar, values):
    """An integral whose weight has exponents, and whose limits move, from 0 to 1."""
    low, high = limits
    width = high - low

    def inner(t, low, width, *values):
        return np.reshape(integrand(low + width * t, *values), 1)

    def part(weight):
        return weighted(inner, weight, (0.0, 1.0, *wvar), (low, width, *values))[0]

    whole = part(weight)
    if weight != "alg":  # the logarithm of the width times a part
        log = np.log(width)
        if weight == "alg-log":
            whole = whole + log * (part("alg-loga") + part("alg-logb"))
            log = log * log
        whole = whole + log * part("alg")
    return width ** (1.0 + wvar[0] + wvar[1]) * whole


# ----- The call -----
NAMES = list(inspect.signature(integrate.quad).parameters)[4:]


def quad(original, func, a, b, args=(), *rest, **kwargs):
    """``scipy.integrate.quad``, all of it."""
    options = kwargs | dict(zip(NAMES, rest, strict=False))
    if options.get("complex_func"):
        return of_complex(original, func, a, b, args, options)
    weight = options.get("weight")
    if weight is None:
        return integrals.quad(original, func, a, b, args, **options)
    parameters = Parameters(arguments(args))
    wvar = options.pop("wvar")
    if not Parameters((a, b, args, wvar)).variables:
        return original(watched(func), a, b, args, wvar=wvar, **options)
    integrand = Opened(func, parameters, (0,))
    limits, raw = (raw_of(a), raw_of(b)), Parameters((wvar,)).raw[0]
    found, *others = original(
        watched(func), *limits, parameters.raw, wvar=raw, **Parameters(options).raw
    )
    numbers = list(wvar) if weight.startswith("alg") else [wvar]
    values = parameters.variables
    if weight.startswith("alg") and Parameters((a, b)).variables:
        out = of_unit(integrand, weight, (a, b), numbers, values)
    else:
        out = Weighted.apply(integrand, found, weight, a, b, *numbers, *values)
    if others[1:]:
        close(others[1], "what scipy.integrate.quad tells", [out])
    return (out[()], *others)


def of_complex(original, func, a, b, args, options):
    """The real and the imaginary part, as SciPy has them."""
    options = {key: options[key] for key in options if key != "complex_func"}
    if options.get("full_output"):
        given = Parameters((a, b, args, options.get("wvar")))
        if given.variables:
            refuse("integrate.quad", "of complex numbers with `full_output`")
        return original(watched(func), a, b, args, complex_func=True, **options)

    def part(of):
        return lambda *given: of(func(*given))

    real, imag = (
        quad(original, part(of), a, b, args, **options) for of in (np.real, np.imag)
    )
    return real[0] + 1j * imag[0], real[1] + 1j * imag[1]


def _against(given):
    return "with `full_output`" if given.get("full_output") else ""


ALGORITHMS[integrate.quad] = Spec(quad, ("func",), items=1, against=_against)
REPLACEMENTS[integrate.quad] = passing_on(
    integrate.quad, functools.partial(quad, integrate.quad)
)
LOOKING.add(REPLACEMENTS[integrate.quad])
