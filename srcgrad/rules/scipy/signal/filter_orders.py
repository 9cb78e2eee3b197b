"""Rules for ``scipy.signal``: the frequencies of a filter by what it is to achieve.

The order is a step.
"""

import math

import numpy as np
from scipy import signal, special
from scipy.signal import _filter_design

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.signal.designs import iirfilter
from srcgrad.rules.scipy.without import refuse


@dispatched
def order_of(name, wp, ws, gpass, gstop, analog, fs):
    """The least order that will do."""
    gains = float(np.abs(gpass)), float(np.abs(gstop))
    return np.array(getattr(signal, name)(wp, ws, *gains, analog, fs)[0])


defconstant(order_of)
declare(order_of, raises=True)


def band_of(wp, ws):
    """SciPy's name of the kind of filter that two pairs of frequencies ask for."""
    first = wp[0] < ws[0]
    if np.shape(wp)[0] == 1:
        return "lowpass" if first else "highpass"
    return "bandstop" if first else "bandpass"


def moved(band, passing, factor):
    """The ends of the band of a low-pass filter whose band ends at a factor."""
    if band == "lowpass":
        return factor * passing
    if band == "highpass":
        return passing / factor
    half = 0.5 * factor * (passing[1] - passing[0])
    middle = np.sqrt(half * half + passing[0] * passing[1])
    return np.stack([middle - half, middle + half])


def ratio(gpass, gstop):
    return (10.0 ** (0.1 * np.abs(gstop)) - 1.0) / (10.0 ** (0.1 * np.abs(gpass)) - 1.0)


def butter_factor(order, gpass, gstop):
    return (10.0 ** (0.1 * np.abs(gpass)) - 1.0) ** (-1.0 / (2.0 * order))


def cheby2_factor(order, gpass, gstop):
    return np.cosh(np.arccosh(np.sqrt(ratio(gpass, gstop))) / order)


FACTORS = {"buttord": butter_factor, "cheb2ord": cheby2_factor}


def orders(name):
    """``scipy.signal.buttord`` and its kin."""

    def choose(wp, ws, gpass, gstop, analog=False, fs=None):
        order = order_of(name, wp, ws, gpass, gstop, analog, fs)
        wp, ws = (np.atleast_1d(doubles(w)) for w in (wp, ws))
        gpass, gstop = doubles(gpass), doubles(gstop)
        band = band_of(wp, ws)
        if band == "bandstop":
            refuse(f"{name} of a band to stop", "its edges are found by a search")
        unit = 1.0 if fs is None else 2.0 / fs
        passing = wp if analog else np.tan(0.5 * math.pi * unit * wp)
        factor = FACTORS.get(name, lambda *args: 1.0)(order, gpass, gstop)
        found = moved(band, passing, factor)
        found = found if analog else np.arctan(found) * 2.0 / math.pi / unit
        return int(order), found[0] if np.shape(found)[0] == 1 else found

    return choose


BY_NAME = {
    name: orders(name) for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord")
}


def iirdesign(wp, ws, gpass, gstop, analog=False, ftype="ellip", output="ba", fs=None):
    """``scipy.signal.iirdesign``"""
    choices = _filter_design.filter_dict.get(ftype, ())[1:]
    if not choices:
        raise ValueError(f"Invalid IIR filter type: {ftype}")
    choose = BY_NAME[choices[0].__name__]
    order, ends = choose(wp, ws, gpass, gstop, analog, fs)
    band = band_of(np.atleast_1d(wp), np.atleast_1d(ws))
    return iirfilter(order, ends, gpass, gstop, band, analog, ftype, output, fs)


# The order, as a real number, by the gains and what is left of the low-pass filter.
ORDERS = {
    "butter": lambda gpass, gstop, nat: (
        0.5 * np.log10(ratio(gpass, gstop)) / np.log10(nat)
    ),
    "cheby": lambda gpass, gstop, nat: (
        np.arccosh(np.sqrt(ratio(gpass, gstop))) / np.arccosh(nat)
    ),
    "ellip": lambda gpass, gstop, nat: (
        periods(1.0 / (nat * nat)) / periods(1.0 / ratio(gpass, gstop))
    ),
}


def periods(m):
    """The ratio of the real to the imaginary quarter period."""
    return special.ellipk(m) / special.ellipk(1.0 - m)


def band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type):
    """``scipy.signal.band_stop_obj``"""
    _filter_design._validate_gpass_gstop(gpass, gstop)
    if type not in ORDERS:
        raise ValueError(f"Incorrect type: {type}")
    places = np.arange(2) == np.arange(2)[ind]
    low, high = np.where(places, wp, passb).astype(passb.dtype)
    nat = np.min(np.abs(stopb * (low - high) / (stopb**2 - low * high)))
    return ORDERS[type](gpass, gstop, nat)


for _name, _own in BY_NAME.items():
    defined_as(getattr(signal, _name), _own)
for _own in (band_stop_obj, iirdesign):
    defined_as(getattr(signal, _own.__name__), _own)
