"""Python's ``min`` and ``max`` of numbers are an ``if`` a number, and give its kind."""

import numpy as np
import pytest

import srcgrad


def of_floats(a, b):
    return max(a * 2.0, b) - min(a, b, 1.0)


def of_a_list(a, b):
    return max([a, b, a * b]) + min((a, b))


def with_a_float(a, b):
    return max(a - b, 0.0) * b


@pytest.mark.parametrize("function", [of_floats, of_a_list, with_a_float])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_what_python_gives(function, kind):
    traced = srcgrad.trace(function)
    ours = srcgrad.value_and_grad(traced, argnums=(0, 1))
    for pair in [(1.0, 2.0), (2.0, 1.0), (-1.0, -1.0), (0.5, np.nan), (np.nan, 0.5)]:
        a, b = map(kind, pair)
        assert repr(traced(a, b)) == repr(function(a, b))
        with srcgrad.set_stance("tape"):
            expected = ours(a, b)
        assert repr(ours(a, b)) == repr(expected)


def test_what_has_a_key_or_other_things_stays_as_it_is():
    def f(x):
        return max(x[0], x[1], key=lambda v: -v) + len(max("ab", "c")) + max(3, 2)

    traced = srcgrad.trace(f)
    for x in ([1.0, 2.0], [2.0, 1.0], [3.0, 4.0]):
        assert traced(np.array(x)) == f(np.array(x))
