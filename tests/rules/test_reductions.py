"""Rules of functions that combine elements: every sample, ties, zeros, masks."""

import numpy as np
import pytest

import srcgrad.autograd
from srcgrad.tape.variable import Variable
from tests.rules.gradients import noisy, quiet, same

INF, NAN = np.inf, np.nan


# Each row: a function of x, the point, the slope there. None of them may warn.
FINITE = [
    (np.var, [2.0], [0.0]),
    (np.std, [2.0], [0.0]),
    (np.std, [2.0, 2.0], [0.0, 0.0]),
    (np.max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    (np.min, [1.0, 1.0, 3.0, 1.0], [1 / 3, 1 / 3, 0.0, 1 / 3]),
    (np.max, [-INF, -INF], [0.5, 0.5]),
    (np.max, [1.0, NAN], [0.0, 0.0]),
    (np.nanmax, [1.0, NAN, 0.0], [1.0, 0.0, 0.0]),
    (lambda x: np.max(x, initial=5.0), [1.0, 3.0], [0.0, 0.0]),
    (lambda x: np.max(x, initial=3.0), [1.0, 3.0], [0.0, 0.5]),
    (lambda x: np.min(x, initial=1.0), [1.0, 1.0], [1 / 3, 1 / 3]),
    (np.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
    (np.prod, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]),
    (np.prod, [INF, 0.5], [0.5, INF]),
    (np.nansum, [1.0, NAN], [1.0, 0.0]),
]


@pytest.mark.parametrize(("function", "x", "slope"), FINITE)
def test_slope(function, x, slope):
    assert same(quiet(function, x)[0], slope)


# The slope is infinite, or there is none; NumPy may say so.
INFINITE = [
    (lambda x: np.var(x, ddof=1), [2.0], [NAN]),
]


@pytest.mark.parametrize(("function", "x", "slope"), INFINITE)
def test_infinite_slope(function, x, slope):
    assert same(noisy(function, x)[0], slope)


def test_masked_elements_do_not_poison():
    mask = [True, False, True]
    for function, slope in {
        np.sum: [1.0, 0.0, 1.0],
        np.mean: [0.5, 0.0, 0.5],
        np.var: [-1.0, 0.0, 1.0],
        np.std: [-0.5, 0.0, 0.5],
        np.prod: [3.0, 0.0, 1.0],
    }.items():
        found = quiet(lambda x, f=function: f(x, where=mask), [1.0, NAN, 3.0])
        assert same(found[0], slope)


def test_hessian_of_a_product_with_a_zero():
    x = Variable(np.array([0.0, 2.0, 3.0]), requires_grad=True)
    (first,) = srcgrad.autograd.grad(np.prod(x), x, create_graph=True)
    rows = [
        srcgrad.autograd.grad(first, x, row, retain_graph=True)[0].data.tolist()
        for row in np.eye(3)
    ]
    assert rows == [[0.0, 3.0, 2.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
