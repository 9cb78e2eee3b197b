"""``FunctionalArray``: as its ndarray, through every alias, whatever is stored."""

import cmath
import math
import random

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.protocols import raw_of
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    FunctionalView,
    contents,
)

X = np.array([0.6, -1.5, 2.0])

# Statements on `h` (4 elements), a view `v` of it, an alias `g`, a matrix `m` and its
# transpose `t`, which are views too; `x` is an array of 3 Variables or numbers.
STATEMENTS = (
    "h[0] = x[0]",
    "h[1:] = x",
    "h[1:] += x",
    "h *= x[1]",
    "h -= 1.0",
    "h[[0, 2]] = x[:2]",
    "h[h > 0.45] = x[2]",
    "h[:] = [x[0], 1.0, x[1], 2.0]",
    "h[-1] /= 2.0",
    "v[0] = x[1]",
    "v += x[0]",
    "v[:] = 3.0",
    "v[1:] *= x[1:]",
    "g[2] = x[0] * h[1]",
    "g.fill(x[2])",
    "m[1] = x[:2]",
    "m[:, 0] += x[:2]",
    "t[0] *= x[0]",
    "t[1, 1] = h[0]",
    "m[0][1] = x[0]",
    "h.flat[3] = x[0]",
    "h[0], h[3] = h[3], h[0]",
    "h[::-1][0] = x[1]",
    "h.reshape(2, 2)[1, 0] = x[1]",
    "h.sort()",
    "h.put([1, -1], x[:2])",
    "h.view()[1] = x[0]",
    "v = h[2:]",
    "h[1:3] = h[0:2]",
    "h[2:].__setitem__(..., h[:2] + x[:2])",
    "seen.append(h * h)",
    "seen.append(v @ x)",
    "seen.append(t @ m)",
    "seen.append(np.exp(g))",
)


def run(lines, x, make):
    scope = {"np": np, "x": x, "seen": []}
    h = scope["h"] = make(np.array([0.1, 0.2, 0.3, 0.4]))
    scope.update(g=h, v=h[1:], m=h.reshape(2, 2), t=h.reshape(2, 2).T)
    for line in lines:
        exec(line, scope)
    return [*scope["seen"], *(scope[name] for name in "hgvmt")]


@pytest.mark.seeds(30)
@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
def test_random_programs(seed):
    """The ndarray is the oracle for values, and differences of it for gradients."""
    rng = random.Random(seed)
    lines = [rng.choice(STATEMENTS) for _ in range(rng.randint(2, 9))]
    weights = [rng.uniform(0.5, 1.5) for _ in range(40)]

    def value(x):
        outs = run(lines, x, np.array)
        return sum(w * np.sum(out) for w, out in zip(weights, outs, strict=False))

    x = Variable(X, requires_grad=True)
    found = [contents(each) for each in run(lines, x, FunctionalArray)]
    for ours, theirs in zip(found, run(lines, X, np.array), strict=True):
        np.testing.assert_allclose(raw_of(ours), theirs, rtol=1e-12, err_msg=str(lines))
    total = sum(w * np.sum(out) for w, out in zip(weights, found, strict=False))
    expected = np.zeros(3)
    for i in range(3):
        up, down = X.copy(), X.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        expected[i] = (value(up) - value(down)) / 2e-6
    if not getattr(total, "requires_grad", False):
        np.testing.assert_allclose(expected, 0.0, atol=1e-6)
        return
    total.backward()
    grad = np.zeros(3) if x.grad is None else x.grad.value
    np.testing.assert_allclose(grad, expected, rtol=1e-4, atol=1e-6, err_msg=str(lines))


@pytest.mark.parametrize(
    "make", [np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2]]
)
def test_elements_in_order_are_written_however_they_lie(make):
    given = np.arange(6.0).reshape(2, 3)
    own, expected = FunctionalArray(make(given)), given.copy()
    for array in (own, expected):
        array.flat[1] = 9.0
        array.flat[[2, 4]] += 0.5
    np.testing.assert_array_equal(own.content, expected)


def test_without_variables_it_is_the_ndarray_itself():
    own = FunctionalArray(np.zeros(3))
    identity = id(own.content)
    own[1] = 2.0
    own[2:] += 1.0
    own[:2] = own[1:] - own[1:]
    own[:2] = np.array([0.0, 2.0])
    own += 1.0
    array = own.content
    assert id(array) == identity
    assert array.tolist() == [1.0, 3.0, 2.0]
    assert type(own + 1.0) is np.ndarray
    assert type(np.exp(own)) is np.ndarray
    assert type(np.array([1.0, 2.0, 3.0]) @ own) is np.float64
    assert (float(own[0]), int(own[1]), len(own), own.shape) == (1.0, 3, 3, (3,))
    assert np.asarray(own).tolist() == array.tolist()
    assert (repr(own), str(own), f"{own}") == (repr(array), str(array), f"{array}")
    assert own.tolist() == array.tolist()


def filled_again(v, c):
    h, total = np.zeros(2), 0.0
    for k in range(3):
        h[:] = k + c
        total = total + np.sum(h * v)
    return total


def changed_through_a_view(v, c):
    h = c**3
    part = h[1:]
    total = np.sum(part * np.sin(v[1:]) + h.reshape(2, 1)[1] * v[0])
    part *= 5.0
    h.fill(0.0)
    return total


def places_changed(v, c):
    i = np.array([0, 1, 1])
    total = np.sum(v[i] * c[0])
    i[:] = 0
    return total


@pytest.mark.parametrize(
    "function", [filled_again, changed_through_a_view, places_changed]
)
def test_what_the_tape_has_saved_is_not_written_to(function):
    """A write into an ndarray that took part as a constant, by the function itself."""
    v, c = np.array([0.3, 0.4]), np.array([2.0, 1.0])
    expected = [
        (function(v + d, c) - function(v - d, c)) / 2e-6 for d in np.eye(2) * 1e-6
    ]
    grad, traced = srcgrad.grad(function), srcgrad.trace(function)
    for _ in range(3):
        np.testing.assert_allclose(grad(v, c), expected, rtol=1e-8)
        leaf = Variable(v.copy(), requires_grad=True)
        traced(leaf, c).backward()
        np.testing.assert_allclose(leaf.grad.data, expected, rtol=1e-8)


def test_nobody_else_sees_a_write_in_place():
    """Alone, the memory is written; else it is copied first."""
    x = Variable(X, requires_grad=True)
    own = FunctionalArray(np.zeros(3))
    own[0] = x[0]
    memory = own.content.value.ctypes.data
    own[1] = x[1]
    assert own.content.value.ctypes.data == memory
    held = own.content
    own[2] = x[2]
    assert held.value.tolist() == [0.6, -1.5, 0.0]


def test_the_errors_are_numpys():
    own = FunctionalArray(np.zeros(3))
    x = Variable(X, requires_grad=True)
    for index, value, kind in (
        (5, x[0], IndexError),
        (slice(0, 2), x, ValueError),
        ("a", x[0], IndexError),
    ):
        with pytest.raises(kind):
            own[index] = value
    with pytest.raises(TypeError, match="same_kind"):
        own += x * 1j
    with pytest.raises(TypeError, match="unhashable"):
        hash(own)
    with pytest.raises(RuntimeError, match="cannot take a value that requires grad"):
        FunctionalArray(np.zeros(3, int))[0] = x[0]


def test_a_view_is_taken_anew_after_a_write():
    own = FunctionalArray(np.zeros((2, 2)))
    row = own[0]
    assert isinstance(row, FunctionalView)
    assert isinstance(row[1:], FunctionalView)
    own[0, 1] = Variable(X, requires_grad=True)[2]
    assert row.content.value.tolist() == [0.0, 2.0]
    assert row[1].requires_grad


# ----- What an array cannot take -----


def into_integers(x, whole):
    t = whole.copy()
    t[0] = x.sum()
    return np.sum(t * t)


def into_new_integers(x, whole):
    t = np.zeros(3, int)
    t[0] = x.sum()
    return np.sum(t * x)


def wider_into_zeros(x, whole):
    t = np.zeros(3)
    t *= x[None]
    return np.sum(t * x)


def wider_into_a_result(x, whole):
    t = x * 2
    t *= x[None]
    return np.sum(t * x)


def wider_constant(x, whole):
    t = x * 2
    t += np.ones((1, 3))
    return np.sum(t * x)


def narrower(x, whole):
    t = np.zeros((2, 3))
    t += x
    t[1] *= x[:1]
    return np.sum(t * x)


REFUSED = {
    into_integers: (RuntimeError, "cannot take a value that requires grad"),
    into_new_integers: (RuntimeError, "cannot take a value that requires grad"),
    wider_into_zeros: (ValueError, "non-broadcastable output operand"),
    wider_into_a_result: (ValueError, "non-broadcastable output operand"),
    wider_constant: (ValueError, "non-broadcastable output operand"),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_an_array_cannot_take_is_an_error_in_every_run(function):
    error, match = REFUSED[function]
    traced, gradient = srcgrad.trace(function), srcgrad.grad(function)
    for _ in range(3):
        for call, x in ((traced, Variable(X, requires_grad=True)), (gradient, X)):
            with pytest.raises(error, match=match):
                call(x, np.arange(3))


def test_what_is_narrower_is_broadcast():
    expected = srcgrad.grad(narrower)(X, None)
    traced = srcgrad.trace(narrower)
    for _ in range(3):
        x = Variable(X, requires_grad=True)
        traced(x, None).backward()
        np.testing.assert_array_equal(x.grad.data, expected)


FUNCTIONS_OF_NUMBERS = (math.sin, cmath.sqrt, float, complex, np.float32, np.complex64)


@pytest.mark.parametrize("function", FUNCTIONS_OF_NUMBERS)
@pytest.mark.parametrize("transform", [lambda f: f, srcgrad.grad])
def test_functions_of_numbers_take_one_without_variables(transform, function):
    def program(x):
        h = np.zeros(())
        h[()] = 2.0
        return abs(function(h) * x)

    expected = transform(program)
    traced = srcgrad.trace(transform(program))
    for x in (1.5, 2.5, 3.5):
        assert traced(x) == expected(x)
        assert type(traced(x)) is type(expected(x))


@pytest.mark.parametrize("x", [1.5, 2j, np.array(2.5)])
def test_without_axes_it_stays_an_array(x):
    def program(x):
        h = np.zeros((), np.result_type(x))
        h[...] = x
        h *= x
        h += 1
        return h

    traced = srcgrad.trace(program)
    for _ in range(3):
        for result in (traced(x), *srcgrad.jvp(program, (x,), (x,))):
            assert type(result) is np.ndarray
        assert traced(x) == program(x)


@pytest.mark.parametrize("number", [0.5, 1j, [1.5]])
def test_copyto_does_not_round(number):
    def copied(x):
        h = np.zeros(3, int)
        np.copyto(h, number)
        return x * h

    for run in (copied, srcgrad.trace(copied), srcgrad.grad(copied)):
        with pytest.raises(TypeError, match="Cannot cast"):
            run(np.ones(3))
