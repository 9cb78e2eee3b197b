"""Rules for ``scipy.signal``: what undoes a filter, thins a signal out, takes noise."""

import numpy as np
from scipy import signal

from srcgrad.rules.broadcasting import along
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.ndimage.neighbourhoods import rank_filter
from srcgrad.rules.scipy.signal.filters import (
    filtfilt,
    medfilt,
    resample_poly,
    sosfiltfilt,
    upfirdn,
)

convolve = reaching(signal.convolve)
correlate = reaching(signal.correlate)
lfilter_of = reaching(signal.lfilter)
sosfilt_of = reaching(signal.sosfilt)


def deconvolve(signal, divisor):
    """``scipy.signal.deconvolve``"""
    num, den = np.atleast_1d(signal), np.atleast_1d(divisor)
    size = np.size(num) - np.size(den) + 1
    if size < 1:
        return [], num
    quotient = lfilter_of(num, den, np.eye(1, size)[0])
    return quotient, num - convolve(den, quotient)


def lfiltic(b, a, y, x=None):
    """``scipy.signal.lfiltic``: the state that earlier results leave."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    size = max(np.size(a), np.size(b)) - 1
    total = np.zeros(size)
    if x is not None:
        total = total + left(b, np.atleast_1d(x), size)
    return (total - left(a, np.atleast_1d(y), size)) / a[0]


def left(c, past, size):
    """What is still to come of earlier values, the latest of which is the first."""
    more = size + np.size(c) - np.size(past)
    past = np.pad(past, (0, max(more, 0)))
    rows = [
        np.sum(c[m + 1 :] * past[: max(np.size(c) - 1 - m, 0)]) for m in range(size)
    ]
    return np.stack(rows) if rows else np.zeros(0)


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """``scipy.signal.decimate``"""
    thin = along(axis % np.ndim(x), slice(None, None, q))
    dtype = np.result_type(x.dtype, np.float32)
    if isinstance(ftype, str) and ftype == "fir":
        taps = signal.firwin((20 * q if n is None else n) + 1, 1.0 / q).astype(dtype)
        if zero_phase:
            return resample_poly(x, 1, q, axis, taps)
        size = -(-np.shape(x)[axis] // q)
        out = upfirdn(taps, x, 1, q, axis)
        return out[along(axis % np.ndim(x), slice(size))]
    if isinstance(ftype, str):
        sos = signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
        sos = sos.astype(dtype)
        return (sosfiltfilt(sos, x, axis) if zero_phase else sosfilt_of(sos, x, axis))[
            thin
        ]
    system = ftype.to_tf()
    run = filtfilt if zero_phase else lfilter_of
    return run(system.num, system.den, x, axis)[thin]


def wiener(im, mysize=None, noise=None):
    """``scipy.signal.wiener``"""
    ndim = np.ndim(im)
    sizes = [3] * ndim if mysize is None else [*np.broadcast_to(mysize, ndim)]
    box = np.ones([int(size) for size in sizes])
    mean = correlate(im, box, "same") / box.size
    spread = correlate(im**2, box, "same") / box.size - mean**2
    noise = np.mean(spread) if noise is None else noise
    is_noise = spread < noise
    share = 1.0 - noise / np.where(is_noise, 1.0, spread)
    return np.where(is_noise, mean, mean + (im - mean) * share)


def medfilt2d(input, kernel_size=3):
    """``scipy.signal.medfilt2d``"""
    return medfilt(input, 3 if kernel_size is None else kernel_size)


def order_filter(a, domain, rank):
    """``scipy.signal.order_filter``: with zeros around."""
    return rank_filter(a, rank, footprint=domain, mode="constant")


for _own in (deconvolve, lfiltic, decimate, wiener, medfilt2d, order_filter):
    defined_as(getattr(signal, _own.__name__), _own)
