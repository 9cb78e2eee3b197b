"""Under ``detect_anomaly``, what SciPy's functions make of finite numbers."""

import numpy as np
import pytest
from scipy import special, stats

import srcgrad
from tests.variables import variable

ZEROS = np.zeros(3)


def test_infinity_is_an_error():
    with (
        srcgrad.detect_anomaly(),
        pytest.raises(srcgrad.AnomalyError, match="psi returned nan or infinity"),
    ):
        special.digamma(variable(ZEROS))


def test_what_a_function_does_inside_is_its_own():
    """Of its argument one of its branches makes infinity, and does not choose it."""
    with srcgrad.detect_anomaly():
        slope = srcgrad.grad(lambda v: np.sum(stats.norm.logpdf(v)))
        np.testing.assert_array_equal(slope(ZEROS), ZEROS)
