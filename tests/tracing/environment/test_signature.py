"""What tells calls apart: kinds, values, order, identity, modes."""

import gc
import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.comparing import X, doubled, plain, same_through
from tests.variables import vector

# ----- Arguments that look alike -----


def signs(t, x):
    return x * math.copysign(1.0, t), x if t == 0 else -x


def finds_nan(t, x):
    return x if t == t else -x


def looks_up_a_float(t, x):
    return x * {0.0: 2.0, 1.0: 5.0}.get(t, 3.0)


SPECIAL = [0.0, -0.0, 0.0, -0.0, math.nan, 1.0, math.nan, 1.0, math.inf, -math.inf]


@pytest.mark.parametrize("function", [signs, finds_nan, looks_up_a_float])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_special_floats_go_their_own_ways(function, kind):
    same_through(function, *[lambda t=t: (kind(t), X) for t in SPECIAL * 2])


def test_signed_zeros_in_static_arguments_are_told_apart():
    same_through(
        lambda z, x: (x * z, x * z.real),
        *[lambda z=z: (z, X) for z in (0j, -0j, complex(-0.0, 0.0), 0j, -0j)],
    )


# ----- One array in several arguments -----


def combination(a, b):
    return np.sum(a * 2.0 + b * b)


def one_array_in_two_variables():
    raw = X.copy()
    return Variable(raw, requires_grad=True), Variable(raw, requires_grad=True)


def two_scalars():
    return vector(2.0).sum(), vector(5.0).sum()


def leaf_and_constant():
    raw = X.copy()
    return Variable(raw, requires_grad=True), raw


@pytest.mark.parametrize(
    "make",
    [one_array_in_two_variables, two_scalars, lambda: (vector(1.0), vector(2.0))],
)
@pytest.mark.parametrize("first", [True, False])
def test_gradients_of_one_variable_given_twice(make, first):
    traced = srcgrad.trace(combination)

    def gradients(function, is_same):
        a, b = make()
        b = a if is_same else b
        a.retain_grad(), b.retain_grad()
        function(a, b).backward()
        return plain(a.grad), plain(b.grad)

    for is_same in (first, first, not first, not first, first):
        assert gradients(traced, is_same) == gradients(combination, is_same)
    assert traced.stats.compiled == 3


def test_a_variable_and_its_data_are_two_arguments():
    traced = srcgrad.trace(combination)
    for _ in range(3):
        results = []
        for function in (traced, combination):
            a, raw = leaf_and_constant()
            function(a, raw).backward()
            results.append(plain(a.grad))
        assert results[0] == results[1]


def test_an_array_and_a_view_of_it_are_as_untraced():
    def function(x, y):
        h = x * 1.0
        h += y
        return h, x, y

    base = np.arange(6.0)
    calls = [(base[:3], base[1:4]), (base, base), (base[::2], base[:3])] * 2
    same_through(function, *[lambda args=args: args for args in calls], compiled=4)


# ----- Modes -----


def detaches(x):
    with srcgrad.no_grad():
        y = x * 2.0
    return x * y, y


def enables(x):
    with srcgrad.enable_grad():
        return x * 2.0


@pytest.mark.parametrize("function", [doubled, detaches, enables])
def test_the_grad_mode_around_a_call_counts(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        for enabled in (True, False):
            with srcgrad.set_grad_enabled(enabled):
                ours, theirs = traced(vector(1.0, 2.0)), function(vector(1.0, 2.0))
            assert plain(ours) == plain(theirs)


def test_volatile_inputs_are_told_apart():
    traced = srcgrad.trace(combination)
    kinds = [{"requires_grad": True}, {"volatile": True}, {}]
    for _ in range(3):
        for a in kinds:
            for b in kinds:
                args = Variable(X, **a), Variable(X, **b)
                ours, theirs = traced(*args), combination(*args)
                assert (ours.volatile, ours.requires_grad) == (
                    theirs.volatile,
                    theirs.requires_grad,
                )


# ----- Memory -----


def test_it_keeps_no_array_alive():
    import weakref

    traced = srcgrad.trace(combination)
    for _ in range(2):
        a = vector(1.0, 2.0)
        traced(a, a).backward()
    raw = weakref.ref(a.data)
    del a
    gc.collect()
    assert raw() is None
