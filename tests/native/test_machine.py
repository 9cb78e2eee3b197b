"""Kernels that Numba has compiled: what they give, and what they leave to NumPy."""

import threading
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.native.elements import NATIVE_UFUNCS
from tests.native.answered import by_tape
from tests.native.test_native_lowering import DONE, X

pytest.importorskip("numba", reason="Numba is not installed: `pip install .[native]`")


@pytest.mark.one_in(3)  # each takes Numba a second or two
@pytest.mark.parametrize("name", DONE)
def test_values_and_gradients(name, answered):
    function = DONE[name]
    derived = srcgrad.value_and_grad(srcgrad.trace(function))
    for x in (X, X, X * 1.1, X[::-1].copy()):
        value, slopes = derived(x)
        expected, others = by_tape(function, x)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(slopes, others, rtol=1e-12)
        assert type(value) is np.float64
        assert slopes.flags.c_contiguous
    assert answered.own, derived.explain()
    assert not answered.left


def test_every_elementwise_function_is_numpys(answered):
    """All in one kernel; where NumPy would warn, the call is NumPy's."""
    unary = sorted((f for f in NATIVE_UFUNCS if f.nin == 1), key=lambda f: f.__name__)
    binary = sorted((f for f in NATIVE_UFUNCS if f.nin == 2), key=lambda f: f.__name__)

    def each(x, y):
        outs = [f(x + 1.0 if f is np.arccosh else x) for f in unary] + [
            f(x, y) for f in binary
        ]
        return tuple(
            [np.where(out, 1.0, 0.0) if out.dtype == bool else out for out in outs]
        )

    traced = srcgrad.trace(each)
    x, y = np.linspace(0.05, 0.95, 40), np.linspace(0.9, 0.2, 40)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, -2.0, 1e308, 5e-324, 1.0, 2.0]
    odd = np.array(odd * 4)
    with np.errstate(all="ignore"):
        for a, b in ((1.0 + x, y), (x, y), (y, x), (odd, x), (odd, odd[::-1].copy())):
            for ours, theirs in zip(traced(a, b), each(a, b), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=2e-15)
                np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))
    assert answered.own


def _unread(x):
    np.log(x)
    x[24] / x[24]
    return x * 2.0


def _given_to_nobody(x):
    found = []
    if x[1] > 0.0:
        found.append(np.log(x[0]))
    else:
        found.append(x[0])
    return x * 2.0


def _read_by_an_arm(x):
    total = 0.0
    for i in range(25):
        y = 1.0 / x[i]
        total = total + y if x[i] > 0.5 else total - x[i]
    return total


def _read_after_the_loop(x):
    total = 0.0
    for i in range(24):
        y = np.sqrt(x[i])
        if total > 1.0:
            break
        total = total + x[i] * x[i]
    return total + y


ODD = np.append(X, 0.0)

WARNED = {
    "a logarithm of zero": (lambda x: np.sum(np.log(x)), np.append(X, 0.0)),
    "a division by zero": (lambda x: np.sum(1.0 / x), np.append(X, 0.0)),
    "an overflow": (lambda x: np.sum(np.exp(x * 1e3)), X),
    "an invalid power": (lambda x: np.sum(x**0.3), -X),
    "what is not chosen": (lambda x: np.sum(np.where(x > 0.0, 1.0 / x, x)), ODD),
    "a truth": (lambda x: 1.0 / x[24] > 2.0, ODD),
    "what nobody reads": (_unread, ODD),
    "what an arm gives to nobody": (_given_to_nobody, ODD[::-1].copy()),
    "what one arm reads": (_read_by_an_arm, ODD),
    "what is read after the loop": (_read_after_the_loop, -X),
    "an inf that is gone in the end": (lambda x: np.sum(1.0 / np.exp(x * 1e3)), X),
}


@pytest.mark.parametrize("name", WARNED)
def test_numpy_says_what_it_has_to_say(name, answered):
    function, x = WARNED[name]
    traced = srcgrad.trace(function)
    fine = np.linspace(0.1, 0.2, x.size)
    for _ in range(3):
        traced(fine)
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        value = traced(x)
    with warnings.catch_warnings(record=True) as theirs:
        warnings.simplefilter("always")
        expected = function(x)
    np.testing.assert_equal(value, expected)
    assert {str(w.message) for w in ours} == {str(w.message) for w in theirs} != set()
    assert answered.left
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        traced(x)


def test_a_division_of_pythons_floats_is_pythons(answered):
    traced = srcgrad.trace(lambda x, y: x / y)
    for _ in range(2):
        assert traced(1.0, 4.0) == 0.25
    assert answered.own
    for x in (1.0, np.inf, np.nan):
        with pytest.raises(ZeroDivisionError):
            traced(float(x), 0.0)


def test_the_sign_of_a_zero_is_zero(answered):
    traced = srcgrad.trace(lambda x: (np.sign(x), np.sign(x[:2]), np.sign(x[3])))
    for x in (X, X, -0.0 * X):
        for ours, theirs in zip(traced(x), traced.__wrapped__(x), strict=True):
            np.testing.assert_array_equal(ours, theirs)
            np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))
    assert answered.own


ROOTS = {
    "of an array": lambda x, p: x**0.5,
    "of a small array": lambda x, p: x[:3] ** 0.5,
    "by a ufunc": lambda x, p: np.power(x, 0.5),
    "by a number that is given": lambda x, p: x**p,
    "of a small array, by a number": lambda x, p: x[:3] ** p,
    "of a number": lambda x, p: x[0] ** 0.5,
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots_by_powers_are_numpys(name, answered):
    traced = srcgrad.trace(ROOTS[name])
    for p in (1.5, 1.5, 2.5):
        np.testing.assert_allclose(traced(X, p), ROOTS[name](X, p), rtol=1e-15)
    assert answered.own
    with np.errstate(all="ignore"):
        for odd in (-0.0, -np.inf, -1.0, np.inf, np.nan):
            for p in (0.5, -0.5, 1.5):
                ours = traced(np.full_like(X, odd), p)
                theirs = ROOTS[name](np.full_like(X, odd), p)
                np.testing.assert_array_equal(ours, theirs)
                np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_nans_that_come_in_are_no_errors(answered):
    derived = srcgrad.value_and_grad(lambda x: np.sum(x * x))
    for _ in range(2):
        derived(X)
    with_nan = np.append(X[1:], np.nan)
    value, slopes = derived(with_nan)
    assert np.isnan(value)
    np.testing.assert_equal(slopes, 2.0 * with_nan)
    assert not answered.left


def test_arrays_that_lie_otherwise_are_numpys(answered):
    def f(x):
        return np.sum(np.sin(x) * x)

    derived = srcgrad.value_and_grad(f)
    x = np.outer(X, X)
    locked = x.copy()
    locked.flags.writeable = False
    strided = np.outer(X, np.repeat(X, 2))[:, ::2]
    for each in (x, x, np.asfortranarray(x), strided, locked):
        value, slopes = derived(each)
        expected, others = by_tape(f, each)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(slopes, others, rtol=1e-13)
    assert answered.left == 2


def test_an_index_out_of_bounds_is_pythons_error(answered):
    places = np.array([1, 2, 3])

    def f(x):
        return np.sum(x[places] ** 2)

    traced = srcgrad.trace(f)
    for _ in range(3):
        traced(X)
    assert answered.own
    places[1] = 24
    with pytest.raises(IndexError, match="24 is out of bounds"):
        traced(X)


def test_the_arguments_stay_as_they_are(answered):
    def f(x):
        y = x * 1.0
        y[0] = 3.0
        y += x
        return np.sum(y * y)

    derived, x = srcgrad.value_and_grad(f), X.copy()
    first = derived(x)
    second = derived(x)
    np.testing.assert_array_equal(x, X)
    second[1][:] = 0.0  # the caller's
    np.testing.assert_allclose(derived(x)[1], first[1])
    assert answered.own


def test_a_sum_of_many_numbers_is_as_exact_as_numpys(answered):
    x = np.random.default_rng(0).uniform(size=100_003)
    traced = srcgrad.trace(lambda x: np.sum(x + 0.0))
    for _ in range(2):
        value = traced(x)
    assert answered.own
    exact = float(np.sum(x.astype(np.longdouble)))
    assert abs(value - exact) <= 4.0 * np.spacing(exact)


def test_variables_go_back_through_it(answered):
    @srcgrad.trace
    def f(x):
        return np.sum(np.tanh(x) * x)

    for factor in (1.0, 1.0, 1.2):
        x = srcgrad.Variable(factor * X, requires_grad=True)
        f(x).backward()
        _, slopes = by_tape(f.__wrapped__, factor * X)
        np.testing.assert_allclose(x.grad.data, slopes, rtol=1e-13)
    assert answered.own == 4


def test_loops_on_variables_go_back_through_it(answered):
    """What a loop keeps goes from forward to backward, as lists."""
    function = DONE["a loop of numbers"], DONE["small matrices"], DONE["loops in loops"]
    for each in function:
        traced = srcgrad.trace(each)
        for factor in (1.0, 1.0, 1.1):
            x = srcgrad.Variable(factor * X, requires_grad=True)
            traced(x).backward()
            _, slopes = by_tape(each, factor * X)
            np.testing.assert_allclose(x.grad.data, slopes, rtol=1e-12)
    assert answered.own >= 6
    assert not answered.left


def test_threads_call_it_at_once(answered):
    derived = srcgrad.value_and_grad(srcgrad.trace(DONE["a loop of numbers"]))
    for _ in range(2):
        derived(X)
    expected, found = (
        [by_tape(DONE["a loop of numbers"], X * k) for k in range(1, 5)],
        {},
    )

    def run(k):
        found[k] = [derived(X * k) for _ in range(50)]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for k, (value, slopes) in enumerate(expected, 1):
        for each in found[k]:
            np.testing.assert_allclose(each[0], value, rtol=1e-13)
            np.testing.assert_allclose(each[1], slopes, rtol=1e-12)
