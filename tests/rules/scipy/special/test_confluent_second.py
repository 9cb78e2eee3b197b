"""The slopes of ``hyperu`` in its parameters: against mpmath, and what is refused."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.confluent_second import second_confluent
from tests.variables import variable


@pytest.mark.parametrize(
    "args",
    [
        *((1.5, 3.5, 0.01), (-3.7, 1.2, 0.8), (30.0, 0.5, 40.0), (0.5, 20.0, 3.0)),
        *((1.0, 1.0, 1e-6), (-10.3, 0.5, 8.0), (3.0, -5.0, 2.0), (1.2, 50.0, 100.0)),
        (-2.0, 0.5, 3.0),
    ],
)
def test_against_mpmath(args):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    for number, found in enumerate(second_confluent(*map(np.float64, args))):

        def at(steps, number=number):
            moved = [mpmath.mpf(arg) for arg in args]
            moved[number] += steps * mpmath.mpf(10) ** -12
            return mpmath.hyperu(*moved)

        with mpmath.workdps(40):
            rise = at(-2) - 8 * at(-1) + 8 * at(1) - at(2)
            expected = float(rise / 12 * 10**12)
        np.testing.assert_allclose(found, expected, rtol=2e-13)


def test_where_there_is_none():
    with np.errstate(all="ignore"):
        found = second_confluent(np.array([0.5, np.nan]), 1.5, np.array([-1.0, 1.0]))
    assert np.isnan(found).all()
    with pytest.raises(srcgrad.NoRuleError, match="so small an `a`"):
        special.hyperu(variable(-500.5), 1.5, 2.0).backward()
