"""What rules share about 0 / 0 and 0 * inf, and about what comes close to them."""

import numpy as np

LOG1P_SERIES = [(-1.0) ** n / (n + 1.0) for n in range(36)]  # over its argument


def series(coefficients, x):
    """A polynomial, by Horner's rule."""
    out = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        out = out * x + coefficient
    return out


def near_zero(x, coefficients, far, is_even=False):
    """``far(x)``, or near 0, where it cancels, its series; in ``x * x`` if even."""
    is_near = np.abs(x) < 0.3
    safe, near = np.where(is_near, 1.0, x), np.where(is_near, x, 0.0)
    return np.where(
        is_near, series(coefficients, near * near if is_even else near), far(safe)
    )


def apart(x, g):
    """A point without 0, where something is infinite that nobody asks for."""
    return np.where((x == 0) & (g == 0), 1.0, x)
