"""The followed copy on the tape: what NumPy's protocols do not reach, and aliases."""

import functools
import math
import pickle
import statistics

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.following.follow import FOLLOWER
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.following.running import run

X = np.array([0.3, 0.7, 1.1])


# ----- Calls of the user's -----


@functools.lru_cache
def cached(v):
    return math.exp(v)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) * 2.0

    return wrapper


@decorated
def doubled(v):
    return math.log(v)


# ----- What comes out, and what stays outside -----


def test_an_array_without_variables_is_an_ndarray_again():
    def f(x):
        h = np.zeros(2)
        h[0] = 1.0
        rows = [np.ones(2), h]
        return np.sum(x), {"h": h, "rows": rows}

    _, aux = srcgrad.grad(f, has_aux=True)(X)
    assert type(aux["h"]) is np.ndarray
    assert type(aux["rows"][0]) is np.ndarray
    out = srcgrad.trace(f)(Variable(X, requires_grad=True))
    assert type(out[1]["h"]) is np.ndarray
    assert isinstance(out[0], Variable)


def test_an_array_with_variables_is_a_variable():
    def f(x):
        h = np.zeros(2)
        h[0] = x[0]
        return h

    x = Variable(X, requires_grad=True)
    h = srcgrad.trace(f)(x)
    assert type(h) is Variable
    h.sum().backward()
    assert x.grad.data.tolist() == [1.0, 0.0, 0.0]


def test_a_library_gets_an_ndarray():
    seen = []

    def f(x):
        h = np.zeros(2)
        h[0] = 1.0
        seen.append(type(pickle.loads(pickle.dumps(h))))
        return np.sum(x) * h[0]

    srcgrad.grad(f)(X)
    assert seen == [np.ndarray]


def test_an_attribute_gets_what_the_function_knows():
    class Holder:
        pass

    holder = Holder()

    def f(x):
        holder.plain = np.zeros(2)
        holder.state = np.zeros(2)
        holder.state[0] = x[0]
        return np.sum(holder.state)

    srcgrad.grad(f)(X)
    assert type(holder.plain) is np.ndarray
    assert type(holder.state) is np.ndarray
    run(f, (Variable(X, requires_grad=True),), {})
    assert type(holder.plain) is np.ndarray
    assert isinstance(holder.state, Variable)


@pytest.mark.parametrize("kind", ["item", "augmented", "add.at", "name"])
def test_an_array_from_outside_is_not_changed(kind):
    data = np.ones(3)

    def f(x):
        if kind == "item":
            data[0] = x[0]
        elif kind == "augmented":
            data[1:] *= x[0]
        elif kind == "add.at":
            np.add.at(data, [0], x[0])
        else:
            own = data
            own *= x[0]
        return np.sum(data)

    with pytest.raises((TypeError, ValueError)):
        srcgrad.grad(f)(X)
    assert data.tolist() == [1.0, 1.0, 1.0]


def test_an_argument_is_not_changed():
    def f(x):
        y = x
        y[0] = 1.0
        return np.sum(y * y)

    with pytest.raises(RuntimeError, match="leaf"):
        srcgrad.grad(f)(X)


# ----- What is not followed runs as it is -----


def test_without_source_a_function_runs_itself():
    namespace = {"np": np}
    exec("def f(x): return np.sum(x * x)", namespace)
    assert FOLLOWER.of(namespace["f"]) is namespace["f"]
    np.testing.assert_array_equal(srcgrad.grad(namespace["f"])(X), 2.0 * X)


def test_a_number_that_a_library_takes_is_warned_of():
    def f(x):
        return np.sum(x) * statistics.geometric_mean([x[0], x[1]])

    with pytest.warns(RuntimeWarning, match="a number was taken out of a Variable"):
        gradient = srcgrad.grad(f)(np.array([1.0, 4.0, 3.0]))
    np.testing.assert_allclose(gradient, [2.0, 2.0, 2.0])


def test_what_prints_numbers_is_not():
    def f(x):
        texts = "%.3f" % x[0], f"{x[0]:.3f}"  # noqa: UP031
        return np.sum(x) * len(set(texts))

    assert srcgrad.grad(f)(X).tolist() == [1.0, 1.0, 1.0]


def test_text_is_that_of_the_array(capsys):
    def f(x):
        print(x, repr(x[0]), f"{x[1]}")
        return np.sum(x)

    f(X)
    expected = capsys.readouterr().out
    srcgrad.grad(f)(X)
    assert capsys.readouterr().out == expected


def test_a_class_or_type_is_what_it_is():
    def f(x):
        same = isinstance(x, np.ndarray) and type(x) is np.ndarray
        return np.sum(x) if same and isinstance(x[0], float) else np.sum(-x)

    assert srcgrad.grad(f)(X).tolist() == [1.0, 1.0, 1.0]


def test_the_copy_has_the_originals_cells_and_defaults():
    count = 0

    def f(x, scale=2.0, *, shift=1.0):
        nonlocal count
        count += 1
        return math.sin(x) * scale + shift

    copy = FOLLOWER.of(f)
    assert copy is not f
    assert copy(0.0) == f(0.0) == 1.0
    assert count == 2
    assert FOLLOWER.of(copy) is copy
    f.__defaults__ = (3.0,)
    assert FOLLOWER.of(f)(math.pi / 2) == 4.0


def test_left_looks_into_containers():
    own = FunctionalArray(np.zeros(2))
    assert left(own) is own.content
    assert left((own, [own], 1.0))[1][0] is own.content
    nothing = [1.0, "a"]
    assert left(nothing) is nothing
