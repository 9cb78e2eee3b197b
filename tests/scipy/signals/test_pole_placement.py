"""Gains that give a system its poles."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad import Variable
from srcgrad.checking import gradcheck
from srcgrad.scipy import signal

A = np.random.default_rng(0).normal(size=(4, 4))
B = np.random.default_rng(1).normal(size=(4, 4))
POLES = {
    "real": np.array([-4.5, -1.0, -3.0, -2.0]),
    "complex": np.array([-3.0, -1.0 - 1.0j, -2.0, -1.0 + 1.0j]),
}


def live(array):
    return Variable(array, requires_grad=True)


@pytest.mark.parametrize("kind", POLES)
@pytest.mark.parametrize("inputs", [1, 4])
def test_by_system_and_poles(inputs, kind):
    args = A, B[:, :inputs], POLES[kind]

    def call(module, A, B, poles):
        found = module.place_poles(A, B, poles)
        return found.gain_matrix, found.computed_poles, found.requested_poles

    expected = call(scipy.signal, *args)
    for function in (call, srcgrad.trace(call)):
        found = function(signal, *map(live, args))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours.data, theirs, atol=1e-9)
    assert gradcheck(lambda A, B: call(signal, A, B, args[2])[:2], args[:2])
    if kind == "real":
        assert gradcheck(lambda poles: call(signal, *args[:2], poles), args[2:])


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="one of many gains"):
        signal.place_poles(live(A), B[:, :2], POLES["real"])
    found = signal.place_poles(live(A), B[:, :1], POLES["real"])
    with pytest.raises(srcgrad.NoRuleError, match="by its `X`"):
        found.X  # noqa: B018 - it raises
    with pytest.raises(AttributeError):
        found.Y  # noqa: B018
    assert signal.place_poles(A, B[:, :2], POLES["real"]).X.shape == (4, 4)
