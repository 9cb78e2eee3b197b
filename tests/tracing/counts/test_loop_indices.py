"""``for i in range(n)`` where ``i`` is read: one trace for every ``n``, or a miss."""

import numpy as np
import pytest

import srcgrad

# ----- Python looks at the number -----


def test_a_loop_that_ends_by_itself_after_a_walk_back_is_not_refused():
    def f(x):
        x = srcgrad.grad(lambda y: np.sum(y**2))(x)
        for i in range(6):
            if x[0] > 1.0:
                x = x * 1.1
            x = x * (i * 0.5 + 1.0)
            if np.sum(x) > 3.0:
                break
        return x

    for scale in (0.1, 0.2, 1.0, 0.1, 3.0, 0.2):
        x = np.array([1.0, 2.0]) * scale
        for _ in range(2):
            _, tangent = srcgrad.jvp(f, (x,), (x,))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.jvp(f, (x,), (x,))[1]
        np.testing.assert_allclose(tangent, expected)


# ----- Numbers that no float holds exactly -----


def of_sums(x, n):
    y = x
    for k in range(12):
        y = y * 0.5 + (k + n) % 7 * x
    return y


def of_products(x, n):
    y = x
    for k in range(n, n - 24, -2):
        y = y * 0.5 + k * 3**40 % 7 * x + (k + 3**40) // 3 % 5
    return y


@pytest.mark.usefixtures("regions")
@pytest.mark.parametrize("f", [of_sums, of_products])
def test_they_are_those_of_python(f):
    traced = srcgrad.trace(f)
    for n in (9, 9, 5, 6, 9, 2**53 - 5, 2**53 - 1, 2**60 + 3, 5):
        assert traced(0.75, n) == f(0.75, n)
