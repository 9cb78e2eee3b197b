"""What has no derivative is refused with the reason, and SciPy's own otherwise."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable

BANDS, GAINS = np.array([0.0, 0.1, 0.2, 0.5]), np.array([1.0, 0.0])


def test_the_error_gives_the_reason():
    with pytest.raises(srcgrad.NoRuleError, match=r"of remez \(.*\): its extremes"):
        signal.remez(5, variable(BANDS), GAINS)
    with pytest.raises(srcgrad.NoRuleError, match="remez"):
        signal.remez(5, BANDS, desired=variable(GAINS))


def test_without_a_gradient_it_is_scipys():
    constant = srcgrad.Variable(BANDS)
    expected = scipy.signal.remez(5, BANDS, GAINS)
    np.testing.assert_array_equal(signal.remez(5, BANDS, GAINS), expected)
    np.testing.assert_array_equal(signal.remez(5, constant, GAINS), expected)
