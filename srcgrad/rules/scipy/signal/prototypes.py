"""Rules for ``scipy.signal``: elliptic and gammatone filters; Kaiser's formulas."""

import math

import numpy as np
from scipy import signal, special

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles

LOG_10 = math.log(10.0)


def excess(decibels):
    """How much more power than one an attenuation is."""
    return np.expm1(0.1 * LOG_10 * decibels)


def degree(n, m):
    """The parameter of which ``n`` periods make one of another, by Jacobi's q."""
    q = np.exp(-math.pi / n * special.ellipkm1(m) / special.ellipk(m))
    k = np.arange(8.0)
    above = np.sum(q ** (k * (k + 1.0)))
    return 16.0 * q * (above / (1.0 + 2.0 * np.sum(q ** (k + 1.0) ** 2))) ** 4


def ellipap(N, rp, rs, *, xp=None, device=None):
    """``scipy.signal.ellipap``"""
    if abs(int(N)) != N:
        raise ValueError("Filter order must be a nonnegative integer")
    rp, rs = doubles(rp), doubles(rs)
    none, ripple = np.zeros(0, complex), excess(rp)
    if N == 0:
        return none, none, 10.0 ** (-rp / 20.0)
    if N == 1:
        k = 1.0 / np.sqrt(ripple)
        return none, -k + 0j, k
    share = ripple / excess(rs)
    if share == 0:
        raise ValueError("Cannot design a filter with given rp and rs specifications.")
    m = degree(N, share)
    quarter, places = special.ellipk(m), np.arange(1 + N % 2, N, 2)
    s, c, d, _ = special.ellipj(places * quarter / N, m)
    z = 1j / (np.sqrt(m) * s)
    if N % 2:  # one is at the origin
        s, c, d = (
            np.concatenate([np.full(1, x), y]) for x, y in ((0, s), (1, c), (1, d))
        )
    shift = special.ellipkinc(np.arctan(1.0 / np.sqrt(ripple)), 1.0 - share)
    sv, cv, dv, _ = special.ellipj(quarter * shift / (N * special.ellipk(share)), 1 - m)
    p = -(c * d * sv * cv + 1j * s * dv) / (1.0 - (d * sv) ** 2)
    z, p = (np.concatenate([z, np.conj(z)]), np.concatenate([p, np.conj(p[N % 2 :])]))
    k = np.real(np.prod(-p) / np.prod(-z))
    return z, p, k if N % 2 else k / np.sqrt(1.0 + ripple)


# ----- Gammatone filters -----
def bandwidth(freq):
    return 1.019 * (freq / 9.26449 + 24.7)


def gammatone(freq, ftype, order=None, numtaps=None, fs=None, *, xp=None, device=None):
    """``scipy.signal.gammatone``"""
    fs = 2.0 if fs is None else fs
    if not 0 < freq < fs / 2 or ftype.lower() not in ("fir", "iir"):
        return signal.gammatone(0.0, ftype, fs=fs)  # SciPy's errors
    if ftype.lower() == "fir":
        order = 4 if order is None else order
        return gamma_response(freq, order, numtaps, fs), np.ones(1)
    freq = doubles(freq)
    turn, decay = 2.0 * math.pi * freq / fs, 2.0 * math.pi * bandwidth(freq) / fs
    less = np.exp(-decay)
    cosines = [np.cos(k * turn) for k in range(5)]
    signs = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
    b = signs * np.stack([cosines[k] * less**k for k in range(5)])
    middle = 6.0 * cosines[1] + cosines[3]
    a = (
        1.0 + 0.0 * turn,
        -8.0 * cosines[1],
        4.0 * (4.0 + 3.0 * cosines[2]),
        -8.0 * middle,
        2.0 * (18.0 + 16.0 * cosines[2] + cosines[4]),
        -8.0 * middle,
        4.0 * (4.0 + 3.0 * cosines[2]),
        -8.0 * cosines[1],
        1.0 + 0.0 * turn,
    )
    a = np.stack([each * less**k for k, each in enumerate(a)])
    return b / fs**4 / peak_gain(turn, less, fs), a


def gamma_response(freq, order, numtaps, fs):
    numtaps = max(int(fs * 0.015), 15) if numtaps is None else numtaps
    if not 0 < order <= 24:
        raise ValueError("Invalid order: order must be > 0 and <= 24.")
    freq = doubles(freq)
    t, width = np.arange(float(numtaps)) / fs, 2.0 * math.pi * bandwidth(freq)
    scale = 2.0 * width**order / math.factorial(order - 1) / fs
    wave = np.exp(-width * t) * np.cos(2.0 * math.pi * freq * t)
    return scale * t ** (order - 1) * wave


def peak_gain(turn, less, fs):
    """The gain at the frequency that the filter is made for."""
    once, twice = np.exp(1j * turn), np.exp(2j * turn)
    first, second = -2.0 * twice / fs, 2.0 * less * once / fs
    gain = 1.0
    for root in (3.0 + 2.0**1.5, 3.0 - 2.0**1.5):
        for sign in (1.0, -1.0):
            shape = np.cos(turn) + sign * math.sqrt(root) * np.sin(turn)
            gain = gain * (first + second * shape)
    return np.abs(
        gain / (-2.0 * less**2 - 2.0 * twice + 2.0 * (1.0 + twice) * less) ** 4
    )


# ----- Kaiser's formulas; a slope for another step -----
def kaiser_beta(a):
    """``scipy.signal.kaiser_beta``"""
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21.0) ** 0.4 + 0.07886 * (a - 21.0) if a > 21 else 0.0 * a


def kaiser_atten(numtaps, width):
    """``scipy.signal.kaiser_atten``"""
    return 2.285 * (numtaps - 1) * math.pi * width + 7.95


def savgol_coeffs(
    window_length,
    polyorder,
    deriv=0,
    delta=1.0,
    pos=None,
    use="conv",
):
    """``scipy.signal.savgol_coeffs``, by the time between samples"""
    order = window_length, polyorder, deriv
    return signal.savgol_coeffs(*order, pos=pos, use=use) / delta**deriv


for _own in (ellipap, gammatone, kaiser_beta, kaiser_atten, savgol_coeffs):
    defined_as(getattr(signal, _own.__name__), _own)
