"""Rules for ``scipy.signal.windows``: windows by their parameters.

How many points there are, and of how many terms they are made, are numbers.
"""

import inspect
import math

import numpy as np
from scipy import linalg, signal, special
from scipy.signal import windows
from scipy.signal.windows import _windows

from srcgrad.protocols import first_variable
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching, replacement_of
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse

eigh_tridiagonal = reaching(linalg.eigh_tridiagonal)


def window(points):
    """A window's composition, of what it is at a number of points in a row.

    A periodic one is that of one point more, without the last.
    """
    original = getattr(windows, points.__name__)
    place = list(inspect.signature(original).parameters).index("sym") - 1

    def composed(M, *args, sym=True, xp=None, device=None, **options):
        if len(args) > place:
            sym, args = args[place], args[:place]
        if M <= 1:
            return np.ones(M)
        options = {name: doubles_of(value) for name, value in options.items()}
        w = points(M + (not sym), *map(doubles_of, args), **options)
        return w if sym else w[:-1]

    defined_as(original, composed)
    return composed


def doubles_of(parameter):
    return doubles(parameter) if first_variable(parameter) is not None else parameter


def centred(M):
    return np.arange(float(M)) - (M - 1.0) / 2.0


# ----- Bells -----
@window
def gaussian(M, std):
    return np.exp(-(centred(M) ** 2) / (2.0 * std * std))


@window
def general_gaussian(M, p, sig):
    return np.exp(-0.5 * np.abs(centred(M) / sig) ** (2.0 * p))


@window
def kaiser(M, beta):
    half = (M - 1) / 2.0
    arc = np.sqrt(1.0 - (centred(M) / half) ** 2.0)
    return special.i0(beta * arc) / special.i0(beta)


def exponential(M, center=None, tau=1.0, sym=True, *, xp=None, device=None):
    """``scipy.signal.windows.exponential``"""
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    if M <= 1:
        return np.ones(M)
    center = (M - sym) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(float(M)) - center) / doubles(tau))


def kaiser_bessel_derived(M, beta, *, sym=True, xp=None, device=None):
    """``scipy.signal.windows.kaiser_bessel_derived``"""
    if not sym or M % 2 or M < 1:
        return windows.kaiser_bessel_derived(M, 1.0, sym=sym)  # SciPy's errors
    sums = np.cumsum(kaiser(M // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


# ----- Sums of cosines -----
@window
def general_cosine(M, a):
    places = np.linspace(-math.pi, math.pi, M)
    orders = np.arange(float(np.shape(a)[0]))
    return np.cos(orders * places[:, None]) @ a


@window
def general_hamming(M, alpha):
    places = np.linspace(-math.pi, math.pi, M)
    return alpha + (1.0 - alpha) * np.cos(places)


@window
def tukey(M, alpha=0.5):
    if alpha <= 0.0:
        return np.ones(M)
    if alpha >= 1.0:
        return windows.hann(M)
    edge = int(np.floor(alpha * (M - 1) / 2.0))
    n = np.arange(float(M))
    rise = 2.0 * n[: edge + 1] / alpha / (M - 1)
    rise = 0.5 * (1.0 + np.cos(math.pi * (-1.0 + rise)))
    fall = -2.0 / alpha + 1.0 + 2.0 * n[M - edge - 1 :] / alpha / (M - 1)
    fall = 0.5 * (1.0 + np.cos(math.pi * fall))
    return np.concatenate([rise, np.ones(M - 2 * edge - 2), fall])


# ----- Designs by an attenuation -----
@window
def chebwin(M, at):
    order = M - 1.0
    beta = np.cosh(np.arccosh(10.0 ** (np.abs(at) / 20.0)) / order)
    x = beta * np.cos(math.pi * np.arange(M) / M)
    is_far = np.abs(x) > 1.0
    outer = np.cosh(order * np.arccosh(np.where(is_far, np.abs(x), 2.0)))
    inner = np.cos(order * np.arccos(np.where(is_far, 0.0, x)))
    sign = np.where((x < -1.0) & (M % 2 == 0), -1.0, 1.0)
    p = np.where(is_far, sign * outer, inner)
    if M % 2:
        w = np.real(np.fft.fft(p))[: (M + 1) // 2]
        w = np.concatenate([w[:0:-1], w])
    else:
        turned = p * np.exp(1j * math.pi / M * np.arange(float(M)))
        w = np.real(np.fft.fft(turned))[: M // 2 + 1]
        w = np.concatenate([w[:0:-1], w[1:]])
    return w / np.max(w)


@window
def taylor(M, nbar=4, sll=30, norm=True):
    A = np.arccosh(10.0 ** (sll / 20.0)) / math.pi
    widened = nbar**2 / (A**2 + (nbar - 0.5) ** 2)
    m = np.arange(1.0, nbar)
    above = 1.0 - m[:, None] ** 2 / widened / (A**2 + (m - 0.5) ** 2)
    others = ~np.eye(nbar - 1, dtype=bool)
    below = np.prod(1.0 - m[:, None] ** 2 / m**2, axis=1, where=others)
    signs = np.where(m % 2 == 1, 1.0, -1.0)
    weights = signs * np.prod(above, axis=1) / (2.0 * below)

    def at(n):
        return 1.0 + 2.0 * weights @ np.cos(2.0 * math.pi * m[:, None] * n / M)

    w = at(np.arange(M) - M / 2.0 + 0.5)
    return w / at(np.zeros(1)) if norm else w


def dpss(
    M,
    NW,
    Kmax=None,
    sym=True,
    norm=None,
    return_ratios=False,
    *,
    xp=None,
    device=None,
):
    """``scipy.signal.windows.dpss``: eigenvectors of a tridiagonal matrix."""
    if return_ratios or norm == "subsample":
        refuse("windows.dpss with these options", "use the windows alone")
    norm = ("approximate" if Kmax is None else 2) if norm is None else norm
    n, count = M + (not sym), 1 if Kmax is None else Kmax
    if M <= 1:
        return np.ones(M)
    if not 0 < NW < M / 2.0 or not 0 < count <= M:
        raise ValueError("NW must be positive and less than M/2, Kmax at most M.")
    places = np.arange(float(n))
    diagonal = ((n - 1 - 2 * places) / 2.0) ** 2 * np.cos(2.0 * math.pi * (NW / n))
    beside = places[1:] * (n - places[1:]) / 2.0
    w = eigh_tridiagonal(diagonal, beside)[1][:, : -count - 1 : -1].T
    w = w * signs_of(w)[:, None]
    if norm != 2:
        w = w / np.max(w)
        w = w if n % 2 else w * (n**2 / (n**2 + NW))
    w = w if sym else w[:, :-1]
    return w[0] if Kmax is None else w


def signs_of(w):
    """What makes the mean of even ones, and the first lobe of odd ones, positive."""
    signs, least = [], max(1e-7, 1.0 / np.shape(w)[1])
    for order in range(np.shape(w)[0]):
        row = w[order]
        lobe = int(np.argmax(row * row > least))
        is_negative = row[lobe] < 0 if order % 2 else np.sum(row) < 0
        signs.append(-1.0 if is_negative else 1.0)
    return np.array(signs)


# ----- By name -----
def get_window(window, Nx, fftbins=True, *, xp=None, device=None):
    """``scipy.signal.get_window``: a name with parameters, or one of Kaiser's."""
    named = window if isinstance(window, tuple) else ("kaiser", window)
    name, *args = named
    sym = not fftbins
    for ending in ("_symmetric", "_periodic"):
        if name.endswith(ending):
            name, sym = name.removesuffix(ending), ending == "_symmetric"
    function, has_parameters = _windows._WIN_FUNCS.get(name, (None, False))
    if not has_parameters or not Nx > 0:
        return signal.get_window((named[0], 1.0), Nx, fftbins)  # SciPy's errors
    return replacement_of(function)(Nx, *args, sym=sym)


for _own in (exponential, kaiser_bessel_derived, dpss, get_window):
    defined_as(getattr(windows, _own.__name__), _own)
