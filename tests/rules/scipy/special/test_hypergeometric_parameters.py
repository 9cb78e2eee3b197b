"""The slopes in the parameters: against mpmath, at the ends, and what is refused."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.hypergeometric_parameters import (
    confluent,
    confluent_limit,
    gauss,
)
from tests.variables import variable


@pytest.mark.parametrize(
    ("name", "slopes", "args"),
    [
        ("hyp0f1", lambda *args: (confluent_limit(*args),), (0.3, 100.0)),
        ("hyp0f1", lambda *args: (confluent_limit(*args),), (2.0, -3.0)),
        ("hyp1f1", confluent, (0.5, 1.5, -80.0)),
        ("hyp1f1", confluent, (3.0, 0.2, 200.0)),
        ("hyp1f1", confluent, (-1.5, 2.5, 0.0)),
        ("hyp2f1", gauss, (0.5, 1.5, 2.5, 0.95)),
        ("hyp2f1", gauss, (0.5, 1.5, 2.5, -20.0)),
        ("hyp2f1", gauss, (2.0, 3.0, 1.5, 0.7)),
        # The terms end, but not those of the slope.
        ("hyp1f1", confluent, (-2.0, 1.5, 1.0)),
        ("hyp2f1", gauss, (-2.0, -1.0, 1.5, 0.6)),
    ],
)
def test_against_mpmath(name, slopes, args):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    for number, found in enumerate(slopes(*map(np.float64, args))):

        def at(steps, number=number):
            moved = [mpmath.mpf(arg) for arg in args]
            moved[number] += steps * mpmath.mpf(10) ** -12
            return getattr(mpmath, name)(*moved)

        with mpmath.workdps(40):
            rise = at(-2) - 8 * at(-1) + 8 * at(1) - at(2)
            expected = float(rise / 12 * 10**12)
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_where_there_is_none():
    x = np.array([np.nan, np.inf, 1.0])
    with np.errstate(all="ignore"):
        assert np.isnan(confluent(np.array([0.5, 0.5, np.nan]), 1.5, x)).all()


def test_what_has_no_derivative():
    with pytest.raises(NotImplementedError, match="at real ones only"):
        special.hyp0f1(variable(0.5), 1.0 + 1.0j).real.backward()
    for call in (
        lambda: special.hyp0f1(variable(1.5), -400.0),
        lambda: special.hyp1f1(variable(0.5), 1.5, -2000.0),
        lambda: special.hyp2f1(variable(0.5), 1.5, 2.5, 0.999),
    ):
        with pytest.raises(srcgrad.NoRuleError, match="by its parameters"):
            call().backward()
