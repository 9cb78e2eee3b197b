"""Transforms of pieces of a signal, and back: as SciPy's, and differentiable."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import signal
from tests.variables import variable

X = np.sin(np.arange(19.0)) + 0.1 * np.arange(19.0)
WINDOW = np.hanning(8) + 0.1

OPTIONS = [
    {},
    {"mfft": 10, "phase_shift": None},
    {"fft_mode": "twosided", "scale_to": "magnitude"},
    {"fft_mode": "centered", "mfft": 9},
    {"fft_mode": "onesided2X", "scale_to": "psd"},
    {"fft_mode": "onesided2X", "scale_to": "magnitude", "mfft": 9, "phase_shift": 2},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_there_and_back(options):
    pieces = signal.ShortTimeFFT(WINDOW, 3, 10.0, **options)

    def call(x):
        S = pieces.stft(x)
        return S, pieces.istft(S**2 / 3.0, k1=15)

    for ours, theirs in zip(call(variable(X)), call(X), strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    assert gradcheck(call, (X,))


@pytest.mark.parametrize("padding", ["zeros", "edge", "even", "odd"])
def test_padding_trends_and_axes(padding):
    pieces = signal.ShortTimeFFT(WINDOW, 4, 1.0)
    table = np.stack([X, X**2], axis=1)

    def call(x):
        options = {"padding": padding, "axis": 0, "k_offset": 1}
        return (
            pieces.spectrogram(x, detr="linear", **options),
            pieces.spectrogram(x, 2.0 * x, **options),
        )

    for ours, theirs in zip(call(variable(table)), call(table), strict=True):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-12)
    if padding == "odd":
        assert gradcheck(call, (table,))


def test_an_object_of_scipys_in_a_transform():
    made = scipy.signal.ShortTimeFFT.from_window("hann", 1.0, 8, 4)
    found = srcgrad.grad(lambda x: np.sum(made.spectrogram(x)))(X)
    step = 1e-6 * np.eye(len(X))[3]
    ends = [np.sum(made.spectrogram(X + sign * step)) for sign in (1, -1)]
    assert found[3] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_back_from_several_signals():
    pieces = signal.ShortTimeFFT(WINDOW, 3, 10.0)
    S = pieces.stft(np.stack([X, X]))
    assert gradcheck(lambda S: pieces.istft(S, k1=12), (S,))
