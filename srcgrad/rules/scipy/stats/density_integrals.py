"""Distribution functions of ``stats`` that are integrals: of ``genhyperbolic`` and kin.

On the scale of ``arcsinh(x)`` or ``log(x)`` their densities have one peak, beside which
they fall like ``exp(-cosh)``; on that of ``logit(x)`` the one of ``gausshyper`` falls
like ``exp``. Gauss's rule between where they have fallen to nothing is nearly exact.
"""

import numpy as np
from scipy import special

from srcgrad.rules.scipy.stats import log_densities

# In six parts, for peaks that are narrow; and how deep the logarithm falls.
_places, _weights = (each / 12.0 for each in special.roots_legendre(64))
PLACES = np.concatenate([_places + (2 * part + 1) / 12.0 for part in range(6)])
WEIGHTS = np.tile(_weights, 6)
DEPTH = 40.0
ROUNDS = 8


def reach(p, size):
    """Where ``exp(|p| u - size (cosh(u) - 1))`` has fallen to nothing."""
    far = np.arccosh(1.0 + DEPTH / size)
    for _ in range(ROUNDS):
        far = np.arccosh(1.0 + (DEPTH + np.abs(p) * far) / size)
    return far


def around(log_density, peak, far, end):
    """From far on the left of a peak to the end, if that is not far on the right."""
    return between(log_density, peak - far, np.minimum(end, peak + far))


def between(log_density, low, end):
    size = np.maximum(end - low, 0.0)
    low, size = np.expand_dims(low, -1), np.expand_dims(size, -1)
    values = np.exp(log_density(low + size * PLACES))
    return np.sum(size * WEIGHTS * values, axis=-1)


def spread(*values):
    """The arguments, with an axis for the places of the integral."""
    return [np.expand_dims(each, -1) for each in np.broadcast_arrays(*values)]


def geninvgauss(x, p, b):
    x, p, b = np.broadcast_arrays(x, p, b)
    shapes = spread(p, b)

    def log_density(s):
        return log_densities.geninvgauss(np.exp(s), *shapes) + s

    return around(log_density, np.zeros_like(b), reach(p, b), np.log(x))


def genhyperbolic(x, p, a, b):
    x, p, a, b = np.broadcast_arrays(x, p, a, b)
    shapes = spread(p, a, b)

    def log_density(s):
        return log_densities.genhyperbolic(np.sinh(s), *shapes) + np.log(np.cosh(s))

    far = reach(p, np.sqrt((a - b) * (a + b)))
    return around(log_density, np.arctanh(b / a), far, np.arcsinh(x))


def norminvgauss(x, a, b):
    return genhyperbolic(x, np.full_like(x, -0.5), a, b)


def gausshyper(x, a, b, c, z):
    x, a, b, c, z = np.broadcast_arrays(x, a, b, c, z)
    a_, b_, c_, z_ = spread(a, b, c, z)

    def log_density(s):
        share = special.expit(s)
        falls = a_ * np.logaddexp(0.0, -s) + b_ * np.logaddexp(0.0, s)
        return -falls - c_ * np.log1p(z_ * share)

    low = -DEPTH / a - np.log1p(np.maximum(z, 0.0))
    high = DEPTH / b - np.log1p(np.minimum(z, 0.0))
    part = between(log_density, low, np.minimum(special.logit(x), high))
    return part / between(log_density, low, high)
