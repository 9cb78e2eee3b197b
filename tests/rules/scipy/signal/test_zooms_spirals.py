"""The chirp z-transform as an object."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad import Variable
from srcgrad.checking import gradcheck
from srcgrad.scipy import signal

X = np.random.default_rng(0).normal(size=(2, 5))
SPIRAL = np.array(0.9 + 0.1j), np.array(1.1 + 0.0j)
CALLS = {
    "CZT": (lambda x: signal.CZT(5, 4)(x), X),
    "its axis": (lambda x: signal.CZT(5)(x.T, axis=0), X),
    "its spiral": (lambda x, w, a: signal.CZT(5, 4, w, a)(x), X, *SPIRAL),
    "its points": (lambda w, a: signal.CZT(5, 4, w, a).points(), *SPIRAL),
    "ZoomFFT": (lambda x, f: signal.ZoomFFT(5, f, 4)(x), X, np.array(0.9)),
    "its end": (
        lambda x, f: signal.ZoomFFT(5, [0.1, f], 4, endpoint=True)(x),
        *(X, np.array(0.9)),
    ),
    "the points of it": (
        lambda f, fs: signal.ZoomFFT(5, [0.1, f], 4, fs=fs, endpoint=True).points(),
        *(np.array(0.9), np.array(2.5)),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_by_signals_and_spirals(name):
    call, *args = CALLS[name]
    expected = call(*args)
    assert isinstance(expected, np.ndarray)
    for function in (call, srcgrad.trace(call)):
        found = function(*(Variable(arg, requires_grad=True) for arg in args))
        np.testing.assert_allclose(found.data, expected, atol=1e-12)
    assert gradcheck(call, tuple(args))


def test_it_is_scipys_besides():
    made = signal.CZT(5)
    assert isinstance(made, scipy.signal.CZT)
    np.testing.assert_array_equal(made.points(), scipy.signal.CZT(5).points())
    with pytest.raises(ValueError, match="defined for length 5"):
        made(Variable(X[:, :4], requires_grad=True))
