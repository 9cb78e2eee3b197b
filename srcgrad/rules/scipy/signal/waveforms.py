"""Rules for ``scipy.signal``: waves, by the time and by what shapes them."""

import math

import numpy as np
from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.without import refuse

TURN = 2.0 * math.pi


# ----- Sweeps -----
def linear(t, f0, t1, f1, vertex_zero):
    return f0 * t + 0.5 * ((f1 - f0) / t1) * t * t


def quadratic(t, f0, t1, f1, vertex_zero):
    beta = (f1 - f0) / t1**2
    if vertex_zero:
        return f0 * t + beta * t**3 / 3.0
    return f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3.0


def logarithmic(t, f0, t1, f1, vertex_zero):
    if f0 * f1 <= 0.0:
        raise ValueError(
            "For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign."
        )
    beta = t1 / np.log(f1 / f0)
    return beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)


def hyperbolic(t, f0, t1, f1, vertex_zero):
    if f0 == 0 or f1 == 0:
        raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
    pole = -f1 * t1 / (f0 - f1)
    return -pole * f0 * np.log(np.abs(1.0 - t / pole))


METHODS = dict.fromkeys(("linear", "lin", "li"), linear)
METHODS |= dict.fromkeys(("quadratic", "quad", "q"), quadratic)
METHODS |= dict.fromkeys(("logarithmic", "log", "lo"), logarithmic)
METHODS |= dict.fromkeys(("hyperbolic", "hyp"), hyperbolic)


def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    """``scipy.signal.chirp``"""
    if method not in METHODS:
        raise ValueError(
            "method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', "
            f"but a value of {method!r} was given."
        )
    run = METHODS[method]
    if run in (logarithmic, hyperbolic) and f0 == f1:
        refuse("chirp of one frequency", "use method='linear'")
    phase = TURN * run(t, f0, t1, f1, vertex_zero) + np.deg2rad(phi)
    return np.exp(1j * phase) if complex else np.cos(phase)


def sweep_poly(t, poly, phi=0):
    """``scipy.signal.sweep_poly``"""
    if isinstance(poly, np.poly1d):
        poly = poly.coeffs
    return np.cos(TURN * np.polyval(np.polyint(poly), t) + phi * (math.pi / 180.0))


# ----- What repeats -----
def sawtooth(t, width=1):
    """``scipy.signal.sawtooth``: up for a part of the time, and down again."""
    turn, width = np.broadcast_arrays(np.mod(doubles(t), TURN), doubles(width))
    rises = turn < width * TURN
    up = turn / (math.pi * np.where(rises, width, 1.0)) - 1.0
    down = (math.pi * (width + 1.0) - turn) / (
        math.pi * (1.0 - np.where(rises, 0.0, width))
    )
    out = np.where(rises, up, down)
    return np.where(np.logical_or(width > 1, width < 0), np.nan, out)


# ----- Bells -----
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """``scipy.signal.gausspulse``"""
    if fc < 0:
        raise ValueError(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise ValueError(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise ValueError(
            f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB"
        )
    rate = -((math.pi * fc * bw) ** 2) / (4.0 * np.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return np.sqrt(-np.log(10.0 ** (tpr / 20.0)) / rate)
    envelope = np.exp(-rate * t * t)
    in_phase = envelope * np.cos(TURN * fc * t)
    if not retquad:
        return (in_phase, envelope) if retenv else in_phase
    quadrature = envelope * np.sin(TURN * fc * t)
    return (in_phase, quadrature, envelope) if retenv else (in_phase, quadrature)


def gauss_spline(x, n):
    """``scipy.signal.gauss_spline``"""
    variance = (n + 1) / 12.0
    return 1.0 / np.sqrt(TURN * variance) * np.exp(-(x**2) / 2.0 / variance)


for _own in (chirp, sweep_poly, sawtooth, gausspulse, gauss_spline):
    defined_as(getattr(signal, _own.__name__), _own)
