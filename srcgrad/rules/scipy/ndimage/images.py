"""Rules for ``scipy.ndimage``: linear filters."""

import itertools

import numpy as np
from scipy import ndimage

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_by
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


def image_back(g, input_shape, weights, mode, origin):
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


def kernel_back(g, input, weights_shape, mode, cval, origin):
    ndim = len(weights_shape)
    reach = margins(weights_shape, per_axis(origin, ndim))
    whole = extended(input, reach, per_axis(mode, ndim), cval)
    return valid(whole, conj(g))


def correlate(input, weights, mode, cval, origin):
    return NotImplemented  # it has a rule, without other arguments


defvjp(ndimage.correlate, input=image_back, weights=kernel_back)
defined_by(ndimage.correlate, correlate)


def convolve(input, weights, mode, cval, origin):
    """``scipy.ndimage.convolve``: a correlation with the kernel turned around."""
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


def correlate1d(input, weights, axis, mode, cval, origin=0):
    ndim = np.ndim(input)
    kernel, origins = along(weights, axis, ndim), one_origin(origin, axis, ndim)
    return correlate_of(input, kernel, None, mode, cval, origins)


def convolve1d(input, weights, axis, mode, cval, origin):
    ndim = np.ndim(input)
    kernel, origins = along(weights, axis, ndim), one_origin(origin, axis, ndim)
    return convolve(input, kernel, mode, cval, origins)


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


def gaussian_filter1d(input, sigma, axis, order, mode, cval, truncate, radius):
    if radius is None:
        radius = int(truncate * sigma + 0.5)
    weights = gaussian_weights(sigma, order, radius)
    return correlate1d(input, weights, axis, mode, cval)


def gaussian_filter(input, sigma, order, mode, cval, truncate=4.0, radius=None):
    """``scipy.ndimage.gaussian_filter``: axis by axis."""
    ndim = np.ndim(input)
    options = (per_axis(option, ndim) for option in (order, mode, radius))
    sigmas = [sigma] * ndim if np.ndim(sigma) == 0 else sigma
    for axis, (k, m, r) in enumerate(zip(*options, strict=True)):
        if sigmas[axis] > 1e-15:
            input = gaussian_filter1d(
                input, sigmas[axis], axis, k, m, cval, truncate, r
            )
    return input


def uniform_filter1d(input, size, axis, mode, cval, origin):
    weights = np.full(size, 1.0 / size)
    return correlate1d(input, weights, axis, mode, cval, origin)


def uniform_filter(input, size, mode, cval, origin):
    """``scipy.ndimage.uniform_filter``: axis by axis."""
    options = [per_axis(option, np.ndim(input)) for option in (size, mode, origin)]
    for axis, (n, m, o) in enumerate(zip(*options, strict=True)):
        input = uniform_filter1d(input, n, axis, m, cval, o)
    return input


def edges(smooth):
    """Sobel's and Prewitt's: a difference along an axis, smooth along the others."""

    def filtered(input, axis, mode, cval):
        ndim = np.ndim(input)
        modes = per_axis(mode, ndim)
        axis = axis % ndim
        out = correlate1d(input, DIFFERENCE, axis, modes[axis], cval)
        for other in range(ndim):
            if other != axis:
                out = correlate1d(out, smooth, other, modes[other], cval)
        return out

    return filtered


DIFFERENCE = np.array([-1.0, 0.0, 1.0])


def laplace(input, mode, cval):
    weights = np.array([1.0, -2.0, 1.0])
    modes = per_axis(mode, np.ndim(input))
    parts = [
        correlate1d(input, weights, axis, mode, cval) for axis, mode in enumerate(modes)
    ]
    return sum(parts[1:], parts[0])


# ----- Slopes of a smooth image -----
def smooth_slopes(input, sigma, order, mode, cval, options):
    """The derivatives of an order along each axis."""
    ndim = np.ndim(input)
    for axis, m in enumerate(per_axis(mode, ndim)):
        orders = [order if i == axis else 0 for i in range(ndim)]
        yield gaussian_filter(input, sigma, orders, m, cval, **options)


def gaussian_laplace(input, sigma, mode, cval, kwargs):
    return sum(smooth_slopes(input, sigma, 2, mode, cval, kwargs))


def gaussian_gradient_magnitude(input, sigma, mode, cval, kwargs):
    slopes = smooth_slopes(input, sigma, 1, mode, cval, kwargs)
    return np.sqrt(sum(slope * slope for slope in slopes))


for _own in (
    *(convolve, correlate1d, convolve1d, gaussian_filter1d, gaussian_filter),
    *(uniform_filter1d, uniform_filter, laplace),
    *(gaussian_laplace, gaussian_gradient_magnitude),
):
    defined_by(getattr(ndimage, _own.__name__), _own)
defined_by(ndimage.sobel, edges(np.array([1.0, 2.0, 1.0])))
defined_by(ndimage.prewitt, edges(np.ones(3)))
