"""Rules for ``scipy.ndimage``: linear filters."""

import itertools

import numpy as np
from scipy import ndimage

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defvjp
from srcgrad.updates import scatter

# ----- What lies beyond an edge -----


def reflected(i, n):
    return np.minimum(i % (2 * n), 2 * n - 1 - i % (2 * n))


def mirrored(i, n):
    period = max(2 * n - 2, 1)
    return np.minimum(i % period, period - i % period) if n > 1 else 0 * i


BEYOND = {
    "reflect": reflected,
    "grid-mirror": reflected,
    "mirror": mirrored,
    "nearest": lambda i, n: np.clip(i, 0, n - 1),
    "wrap": lambda i, n: i % n,
    "grid-wrap": lambda i, n: i % n,
}
CONSTANT = ("constant", "grid-constant")


def per_axis(option, ndim):
    """An option for each axis, where one may stand for all."""
    is_one = isinstance(option, str) or np.ndim(option) == 0
    return [option] * ndim if is_one else list(option)


def margins(sizes, origins):
    """How many pixels a kernel reaches beyond an edge, before and after."""
    before = [size // 2 + origin for size, origin in zip(sizes, origins, strict=True)]
    return [(b, size - 1 - b) for b, size in zip(before, sizes, strict=True)]


def places(mode, n, before, after):
    return BEYOND[mode](np.arange(-before, n + after), n)


def extended(x, reach, modes, cval):
    """An image with what is said to lie around it."""
    for axis, ((before, after), mode) in enumerate(zip(reach, modes, strict=True)):
        if mode in CONSTANT:
            widths = [(0, 0)] * np.ndim(x)
            widths[axis] = (before, after)
            x = np.pad(x, widths, constant_values=cval)
        else:
            x = np.take(x, places(mode, np.shape(x)[axis], before, after), axis)
    return x


def folded(g, shape, reach, modes):
    """The adjoint of that: add to each pixel what went to its images."""
    for axis, ((before, after), mode) in enumerate(zip(reach, modes, strict=True)):
        n = shape[axis]
        if mode in CONSTANT:
            g = np.take(g, np.arange(before, before + n), axis)
        else:
            moved = np.moveaxis(g, axis, 0)
            to = (n, *moved.shape[1:])
            moved = scatter(moved, places(mode, n, before, after), to)
            g = np.moveaxis(moved, 0, axis)
    return g


# ----- Correlations: with the conjugate of a complex kernel -----
correlate_of = reaching(ndimage.correlate)


def refuse(name, what):
    raise NotImplementedError(
        f"srcgrad has no derivative of scipy.ndimage.{name} {what}"
    )


def check(name, output, axes):
    if output is not None or axes is not None:
        refuse(name, "with `output` or `axes`")


def image_back(g, input_shape, weights, output, mode, origin, axes):
    check("correlate", output, axes)
    ndim = len(input_shape)
    modes = per_axis(mode, ndim)
    reach = margins(weights.shape, per_axis(origin, ndim))
    # What each pixel gives to all that reach it: the correlation backwards, in full.
    around = np.pad(g, [(size - 1, size - 1) for size in weights.shape])
    return folded(valid(around, np.flip(weights)), input_shape, reach, modes)


def valid(x, weights):
    """The correlation where the kernel lies within."""
    sizes = [n - k + 1 for n, k in zip(np.shape(x), np.shape(weights), strict=True)]
    out = 0.0
    for corner in itertools.product(*map(range, np.shape(weights))):
        window = tuple(slice(i, i + n) for i, n in zip(corner, sizes, strict=True))
        out = out + weights[corner] * x[window]
    return out


def kernel_back(g, input, weights_shape, output, mode, cval, origin, axes):
    check("correlate", output, axes)
    ndim = len(weights_shape)
    reach = margins(weights_shape, per_axis(origin, ndim))
    whole = extended(input, reach, per_axis(mode, ndim), cval)
    return valid(whole, conj(g))


defvjp(ndimage.correlate, input=image_back, weights=kernel_back)


def convolve(
    input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """``scipy.ndimage.convolve``: a correlation with the kernel turned around."""
    check("convolve", output, axes)
    sizes = np.shape(weights)
    origins = per_axis(origin, len(sizes))
    turned = [-o - (size % 2 == 0) for o, size in zip(origins, sizes, strict=True)]
    return correlate_of(input, conj(np.flip(weights)), None, mode, cval, turned)


def along(weights, axis, ndim):
    """A kernel in one dimension as one in many."""
    shape = [1] * ndim
    shape[axis] = -1
    return np.reshape(weights, shape)


def one_origin(origin, axis, ndim):
    origins = [0] * ndim
    origins[axis] = origin
    return origins


def correlate1d(
    input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
):
    check("correlate1d", output, None)
    ndim = np.ndim(input)
    kernel, origins = along(weights, axis, ndim), one_origin(origin, axis, ndim)
    return correlate_of(input, kernel, None, mode, cval, origins)


def convolve1d(
    input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
):
    check("convolve1d", output, None)
    ndim = np.ndim(input)
    kernel, origins = along(weights, axis, ndim), one_origin(origin, axis, ndim)
    return convolve(input, kernel, None, mode, cval, origins)


# ----- Filters made of them -----


def gaussian_weights(sigma, order, radius):
    """The kernel, by the recurrence of Hermite's polynomials."""
    x = np.arange(-radius, radius + 1)
    variance = sigma * sigma
    bell = np.exp(-0.5 * (x * x) / variance)
    before, polynomial = 0.0, np.ones(len(x))
    for k in range(order):
        before, polynomial = (
            polynomial,
            -(x * polynomial + k * before) / variance,
        )
    return (polynomial * bell / np.sum(bell))[::-1]


def gaussian_filter1d(
    input,
    sigma,
    axis=-1,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
):
    """``scipy.ndimage.gaussian_filter1d``"""
    check("gaussian_filter1d", output, None)
    if radius is None:
        radius = int(truncate * sigma + 0.5)
    weights = gaussian_weights(sigma, order, radius)
    return correlate1d(input, weights, axis, None, mode, cval)


def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
):
    """``scipy.ndimage.gaussian_filter``: axis by axis."""
    check("gaussian_filter", output, axes)
    ndim = np.ndim(input)
    options = (per_axis(option, ndim) for option in (order, mode, radius))
    sigmas = [sigma] * ndim if np.ndim(sigma) == 0 else sigma
    for axis, (k, m, r) in enumerate(zip(*options, strict=True)):
        s = sigmas[axis]
        if s > 1e-15:
            input = gaussian_filter1d(
                input, s, axis, k, None, m, cval, truncate, radius=r
            )
    return input


def uniform_filter1d(
    input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
):
    """``scipy.ndimage.uniform_filter1d``"""
    weights = np.full(size, 1.0 / size)
    return correlate1d(input, weights, axis, output, mode, cval, origin)


def uniform_filter(
    input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """``scipy.ndimage.uniform_filter``: axis by axis."""
    check("uniform_filter", output, axes)
    ndim = np.ndim(input)
    options = [per_axis(option, ndim) for option in (size, mode, origin)]
    for axis, (n, m, o) in enumerate(zip(*options, strict=True)):
        input = uniform_filter1d(input, n, axis, None, m, cval, o)
    return input


def edges(smooth):
    """Sobel's and Prewitt's: a difference along an axis, smooth along the others."""

    def filtered(input, axis=-1, output=None, mode="reflect", cval=0.0):
        check("sobel and prewitt", output, None)
        ndim = np.ndim(input)
        modes = per_axis(mode, ndim)
        axis = axis % ndim
        out = correlate1d(input, DIFFERENCE, axis, None, modes[axis], cval)
        for other in range(ndim):
            if other != axis:
                out = correlate1d(out, smooth, other, None, modes[other], cval)
        return out

    return filtered


DIFFERENCE = np.array([-1.0, 0.0, 1.0])


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    check("laplace", output, axes)
    weights = np.array([1.0, -2.0, 1.0])
    modes = per_axis(mode, np.ndim(input))
    parts = [
        correlate1d(input, weights, axis, None, mode, cval)
        for axis, mode in enumerate(modes)
    ]
    return sum(parts[1:], parts[0])


defined_as(ndimage.convolve, convolve)
defined_as(ndimage.correlate1d, correlate1d)
defined_as(ndimage.convolve1d, convolve1d)
defined_as(ndimage.gaussian_filter1d, gaussian_filter1d)
defined_as(ndimage.gaussian_filter, gaussian_filter)
defined_as(ndimage.uniform_filter1d, uniform_filter1d)
defined_as(ndimage.uniform_filter, uniform_filter)
defined_as(ndimage.sobel, edges(np.array([1.0, 2.0, 1.0])))
defined_as(ndimage.prewitt, edges(np.ones(3)))
defined_as(ndimage.laplace, laplace)
