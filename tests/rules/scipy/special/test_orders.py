"""The slope in the order, against differences in it and known values."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.orders import scaled_slope


@pytest.mark.parametrize("x", [1e-3, 0.3, 2.0, 50.0, 2e3])
@pytest.mark.parametrize("v", [0.01, 0.5, 3.0, 40.0])
def test_against_differences(v, x):
    step = 1e-4 * max(v, 0.1)
    # Of the logarithm, by differences of the fourth order.
    log = [np.log(special.kve(v + k * step, x)) for k in (-2, -1, 1, 2)]
    slope = (log[0] - 8.0 * log[1] + 8.0 * log[2] - log[3]) / (12.0 * step)
    found = scaled_slope(np.array(v), np.array(x)) / special.kve(v, x)
    if np.isfinite(log).all():
        np.testing.assert_allclose(found, slope, rtol=1e-7, atol=1e-9)


def test_orders_of_either_sign():
    slopes = scaled_slope(np.array([-1.5, 0.0, 1.5]), 0.7)
    assert slopes[0] == -slopes[2]
    assert slopes[1] == 0.0


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.filterwarnings("ignore:non-integer arg n")
@pytest.mark.parametrize(
    ("name", "args"),
    [
        *(("kn", (2.7, 1.1)), ("yn", (2.7, 1.1)), ("expn", (0.7, 0.6))),
        *(
            ("bdtr", (0.5, 2.6, 0.3)),
            ("nbdtr", (1.7, 2.6, 0.3)),
            ("smirnov", (2.7, 0.4)),
        ),
        *(("tklmbda", (2.4, 1.2)), ("tklmbda", (0.3, 1.2))),
    ],
)
def test_what_is_cut_off_or_beyond_the_support(name, args):
    function, places = getattr(special, name), list(args)
    number = 0 if name == "tklmbda" else len(args) - 1  # what it is differentiated by

    def call(x):
        return function(*places[:number], x, *places[number + 1 :])

    place = args[number]
    slope = (call(place + 1e-6) - call(place - 1e-6)) / 2e-6
    np.testing.assert_allclose(srcgrad.grad(call)(place), slope, 1e-6, 1e-9)
