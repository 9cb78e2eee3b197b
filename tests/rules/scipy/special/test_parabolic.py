"""Every sample of the chapter; the slopes in the order, against mpmath."""

import numpy as np
import pytest

from srcgrad.rules.scipy.special.parabolic import d_slopes, v_slopes, w_slopes


@pytest.mark.parametrize(
    ("name", "slopes", "v", "x"),
    [
        *(("D", d_slopes, *at) for at in ((2.0, 5.0), (20.3, 3.0), (-8.0, 6.0))),
        *(("D", d_slopes, *at) for at in ((3.0, -2.0), (0.0, 0.0))),
        *(("V", v_slopes, *at) for at in ((2.0, 3.0), (-3.0, 2.0), (3.5, -1.5))),
        *(("W", w_slopes, *at) for at in ((-1.5, 3.0), (2.0, -4.0), (0.0, 1.0))),
    ],
)
def test_against_mpmath(name, slopes, v, x):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    function = {
        "D": mpmath.pcfd,
        "V": lambda v, x: mpmath.pcfv(-v - mpmath.mpf(0.5), x),
        "W": mpmath.pcfw,
    }[name]

    def slope(f, at):
        step = mpmath.mpf(10) ** -10
        near = [f(at + k * step) for k in (-2, -1, 1, 2)]
        return (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)

    with mpmath.workdps(35):
        in_v = slope(lambda v: function(v, mpmath.mpf(x)), mpmath.mpf(v))
        both = slope(
            lambda x: slope(lambda v: function(v, x), mpmath.mpf(v)), mpmath.mpf(x)
        )
    found = [float(each) for each in slopes(np.float64(v), np.float64(x))]
    np.testing.assert_allclose(found, [float(in_v), float(both)], rtol=1e-10)
