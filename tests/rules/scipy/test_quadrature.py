"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import integrate
from tests.rules.suite import RuleSuite
from tests.samples.scipy.quadrature import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


def test_what_the_rules_cannot_do():
    y, x = variable(np.ones((2, 5))), np.ones((2, 5)).cumsum(axis=1)
    with pytest.raises(NotImplementedError, match="row by row"):
        integrate.cumulative_simpson(y, x=x).sum().backward()
    with pytest.raises(ValueError, match="`initial`"):
        integrate.cumulative_trapezoid(y, initial=1)
