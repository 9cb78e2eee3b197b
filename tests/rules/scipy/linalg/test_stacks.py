"""Every sample of the chapter, and what SciPy does of stacks besides."""

import numpy as np
import scipy.linalg

import srcgrad
from srcgrad.scipy import linalg
from tests.variables import variable


def test_several_results_are_a_list_or_tuple_as_scipy_gives_it():
    a = np.eye(3) + np.arange(18.0).reshape(2, 3, 3)
    for function, args in (
        (scipy.linalg.polar, (a,)),
        (scipy.linalg.qr_multiply, (a, np.ones(3))),
        (scipy.linalg.lstsq, (a, np.ones((3, 2)))),
        (scipy.linalg.expm_frechet, (a / 9.0, a)),
    ):
        found = srcgrad.trace(function)(variable(args[0]), *args[1:])
        expected = function(*args)
        assert type(found) is type(expected)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(srcgrad.stop_gradient(one), other, atol=1e-12)


def test_the_changed_factors_of_a_stack():
    a = np.eye(4, 3) + np.arange(24.0).reshape(2, 4, 3) % 5.0
    row = np.array([1.0, 2.0, 4.0])

    def each(a, changed):
        return np.stack([changed(*linalg.qr(x, mode="economic"))[1] for x in a])

    def at_once(a, changed):
        return changed(*linalg.qr(a, mode="economic"))[1]

    for changed in (
        lambda q, r: linalg.qr_insert(q, r, row, 2),
        lambda q, r: linalg.qr_delete(q, r, 1, 1, which="col"),
        lambda q, r: linalg.qr_update(q, r, np.ones(4), row),
    ):
        slopes = [
            srcgrad.grad(lambda x, f=f: np.sum(f(x, changed) ** 3))(a)  # noqa: B023
            for f in (each, at_once)
        ]
        np.testing.assert_allclose(*slopes, rtol=1e-9)
