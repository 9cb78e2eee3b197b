"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_the_frequencies():
    x = np.arange(300.0)
    for name in ("welch", "periodogram"):
        found, _ = getattr(signal, name)(variable(x), 3.0)
        expected, _ = getattr(scipy.signal, name)(x, 3.0)
        np.testing.assert_allclose(found, expected)


def test_what_has_no_derivative():
    x = variable(np.ones(9))
    for call in (
        lambda: signal.csd(x, np.ones(4)),
        lambda: signal.welch(x, detrend=lambda x: x),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=r"spectrum|csd"):
            call()
