"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_what_has_no_derivative():
    x, kernel = variable(np.ones(9)), np.array([1.0, 0.5])
    for call, message in (
        (lambda: signal.upfirdn(kernel, x, mode="wrap"), "another mode"),
        (lambda: signal.resample_poly(x, 2, 3, padtype="line"), "another mode"),
        (lambda: signal.remez(3, [0, 0.5], variable([1.0])), "than it needs"),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()


def test_errors_are_scipys():
    x = variable(np.ones(4))
    with pytest.raises(ValueError, match="greater than padlen"):
        signal.filtfilt([1.0], [1.0, 0.5], x, padlen=9)
    with pytest.raises(ValueError, match="window_length must be less"):
        signal.savgol_filter(x, 5, 2)
    with pytest.raises(ValueError, match="should be odd"):
        signal.medfilt(x, 2)
    with pytest.raises(ValueError, match="x must be real"):
        signal.hilbert(srcgrad.Variable(np.ones(2) + 1j))


def test_resampled_with_times():
    y, t = signal.resample(variable(np.ones(4)), 8, np.arange(4.0))
    assert y.shape == (8,)
    np.testing.assert_allclose(t, np.arange(8) / 2.0)
