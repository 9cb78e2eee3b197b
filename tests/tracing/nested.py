"""Traced functions that call traced functions."""

import numpy as np

import srcgrad


@srcgrad.trace
def inner(x):
    return np.sin(x) * x


@srcgrad.trace
def outer(x):
    return np.sum(inner(inner(x)))


@srcgrad.trace
def slope(x):
    return np.sum(srcgrad.grad(outer)(x) ** 2)


@srcgrad.trace
def traced_recursion(x, n):
    return x if n == 0 else np.cos(traced_recursion(x, n - 1))
