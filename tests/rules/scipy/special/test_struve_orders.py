"""The slopes of Struve's functions in the order: against mpmath, and at the ends."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.struve_orders import modstruve_in_v, struve_in_v
from tests.variables import variable

POINTS = [
    *((0.5, 2.0), (0.0, 1e-3), (2.0, 7.9), (1.0, 8.1), (2.3, 30.0), (20.0, 21.0)),
    *((-0.5, 3.0), (-1.5, 3.0), (-2.5, 9.0), (-3.7, 12.0), (30.0, 40.0)),
]


@pytest.mark.parametrize(("v", "x"), POINTS)
@pytest.mark.parametrize("name", ["struveh", "struvel"])
def test_against_mpmath(name, v, x):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    slope = struve_in_v if name == "struveh" else modstruve_in_v
    with mpmath.workdps(40):
        step = mpmath.mpf(10) ** -12
        at = [getattr(mpmath, name)(v + k * step, x) for k in (-2, -1, 1, 2)]
        expected = float((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    found = slope(np.float64(v), np.float64(x))
    np.testing.assert_allclose(found, expected, rtol=2e-13)


def test_at_the_ends():
    v = variable(np.array([1.0, -1.0, 1.0, np.nan]))
    special.struve(v, np.array([0.0, 0.0, -1.0, 1.0])).sum().backward()
    np.testing.assert_array_equal(v.grad.data, [0.0, np.nan, np.nan, np.nan])
    with pytest.raises(srcgrad.NoRuleError, match="so large an order"):
        special.struve(variable(60.0), 50.0).backward()
