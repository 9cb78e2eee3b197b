"""Rules for ``scipy.ndimage``: what is measured of labelled parts; Fourier filters."""

import math

import numpy as np
from scipy import ndimage

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import defined_as, defined_by


# ----- Of the parts of an image -----
def parts_of(input, labels, index):
    """The values of each part, in vectors; the parts are one, or as in ``index``."""
    flat = np.reshape(input, -1)
    if labels is None:
        return [flat]
    labels = np.reshape(np.broadcast_to(labels, np.shape(input)), -1)
    if index is None:
        return [flat[labels > 0]]
    index = np.reshape(index, -1)
    return [flat[labels == index[i]] for i in range(np.size(index))]


def shaped(found, labels, index):
    """What is found of each part, as one; of one part as it is."""
    if labels is None or np.ndim(index) == 0:
        return found[0]
    return np.reshape(np.stack(found), np.shape(index))


def measured(name, measure):
    """A function of each part."""

    def run(input, labels=None, index=None):
        found = [measure(part) for part in parts_of(input, labels, index)]
        return shaped(found, labels, index)

    defined_as(getattr(ndimage, name), run)
    return run


def variance(part):
    return np.mean((part - np.mean(part)) ** 2)


sum_labels = measured("sum_labels", np.sum)
measured("sum", np.sum)
measured("mean", np.mean)
measured("variance", variance)
measured("standard_deviation", lambda part: np.sqrt(variance(part)))
maximum = measured("maximum", np.max)
minimum = measured("minimum", np.min)
measured("median", np.median)


def extrema(input, labels=None, index=None):
    """``scipy.ndimage.extrema``"""
    places = ndimage.extrema(*map(raw_of, (input, labels, index)))[2:]
    args = input, labels, index
    return minimum(*args), maximum(*args), *places


def center_of_mass(input, labels=None, index=None):
    """``scipy.ndimage.center_of_mass``"""
    mass = sum_labels(input, labels, index)
    grids = np.meshgrid(*map(np.arange, np.shape(input)), indexing="ij", sparse=True)
    found = [sum_labels(input * grid, labels, index) / mass for grid in grids]
    if np.ndim(mass) == 0:
        return tuple(found)
    return list(zip(*found, strict=True))


defined_as(ndimage.center_of_mass, center_of_mass)
defined_as(ndimage.extrema, extrema)


# ----- Filters of a spectrum -----
def frequencies(shape, n, axis):
    """In turns for each pixel, along each axis; of ``rfft`` one has half of them."""
    axis = axis % len(shape)
    for k, size in enumerate(shape):
        own = np.fft.fftfreq(size)
        if n >= 0 and k == axis:
            own = np.arange(size) / n
        yield np.reshape(own, [-1 if i == k else 1 for i in range(len(shape))])


def spectral(input, size, n, axis, factor):
    """A filter that is a product of one factor for each axis."""
    sizes = [size] * np.ndim(input) if np.ndim(size) == 0 else size
    for k, turns in enumerate(frequencies(np.shape(input), n, axis)):
        input = input * factor(turns, sizes[k])
    return input


def fourier_gaussian(input, sigma, n, axis):
    def factor(turns, sigma):
        return np.exp(-2.0 * (math.pi * sigma * turns) ** 2)

    return spectral(input, sigma, n, axis, factor)


def fourier_uniform(input, size, n, axis):
    return spectral(input, size, n, axis, lambda turns, size: np.sinc(turns * size))


def fourier_shift(input, shift, n, axis):
    def factor(turns, shift):
        return np.exp(-2j * math.pi * turns * shift)

    return spectral(input, shift, n, axis, factor)


def fourier_ellipsoid(input, size, n, axis):
    """``scipy.ndimage.fourier_ellipsoid``: a fixed factor for each frequency."""
    return input * ndimage.fourier_ellipsoid(np.ones(np.shape(input)), size, n, axis)


for _own in (fourier_ellipsoid, fourier_gaussian, fourier_uniform, fourier_shift):
    defined_by(getattr(ndimage, _own.__name__), _own)
