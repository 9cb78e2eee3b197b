"""Rules for ``scipy.signal``: convolutions, correlations, ``lfilter``, trends."""

import numpy as np
from scipy import signal

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.ndimage.images import extended

# ----- Convolutions -----


def flipped(x, axes=None):
    """The kernel of the adjoint: backwards, and conjugate."""
    return conj(np.flip(x, axes))


def in_full(g, first, second, axes):
    """The cotangent of all that a convolution could give, of which g is the middle."""
    if not g.ndim:
        return g
    pads = [(0, 0)] * g.ndim
    for axis in axes:
        size = first[axis] + second[axis] - 1
        before = (size - g.shape[axis]) // 2
        pads[axis] = (before, size - g.shape[axis] - before)
    return np.pad(g, pads)


def convolved_axes(ndim, axes):
    """The axes of a convolution, from 0; along the others it broadcasts."""

    if axes is None:
        return tuple(range(ndim))
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)
    return tuple(axis % ndim for axis in axes)


def convolution_back(function):
    """The rules of a convolution for each of its two inputs."""
    reached = reaching(function)

    def by_first(g, in1_shape, in2, in2_shape, method):
        every = range(len(in1_shape))
        g = in_full(g, in1_shape, in2_shape, every)
        return reached(g, flipped(in2), "valid", method)

    return by_first, lambda g, in1, in1_shape, in2_shape, method: by_first(
        g, in2_shape, in1, in1_shape, method
    )


def fourier_back(function):
    """The same, where the axes may be chosen."""
    reached = reaching(function)

    def by_first(g, in1_shape, in2, in2_shape, axes):
        axes = convolved_axes(len(in1_shape), axes)
        g = in_full(g, in1_shape, in2_shape, axes)
        return reached(g, flipped(in2, axes), "valid", axes)

    return by_first, lambda g, in1, in1_shape, in2_shape, axes: by_first(
        g, in2_shape, in1, in1_shape, axes
    )


_first, _second = convolution_back(signal.convolve)
defvjp(signal.convolve, in1=_first, in2=_second)
for function in (signal.fftconvolve, signal.oaconvolve):
    _first, _second = fourier_back(function)
    defvjp(function, in1=_first, in2=_second)

convolve = reaching(signal.convolve)


def correlate(in1, in2, mode="full", method="auto"):
    """``scipy.signal.correlate``: a convolution with the second input backwards."""
    return convolve(in1, flipped(in2), mode, method)


# What an image does beyond an edge, as ``scipy.ndimage`` calls it.
BOUNDARIES = dict.fromkeys(("fill", "pad"), "constant")
BOUNDARIES |= dict.fromkeys(("wrap", "circular"), "wrap")
BOUNDARIES |= dict.fromkeys(("symm", "symmetric"), "reflect")


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """``scipy.signal.convolve2d``: on an image that goes on beyond its edges."""
    is_plain = boundary in ("fill", "pad") and np.all(np.equal(fillvalue, 0))
    if mode == "valid" or is_plain:
        return convolve(in1, in2, mode, "direct")
    first, second = np.shape(in1), np.shape(in2)
    reach = [(n - 1, n - 1) for n in second]
    whole = extended(in1, reach, [BOUNDARIES[boundary]] * 2, fillvalue)
    out = convolve(whole, in2, "valid", "direct")
    if mode == "full":
        return out
    starts = [(n - 1) // 2 for n in second]
    (i, j), (m, n) = starts, first
    return out[i : i + m, j : j + n]


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """``scipy.signal.correlate2d``, as ``convolve2d`` with the kernel backwards."""
    first, second = np.shape(in1), np.shape(in2)
    if mode != "same":
        return convolve2d(in1, flipped(in2), mode, boundary, fillvalue)
    full = convolve2d(in1, flipped(in2), "full", boundary, fillvalue)
    # The middle is rounded the other way than that of a convolution.
    (i, j), (m, n) = [n // 2 for n in second], first
    return full[i : i + m, j : j + n]


defined_as(signal.correlate, correlate)
defined_as(signal.convolve2d, convolve2d)
defined_as(signal.correlate2d, correlate2d)

# ----- Filters: the adjoint runs through time backwards -----
lfilter_of = reaching(signal.lfilter)


def filter_signal(g, b, a, axis):
    return np.flip(lfilter_of(conj(b), conj(a), np.flip(g, axis), axis), axis)


def lags(g, x, size, axis):
    """For each lag, how far g goes along with what x was so long ago."""
    g, x = np.moveaxis(g, axis, -1), np.moveaxis(x, axis, -1)
    n = g.shape[-1]
    return np.stack(
        [np.sum(g[..., k:] * conj(x[..., : max(n - k, 0)])) for k in range(size)]
    )


def filter_numerator(g, b_shape, a, x, axis):
    return lags(g, lfilter_of(np.ones(1), a, x, axis), b_shape[0], axis)


def filter_denominator(g, a, a_shape, axis, out):
    return -lags(g, lfilter_of(np.ones(1), a, out, axis), a_shape[0], axis)


defvjp(signal.lfilter, b=filter_numerator, a=filter_denominator, x=filter_signal)

# ----- Trends: taking them out is a projection, and so its own adjoint -----
detrend = reaching(signal.detrend)
defvjp(signal.detrend, data=lambda g, axis, type, bp: detrend(g, axis, type, bp))
