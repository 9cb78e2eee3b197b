"""Linear systems as objects: what SciPy's give, and gradients as of their tuples."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable

# SciPy warns of its own results, too.
pytestmark = pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")

NUM, DEN = np.array([0.5, 0.3]), np.array([2.0, 0.6, 0.3])
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
    assert repr(signal.StateSpace(system)).startswith("StateSpaceContinuous(")
    assert isinstance(signal.lti([1.0], [1.0, 2.0]), scipy.signal.lti)


def test_in_functions_that_are_transformed():
    def overshoot(zeta):
        system = scipy.signal.lti([1.0], np.stack([1.0, 2.0 * zeta, 1.0]))
        return np.max(system.step(T=np.linspace(0.0, 10.0, 60))[1])

    h = 1e-5
    numeric = (overshoot(0.3 + h) - overshoot(0.3 - h)) / (2 * h)
    assert srcgrad.grad(overshoot)(0.3) == pytest.approx(numeric, rel=1e-5)
    traced = srcgrad.trace(overshoot)
    for zeta in (0.3, 0.3, 0.4):
        assert traced(variable(zeta)).item() == pytest.approx(overshoot(zeta))


def test_errors():
    system = signal.lti(variable(NUM), DEN)
    with pytest.raises(TypeError, match="unsupported operand"):
        system + 1.0
    with pytest.raises(AttributeError, match="gain"):
        system.gain  # noqa: B018
    with pytest.raises(ValueError, match="2, 3 or 4"):
        signal.lti(variable(NUM))
    state = system.to_ss()
    with pytest.raises(ValueError, match="incompatible"):
        state + np.ones((2, 2))
    with pytest.raises(ValueError, match="non-scalar"):
        state / np.ones(2)
    with pytest.raises(TypeError, match="Cannot add"):
        state + state.to_discrete(0.1)
