"""Calls are written as people write them: operators, methods, indices."""

import operator

import numpy as np
import pytest
import scipy.special
from numpy._core import umath

from srcgrad.steps import Node
from srcgrad.updates import cast
from tests.emit.graphs import (
    array,
    body,
    expression,
    line,
    node,
    number,
    scalar,
    source,
)

x, y, m = array(3, name="x"), array(3, name="y"), array(4, 3, name="m")
n, s = number("n"), scalar("s")
i, flag = array(2, name="i", dtype=int), array(3, name="flag", dtype=bool)
single = array(3, name="single", dtype=np.float32)
small = array(3, name="small", dtype=np.int8)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ((np.add, x, y), "x + y"),
        ((np.multiply, 2.0, x), "2.0 * x"),
        ((np.matmul, m, x), "m @ x"),
        ((np.floor_divide, x, 2), "x // 2"),
        ((np.remainder, x, y), "x % y"),
        ((np.bitwise_and, flag, flag), "flag & flag"),
        ((np.invert, flag), "~flag"),
        ((np.negative, x), "-x"),
        ((np.less_equal, x, 0.0), "x <= 0.0"),
        ((operator.add, n, 1.0), "n + 1.0"),
        ((operator.neg, n), "-n"),
        ((operator.lt, n, n), "n < n"),
        # NumPy must get to see an operand.
        ((np.add, n, 1.0), "np.add(n, 1.0)"),
        ((np.negative, n), "np.negative(n)"),
        ((np.add, n, s), "n + s"),
        ((np.add, n, np.float64(1.0)), "n + np.float64(1.0)"),
        # A number of NumPy's is one of Python's where that makes no difference.
        ((np.multiply, np.float64(2.0), x), "2.0 * x"),
        ((np.divide, s, np.float64(2.0)), "s / 2.0"),
        ((np.maximum, x, np.int64(1)), "np.maximum(x, 1)"),
        ((np.multiply, np.float32(0.1), single), "0.1 * single"),
        ((np.less, single, np.float32(0.1)), "single < 0.1"),
        ((np.multiply, np.float16(0.1), single), "0.0999755859375 * single"),
        ((np.less, single, np.float64(0.1)), "single < np.float64(0.1)"),
        ((np.multiply, single, np.float64(2.0)), "single * np.float64(2.0)"),
        ((np.multiply, np.float64(2.0), i), "2.0 * i"),
        ((np.multiply, np.int8(2), i), "2 * i"),
        ((np.multiply, np.int64(2), small), "np.int64(2) * small"),
        ((np.add, np.float64(-np.inf), x), "-np.inf + x"),
        ((np.add, np.complex128(1j), x), "np.complex128(1j) + x"),
        ((np.add, np.float64(1.0), np.int8(2)), "np.float64(1.0) + np.int8(2)"),
        ((np.multiply, 2 / 7, x), "2 / 7 * x"),
        ((np.subtract, x, -1 / 48), "x + 1 / 48"),
        ((np.divide, x, 1 / 48), "x / (1 / 48)"),
        ((np.where, flag, x, np.float64(0.0)), "np.where(flag, x, np.float64(0.0))"),
        ((np.full, (2, 3), s), "np.full((2, 3), s)"),
        ((np.full, (2,), np.float64(0.5)), "np.full(2, 0.5)"),
        ((np.full, (2,), np.float32(0.5)), "np.full(2, np.float32(0.5))"),
        ((np.full, (2,), np.float64(1.0)), "np.ones(2)"),
        ((np.full, (2,), np.float32(0.0)), "np.zeros(2, dtype=np.float32)"),
        ((np.full, (2,), np.float64(-0.0)), "np.full(2, -0.0)"),
        ((np.full, 2, 1, int), "np.full(2, 1, int)"),
        ((np.add, x, [1.0, 2.0, 3.0]), "np.add(x, [1.0, 2.0, 3.0])"),
        ((np.add, x, None), "np.add(x, None)"),
        # Operators take short cuts for some powers.
        ((np.power, x, 2), "x**2"),
        ((np.power, x, -1.5), "x**-1.5"),
        ((np.power, x, y), "x**y"),
        ((np.power, x, 0.5), "np.power(x, 0.5)"),
        ((np.power, x, n), "np.power(x, n)"),
        ((np.power, x, s), "np.power(x, s)"),
        ((np.power, flag, 2), "np.power(flag, 2)"),
        ((operator.pow, n, 0.5), "n**0.5"),
        ((np.tanh, x), "np.tanh(x)"),
        ((np.absolute, x), "np.abs(x)"),
        ((np.conjugate, x), "np.conjugate(x)"),
        ((np.where, flag, x, 0.0), "np.where(flag, x, 0.0)"),
        ((np.linalg.inv, m), "np.linalg.inv(m)"),
        ((np.fft.fft, x), "np.fft.fft(x)"),
        ((np.add.reduce, x), "np.add.reduce(x)"),
        ((np.lib.stride_tricks.sliding_window_view, x, 2),
         "np.lib.stride_tricks.sliding_window_view(x, 2)"),
        ((scipy.special.erf, x), "scipy.special.erf(x)"),
        ((scipy.special.logsumexp, x), "scipy.special.logsumexp(x)"),
        ((abs, n), "abs(n)"),
        ((np.concatenate, [x, y]), "np.concatenate([x, y])"),
        ((np.einsum, "ij,j->i", m, x), 'np.einsum("ij,j->i", m, x)'),
        ((np.transpose, m), "m.T"),
        ((np.transpose, m, None), "m.T"),
        ((np.transpose, m, (1, 0)), "m.transpose((1, 0))"),
        ((np.transpose, array(2, 3, 4, name="t")), "t.transpose()"),
        ((np.swapaxes, m, -1, -2), "m.T"),
        ((np.swapaxes, m, 1, 1), "m.swapaxes(1, 1)"),
        ((np.swapaxes, array(2, 3, 4, name="t"), 0, 2), "t.swapaxes(0, 2)"),
        ((np.expand_dims, x, -1), "x[:, None]"),
        ((np.expand_dims, m, -1), "m[..., None]"),
        ((np.expand_dims, m, -2), "m[:, None]"),
        ((np.expand_dims, m, 0), "m[None]"),
        ((np.expand_dims, s, 0), "s[None]"),
        ((np.expand_dims, m, (0, 1)), "np.expand_dims(m, (0, 1))"),
        ((np.expand_dims, n, 0), "np.expand_dims(n, 0)"),
        ((np.flip, m, -1), "m[:, ::-1]"),
        ((np.flip, x, 0), "x[::-1]"),
        ((np.flip, m), "np.flip(m)"),
        ((np.reshape, m, (2, 6)), "m.reshape((2, 6))"),
        ((np.reshape, n, (1, 1)), "np.reshape(n, (1, 1))"),
        ((np.ravel, m), "m.ravel()"),
        ((np.clip, x, 0.0, y), "x.clip(0.0, y)"),
        ((vars(umath)["clip"], x, 0.0, y), "x.clip(0.0, y)"),
        ((operator.abs, n), "abs(n)"),
        ((np.sum, m), "np.add.reduce(m, axis=None)"),
        ((np.sum, m, 0), "np.add.reduce(m, axis=0)"),
        ((np.max, m, (0, 1), None, True),
         "np.maximum.reduce(m, axis=(0, 1), keepdims=True)"),
        ((cast, x, np.dtype(np.float32)), "x.astype(np.float32)"),
        ((cast, n, np.float32), "np.float32(n)"),
        ((operator.getitem, m, 0), "m[0]"),
        ((operator.getitem, m, (slice(0, 3), None)), "m[0:3, None]"),
        ((operator.getitem, m, (slice(None, None, -1),)), "m[::-1]"),
        ((operator.getitem, m, (..., np.int64(1))), "m[..., 1]"),
        ((operator.getitem, m, ()), "m[()]"),
        ((operator.getitem, m, ([0, 2], i)), "m[[0, 2], i]"),
        ((operator.getitem, m, flag), "m[flag]"),
        ((operator.getitem, m, ((0, 1),)), "m[(0, 1),]"),
    ],
)  # fmt: skip
def test_calls_in_their_usual_form(call, text):
    assert expression(*call) == text


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"axis": 1}, "np.add.reduce(m, axis=1)"),
        ({"axis": (1,)}, "np.add.reduce(m, axis=1)"),
        (
            {"axis": None, "dtype": None, "keepdims": np._NoValue, "where": True},
            "np.add.reduce(m, axis=None)",
        ),
        (
            {"axis": 0, "keepdims": True, "initial": 1.0, "where": False},
            "np.add.reduce(m, axis=0, keepdims=True, initial=1.0, where=False)",
        ),
    ],
)
def test_reductions_pass_what_is_no_default(kwargs, text):
    assert expression(np.sum, m, **kwargs) == text


def test_keywords_of_ufuncs_and_methods_are_kept():
    assert (
        expression(np.add, x, y, dtype=np.float32) == "np.add(x, y, dtype=np.float32)"
    )
    assert expression(np.reshape, m, (12,), order="F") == 'm.reshape((12,), order="F")'
    assert expression(np.reshape, m, -1, "F") == 'np.reshape(m, -1, "F")'
    assert expression(np.reshape, m, shape=(12,)) == "np.reshape(m, shape=(12,))"


@pytest.mark.parametrize(
    ("call", "users", "text"),
    [
        ((np.less, x, y), "if y > x:", "y > x"),
        ((np.greater_equal, x, 0.5), "z = np.where(0.5 <= x, x, 0.5)", "0.5 <= x"),
        ((np.less, n, 0.5), "if 0.5 > n:", "np.greater(0.5, n)"),
        ((np.less, x, y), "if x < y:", "x < y"),
        ((np.less, x, y), "if x < y > z:", "x < y"),
        ((np.less, x, y), "z = x >> y", "x < y"),
        ((np.less, x, y), "def f(x) -> float: ...", "x < y"),
        ((np.less, x, y), "if z >= x:", "x < y"),
        ((np.equal, x, y), "if y == x:", "x == y"),
    ],
)
def test_comparisons_stand_as_in_the_users_line(call, users, text):
    function, *args = call
    out = array(3, dtype=bool)
    made = node(function, *args, out=out, where=line(1, users))
    assert body([made], [x, y, n], [out]).endswith(f"return {text}\n")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ((np.reshape, x, (3, 1)), "x[:, None]"),
        ((np.reshape, x, (1, 3)), "x[None]"),
        ((np.reshape, m, (4, 1, 3)), "m[:, None]"),
        ((np.reshape, m, (4, 3, 1, 1)), "m[:, :, None, None]"),
        ((np.reshape, m, (12, 1)), "m.reshape((12, 1))"),
        ((np.reshape, m, (3, 4)), "m.reshape((3, 4))"),
        ((np.reshape, s, (1, 1)), "s.reshape((1, 1))"),
        ((np.sum, m, (0, 1)), "np.add.reduce(m, axis=None)"),
        ((np.sum, m, (0,)), "np.add.reduce(m, axis=0)"),
    ],
)
def test_gradients_are_shaped_as_people_do(call, text):
    """What the user has written stays as it is."""
    function, value, how = call
    shape = how if function is np.reshape else ()
    out = array(*shape)
    for in_backward in (True, False):
        made = Node(function, (value, how), {}, out, in_backward=in_backward)
        seen = source([made], [value], [out]).split("    return ", 1)[1].rstrip("\n")
        assert (seen == text) or not in_backward
        assert "None]" not in seen or in_backward
