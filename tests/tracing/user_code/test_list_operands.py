"""Lists with Variables as operands of ndarrays, traced and in gradients."""

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.user_code.list_operands import list_names
from srcgrad.tracing.user_code.syntax_trees import nodes_in

MATRIX = np.array([[1.0, 2.0], [0.5, -1.0]])
FACTORS = [1.0, 2.0]


def turned(point):
    return MATRIX @ point


def point(a):
    return [np.sin(a), np.cos(a)]


def of_display(x, ls):
    return np.sum(np.eye(2) @ [x[0], 1.0]) * np.sum((x[1], 2.0) - MATRIX)


def of_parameter(x, ls):
    return turned([x[0], x[1]])[0] * turned(ls)[1] + np.sum(np.arange(2.0) * ls * x)


def of_calls(x, ls):
    q = point(x[1])
    return np.sum(MATRIX @ point(x[0])) + np.sum(q - np.ones(2))


def of_filled(x, ls):
    out = []
    for v in x:
        out.append(v * v)
    return np.sum(np.where([1.0, 0.5] * np.ones(2) < out, x, MATRIX * out))


def in_loop(x, ls):
    s = np.zeros(2)
    for _ in range(20):
        s = 0.1 * MATRIX @ [s[0] + x[0], s[1] * x[1]]
    return np.sum(s)


def added_to(x, ls):
    a, b = np.zeros(2), [x[0], x[1]]
    a += [x[0], 2.0]
    b *= np.array([2.0, 3.0])
    return np.sum(a * b)


def of_outside(x, ls):
    return np.sum(np.ones(2) * FACTORS * x) + np.sum(MATRIX @ FACTORS)


def of_arrays(x, ls):
    a, b = x
    product = np.linalg.multi_dot([[[a, 1.0], [0.0, b]], MATRIX, [1.0, a]])
    return np.sum(np.select([MATRIX[0] > [a, b]], [[a, b]], [b, 2.0])) * product[0]


@pytest.mark.parametrize(
    "function",
    [
        *(of_display, of_parameter, of_calls, of_filled, in_loop, added_to),
        *(of_outside, of_arrays),
    ],
)
def test_they_are_arrays_and_compile(function):
    traced, gradient = srcgrad.trace(function), srcgrad.grad(function)
    for k in range(5):
        FACTORS[0] = 1.0 + k
        x, ls = np.array([0.5, 1.2]) * (1 + 0.1 * k), [0.3 + 0.1 * k, 0.5]
        found, expected = traced(x, ls), function(x, ls)
        assert type(found) is type(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        steps = 1e-6 * np.eye(2)
        slopes = [function(x + h, ls) - function(x - h, ls) for h in steps]
        np.testing.assert_allclose(gradient(x, ls), np.divide(slopes, 2e-6), rtol=1e-5)
    assert traced.stats.misses == 0, traced.explain()
    assert srcgrad.explain(gradient, as_dict=True)["compiled"] >= 3


def test_an_integer_beside_floats_is_an_input():
    @srcgrad.trace
    def f(x, n):
        return np.sum(MATRIX @ [n, x]) + np.sum(np.array([n, 0.5]))

    for n in range(8):
        assert f(2.0, n) == np.sum(MATRIX @ [n, 2.0]) + n + 0.5
    assert f.stats.traces <= 3


def test_numpys_numbers_repeat_no_lists():
    def f(x):
        return np.sum(x) * [x[0], 1.0]

    with pytest.raises(TypeError, match="can't multiply sequence"):
        srcgrad.trace(f)(np.ones(2))


def test_which_names_may_be_lists():
    text = "def f(self, p, q): a = [p]; b = g(p); c = np.exp(p); return self.w @ q**2"
    assert list_names(nodes_in(gast.parse(text)), {"np"}) == {"a", "b", "p"}
