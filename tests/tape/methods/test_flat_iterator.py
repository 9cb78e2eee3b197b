"""``v.flat`` as NumPy's: what it reads, and what is written into it."""

import numpy as np
import pytest

import srcgrad
from tests.one_liners import execute

X = np.array([[1.1, 2.3], [1.7, 0.6]])

READS = [
    "x.flat[0] * x.flat[3] * x.flat[-2]",
    "np.sum(x.flat[1:3] ** 2)",
    "np.sum(x.flat[::-1] * np.arange(4.0))",
    "np.sum(x.flat[[0, 0, 3]] ** 2)",
    "np.sum(x.flat[x.flat[:] > 1.5])",
    "np.sum(x.flat) + np.max(x.flat) * np.mean(x.flat)",
    "sum(v * v for v in x.flat)",
    "sum(i * v for i, v in enumerate(x.flat))",
    "np.sum(x) * len(x.flat)",
    "np.sum(x.flat.copy() ** 2)",
    "max(x.flat) * next(x.flat)",
    "np.dot(x.flat, x.flat) * x.T.flat[1]",
    "np.sum(np.concatenate([x.flat, x.flat]) ** 2)",
    "np.sum(x.flat == x.flat) * np.sum(x)",
    "np.sum(x.flat.base ** 2)",
]
# Of an array that is computed, `c`.
WRITES = [
    "c.flat[::3] += 1.0",
    "c.flat[::3] = 1.0",
    "c.flat[0] = x[1, 1]",
    "c.flat[0] += x[1, 1]",
    "c.flat[-1] = 0.0",
    "c.flat[1:3] *= x[0]",
    "c.flat[[0, 3]] = x[0]",
    "c.flat[[0, 3]] -= 0.5",
    "c.flat[np.array([True, False, False, True])] = 7.0",
    "c.flat[c.flat[:] > 2.0] = 0.0",
    "c.flat = 3.0",
    "c.flat = x[0]",
    "c.flat[:] = np.arange(4.0)",
    "c.flat[...] = 1.5",
    "c.flat[:3] = x[0]",
    "c.flat[::2] = x.flat[1:3]",
    "c.flat[::2] = x",
    "c.flat[:: c.shape[1] + 1] += 1.0",
    "c.flat[::3] **= 2",
    "c.flat[1] = c.flat[2]",
    "c.flat[1], c.flat[2] = c.flat[2], c.flat[1]",
    "for i in range(4): c.flat[i] = c.flat[i] * i",
    "for i, v in enumerate(x.flat): c.flat[i] = np.sin(v)",
    "for i, v in enumerate(c.flat): c.flat[-1] = v * i",
    "f = c.flat; f[1] = 5.0; f[2] += f[1]; c = f[:] * f[1]",
    "f = c.flat; c[0] = x[1]; c = f * 1.0 if type(f) is not np.flatiter else c.ravel()",
]
# Of an array that is made, where the function is followed.
MADE = [
    "c.flat[::3] += x[0]",
    "c.flat[1:3] = x[0]",
    "c.flat = x",
    "c.flat[1] = x[0, 1]",
]
# Of a part, which on the tape shares its memory.
PARTS = [
    "c[0].flat[1] = 5.0",
    "c[:, 0].flat[1] += 5.0",
    "d = c.T; d.flat[1] = 5.0",
    "d = c.reshape(-1); d.flat[1:3] = x[1, 1]",
]


def function_of(body):
    return execute(f"def f(x):\n {body}\n", "flat", {"np": np})["f"]


def written(statement, made="x * 2.0"):
    return function_of(f"c = {made}\n {statement}\n return np.sum(c * (c + x.sum()))")


FUNCTIONS = [
    *(function_of(f"return {each}") for each in READS),
    *map(written, WRITES),
]
FOLLOWED = [
    *(written(each, "np.zeros((2, 2))") for each in MADE),
    *map(written, PARTS),
    *(written(each, "np.outer(x[0], x[1]).T") for each in WRITES[:12]),
]


def name_of(function):
    return function.__code__.co_filename


def expected(f):
    slope = np.zeros((2, 2))
    for place in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[place] = 1e-6
        slope[place] = (f(X + step) - f(X - step)) / 2e-6
    return f(X.copy()), slope


def check(found, wanted):
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", [*FUNCTIONS, *FOLLOWED], ids=name_of)
def test_in_a_gradient(f):
    gradient, wanted = srcgrad.value_and_grad(f), expected(f)
    for stance in ("tape", "default", "default", "default"):
        with srcgrad.set_stance(stance):
            check(gradient(X.copy()), wanted)


@pytest.mark.parametrize("f", FUNCTIONS, ids=name_of)
def test_of_variables_of_the_users(f):
    wanted, traced = expected(f), srcgrad.trace(f)
    for function in (f, traced, traced, traced):
        x = srcgrad.Variable(X.copy(), requires_grad=True)
        out = function(x)
        out.backward()
        check((out.data, x.grad.data), wanted)


def test_errors_are_numpys():
    for index, value, kind in (
        (7, 1.0, IndexError),
        (-5, 1.0, IndexError),
        ((0, 1), 1.0, IndexError),
        (0, [1.0, 2.0], ValueError),
    ):
        for x in (X.copy(), srcgrad.Variable(X.copy())):
            with pytest.raises(kind):
                x.flat[index] = value
    with pytest.raises(IndexError, match="index 7 is out of bounds for size 4"):
        srcgrad.Variable(X).flat[7]


def test_it_goes_on_where_it_was():
    for x in (X, srcgrad.Variable(X)):
        flat = x.flat
        assert (flat.index, flat.coords) == (0, (0, 0))
        assert (float(next(flat)), float(next(flat))) == (1.1, 2.3)
        assert (flat.index, flat.coords) == (2, (1, 0))
        assert [float(v) for v in flat] == [1.7, 0.6]
        with pytest.raises(StopIteration):
            next(flat)


def test_what_is_computed_of_it_is_a_variable_as_any():
    x = srcgrad.Variable(X)
    assert type(x.flat * 2.0) is type(np.sum(x.flat)) is srcgrad.Variable
    assert type(x.flat[1:]) is srcgrad.Variable


def test_a_leaf_that_requires_grad_is_not_written():
    x = srcgrad.Variable(X.copy(), requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.flat[0] = 1.0
