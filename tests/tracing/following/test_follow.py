"""The followed copy on the tape: what NumPy's protocols do not reach, and aliases."""

import cmath
import dataclasses
import functools
import math
import pickle
import statistics

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.arrays.own_array import OwnArray
from srcgrad.tracing.following.follow import FOLLOWER
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.following.running import run
from tests.differences import slope_of

X = np.array([0.3, 0.7, 1.1])


# ----- What a list, `math`, or a method of an ndarray hides -----


def rotated(x):
    c, s = math.cos(x[0]), math.sin(x[1])
    transform = np.eye(3)
    transform[:2, :2] = np.array([[c, -s], [s, c]])
    transform[0, 2] = x[2]
    return np.sum(transform @ np.array([1.0, 2.0, x[0]]))


def of_lists(x):
    return (
        np.mean([x[0], x[1]])
        + np.linalg.norm([x[0], x[2]])
        + np.add([x[0], 1.0], x[:2]).sum()
        + np.average([x[0], x[1]], weights=[x[1], 2.0])
        + np.concatenate([[x[0], x[1]], x]).sum()
        + np.full(3, x[0]) @ np.full_like(x, x[1])
        + np.ones(3).dot(x)
        + np.asarray([x[0], [x[1]][0]], dtype=np.float64).prod()
    )


def lists_as_operands(x):
    transform = np.eye(3)
    transform[:2, :2] = [[x[0], -x[1]], [x[1], x[0]]]
    transform[2] = [x[0], x[1], 1.0]
    h = x.copy()
    h[:2] = [x[0], x[1] * 2.0]
    h += [x[0], 1.0, x[2]]
    scaled = x * [x[1], 1.0, 2.0] + (x[0], 0.0, 1.0) - [[x[2]] * 3] * 2
    return np.sum(transform @ [1.0, x[1], x[2]]) + np.sum(h**2) * np.sum(scaled)


ROTATION = np.array([[0.6, -0.8], [0.8, 0.6]])


def arrays_with_lists(x):
    pair = [x[0], x[1]]
    moved = ROTATION @ [x[0], x[2]] - pair + (x[1], 1.0) * ROTATION[0]
    moved *= [x[2], 2.0]
    own = np.ones(2)
    own += (x[0], 1.0)
    moved += own
    fresh = np.arange(2.0)
    moved += [x[1], x[2]] * fresh
    last = [x[2]]
    grown = pair + last
    return np.sum(moved**2) + np.sum(ROTATION[1] / [v**2 for v in grown[:2]])


def of_numbers(x):
    return (
        np.float64(x[1]) ** 2
        + float(x[2]) * x.tolist()[0] * x[1].item()
        + math.hypot(*x)
        + math.dist(x, [1.0, 2.0, x[0]])
        + abs(complex(x[0], x[1]))
        + (cmath.exp(1j * x[0]) * x[1]).real
        + cmath.polar(complex(x[1], x[0]))[1]
        + math.floor(x[2]) * x[0]
        + round(x[2]) * x[1]
        + pow(x[0], 2)
        + divmod(x[2], 0.4)[1]
    )


def of_iterators(x):
    def each():
        for element in x:
            yield math.sin(element)

    return (
        sum(each())
        + np.sum(np.fromiter((math.cos(e) for e in x), float))
        + math.fsum(e * e for e in x)
        + math.prod(x)
        + sum(map(math.tan, x))
        + functools.reduce(lambda a, b: a * b, [math.exp(e) for e in x])
        + max(x[0], x[1], key=math.sin)
        + min(x)
        + sorted(x, key=math.cos)[0]
    )


# ----- Calls of the user's -----


class Model:
    def __init__(self, p):
        self.p = p
        self.state = np.zeros(2)
        self.__gain = 3.0

    def __call__(self, x):
        return self.step(x) * self.__gain

    def step(self, x):
        return math.sin(self.p[0]) * np.sum(x) + self.state @ self.state

    @property
    def rate(self):
        return math.exp(self.p[1])

    @functools.cached_property
    def shift(self):
        return math.log(self.p[2])

    @staticmethod
    def scaled(x):
        return math.sqrt(x[0])

    @classmethod
    def made(cls, x):
        return cls(x)


class Steep(Model):
    def step(self, x):
        return 2.0 * super().step(x)


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


def of_objects(x):
    model = Steep.made(x)
    model.state[0] = x[1]
    step = functools.partial(model.step, x)
    total = model(x) + step() + Model.scaled(x) + cached(x[0]) + doubled(x[1])
    return total * model.rate + model.shift


# ----- Arrays that are made and written -----


def filled(state, v):
    state[0] = v
    state[1:] *= v


def aliases(x):
    h = np.zeros(4)
    g, row, held = h, h[1:3], [h]
    g[0] = x[0]
    row[1] = x[1]
    held[0][3] = x[2]
    row *= 2.0
    row += x[0]
    h[1:] -= x
    return np.sum(h**2) + row[0] * g[2] + h.T[1] * h.reshape(2, 2)[1, 0]


def recurrence(x):
    h = np.zeros((5, 2))
    h[0] = x[:2]
    weights = np.array([[0.1, 0.2], [0.3, 0.4]])
    for t in range(4):
        h[t + 1] = np.tanh(weights @ h[t] + x[2])
    return np.sum(h**2)


def helpers(x):
    h = np.ones(3)
    filled(h, x[0])
    filled(h[1:], x[1])
    rows = [np.zeros(2) for _ in range(3)]
    for i, row in enumerate(rows):
        row[i % 2] = x[i] ** 2
    rows[0] += 1.0
    return np.sum(h) * sum(np.sum(row * row) for row in rows)


def written(x):
    points = np.arange(6.0).reshape(2, 3)
    projected = points @ np.array([1.0, 2.0, 3.0])
    scale = x[0]
    projected *= scale
    np.add.at(projected, [0, 0, 1], x)
    np.fill_diagonal(points, x[1])
    out = np.empty(2)
    np.multiply(projected, x[2], out=out)
    np.copyto(out[1:], x[:1])
    return np.sum(projected**2) + points[1, 1] + points[0, 0] + np.sum(out**2)


def masked(x):
    out = np.zeros(3)
    large = x > 0.5
    out[large] = x[large] ** 2
    out[~large] = math.exp(x[0])
    y = np.exp(x)
    z = y * y  # saves y as it is now
    y[0] = 0.0
    tail = y[1:]
    tail *= x[0]
    y /= 2.0
    return np.sum(out) + np.sum(y**3) + np.sum(z)


def swapped(x):
    h = x.copy()
    h[0], h[2] = h[2] * 2.0, h[0]
    h[1], (h[2], scale) = x[1], [h[0], 1.5]
    h[0] = h[1] = x[2] * scale
    h.flat[1] = x[0]
    first, *_ = h
    copy = h.copy()
    copy.fill(x[1])
    h.sort()
    return first * h[-1] + copy.sum() + np.sort(h)[0] + h[::-1][0] * len(h)


def lessened(a, v):
    a -= v
    return np.sum(a * a)


def made_anew():
    return np.square(X)


def handed_over(x):
    a, b = X * 2.0, X + 1.0
    a *= x[0]
    results = lessened(np.square(X), x[0]), lessened(a=-X, v=x), lessened(X[:2] * 2, 1)
    kept = lessened(np.stack([X, X])[:1], x) + lessened(made_anew(), x[1]) + np.sum(a)
    with_shared = lessened(made_anew() if x[0] > 9 else X.copy(), x)
    return sum(results) + kept + with_shared + np.sum(b)


PROGRAMS = [
    *(rotated, of_lists, lists_as_operands, arrays_with_lists, of_numbers),
    *(of_iterators, of_objects, aliases, recurrence, helpers, written, masked, swapped),
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    value, gradient = srcgrad.value_and_grad(function)(X)
    assert value == function(X)
    assert type(value) is type(function(X))
    np.testing.assert_allclose(gradient, slope_of(function, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_traced_function_on_the_tape_does_the_same(function):
    traced = srcgrad.trace(function)
    for x in (X, X, X + 0.01):
        value, gradient = srcgrad.value_and_grad(traced)(x)
        assert type(value) is type(function(x))
        np.testing.assert_allclose(value, function(x), rtol=1e-13)
        np.testing.assert_allclose(
            gradient, slope_of(function, x), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    def slope(x):
        return np.sum(srcgrad.grad(function)(x) * np.arange(1.0, 4.0))

    found = srcgrad.grad(slope)(X)
    np.testing.assert_allclose(found, slope_of(slope, X), rtol=1e-5, atol=1e-6)


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


def test_an_object_that_is_returned_holds_none_of_ours():
    @dataclasses.dataclass
    class State:
        h: object
        rows: list

    def f(x):
        state = State(np.zeros(2), [np.zeros(1)])
        state.rows[0][0] = 1.0
        return np.sum(x) + state.rows[0][0], state

    state = srcgrad.grad(f, has_aux=True)(X)[1]
    assert type(state.h) is np.ndarray
    assert state.rows == [np.ones(1)]
    assert type(state.rows[0]) is np.ndarray


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


def test_containers_get_ndarrays():
    log, best = [], {}

    def f(x):
        h = np.zeros(2)
        h[0] = x[0]
        log.append(h)
        log.extend([x, 1.0])
        best["h"] = [h, {"x": x}]
        return np.sum(h * len(log))

    for call in (srcgrad.grad(f), lambda x: run(f, (x,), {})):
        log.clear()
        call(X)
        assert log[0] is best["h"][0]
        kinds = [type(each) for each in (*log, best["h"][1]["x"])]
        assert kinds == [np.ndarray, np.ndarray, float, np.ndarray]


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
    own = OwnArray(np.zeros(2))
    assert left(own) is own.content
    assert left((own, [own], 1.0))[1][0] is own.content
    nothing = [1.0, "a"]
    assert left(nothing) is nothing
