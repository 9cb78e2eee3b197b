"""The slopes in parameters and degrees, against mpmath."""

import numpy as np
import pytest
from scipy import special

from tests.variables import variable


def jacobi(mpmath, n, a, b, x):
    scale = mpmath.binomial(n + a, n)
    return scale * mpmath.hyp2f1(-n, n + a + b + 1, a + 1, (1 - x) / 2)


def gegenbauer(mpmath, n, a, x):
    scale = mpmath.gammaprod([n + 2 * a], [1 + n, 2 * a])
    return scale * mpmath.hyp2f1(-n, n + 2 * a, a + 0.5, (1 - x) / 2)


def laguerre(mpmath, n, a, x):
    return mpmath.binomial(n + a, n) * mpmath.hyp1f1(-n, a + 1, x)


def legendre(mpmath, n, x):
    return mpmath.hyp2f1(-n, n + 1, 1, (1 - x) / 2)


@pytest.mark.parametrize(
    ("function", "oracle", "args"),
    [
        (special.eval_jacobi, jacobi, (0.5, -0.5, -0.5, -0.8)),
        (special.eval_jacobi, jacobi, (3.0, 0.4, 0.7, -0.3)),
        (special.eval_jacobi, jacobi, (0.0, 0.3, 0.2, 0.1)),
        (special.eval_jacobi, jacobi, (12, 0.3, 0.2, -0.4)),
        (special.eval_gegenbauer, gegenbauer, (0.5, 0.5, -0.8)),
        (special.eval_gegenbauer, gegenbauer, (7, 2.5, 1.5)),
        (special.eval_genlaguerre, laguerre, (7.5, 2.5, 15.0)),
        (special.eval_genlaguerre, laguerre, (5, -0.2, 9.1)),
        *((special.eval_legendre, legendre, (n, 0.3)) for n in (-2.7, -2.0, 0.5)),
    ],
)
def test_against_mpmath(function, oracle, args):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    is_real = [isinstance(arg, float) for arg in args]
    found = [
        variable(arg) if is_free else arg
        for arg, is_free in zip(args, is_real, strict=True)
    ]
    function(*found).backward()
    for number, is_free in enumerate(is_real):

        def at(steps, number=number):
            moved = [mpmath.mpf(arg) for arg in args]
            moved[number] += steps * mpmath.mpf(10) ** -12
            return oracle(mpmath, *moved)

        with mpmath.workdps(40):
            rise = at(-2) - 8 * at(-1) + 8 * at(1) - at(2)
            expected = float(rise / 12 * 10**12)
        if is_free:
            np.testing.assert_allclose(found[number].grad.data, expected, rtol=1e-11)
