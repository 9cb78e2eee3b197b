"""Linear systems as objects: what SciPy's give, and gradients as of their tuples."""

import numpy as np
import pytest
import scipy.signal

from srcgrad.scipy import signal
from tests.variables import variable

# SciPy warns of its own results, too.
pytestmark = pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")

TIMES = np.linspace(0.0, 2.0, 4)


def test_functions_find_what_a_system_holds():
    rate = variable(2.0)
    system = signal.TransferFunction([1.0], np.stack([1.0, rate]))
    signal.step(system, T=TIMES)[1].sum().backward()
    expected = np.sum(TIMES * np.exp(-2.0 * TIMES) / 2.0)
    expected -= np.sum((1.0 - np.exp(-2.0 * TIMES)) / 4.0)
    assert rate.grad.item() == pytest.approx(expected)
    assert signal.cont2discrete(system, 0.5).dt == 0.5
    assert signal.TransferFunction(system).num.data.tolist() == [1.0]
    zpk = signal.ZerosPolesGain([], variable([-1.0]), 2.0)
    assert zpk.to_tf().den.data.tolist() == [1.0, 1.0]
    assert "linear system" in repr(signal.StateSpace(system))
    assert isinstance(signal.lti([1.0], [1.0, 2.0]), scipy.signal.lti)
