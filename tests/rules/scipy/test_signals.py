"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import signal
from tests.rules.suite import RuleSuite
from tests.samples.scipy.signals import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


def test_a_filter_that_begins_with_a_state():
    x, state = variable([1.0, 2.0]), np.array([0.5])
    sections = np.array([[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]])
    with pytest.raises(NotImplementedError, match="put what was before in front"):
        signal.sosfilt(sections, x, zi=np.zeros((1, 2)))
    with pytest.raises(NotImplementedError, match="put what was before in front"):
        signal.lfilter([1.0], [1.0, 0.5], x, zi=state)[0].sum().backward()
