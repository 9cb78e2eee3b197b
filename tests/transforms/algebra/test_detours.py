"""Steps that the way back of a way back does and undoes."""

import numpy as np
import pytest

import srcgrad

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 4))

JVPS = {
    "sort": (lambda x: np.sort(x, axis=0), "np.take_along_axis("),
    "median": (lambda x: np.median(x, axis=1), "np.take_along_axis("),
    "cumsum": (lambda x: np.cumsum(x, axis=1), "x_dot.cumsum(1)"),
    "convolve": (lambda x: np.convolve(x[0], x[1]), "+ np.convolve("),
    "same": (lambda x: np.convolve(x[0], x[1, :2], "same"), ', part, "same")'),
    "fft": (lambda x: np.fft.fft(x), "np.fft.fft(x_dot, axis=-1"),
    "rfft": (lambda x: np.fft.rfft(x), "out_dot = np.fft.rfft(x_dot)"),
    "irfft": (lambda x: np.fft.irfft(x), "np.fft.irfft(x_dot)"),
    "dot": (lambda x: np.dot(x[0], x[1]), " @ "),
    "vstack": (lambda x: np.vstack([x[0], x[1] * 2.0]), "out_dot = np.stack(["),
    "insert": (lambda x: np.insert(x[0], 1, 3.0), "out_dot[C1] = x_dot[0]"),
}


@pytest.mark.parametrize("name", JVPS)
def test_a_jvp_takes_no_detour(name):
    function, call = JVPS[name]
    for values in (x, x[::-1] * 2.0, -x):
        found = srcgrad.jvp(function, (values,), (x + 1.0,))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.jvp(function, (values,), (x + 1.0,))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert call in srcgrad.source(function)
