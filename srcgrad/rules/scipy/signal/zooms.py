"""Rules for ``scipy.signal``: spectra along a spiral, envelopes, signals in a plane."""

import math

import numpy as np
from scipy import fft, signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.signal.filters import resized_complex, resized_real


# ----- The chirp z-transform, by a convolution as in SciPy -----
def by_chirp(x, chirp, first, m, axis):
    """Of the points ``first * w ** -k``, where ``chirp`` is ``w ** (k * k / 2)``."""
    x = np.moveaxis(x, axis, -1)
    n = np.shape(x)[-1]
    size = fft.next_fast_len(n + m - 1)
    kernel = 1.0 / np.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]])
    product = np.fft.fft(kernel, size) * np.fft.fft(x * (first * chirp[:n]), size)
    y = np.fft.ifft(product)[..., n - 1 : n + m - 1] * chirp[:m]
    return np.moveaxis(y, -1, axis)


def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """``scipy.signal.czt``"""
    n = np.shape(x)[axis]
    m = n if m is None else m
    k = np.arange(max(m, n))
    if w is None:
        chirp = np.exp(-(1j * math.pi * ((k * k) % (2 * m))) / m)
    else:
        chirp = w ** (k * k / 2.0)
    return by_chirp(x, chirp, (1.0 * a) ** -(1.0 * k[:n]), m, axis)


def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """``scipy.signal.zoom_fft``"""
    n = np.shape(x)[axis]
    m = n if m is None else m
    k = np.arange(max(m, n))
    ends = fn if isinstance(fn, (list, tuple)) else np.reshape(fn, -1)
    low, high = ends if len(ends) == 2 else (0.0, ends[0])
    scale = (high - low) / fs
    if endpoint:
        scale = scale * m / (m - 1)
    chirp = np.exp(-(1j * math.pi * scale * (k * k)) / m)
    first = np.exp(-2j * math.pi * low / fs * k[:n])
    return by_chirp(x, chirp, first, m, axis)


def czt_points(m, w=None, a=1 + 0j):
    """``scipy.signal.czt_points``"""
    k = np.arange(m)
    if w is None:
        return 1.0 * a * np.exp(2j * math.pi * k / m)
    return 1.0 * a * (1.0 * w) ** -(1.0 * k)


# ----- Analytic signals -----
def hilbert2(x, N=None, axes=(-2, -1)):
    """``scipy.signal.hilbert2``"""
    if np.iscomplexobj(x):
        raise ValueError("x must be real.")
    sizes = [np.shape(x)[axis] for axis in axes] if N is None else N
    sizes = (sizes, sizes) if isinstance(sizes, int) else tuple(sizes)
    spectrum = np.fft.fft2(x, sizes, axes)
    for size, axis in zip(sizes, axes, strict=True):
        shape = [1] * np.ndim(x)
        shape[axis] = size
        positive = np.arange(size) < (size + 1) // 2
        weights = np.where(positive, 2.0, 0.0)
        weights[0] = 1.0
        spectrum = spectrum * weights.reshape(shape)
    return np.fft.ifft2(spectrum, axes=axes)


def envelope(
    z, bp_in=(1, None), *, n_out=None, squared=False, residual="lowpass", axis=-1
):
    """``scipy.signal.envelope``: the size of a band of frequencies, and the rest."""
    z = np.moveaxis(z, axis, -1)
    n, is_real = np.shape(z)[-1], not np.iscomplexobj(z)
    low, high = bp_in
    low = -(n // 2) if low is None else low
    high = (n + 1) // 2 if high is None else high
    if not -n // 2 <= low < high <= (n + 1) // 2:
        raise ValueError(
            "`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for "
            f"n={n} and bp_in={bp_in}!"
        )
    size = n if n_out is None else n_out
    spectrum, k = np.fft.fft(z), np.arange(low, high)
    # Of a real signal, the negative frequencies are none but the lowest.
    weights = np.where(k > 0, 2.0, (k == 0) | (2 * k == -n)) if is_real else 1.0
    band = spectrum[..., k % n] * weights
    band = np.fft.ifft(band, size) * (size / n)
    out = np.real(band) ** 2 + np.imag(band) ** 2 if squared else np.abs(band)
    out = np.moveaxis(out, -1, axis)
    if residual is None:
        return out
    kept = remaining(n, low, high, residual)
    if is_real:
        rest = np.fft.irfft((spectrum * kept)[..., : n // 2 + 1], n)
        rest = resized_real(rest, n, size) * (size / n)
    else:
        rest = resized_complex(np.fft.ifft(spectrum * kept), n, size) * (size / n)
    return np.stack([out, np.moveaxis(rest, -1, axis)])


def remaining(n, low, high, residual):
    """Which frequencies belong to the rest: 1 or 0 for each."""
    kept = np.ones(n)
    if low <= 0 < high:
        kept[:high] = kept[low:] = 0.0
    else:
        kept[low:high] = 0.0
    if residual == "lowpass" and high > 0:
        kept[high : (n + 1) // 2] = 0.0
    elif residual == "lowpass":
        kept[low:] = kept[: (n + 1) // 2] = 0.0
    return kept


for _own in (czt, zoom_fft, czt_points, hilbert2, envelope):
    defined_as(getattr(signal, _own.__name__), _own)
