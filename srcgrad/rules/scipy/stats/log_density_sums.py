"""Log-densities that are sums or integrals: kstwobign, irwinhall, landau.

SciPy computes them in C. Values are SciPy's, slopes are those of what stands here.
"""

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.protocols import first_variable
from srcgrad.rules.scipy.without import refuse

# ----- kstwobign -----
COUNTS = np.arange(1.0, 9.0)
SIGNS, ODD = (-1.0) ** (COUNTS - 1.0), (2.0 * COUNTS - 1.0) ** 2 * (math.pi**2 / 8.0)
# Where either of the two series needs few terms.
MIDDLE = 0.9


def kstwobign(x):
    """By Kolmogorov's series, or by its dual where that is slow."""
    is_low = x < MIDDLE
    low = np.expand_dims(np.where(is_low, x, MIDDLE), -1)
    high = np.expand_dims(np.where(is_low, MIDDLE, x), -1)
    # What falls slowest is taken out, so that none of it underflows.
    squares = low * low
    falls = np.exp((ODD[0] - ODD) / squares) * (2.0 * ODD / squares - 1.0)
    below = np.log(np.sum(falls, axis=-1)) + 0.5 * math.log(2.0 * math.pi)
    low, high = low[..., 0], high[..., 0]
    below = below - ODD[0] / (low * low) - 2.0 * np.log(low)
    drops = np.exp((2.0 - 2.0 * COUNTS**2) * np.expand_dims(high * high, -1))
    above = np.log(np.sum(SIGNS * COUNTS**2 * drops, axis=-1))
    above = above + math.log(8.0) + np.log(high) - 2.0 * high * high
    return np.where(is_low, below, above)


# ----- irwinhall -----
def irwinhall(x, n):
    """The cardinal B-spline of degree ``n - 1``, by Cox's and de Boor's recursion."""
    if first_variable(n) is not None or np.size(np.unique(n)) != 1:
        refuse("irwinhall's density by `n`", "it is a whole number: give one, not many")
    n = int(np.ravel(n)[0])
    parts = [1.0 * ((x >= j) & (x < j + 1)) for j in range(n)]
    parts[-1] = 1.0 * ((x >= n - 1) & (x <= n))
    for k in range(2, n + 1):
        parts = [
            ((x - j) * parts[j] + (j + k - x) * parts[j + 1]) / (k - 1.0)
            for j in range(n - k + 1)
        ]
    return np.log(parts[0] + 0.0 * x)


# ----- landau -----
_places, _weights = (each / 24.0 for each in special.roots_legendre(64))
PLACES = np.concatenate([_places + (2 * part + 1) / 24.0 for part in range(12)])
WEIGHTS = np.tile(_weights, 12)
FALLEN = 40.0  # how deep the logarithm goes


def landau(x):
    """By Laplace's integral, of sines, or to the left by Fourier's, over its saddle."""
    y = 0.5 * math.pi * x + math.log(0.5 * math.pi)
    is_left = y < 0.0
    left = by_saddle(np.where(is_left, y, -1.0))
    right = by_sines(np.where(is_left, 1.0, y))
    return math.log(0.5) + np.where(is_left, left, right)


def by_sines(y: Any) -> Any:
    """The logarithm of the integral of ``exp(-t log(t) - y t) sin(pi t)``."""
    # To where it has fallen, but not much beyond the first of the sine's waves.
    far = FALLEN / np.maximum(y, 1.0)
    far = np.expand_dims(np.minimum(far, 16.0), -1)
    t = far * PLACES
    values = np.exp(-t * np.log(t) - np.expand_dims(y, -1) * t) * np.sin(math.pi * t)
    return np.log(np.sum(far * WEIGHTS * values, axis=-1))


def by_saddle(y: Any) -> Any:
    """The same as an integral of ``exp(s log(s) + y s)`` along ``s = saddle + i u``."""
    saddle = np.expand_dims(np.exp(-y - 1.0), -1)
    y = np.expand_dims(y, -1)
    far = 10.0 * np.sqrt(saddle) + 30.0
    u = far * PLACES
    log_size = 0.5 * np.log(saddle * saddle + u * u)
    angle = np.arctan2(u, saddle)
    height = saddle * (log_size + y + 1.0) - u * angle
    values = np.exp(height) * np.cos(saddle * angle + u * (log_size + y))
    return np.log(np.sum(far * WEIGHTS * values, axis=-1)) - saddle[..., 0]


LOG_DENSITY_SUMS: dict[str, Any] = {
    "irwinhall": irwinhall,
    "kstwobign": kstwobign,
    "landau": landau,
}
