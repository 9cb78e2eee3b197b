"""Rules for polynomials: every sample."""

import numpy as np
import pytest

from tests.variables import vector


def test_a_fit_to_fewer_points_than_it_needs_is_warned_of():
    with pytest.warns(np.exceptions.RankWarning):
        np.polyfit(vector(1.0, 1.0), vector(1.0, 2.0), 1)


def test_roots_and_polynomials_of_nothing():
    assert np.poly(vector(1.0)[:0]) == 1.0
    assert np.roots(vector(0.0, 0.0)).shape == (0,)


def test_a_double_root_has_no_derivative():
    p = vector(1.0, -4.0, 5.0, -2.0)  # 1, 1 and 2
    simple = np.argmax(np.real(np.roots(p.data)))
    np.roots(p)[simple].backward(np.ones((), np.roots(p).dtype))
    np.testing.assert_allclose(p.grad.data, [-8.0, -4.0, -2.0, -1.0], rtol=1e-6)
    p.grad = None
    np.sum(np.real(np.roots(p))).backward()
    assert np.all(np.isnan(p.grad.data))
