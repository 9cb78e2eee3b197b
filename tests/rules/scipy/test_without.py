"""What has no derivative is refused with the reason, and SciPy's own otherwise."""

import numpy as np
import pytest
import scipy.fft

import srcgrad
from srcgrad.scipy import fft
from tests.variables import variable


def test_the_error_gives_the_reason():
    with pytest.raises(srcgrad.NoRuleError, match=r"of fhtoffset \(.*\): it is a sear"):
        fft.fhtoffset(variable(0.1), 2.0)
    with pytest.raises(srcgrad.NoRuleError, match="fhtoffset"):
        fft.fhtoffset(0.1, mu=variable(2.0))


def test_without_a_gradient_it_is_scipys():
    constant = srcgrad.Variable(np.array(0.1))
    expected = scipy.fft.fhtoffset(0.1, 2.0)
    assert fft.fhtoffset(0.1, 2.0) == expected
    assert fft.fhtoffset(constant, 2.0) == expected
