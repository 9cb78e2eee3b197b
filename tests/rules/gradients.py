"""Gradients of small functions as lists, for what is stated by hand."""

import warnings

import numpy as np

import srcgrad.autograd
from srcgrad.tape.variable import Variable


def gradient(function, value, g=None):
    """The gradient of a function of one array, given as a list."""
    x = Variable(np.array(value), requires_grad=True)
    out = function(x)
    g = np.ones(out.shape) if g is None else np.array(g)
    (found,) = srcgrad.autograd.grad(out, x, g)
    return found.data.tolist()


def gradients(function, *values, g=1.0):
    """The gradients in each argument; a list stands for an array."""
    variables = [Variable(np.array(value), requires_grad=True) for value in values]
    out = function(*variables)
    found = srcgrad.autograd.grad(out, variables, np.full(out.shape, g, out.dtype))
    return [found_one.data.tolist() for found_one in found]


def quiet(function, *values, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return gradients(function, *values, **kwargs)


def noisy(function, *values, **kwargs):
    """Where the gradient is infinite or undefined, NumPy may warn about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gradients(function, *values, **kwargs)


def same(found, expected):
    np.testing.assert_array_equal(np.array(found), np.array(expected), strict=True)
    return True


def backward(function, *values):
    """Run a function on Variables, and take every result back."""
    out = function(*(Variable(np.array(v), requires_grad=True) for v in values))
    outs = [*out] if isinstance(out, (list, tuple)) else [out]
    srcgrad.autograd.backward(outs, [np.ones(o.shape) for o in outs])
