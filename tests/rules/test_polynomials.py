"""Rules for polynomials: every sample, and the errors of NumPy."""

import numpy as np
import pytest

from tests.variables import vector

WRONG = [
    (np.polyder, (-1,)),
    (np.polyint, (-1,)),
    (np.polyint, (3, [1.0, 2.0])),
    (np.polyfit, ([1.0], 1)),
    (np.polyfit, ([1.0, 2.0], -1)),
    (np.polyfit, (np.ones((2, 1, 1)), 1)),
    (lambda x, *args: np.polyfit(np.stack([x, x]), x, *args), (1,)),
    (lambda x, *args: np.polyfit(x[:0], x[:0], *args), (1,)),
    (lambda x, **kwargs: np.polyfit(x, x, 0, w=np.ones(3)), ()),
    (lambda x, **kwargs: np.polyfit(x, x, 0, w=np.ones((2, 1))), ()),
    (lambda x: np.polyfit(x, x, 1, cov=True), ()),
    (lambda x: np.poly(np.stack([x, x])[:1]), ()),
    (lambda x: np.roots(np.stack([x, x])), ()),
]


@pytest.mark.parametrize(("function", "args"), WRONG)
def test_errors_are_numpys(function, args):
    with pytest.raises((ValueError, TypeError)) as theirs:
        function(np.array([1.0, 2.0]), *args)
    with pytest.raises(theirs.type) as ours:
        function(vector(1.0, 2.0), *args)
    assert str(ours.value) == str(theirs.value)


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
