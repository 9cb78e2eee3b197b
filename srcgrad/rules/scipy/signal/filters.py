"""Rules for ``scipy.signal``: filters with a state and from both ends, resampling.

Each is made of ``lfilter``, of transforms, or of sums over windows.
"""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import ndimage, signal

from srcgrad.rules.broadcasting import along
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse

lfilter_of = reaching(signal.lfilter)
sosfilt_of = reaching(signal.sosfilt)
convolve1d = reaching(ndimage.convolve1d)


# ----- Filters that begin with a state -----
def filled(x, size):
    """A vector with zeros behind it."""
    return np.pad(x, (0, size - np.shape(x)[0]))


def lfilter(b, a, x, axis=-1, zi=None):
    """``scipy.signal.lfilter``: a state is what the filter makes of an impulse."""
    if zi is None:
        return NotImplemented
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    size = max(b.shape[0], a.shape[0])
    b, a = filled(b / a[0], size), filled(a / a[0], size)
    x, state = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n = np.shape(x)[-1]
    response = lfilter_of(np.ones(1), a, np.eye(1, n)[0])
    lag = np.arange(n) - np.arange(size - 1)[:, None]
    shifted = np.where(lag >= 0, response[np.maximum(lag, 0)], 0.0)
    y = lfilter_of(b, a, x) + state @ shifted
    return np.moveaxis(y, -1, axis), np.moveaxis(
        last_state(b, a, x, y, state), -1, axis
    )


def last_state(b, a, x, y, state):
    """What is left in the filter: of each lag, what is still to come."""
    size, n = np.shape(b)[0], np.shape(x)[-1]
    rows = []
    for i in range(size - 1):
        row = state[..., i + n] if i + n < size - 1 else 0.0
        for k in range(i + 1, size):
            if n - k + i >= 0:
                row = row + b[k] * x[..., n - k + i] - a[k] * y[..., n - k + i]
        rows.append(row + 0.0 * x[..., 0])
    return np.stack(rows, axis=-1) if rows else state


def sosfilt(sos, x, axis=-1, zi=None):
    """``scipy.signal.sosfilt``: one section after the other."""
    states = []
    for section in range(np.shape(sos)[0]):
        b, a = sos[section, :3], sos[section, 3:]
        if zi is None:
            x = lfilter_of(b, a, x, axis)
        else:
            x, state = lfilter_of(b, a, x, axis, zi[section])
            states.append(state)
    return x if zi is None else (x, np.stack(states))


def lfilter_zi(b, a):
    """``scipy.signal.lfilter_zi``: the state in which a step stays as it is."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    size = max(b.shape[0], a.shape[0])
    b, a = filled(b / a[0], size), filled(a / a[0], size)
    n = size - 1
    matrix = np.eye(n) - np.eye(n, k=1) + a[1:, None] * np.eye(1, n)
    return np.linalg.solve(matrix, b[1:] - a[1:] * b[0])


def sosfilt_zi(sos):
    """``scipy.signal.sosfilt_zi``: each section gets what the ones before it gain."""
    rows, scale = [], 1.0
    for section in range(np.shape(sos)[0]):
        b, a = sos[section, :3], sos[section, 3:]
        rows.append(scale * lfilter_zi(b, a))
        scale = scale * np.sum(b) / np.sum(a)
    return np.stack(rows)


# ----- From both ends -----
EXTENSIONS = {
    "odd": lambda edge, inner: 2.0 * edge - inner,
    "even": lambda edge, inner: inner,
    "constant": lambda edge, inner: edge + 0.0 * inner,
}


def extended(x, edge, axis, padtype):
    """A signal with what is thought to lie before and after it."""
    if np.shape(x)[axis] <= edge:
        raise ValueError(
            "The length of the input vector x must be greater than padlen, "
            f"which is {edge}."
        )
    if not edge:
        return x
    extend = EXTENSIONS[padtype]
    first, last = x[along(axis, slice(1))], x[along(axis, slice(-1, None))]
    before = extend(first, x[along(axis, slice(edge, 0, -1))])
    after = extend(last, x[along(axis, slice(-2, -(edge + 2), -1))])
    return np.concatenate([before, x, after], axis=axis)


def there_and_back(run, x, axis, edge, padtype):
    """Filter forwards and backwards; ``run`` starts in the state for a value."""
    axis = axis % np.ndim(x)
    y = extended(x, edge, axis, padtype)
    for _ in range(2):
        y = np.flip(run(y, y[along(axis, slice(1))]), axis)
    n = np.shape(y)[axis]
    return y[along(axis, slice(edge, n - edge))]


def edge_of(padtype, padlen, taps):
    if padtype is None:
        return 0
    return 3 * taps if padlen is None else padlen


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """``scipy.signal.filtfilt``"""
    if method != "pad":
        refuse("filtfilt with method='gust'", "use method='pad'")
    edge = edge_of(padtype, padlen, max(np.size(a), np.size(b)))
    start = np.reshape(
        lfilter_zi(b, a), (-1,) + (1,) * (np.ndim(x) - axis % np.ndim(x) - 1)
    )

    def run(y, first):
        return lfilter_of(b, a, y, axis, start * first)[0]

    return there_and_back(run, x, axis, edge, padtype)


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """``scipy.signal.sosfiltfilt``"""
    sections = np.shape(sos)[0]
    ends = min(np.sum(np.equal(sos[:, 2], 0)), np.sum(np.equal(sos[:, 5], 0)))
    edge = edge_of(padtype, padlen, 2 * sections + 1 - int(ends))
    shape = [sections, *([1] * np.ndim(x))]
    shape[axis % np.ndim(x) + 1] = 2
    start = np.reshape(sosfilt_zi(sos), shape)

    def run(y, first):
        return sosfilt_of(sos, y, axis, start * first)[0]

    return there_and_back(run, x, axis, edge, padtype)


# ----- Transforms -----
def one_sided(n, axis, ndim):
    """Twice the positive frequencies, none of the negative ones."""
    weights = np.zeros(n)
    weights[0] = 1.0
    weights[1 : (n + 1) // 2] = 2.0
    if n % 2 == 0:
        weights[n // 2] = 1.0
    shape = [1] * ndim
    shape[axis] = n
    return weights.reshape(shape)


def hilbert(x, N=None, axis=-1):
    """``scipy.signal.hilbert``: the analytic signal."""
    if np.iscomplexobj(x):
        raise ValueError("x must be real.")
    size = np.shape(x)[axis] if N is None else N
    spectrum = np.fft.fft(x, size, axis)
    return np.fft.ifft(spectrum * one_sided(size, axis, np.ndim(x)), axis=axis)


def resized_real(x, n, num):
    """The highest frequency stands for two where their number is even."""
    m = min(num, n)
    scale = np.ones(m // 2 + 1)
    if m % 2 == 0 and num != n:
        scale[m // 2] = 2.0 if num < n else 0.5
    return np.fft.irfft(np.fft.rfft(x)[..., : m // 2 + 1] * scale, num)


def resized_complex(x, n, num):
    m = min(num, n)
    spectrum = np.fft.fft(x)
    low, high = spectrum[..., : m // 2 + 1], spectrum[..., n - (m - 1) // 2 :]
    if m % 2 == 0 and num != n:
        edge = low[..., -1:]
        if num < n:
            edge = edge + spectrum[..., n - m // 2 : n - m // 2 + 1]
        else:
            edge = 0.5 * edge
            high = np.concatenate([edge, high], axis=-1)
        low = np.concatenate([low[..., :-1], edge], axis=-1)
    missing = num - low.shape[-1] - high.shape[-1]
    widths = [(0, 0)] * (np.ndim(x) - 1) + [(0, missing)]
    return np.fft.ifft(np.concatenate([np.pad(low, widths), high], axis=-1))


def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """``scipy.signal.resample``: cut the spectrum, or fill it up with zeros."""
    if window is not None or domain != "time":
        refuse("resample of spectra, or with a window", "use numpy.fft")
    x = np.moveaxis(x, axis, -1)
    n = np.shape(x)[-1]
    resized = resized_complex if np.iscomplexobj(x) else resized_real
    out = np.moveaxis(resized(x, n, num) * (num / n), -1, axis)
    if t is None:
        return out
    return out, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num)


# ----- Filters without a memory of their own results -----
def savgol_filter(
    x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0
):
    """``scipy.signal.savgol_filter``; at the ends SciPy says what unit vectors give."""
    options = window_length, polyorder, deriv, float(delta)
    weights = signal.savgol_coeffs(*options)
    x = x if x.dtype == np.float32 else doubles(x)
    if mode != "interp":
        return convolve1d(x, weights, axis, None, mode, cval)
    n, half = np.shape(x)[axis], window_length // 2
    if window_length > n:
        raise ValueError(
            "If mode is 'interp', window_length must be less than or equal to the "
            "size of x."
        )
    ends = signal.savgol_filter(np.eye(window_length), *options, axis=0)
    x = np.moveaxis(x, axis, -1)
    parts = [
        x[..., :window_length] @ ends[:half].T,
        convolve1d(x, weights, -1, None, "constant")[..., half : n - half],
        x[..., n - window_length :] @ ends[window_length - half :].T,
    ]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """``scipy.signal.upfirdn``: zeros between, a filter, and some of the result."""
    if mode != "constant" or cval:
        refuse("upfirdn with another mode than 'constant'", "pad the signal before")
    x = np.moveaxis(x, axis, -1)
    n, size = np.shape(x)[-1], np.shape(h)[0]
    spread = np.pad(x[..., None], [(0, 0)] * np.ndim(x) + [(0, up - 1)])
    spread = np.reshape(spread, (*np.shape(x)[:-1], n * up))[..., : (n - 1) * up + 1]
    spread = np.pad(spread, [(0, 0)] * (np.ndim(x) - 1) + [(0, size - 1)])
    return np.moveaxis(lfilter_of(h, np.ones(1), spread)[..., ::down], -1, axis)


def resample_poly(
    x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None
):
    """``scipy.signal.resample_poly``"""
    if padtype != "constant" or cval:
        refuse("resample_poly with another padding than zeros", "pad the signal before")
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == down == 1:
        return np.copy(x)
    if isinstance(window, (list, np.ndarray)):
        h = np.asarray(window)
    else:
        h = signal.firwin(20 * max(up, down) + 1, 1.0 / max(up, down), window=window)
    half = (h.size - 1) // 2
    n = np.shape(x)[axis]
    size = -(-n * up // down)
    before = down - half % down
    skipped = (half + before) // down
    length = (size + skipped) * down + h.size + before
    h = np.concatenate([np.zeros(before), h * up, np.zeros(length)])
    out = upfirdn(h, x, up, down, axis)
    return out[along(axis % np.ndim(x), slice(skipped, skipped + size))]


def medfilt(volume, kernel_size=None):
    """``scipy.signal.medfilt``: with zeros around."""
    ndim = np.ndim(volume)
    size = 3 if kernel_size is None else kernel_size
    sizes = [int(each) for each in np.broadcast_to(size, ndim)]
    if any(each % 2 == 0 for each in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    padded = np.pad(volume, [(each // 2, each // 2) for each in sizes])
    windows = sliding_window_view(padded, sizes)
    return np.median(windows, axis=tuple(range(ndim, 2 * ndim)))


# ----- Responses -----
def response(coefficients, w):
    """A polynomial in ``exp(-1j * w)``."""
    return (
        np.exp(-1j * w[:, None] * np.arange(np.shape(coefficients)[0])) @ coefficients
    )


def frequencies(worN, whole, fs, include_nyquist=False):
    """SciPy's frequencies, and as angles."""
    w, _ = signal.freqz([1.0], 1, worN, whole, None, fs, include_nyquist)
    return w, w * (2.0 * math.pi / fs)


def freqz(
    b,
    a=1,
    worN=512,
    whole=False,
    plot=None,
    fs=2.0 * math.pi,
    include_nyquist=False,
):
    """``scipy.signal.freqz``, of one filter."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if np.ndim(b) > 1 or np.ndim(a) > 1 or plot is not None:
        refuse(
            "freqz of several filters, or with `plot`", "call it on one after another"
        )
    w, angles = frequencies(worN, whole, fs, include_nyquist)
    return w, response(b, angles) / response(a, angles)


def freqz_sos(sos, worN=512, whole=False, fs=2.0 * math.pi):
    """``scipy.signal.freqz_sos``"""
    w, angles = frequencies(worN, whole, fs)
    h = 1.0
    for section in range(np.shape(sos)[0]):
        b, a = sos[section, :3], sos[section, 3:]
        h = h * response(b, angles) / response(a, angles)
    return w, h


def freqz_zpk(z, p, k, worN=512, whole=False, fs=2.0 * math.pi):
    """``scipy.signal.freqz_zpk``"""
    w, angles = frequencies(worN, whole, fs)
    turn = np.exp(1j * angles)[:, None]
    above = np.prod(turn - np.atleast_1d(z), axis=-1)
    return w, k * above / np.prod(turn - np.atleast_1d(p), axis=-1)


for _own in (lfilter, sosfilt, lfilter_zi, sosfilt_zi, filtfilt, sosfiltfilt, hilbert):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (resample, savgol_filter, upfirdn, resample_poly, medfilt):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (freqz, freqz_sos, freqz_zpk):
    defined_as(getattr(signal, _own.__name__), _own)
defined_as(signal.sosfreqz, freqz_sos)
