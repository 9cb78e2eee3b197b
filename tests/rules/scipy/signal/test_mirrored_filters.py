"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="only by the signal"):
        signal.cspline1d(np.ones(4), variable(1.0))
    with pytest.raises(srcgrad.NoRuleError, match="complex images"):
        signal.spline_filter(srcgrad.Variable(np.ones((4, 4)) + 0j, requires_grad=True))
    for call, message in (
        (lambda: signal.qspline2d(variable(np.eye(4)), 1.0), "negative or zero"),
        (lambda: signal.cspline1d_eval(variable([1.0]), 0.0), "two at least"),
        (lambda: signal.sepfir2d(variable(np.eye(4)), [1.0, 2.0], [1.0]), "odd length"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
