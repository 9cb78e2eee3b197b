"""Linear systems as objects: what SciPy's give, and gradients as of their tuples."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import signal
from tests.variables import variable

# SciPy warns of its own results, too.
pytestmark = pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")

NUM, DEN = np.array([0.5, 0.3]), np.array([2.0, 0.6, 0.3])
ZEROS, POLES, GAIN = np.array([-0.4]), np.array([-0.7, -1.2]), np.array(1.5)
MATRICES = (
    np.array([[-0.5, 0.2], [0.1, -0.8]]),
    np.array([[1.0], [0.5]]),
    np.array([[0.3, -0.4]]),
    np.array([[0.2]]),
)
TIMES = np.linspace(0.0, 2.0, 4)
W = np.array([0.5, 1.0])
FORMS = [(NUM, DEN), (ZEROS, POLES, GAIN), MATRICES]

ASKED = [
    lambda s: s.step(T=TIMES)[1],
    lambda s: s.impulse(T=TIMES)[1],
    lambda s: s.output(np.sin(TIMES), TIMES)[1],
    lambda s: s.bode(W)[1:],
    lambda s: s.freqresp(W)[1],
    lambda s: (s.to_ss().A, s.to_tf().den, s.zeros.real, s.poles.real),
    lambda s: s.to_discrete(0.2).step(n=4)[1][0],
]
ASKED_OF_SAMPLES = [
    lambda s: s.step(n=4)[1][0],
    lambda s: s.impulse(n=4)[1][0],
    lambda s: s.output(np.sin(TIMES), None)[1],
    lambda s: s.bode(W)[1:],
    lambda s: s.freqresp(W)[1],
]


def same(ours, theirs):
    for found, expected in zip(
        *(each if isinstance(each, tuple) else (each,) for each in (ours, theirs)),
        strict=True,
    ):
        np.testing.assert_allclose(getattr(found, "data", found), expected, atol=1e-12)


@pytest.mark.parametrize("form", FORMS, ids=len)
@pytest.mark.parametrize("asked", ASKED)
def test_continuous(form, asked):
    same(asked(signal.lti(*map(variable, form))), asked(scipy.signal.lti(*form)))
    assert gradcheck(lambda *parts: asked(signal.lti(*parts)), form)


@pytest.mark.parametrize("form", FORMS, ids=len)
@pytest.mark.parametrize("asked", ASKED_OF_SAMPLES)
def test_discrete(form, asked):
    ours = signal.dlti(*map(variable, form), dt=0.5)
    same(asked(ours), asked(scipy.signal.dlti(*form, dt=0.5)))
    assert gradcheck(lambda *parts: asked(signal.dlti(*parts, dt=0.5)), form)


@pytest.mark.parametrize(
    "combined",
    [
        lambda s, t: s * t,
        lambda s, t: s + t,
        lambda s, t: t - s,
        lambda s, t: (2.0 * t) + s,
        lambda s, t: (2.0 * t) * s,
        lambda s, t: 2.0 * s / 4.0 - 1.0,
        lambda s, t: s * np.array([[3.0]]) + np.array([[1.0]]),
        lambda s, t: np.array([[3.0]]) * s,
        lambda s, t: 1.0 - s,
    ],
)
def test_systems_of_systems(combined):
    other = scipy.signal.StateSpace(*MATRICES)
    expected = combined(scipy.signal.StateSpace(*MATRICES), other)
    found = combined(signal.StateSpace(*map(variable, MATRICES)), other)
    for name in "ABCD":
        same(getattr(found, name), getattr(expected, name))


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
