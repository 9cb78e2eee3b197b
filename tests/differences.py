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


def slopes_beside(function, x, step=1e-6):
    """The same by one-sided differences, below and above: at a tie they are two."""
    below, above = np.zeros(np.shape(x)), np.zeros(np.shape(x))
    here = function(np.array(x))
    for index in np.ndindex(below.shape):
        moved = np.array(x)
        moved[index] -= step
        below[index] = (here - function(moved)) / step
        moved[index] = x[index] + step
        above[index] = (function(moved) - here) / step
    return below, above
