"""Rules for ``scipy.signal``: peaks. Where they are is a step; how high, is not."""

import numpy as np
from scipy import signal

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_by
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.precision import doubles

# What SciPy tells of peaks as places.
PLACES = "plateau_sizes left_edges right_edges left_bases right_bases".split()


@dispatched
def peaks_of(x, *conditions):
    """The places of the peaks, and what else SciPy tells of them in places."""
    peaks, properties = signal.find_peaks(x, *conditions)
    return peaks, *(properties[name] for name in PLACES if name in properties)


@dispatched
def bases_of(x, peaks, wlen):
    """Where the base of each peak is on the left, and on the right."""
    return signal.peak_prominences(x, peaks, wlen)[1:]


@dispatched
def sides_of(x, peaks, rel_height, prominences, left, right):
    """The places beside each peak from which on it is wide enough."""
    data = prominences, left, right
    _, _, first, last = signal.peak_widths(x, peaks, rel_height, data)
    return np.floor(first).astype(int), np.ceil(last).astype(int)


for _steps in (peaks_of, bases_of, sides_of):
    defconstant(_steps)
    declare(_steps, shape_by_value=True, raises=True)


def above_bases(x, peaks, left, right):
    return x[peaks] - np.maximum(x[left], x[right])


def peak_prominences(x, peaks, wlen=None):
    """``scipy.signal.peak_prominences``"""
    x = doubles(x)
    left, right = bases_of(x, peaks, wlen)
    return above_bases(x, peaks, left, right), left, right


def width_data(x, peaks, rel_height, prominences, left, right):
    """Widths, the heights at which they are, and from where to where they go."""
    first, last = sides_of(x, peaks, rel_height, prominences, left, right)
    heights = x[peaks] - prominences * rel_height

    def inward(places, step):
        here, beside = x[places], x[places + step]
        below = here < heights
        share = (heights - here) / np.where(below, beside - here, 1.0)
        return places + step * np.where(below, share, 0.0)

    first, last = inward(first, 1), inward(last, -1)
    return last - first, heights, first, last


def peak_widths(x, peaks, rel_height, prominence_data, wlen):
    """``scipy.signal.peak_widths``"""
    x = doubles(x)
    if prominence_data is None:
        prominence_data = peak_prominences(x, peaks, wlen)
    return width_data(x, np.asarray(peaks), rel_height, *prominence_data)


def find_peaks(
    x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size
):
    """``scipy.signal.find_peaks``"""
    x = doubles(x)
    conditions = height, threshold, distance, prominence, width, wlen, rel_height
    peaks, *places = peaks_of(x, *conditions, plateau_size)
    known = {}
    if plateau_size is not None:
        known = dict(zip(PLACES[:3], places, strict=False))
    if height is not None:
        known["peak_heights"] = x[peaks]
    if threshold is not None:
        known["left_thresholds"] = x[peaks] - x[peaks - 1]
        known["right_thresholds"] = x[peaks] - x[peaks + 1]
    if prominence is None and width is None:
        return peaks, known
    left, right = places[-2:]
    known["prominences"] = above_bases(x, peaks, left, right)
    known["left_bases"], known["right_bases"] = left, right
    if width is not None:
        names = "widths", "width_heights", "left_ips", "right_ips"
        data = width_data(x, peaks, rel_height, known["prominences"], left, right)
        known.update(zip(names, data, strict=True))
    return peaks, known


for _own in (peak_prominences, peak_widths, find_peaks):
    defined_by(getattr(signal, _own.__name__), _own)
