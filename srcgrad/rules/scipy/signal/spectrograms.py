"""Rules for ``scipy.signal``: spectra of a signal's windows, one beside the other.

Also those of samples at any times.
"""

import math
import warnings

import numpy as np
from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.signal.filters import extended
from srcgrad.rules.scipy.signal.spectra import spectra, window_of
from srcgrad.updates import scatter


# ----- Windows of a signal -----
def windowed(x, fs, values, noverlap, nfft, detrend, onesided, boundary, padded):
    """Frequencies, times, and the transforms: the windows, then the frequencies."""
    size = values.size
    nfft = size if nfft is None else nfft
    step = size - (size // 2 if noverlap is None else noverlap)
    if step <= 0:
        raise ValueError("noverlap must be less than nperseg.")
    if boundary == "zeros":
        x = np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(size // 2, size // 2)])
    elif boundary is not None:
        x = extended(x, size // 2, np.ndim(x) - 1, boundary)
    n = np.shape(x)[-1]
    times = np.arange(size / 2, n - size / 2 + 1, step) / fs
    if padded:
        more = (-(n - size) % step) % size
        x = np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(0, more)])
        times = np.arange(size / 2, n + more - size / 2 + 1, step) / fs
    if boundary is not None:
        times = times - (size / 2) / fs
    is_half = onesided and not np.iscomplexobj(x)
    if onesided and not is_half:
        message = "Input data is complex, switching to return_onesided=False"
        warnings.warn(message, stacklevel=2)
    found = spectra(x, values, step, nfft, detrend, is_half)
    frequencies = (np.fft.rfftfreq if is_half else np.fft.fftfreq)(nfft, 1.0 / fs)
    return frequencies, times, found


def in_place(found, axis, dtype):
    """The frequencies where the signal's axis was, the windows last."""
    found = np.moveaxis(found, -1, axis - 1 if axis < 0 else axis)
    return found.astype(dtype)


def stft(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    """``scipy.signal.stft``"""
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    moved = np.moveaxis(x, axis, -1)
    values = window_of(window, nperseg, np.shape(moved)[-1])
    frequencies, times, found = windowed(
        moved, fs, values, noverlap, nfft, detrend, return_onesided, boundary, padded
    )
    scale = amplitude(values, fs, scaling == "spectrum")
    dtype = np.result_type(x.dtype, np.complex64)
    return frequencies, times, in_place(found * scale, axis, dtype)


def amplitude(values, fs, is_spectrum):
    power = np.sum(values) ** 2 if is_spectrum else fs * np.sum(values * values)
    return np.sqrt(1.0 / power)


def spectrogram(
    x,
    fs=1.0,
    window=("tukey_periodic", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    """``scipy.signal.spectrogram``"""
    if mode not in ("psd", "complex", "magnitude", "angle", "phase"):
        raise ValueError(f"unknown value for mode {mode}")
    moved = np.moveaxis(x, axis, -1)
    values = window_of(window, nperseg, np.shape(moved)[-1])
    noverlap = values.size // 8 if noverlap is None else noverlap
    frequencies, times, found = windowed(
        moved, fs, values, noverlap, nfft, detrend, return_onesided, None, False
    )
    found = found * amplitude(values, fs, scaling == "spectrum")
    if mode == "psd":
        found = np.real(found) ** 2 + np.imag(found) ** 2
        if return_onesided and not np.iscomplexobj(x):
            nfft = values.size if nfft is None else nfft
            twice = np.full(nfft // 2 + 1, 2.0)
            twice[0] = 1.0
            if nfft % 2 == 0:
                twice[-1] = 1.0
            found = found * twice
    dtype = np.result_type(x.dtype, np.complex64)
    if mode != "complex" and mode != "psd":
        found = (np.abs if mode == "magnitude" else np.angle)(found)
    if mode == "complex":
        return frequencies, times, in_place(found, axis, dtype)
    found = in_place(found, axis, np.finfo(dtype).dtype)
    if mode == "phase":
        found = np.unwrap(found, axis=axis - 1 if axis < 0 else axis)
    return frequencies, times, found


def istft(
    Zxx,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    """``scipy.signal.istft``: the windows, added where they overlap."""
    ndim = np.ndim(Zxx)
    places = freq_axis % ndim, time_axis % ndim
    Z = np.moveaxis(Zxx, places, (-2, -1))
    bins, count = np.shape(Z)[-2:]
    whole = 2 * (bins - 1) if input_onesided else bins
    size = whole if nperseg is None else nperseg
    if nfft is None:
        nfft = size if input_onesided and size == whole + 1 else whole
    step = size - (size // 2 if noverlap is None else noverlap)
    values = window_of(window, size, size)
    pieces = (np.fft.irfft if input_onesided else np.fft.ifft)(Z, nfft, axis=-2)
    pieces = np.moveaxis(pieces[..., :size, :], -2, -1)
    pieces = pieces * (values / amplitude(values, fs, scaling == "spectrum"))
    index = np.arange(count)[:, None] * step + np.arange(size)
    length = size + (count - 1) * step
    norm = np.bincount(np.ravel(index), np.tile(values**2, count), length)
    flat = np.moveaxis(np.reshape(pieces, (*np.shape(Z)[:-2], -1)), -1, 0)
    x = scatter(flat, np.ravel(index), (length, *np.shape(Z)[:-2]))
    if boundary:
        inner = slice(size // 2, -(size // 2))
        x, norm = x[inner], norm[inner]
    if not np.all(norm > 1e-10):
        warnings.warn(
            "NOLA condition failed, STFT may not be invertible.", stacklevel=2
        )
    x = np.moveaxis(x, 0, -1) / np.where(norm > 1e-10, norm, 1.0)
    if ndim > 2:
        x = np.moveaxis(x, -1, places[1] - (places[0] < places[1]))
    return np.arange(np.shape(x)[0]) / fs, x


# ----- At any times -----
def lombscargle(x, y, freqs, *, normalize=False, weights=None, floating_mean=False):
    """``scipy.signal.lombscargle``"""
    x, y, freqs = doubles(x), doubles(y), doubles(freqs)
    weights = np.ones(np.shape(y)) if weights is None else doubles(weights)
    weights = weights / np.sum(weights)
    cosine, sine = np.cos(x[:, None] * freqs), np.sin(x[:, None] * freqs)
    CC, CS = weights @ (cosine * cosine), weights @ (cosine * sine)
    SS = 1.0 - CC
    if floating_mean:
        C, S = weights @ cosine, weights @ sine
        CC, SS, CS = CC - C * C, SS - S * S, CS - C * S
    tau = 0.5 * np.arctan2(2.0 * CS, CC - SS)
    angles = x[:, None] * freqs - tau
    cosine, sine = np.cos(angles), np.sin(angles)
    Y, YC, YS = weights @ y, (weights * y) @ cosine, (weights * y) @ sine
    CC = weights @ (cosine * cosine)
    SS = 1.0 - CC
    if floating_mean:
        C, S = weights @ cosine, weights @ sine
        YC, YS, CC, SS = YC - Y * C, YS - Y * S, CC - C * C, SS - S * S
    least = np.finfo(float).epsneg
    a, b = YC / np.maximum(CC, least), YS / np.maximum(SS, least)
    if normalize == "amplitude":
        return np.squeeze((a + 1j * b) * np.exp(1j * tau))
    power = np.squeeze(2.0 * (a * YC + b * YS))
    if normalize in (False, "power"):
        return power * (np.size(x) / 4.0)
    YY = weights @ (y * y)
    return power * (0.5 / (YY - Y * Y if floating_mean else YY))


def vectorstrength(events, period):
    """``scipy.signal.vectorstrength``"""
    turns = np.atleast_1d(2.0 * math.pi / period)[:, None] * np.atleast_1d(events)
    mean = np.mean(np.exp(1j * turns), axis=1)
    strength, phase = np.abs(mean), np.angle(mean)
    return (strength, phase) if np.ndim(period) else (strength[0], phase[0])


for _own in (stft, spectrogram, istft, lombscargle, vectorstrength):
    defined_as(getattr(signal, _own.__name__), _own)
