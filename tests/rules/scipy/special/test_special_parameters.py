"""The slopes of SciPy's functions in orders and parameters, held to mpmath."""

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from srcgrad.rules.scipy.special import hypergeometric_parameters as hypergeometric
from srcgrad.rules.scipy.special.bessel_orders import ive_in_v, jv_in_v, yv_in_v
from srcgrad.rules.scipy.special.confluent_second import second_confluent
from srcgrad.rules.scipy.special.struve_orders import modstruve_in_v, struve_in_v
from tests.variables import variable

BESSEL = [
    *((0.0, 1e-8), (0.5, 1e-3), (0.3, 2.0), (2.5, 2.0), (10.0, 9.5), (10.0, 10.0)),
    *((50.0, 1.0), (50.0, 49.9), (50.0, 60.0), (100.0, 99.999), (0.1, 100.0)),
    *((3.0, 1000.0), (-0.3, 2.0), (-2.5, 1.0), (-2.0, 3.0), (-10.2, 12.0)),
]
STRUVE = [
    *((0.5, 2.0), (0.0, 1e-3), (2.0, 7.9), (1.0, 8.1), (2.3, 30.0), (20.0, 21.0)),
    *((-0.5, 3.0), (-1.5, 3.0), (-2.5, 9.0), (-3.7, 12.0), (30.0, 40.0)),
]
CONFLUENT = [
    *((1.5, 3.5, 0.01), (-3.7, 1.2, 0.8), (30.0, 0.5, 40.0), (0.5, 20.0, 3.0)),
    *((1.0, 1.0, 1e-6), (-10.3, 0.5, 8.0), (3.0, -5.0, 2.0), (1.2, 50.0, 100.0)),
    (-2.0, 0.5, 3.0),
]
# With a first parameter of -2 the terms end, but not those of the slope.
OF_ONE = [(0.5, 1.5, -80.0), (3.0, 0.2, 200.0), (-1.5, 2.5, 0.0), (-2.0, 1.5, 1.0)]
GAUSS = [
    *((0.5, 1.5, 2.5, 0.95), (0.5, 1.5, 2.5, -20.0), (2.0, 3.0, 1.5, 0.7)),
    (-2.0, -1.0, 1.5, 0.6),
]


def by_floats(function):
    """The gradients in all arguments that are floats, None for the others."""

    def slopes(*args):
        given = [variable(arg) if isinstance(arg, float) else arg for arg in args]
        function(*given).backward()
        return [each.grad.data if hasattr(each, "grad") else None for each in given]

    return slopes


def jacobi(n, a, b, x):
    return mp.binomial(n + a, n) * mp.hyp2f1(-n, n + a + b + 1, a + 1, (1 - x) / 2)


def gegenbauer(n, a, x):
    scale = mp.gammaprod([n + 2 * a], [1 + n, 2 * a])
    return scale * mp.hyp2f1(-n, n + 2 * a, a + 0.5, (1 - x) / 2)


def laguerre(n, a, x):
    return mp.binomial(n + a, n) * mp.hyp1f1(-n, a + 1, x)


def legendre(n, x):
    return mp.hyp2f1(-n, n + 1, 1, (1 - x) / 2)


# Slopes in the first arguments, mpmath's function, arguments, and how near they are.
TABLE = [
    (jv_in_v, mp.besselj, BESSEL, 2e-12),
    (yv_in_v, mp.bessely, BESSEL, 2e-12),
    (ive_in_v, lambda v, x: mp.exp(-x) * mp.besseli(v, x), BESSEL, 2e-12),
    (struve_in_v, mp.struveh, STRUVE, 2e-13),
    (modstruve_in_v, mp.struvel, STRUVE, 2e-13),
    (second_confluent, mp.hyperu, CONFLUENT, 2e-13),
    (hypergeometric.confluent_limit, mp.hyp0f1, [(0.3, 100.0), (2.0, -3.0)], 1e-13),
    (hypergeometric.confluent, mp.hyp1f1, OF_ONE, 1e-13),
    (hypergeometric.gauss, mp.hyp2f1, GAUSS, 1e-13),
    (
        *(by_floats(special.eval_jacobi), jacobi),
        [(0.5, -0.5, -0.5, -0.8), (3.0, 0.4, 0.7, -0.3), (0.0, 0.3, 0.2, 0.1)],
        1e-11,
    ),
    (by_floats(special.eval_jacobi), jacobi, [(12, 0.3, 0.2, -0.4)], 1e-11),
    (
        *(by_floats(special.eval_gegenbauer), gegenbauer),
        *([(0.5, 0.5, -0.8), (7, 2.5, 1.5)], 1e-11),
    ),
    (
        *(by_floats(special.eval_genlaguerre), laguerre),
        *([(7.5, 2.5, 15.0), (5, -0.2, 9.1)], 1e-11),
    ),
    (
        *(by_floats(special.eval_legendre), legendre),
        *([(-2.7, 0.3), (-2.0, 0.3), (0.5, 0.3)], 1e-11),
    ),
]
ROWS = [(slopes, exact, at, rtol) for slopes, exact, ats, rtol in TABLE for at in ats]


@pytest.mark.parametrize(("slopes", "exact", "args", "rtol"), ROWS)
def test_against_mpmath(slopes, exact, args, rtol):
    found = slopes(*(np.float64(a) if isinstance(a, float) else a for a in args))
    for number, slope in enumerate(found if np.ndim(found) else [found]):
        if slope is None:
            continue

        def at(steps, number=number):
            moved = [mp.mpf(arg) for arg in args]
            moved[number] += steps * mp.mpf(10) ** -12
            return exact(*moved)

        with mp.workdps(40):
            rise = at(-2) - 8 * at(-1) + 8 * at(1) - at(2)
            expected = float(rise / 12 * 10**12)
        # Where Bessel's functions oscillate, or are even in the order: by their size.
        is_beside_0 = args in BESSEL and (expected == 0 or args[1] > abs(args[0]))
        near = 1e-12 if is_beside_0 else 0.0
        np.testing.assert_allclose(slope, expected, rtol=rtol, atol=near)
