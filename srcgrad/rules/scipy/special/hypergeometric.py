"""Rules for ``scipy.special``: hypergeometric functions, Lambert's W."""

import numpy as np
from scipy import special

from srcgrad.rules.complexes import conj
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.special.confluent_second import second_confluent
from srcgrad.rules.scipy.special.hypergeometric_parameters import (
    confluent,
    confluent_limit,
    gauss,
    wright,
)
from srcgrad.rules.scipy.special.searches import asking
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Hypergeometric functions -----
def by_each(slopes, parameters, *names):
    """Rules in the first arguments, whose slopes one function of all gives."""

    def by(number):
        return asking(names, lambda g, *args: g * slopes(*args)[number])

    return {name: by(number) for number, name in enumerate(parameters)}


defufunc(
    special.hyp0f1,
    "v, z",
    v=lambda g, v, z: g * confluent_limit(v, z),
    z=lambda g, v, z: g * conj(special.hyp0f1(v + 1.0, z) / v),
)
defufunc(
    special.hyp1f1,
    "a, b, x",
    **by_each(confluent, "ab", "a", "b", "x"),
    x=lambda g, a, b, x: g * conj(special.hyp1f1(a + 1.0, b + 1.0, x) * (a / b)),
)
defufunc(
    special.hyp2f1,
    "a, b, c, z",
    **by_each(gauss, "abc", "a", "b", "c", "z"),
    z=lambda g, a, b, c, z: (
        g * conj(special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z) * (a * b / c))
    ),
)
defufunc(
    special.hyperu,
    "a, b, x",
    **by_each(second_confluent, "ab", "a", "b", "x"),
    x=lambda g, a, b, x: -g * a * special.hyperu(a + 1.0, b + 1.0, x),
)
defufunc(
    special.wright_bessel,
    "a, b, x",
    **by_each(wright, "ab", "a", "b", "x"),
    x=lambda g, a, b, x: g * special.wright_bessel(a, a + b, x),
)
defufunc(
    special.log_wright_bessel,
    "a, b, x",
    **by_each(wright, "ab", "a", "b", "x", "out"),
    x=lambda g, a, b, x, out: g * np.exp(special.log_wright_bessel(a, a + b, x) - out),
)

# ----- Lambert's and Wright's: the inverses of x * exp(x) and x + log(x) -----
defvjp(special.lambertw, z=lambda g, out: g * conj(np.exp(-out) / (1.0 + out)))
defufunc(special.wrightomega, "z", z=lambda g, out: g * conj(out / (1.0 + out)))
