"""Rules for ``scipy.signal``: filters by their frequencies, ripples and gains.

The orders, and the windows, are numbers.
"""

import math

import numpy as np
from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.signal.filter_forms import (
    bilinear_zpk,
    lp2bp_zpk,
    lp2bs_zpk,
    lp2hp_zpk,
    lp2lp_zpk,
    zpk2sos,
    zpk2tf,
)
from srcgrad.rules.scipy.signal.prototypes import ellipap, kaiser_atten, kaiser_beta
from srcgrad.rules.scipy.without import refuse

get_window = reaching(signal.get_window)


def depends(*numbers):
    """Whether a number would lose a gradient where SciPy takes it."""
    return any(getattr(number, "requires_grad", False) for number in numbers)


# ----- Analog prototypes -----
def angles(order):
    return math.pi * np.arange(-order + 1.0, order, 2.0) / (2.0 * order)


def cheb1ap(N, rp):
    """``scipy.signal.cheb1ap``"""
    ripple = np.sqrt(10.0 ** (0.1 * rp) - 1.0)
    if N == 0:
        return np.zeros(0), np.zeros(0, complex), 10.0 ** (-rp / 20.0)
    p = -np.sinh(np.arcsinh(1.0 / ripple) / N + 1j * angles(N))
    k = np.real(np.prod(-p))
    return np.zeros(0), p, k / np.sqrt(1.0 + ripple * ripple) if N % 2 == 0 else k


def cheb2ap(N, rs):
    """``scipy.signal.cheb2ap``"""
    if N == 0:
        return signal.cheb2ap(0, 1.0)
    places = angles(N)
    z = 1j / np.sin(places[np.arange(N) != N // 2] if N % 2 else places)
    inner = np.arcsinh(np.sqrt(10.0 ** (0.1 * rs) - 1.0)) / N
    p = -1.0 / np.sinh(inner + 1j * places)
    return z, p, np.real(np.prod(-p) / np.prod(-z))


def prototype(kind, N, rp, rs):
    """The low-pass filter of a name whose band ends at 1."""
    if kind.startswith("butter"):
        return signal.buttap(N)
    if kind.startswith("bessel"):
        return signal.besselap(N, kind.partition("_")[2] or "phase")
    if kind in ("cheby1", "chebyshev1", "chebyshevi"):
        return cheb1ap(N, rp)
    if kind in ("cheby2", "chebyshev2", "chebyshevii"):
        return cheb2ap(N, rs)
    return ellipap(N, rp, rs)


# ----- From them to a band -----
def checked(Wn, analog):
    """The frequencies that end a band, each within what a filter can do."""
    if not np.all(Wn > 0):
        raise ValueError("filter critical frequencies must be greater than 0")
    if not analog and not np.all(Wn < 1):
        raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1")
    if np.size(Wn) > 1 and not Wn[0] < Wn[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    return Wn


def iirfilter(
    N,
    Wn,
    rp=None,
    rs=None,
    btype="band",
    analog=False,
    ftype="butter",
    output="ba",
    fs=None,
):
    """``scipy.signal.iirfilter``"""
    if fs is not None:
        if analog:
            raise ValueError("fs cannot be specified for an analog filter")
        Wn = np.divide(Wn, fs / 2)
    z, p, k = prototype(ftype.lower(), N, rp, rs)
    Wn = checked(doubles(Wn), analog)
    warped = Wn if analog else 4.0 * np.tan(math.pi * Wn / 2.0)
    band = btype.lower()
    if band.startswith(("l", "h")):
        end = np.reshape(warped, ())
        z, p, k = (lp2lp_zpk if band[0] == "l" else lp2hp_zpk)(z, p, k, end)
    else:
        first, last = warped[0], warped[1]
        move = lp2bs_zpk if band in STOPS else lp2bp_zpk
        z, p, k = move(z, p, k, np.sqrt(first * last), last - first)
    if not analog:
        z, p, k = bilinear_zpk(z, p, k, 2.0)
    if output == "sos":
        return zpk2sos(z, p, k, analog=analog)
    return zpk2tf(z, p, k) if output == "ba" else (z, p, k)


STOPS = ("bs", "bandstop", "bands", "stop")


def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    """``scipy.signal.butter``"""
    return iirfilter(N, Wn, None, None, btype, analog, "butter", output, fs)


def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):
    """``scipy.signal.cheby1``"""
    return iirfilter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None):
    """``scipy.signal.cheby2``"""
    return iirfilter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None):
    """``scipy.signal.ellip``, by its band."""
    return iirfilter(N, Wn, rp, rs, btype, analog, "ellip", output, fs)


def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None):
    """``scipy.signal.bessel``"""
    return iirfilter(N, Wn, None, None, btype, analog, f"bessel_{norm}", output, fs)


# ----- One frequency -----
def of_one(name, peak):
    """``scipy.signal.iirnotch`` and ``iirpeak``"""

    def design(w0, Q, fs=2.0):
        w0 = 2.0 * w0 / fs
        if not 0.0 <= w0 <= 1.0:
            raise ValueError("w0 should be such that 0 < w0 < 1")
        gain = 1.0 / (1.0 + np.tan(w0 / Q * math.pi / 2.0))
        cosine = -2.0 * np.cos(w0 * math.pi)
        ones = 1.0 + 0.0 * gain
        if peak:
            b = (1.0 - gain) * np.array([1.0, 0.0, -1.0])
        else:
            b = gain * np.stack([ones, cosine, ones])
        return b, np.stack([ones, gain * cosine, 2.0 * gain - 1.0])

    defined_as(getattr(signal, name), design)


of_one("iirnotch", peak=False)
of_one("iirpeak", peak=True)


def iircomb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False):
    """``scipy.signal.iircomb``, by `Q`: the frequency divides ``fs``."""
    if depends(w0, fs):
        refuse("iircomb by `w0` or `fs`", "only by `Q`")
    w0, fs, is_peak = float(w0), float(fs), ftype.lower() == "peak"
    n = round(fs / w0)
    if not 0 < w0 < fs / 2 or abs(w0 - fs / n) / fs > 1e-14:
        raise ValueError("fs must be divisible by w0, which is below fs/2.")
    beta = np.tan(n * (2.0 * math.pi * w0 / fs / Q) / 4.0)
    sign = -1.0 if is_peak == pass_zero else 1.0
    first, last = np.eye(1, n + 1)[0], sign * np.eye(1, n + 1, n)[0]
    ahead, behind = (beta, -beta) if is_peak else (1.0, 1.0)
    b = (ahead * first + behind * last) / (1.0 + beta)
    return b, first + (1.0 - beta) / (1.0 + beta) * last


# ----- Filters without a memory -----
BANDS = {"lowpass": True, "bandstop": True, "highpass": False, "bandpass": False}


def firwin(
    numtaps,
    cutoff,
    *,
    width=None,
    window="hamming",
    pass_zero=True,
    scale=True,
    fs=None,
):
    """``scipy.signal.firwin``: ideal bands, each the difference of two ``sinc``."""
    half = 1.0 if fs is None else 0.5 * fs
    edges = np.atleast_1d(doubles(cutoff)) / half
    if not (np.all(edges > 0) and np.all(edges < 1) and np.all(np.diff(edges) > 0)):
        raise ValueError(
            "Invalid cutoff frequencies: they must be strictly increasing, greater "
            "than 0 and less than fs/2."
        )
    if width is not None:
        window = "kaiser", kaiser_beta(kaiser_atten(numtaps, width / half))
    starts = bool(BANDS.get(pass_zero, pass_zero))
    ends = (np.size(edges) % 2 == 0) == starts
    if ends and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at "
            "the Nyquist frequency."
        )
    edges = np.concatenate([np.zeros(int(starts)), edges, np.ones(int(ends))])
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    signs = np.resize([-1.0, 1.0], np.size(edges))
    h = (signs * edges) @ np.sinc(edges[:, None] * m)
    h = h * get_window(window, numtaps, fftbins=False)
    if not scale:
        return h
    first, last = edges[0], edges[1]
    middle = (
        0.0 if starts else 1.0 if np.size(edges) == 2 and ends else 0.5 * (first + last)
    )
    return h / np.sum(h * np.cos(math.pi * m * middle))


def firwin2(
    numtaps,
    freq,
    gain,
    *,
    nfreqs=None,
    window="hamming",
    antisymmetric=False,
    fs=None,
):
    """``scipy.signal.firwin2``, by the gains: it is linear in them."""
    if depends(*freq):
        refuse("firwin2 by `freq`", "only by `gain`")
    n = 1 + 2 ** math.ceil(math.log2(numtaps)) if nfreqs is None else nfreqs
    half = 1.0 if fs is None else 0.5 * fs
    freq = np.array([float(each) for each in freq])
    if freq[0] != 0 or freq[-1] != half or np.size(freq) != np.size(gain):
        raise ValueError(
            "freq must start with 0, end with fs/2, and be as long as gain"
        )
    for k in np.flatnonzero(np.diff(freq) == 0):  # a jump, made steep
        freq[k : k + 2] += np.finfo(float).eps * half * np.array([-1.0, 1.0])
    x = np.linspace(0.0, half, n)
    shift = np.exp(-(numtaps - 1) / 2.0 * 1j * math.pi * x / half)
    if antisymmetric:
        shift = shift * 1j
    out = np.fft.irfft(np.interp(x, freq, gain) * shift)[:numtaps]
    if window is not None:
        out = out * get_window(window, numtaps, fftbins=False)
    if antisymmetric and numtaps % 2:
        out = out * (np.arange(numtaps) != numtaps // 2)
    return out


def firls(numtaps, bands, desired, *, weight=None, fs=None):
    """``scipy.signal.firls``: normal equations of a least-squares fit."""
    if numtaps % 2 == 0 or numtaps < 1:
        raise ValueError("numtaps must be odd and >= 1")
    half = (numtaps - 1) // 2
    bands = np.reshape(bands, (-1, 2)) / (1.0 if fs is None else 0.5 * fs)
    desired = np.reshape(desired, (-1, 2))
    weight = np.ones(np.shape(bands)[0]) if weight is None else np.reshape(weight, -1)
    n = np.arange(numtaps)[:, None, None]
    q = np.diff(np.sinc(bands * n) * bands, axis=2)[:, :, 0] @ weight
    n, i = n[: half + 1], np.arange(half + 1)
    slope = np.diff(desired, axis=1) / np.diff(bands, axis=1)
    lines = slope * bands + desired[:, :1] - bands[:, :1] * slope
    ends = bands * lines * np.sinc(bands * n)
    first = ends[:1] - slope * bands * bands / 2.0
    turns = math.pi * n[1:]
    rest = ends[1:] + slope * np.cos(turns * bands) / turns**2
    b = np.diff(np.concatenate([first, rest]), axis=2)[:, :, 0] @ weight
    a = np.linalg.solve(q[np.abs(i[:, None] - i)] + q[i[:, None] + i], b)
    return np.concatenate([a[:0:-1], 2.0 * a[:1], a[1:]])


def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True):
    """``scipy.signal.minimum_phase``, by the logarithm of the spectrum."""
    if method != "homomorphic":
        refuse("minimum_phase with another method", "use method='homomorphic'")
    size = np.shape(h)[0]
    if n_fft is None:
        n_fft = 2 ** math.ceil(math.log2(2 * (size - 1) / 0.01))
    size_of = np.abs(np.fft.fft(h, n_fft))
    logs = np.log(size_of + 1e-7 * np.min(size_of[size_of > 0]))
    window = np.zeros(n_fft)
    window[0], window[1 : n_fft // 2] = 1.0, 2.0
    if n_fft % 2:
        window[n_fft // 2] = 1.0
    cepstrum = np.real(np.fft.ifft(0.5 * logs if half else logs)) * window
    out = np.real(np.fft.ifft(np.exp(np.fft.fft(cepstrum))))
    return out[: size // 2 + size % 2 if half else size]


for _own in (cheb1ap, cheb2ap, iirfilter, butter, cheby1, cheby2, ellip, bessel):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (firwin, firwin2, firls, minimum_phase, iircomb):
    defined_as(getattr(signal, _own.__name__), _own)
