"""Rules for ``scipy.signal``: spectral densities, means over windows of the signal."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import signal

from srcgrad.rules.broadcasting import along
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.without import refuse

detrend_of = reaching(signal.detrend)
get_window = reaching(signal.get_window)


def window_of(window, nperseg, n):
    """The window's values; it is no longer than the signal."""
    if not isinstance(window, (str, tuple)):
        return np.positive(window)
    return get_window(window, min(256 if nperseg is None else nperseg, n))


def spectra(x, values, step, nfft, detrend, is_half):
    """The transform of each window, the frequencies last."""
    windows = sliding_window_view(x, values.size, axis=-1)[..., ::step, :]
    if detrend == "constant":
        windows = windows - np.mean(windows, axis=-1, keepdims=True)
    elif detrend == "linear":
        windows = detrend_of(windows)
    elif detrend:
        refuse("a spectrum with a function for `detrend`", "take the trend out before")
    return (np.fft.rfft if is_half else np.fft.fft)(windows * values, nfft)


def averaged(spectra, average):
    """The mean over the windows, or a median that has that of noise."""
    if average == "mean":
        return np.mean(spectra, axis=-2)
    if average != "median":
        raise ValueError(f'average must be "median" or "mean", got {average}')
    even = 2.0 * np.arange(1.0, (np.shape(spectra)[-2] - 1) // 2 + 1)
    bias = 1.0 + np.sum(1.0 / (even + 1.0) - 1.0 / even)
    middle = np.median(np.real(spectra), axis=-2)
    return (middle + 1j * np.median(np.imag(spectra), axis=-2)) / bias


def csd(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    """``scipy.signal.csd``: one spectrum times the other's conjugate."""
    x, y = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    if np.shape(x) != np.shape(y):
        refuse("csd of signals of two shapes", "broadcast them before")
    values = window_of(window, nperseg, np.shape(x)[-1])
    size = values.size
    nfft = size if nfft is None else nfft
    step = size - (size // 2 if noverlap is None else noverlap)
    is_half = return_onesided and not (np.iscomplexobj(x) or np.iscomplexobj(y))
    first = spectra(x, values, step, nfft, detrend, is_half)
    second = first if y is x else spectra(y, values, step, nfft, detrend, is_half)
    if scaling == "density":
        scale = 1.0 / (fs * np.sum(values * values))
    else:
        scale = 1.0 / np.sum(values) ** 2
    both = averaged(np.conjugate(first) * second, average)
    if is_half:
        counts = np.full(nfft // 2 + 1, 2.0)  # each frequency and its negative
        counts[0] = 1.0
        if nfft % 2 == 0:
            counts[-1] = 1.0
        factors = counts * scale
        frequencies = np.fft.rfftfreq(nfft, 1.0 / fs)
    else:
        factors, frequencies = scale, np.fft.fftfreq(nfft, 1.0 / fs)
    return frequencies, np.moveaxis(both * factors, -1, axis)


def welch(x, *args, **kwargs):
    """``scipy.signal.welch``"""
    frequencies, power = csd(x, x, *args, **kwargs)
    return frequencies, np.real(power)


def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    """``scipy.signal.periodogram``: one window."""
    n = np.shape(x)[axis]
    if nfft is not None and nfft < n:
        x, n = x[along(axis % np.ndim(x), slice(nfft))], nfft
    options = detrend, return_onesided, scaling, axis
    return welch(x, fs, window, n, 0, nfft, *options)


def coherence(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    axis=-1,
):
    """``scipy.signal.coherence``"""
    options = {"axis": axis, "detrend": detrend, "nfft": nfft, "noverlap": noverlap}
    options |= {"fs": fs, "window": window, "nperseg": nperseg}
    frequencies, of_first = welch(x, **options)
    _, of_second = welch(y, **options)
    _, of_both = csd(x, y, **options)
    squares = np.real(of_both) ** 2 + np.imag(of_both) ** 2
    return frequencies, squares / of_first / of_second


for _own in (csd, welch, periodogram, coherence):
    defined_as(getattr(signal, _own.__name__), _own)
