"""What functions that write into arrays do once their source is rewritten."""

import inspect

import numpy as np

from srcgrad.rules.scipy.scipy_sources import copied
from tests.variables import variable

try:
    from scipy._lib import array_api_extra as xpx
except ImportError:  # from SciPy 1.18 on
    from scipy._external import array_api_extra as xpx


def written(x, factor=2.0):
    y = np.zeros(3)
    y[0] = float(x[0]) * factor
    y[1:] += x[1:]
    y *= np.float64(x[2])
    np.place(y, y > 20.0, [0.0])
    return y


def test_what_writes_into_arrays_makes_new_ones():
    x = np.array([1.0, 2.0, 3.0])
    run = copied(written)
    np.testing.assert_array_equal(run(x), written(x))
    v = variable(x)
    run(v).sum().backward()
    np.testing.assert_array_equal(v.grad.data, [6.0, 3.0, 2.0 + 2.0 + 6.0])
    assert inspect.signature(run) == inspect.signature(written)


def put(x):
    y = np.zeros(3)
    xpx.at(y, 0).set(x[1])
    xpx.at(y)[1:].set(2.0 * x)
    return y


def test_what_is_put_into_an_array_is_kept():
    v = variable([3.0, 1.0])
    found = copied(put)(v)
    np.testing.assert_array_equal(found.data, [1.0, 6.0, 2.0])
    found.sum().backward()
    np.testing.assert_array_equal(v.grad.data, [2.0, 3.0])


def summed(x, out):
    out.sort()
    np.add(x, 1.0, out=out)
    return out


def test_results_that_are_given_a_place():
    v = variable([3.0, 1.0])
    np.testing.assert_array_equal(copied(summed)(v, np.ones(2)).data, [4.0, 2.0])


def closed_around(factor):
    def scaled(x):
        def inner():
            return x * factor

        return inner()

    return scaled


def test_functions_of_functions():
    assert copied(closed_around(3.0))(variable(2.0)).item() == 6.0
