"""Rules for ``scipy.signal``: filters with a state and from both ends, resampling.

Each is made of ``lfilter``, of transforms, or of sums over windows.
"""

import numpy as np
from scipy import ndimage, signal
from scipy.signal import _signaltools

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, instead_of, on_variables
from srcgrad.rules.scipy.without import refuse

lfilter_of = reaching(signal.lfilter)
convolve1d = reaching(ndimage.convolve1d)


# ----- Filters that begin with a state -----
def lfilter(b, a, x, axis=-1, zi=None):
    """``scipy.signal.lfilter``: a state is what the filter makes of an impulse."""
    if zi is None:
        return NotImplemented
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    size = max(b.shape[0], a.shape[0])
    b, a = (np.pad(c / a[0], (0, size - c.shape[0])) for c in (b, a))
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


def lfilter_zi(b, a):
    """``scipy.signal.lfilter_zi``, by the scale too where it is 1"""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    return on_variables(signal.lfilter_zi)(b / a[0], a / a[0])


def sections_of(sos, *_):
    """``_validate_sos``, also of sections whose scale is to be differentiated"""
    sos = np.atleast_2d(sos)
    if np.ndim(sos) != 2 or np.shape(sos)[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    return sos, np.shape(sos)[0]


instead_of(_signaltools._validate_sos, sections_of)
for _own in (lfilter, lfilter_zi, sosfilt, savgol_filter, upfirdn):
    defined_as(getattr(signal, _own.__name__), _own)
as_in_scipy(
    signal,
    "sosfilt_zi filtfilt sosfiltfilt hilbert resample resample_poly medfilt "
    "freqz freqz_sos sosfreqz freqz_zpk",
)
