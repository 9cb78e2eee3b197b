"""``scipy.integrate.quad`` with ``weight=``, and of complex integrands.

A weight belongs to QUADPACK, which knows its moments. So the slopes of such an integral
are integrals with a weight as well.
"""

import functools
import inspect

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.algorithms import ALGORITHMS, Spec, arguments, why_full
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.algorithm_results import close
from srcgrad.scipy.captures import passing_on
from srcgrad.scipy.integration.integrals import Between, Integral, Kind, middle_of
from srcgrad.scipy.parameters import Opened, Parameters, pulled_back, refuse, refusing

# Which weight the slope of another has, by its first and its second exponent.
LOGARITHMS = {
    ("alg", 0): "alg-loga",
    ("alg", 1): "alg-logb",
    ("alg-loga", 1): "alg-log",
    ("alg-logb", 0): "alg-log",
}
AT = {
    "cos": lambda x, rate: np.cos(rate * x),
    "sin": lambda x, rate: np.sin(rate * x),
    "cauchy": lambda x, pole: 1.0 / (x - pole),
}


class Weighted(Kind):
    """With a weight: the limits are followed by what that is made of.

    That is its rate, its pole, or its exponents. The limits of one with exponents are
    no Variables.
    """

    def __init__(self, weight):
        self.weight, self.count = weight, 4 if weight.startswith("alg") else 3

    def by_limit(self, integrand, limits, values, g, place):
        call = integrand, limits, values, g, place
        if place > 1:
            return self.by_weight(*call)
        return super().by_limit(*call) * AT[self.weight](limits[place], limits[2])

    def by_weight(self, integrand, limits, values, g, place):
        """The slope in the weight's rate, pole or exponent."""

        def whole(x, g, *values):
            return np.reshape(np.sum(g * integrand(x, *values)), 1)

        def along(x, g, *values):
            return np.reshape(pulled_back(integrand, [x, *values], g, [0])[1][0], 1)

        def part(integrand, weight):
            return Weighted(weight).whole(integrand, limits, (g, *values))[0]

        weight = self.weight
        if weight == "cos":
            return -part(lambda x, *rest: x * whole(x, *rest), "sin")
        if weight == "sin":
            return part(lambda x, *rest: x * whole(x, *rest), "cos")
        if weight == "cauchy":  # the pole moves along the integrand, not the limits
            ends = [self.by_limit(integrand, limits, values, g, end) for end in (0, 1)]
            return part(along, weight) - sum(ends)
        if (weight, place - 2) not in LOGARITHMS:
            refuse(
                "integrate.quad",
                f"by this exponent of the weight {weight!r}: write it into the "
                "integrand",
            )
        return part(whole, LOGARITHMS[weight, place - 2])

    def integrated(self, function, limits):
        """The numbers of a vector one by one."""
        low, high, *wvar = map(float, limits)
        computed = functools.cache(function)
        options = {"weight": self.weight, "wvar": wvar if wvar[1:] else wvar[0]}
        options |= {"epsabs": 1e-12, "epsrel": 1e-10, "limit": 500, "full_output": 1}
        found = [
            integrate.quad(lambda x, i=i: computed(x)[i], low, high, **options)[0]
            for i in range(np.size(computed(middle_of(low, high))))
        ]
        return np.array(found)


# ----- Exponents at the limits -----
def of_unit(integrand, weight, limits, wvar, values):
    """An integral whose weight has exponents, and whose limits move, from 0 to 1."""
    low, high = limits
    width = high - low

    def inner(t, low, width, *values):
        return np.reshape(integrand(low + width * t, *values), 1)

    def part(weight):
        return Weighted(weight).whole(inner, (0.0, 1.0, *wvar), (low, width, *values))[
            0
        ]

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
    options = kwargs | dict(zip(NAMES, rest, strict=False))
    if options.get("complex_func"):
        return of_complex(original, func, a, b, args, options)
    parameters = Parameters(arguments(args))
    weight, wvar = options.get("weight"), options.get("wvar")
    if not Parameters((a, b, args, wvar)).variables:
        return original(refusing(func), a, b, args, **options)
    integrand, values = Opened(func, parameters, (0,)), parameters.variables
    # Where it is cut makes no difference to it.
    options = Parameters(options).raw
    found, *others = original(
        refusing(func), raw_of(a), raw_of(b), parameters.raw, **options
    )
    if weight is None:
        kind = Between(options.get("points"))
        out = Integral.apply(integrand, found, kind, a, b, *values)
    elif weight.startswith("alg") and Parameters((a, b)).variables:
        out = of_unit(integrand, weight, (a, b), wvar, values)
    else:
        numbers = wvar if weight.startswith("alg") else [wvar]
        given = a, b, *numbers, *values
        out = Integral.apply(integrand, found, Weighted(weight), *given)
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
        return original(refusing(func), a, b, args, complex_func=True, **options)

    def part(of):
        return lambda *given: of(func(*given))

    real, imag = (
        quad(original, part(of), a, b, args, **options) for of in (np.real, np.imag)
    )
    return real[0] + 1j * imag[0], real[1] + 1j * imag[1]


ALGORITHMS[integrate.quad] = Spec(quad, ("func",), items=1, against=why_full)
REPLACEMENTS[integrate.quad] = passing_on(
    integrate.quad, functools.partial(quad, integrate.quad)
)
LOOKING.add(REPLACEMENTS[integrate.quad])
