"""Gradients by central differences."""

import numpy as np


def slope_of(function, x, step=1e-6):
    """The gradient of a function of one array."""
    found = np.zeros(np.shape(x))
    for index in np.ndindex(found.shape):
        above, below = np.array(x), np.array(x)
        above[index] += step
        below[index] -= step
        found[index] = (function(above) - function(below)) / (2.0 * step)
    return found
