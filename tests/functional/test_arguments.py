"""By which arguments a transform differentiates, and what is no such argument."""

import functools

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.arguments import Arguments

x = np.array([1.0, 2.0])


def loss(k, w, b):
    return k * np.sum(w**2) * b


def keywords(w, *, b=2.0, **more):
    return np.sum(w**2) * b + sum(more.values())


@pytest.mark.parametrize(
    ("argnums", "args", "places"),
    [
        (0, (x, x), [0]),
        (-1, (x, x), [1]),
        ((1, 0), (x, {"a": x, "b": 1.0}), [1, 0]),
        (None, ((),), [0]),
    ],
)
def test_places_are_those_of_the_call(argnums, args, places):
    assert Arguments.of(loss, argnums, None).chosen(args, {}) == places


@pytest.mark.parametrize(
    ("argnums", "args", "error", "message"),
    [
        (
            2,
            (x, x),
            ValueError,
            "argnums=2 does not fit a call with 2 arguments by position",
        ),
        (-3, (x, x), ValueError, "argnums=-3 does not fit"),
        (0, (3,), TypeError, "but got int"),
        (0, (np.arange(3),), TypeError, "but got dtype int64"),
        (0, (["text"],), TypeError, "but got str"),
        (0, (np.ma.masked_array([1.0]),), TypeError, "but got MaskedArray"),
    ],
)
def test_what_cannot_be_differentiated_by_is_an_error(argnums, args, error, message):
    with pytest.raises(error, match=message):
        Arguments.of(loss, argnums, None).chosen(args, {})


@pytest.mark.parametrize("f", [keywords, srcgrad.trace(keywords)])
def test_arguments_by_name(f):
    for _ in range(3):
        assert srcgrad.grad(f, argnames="b")(x, b=3.0) == 5.0
        np.testing.assert_array_equal(srcgrad.grad(f, argnames="w")(x), 4.0 * x)
        np.testing.assert_array_equal(srcgrad.grad(f, argnames="w")(w=x), 4.0 * x)
        by_w, by_b = srcgrad.grad(f, argnames=("w", "b"))(x, b=3.0)
        np.testing.assert_array_equal(by_w, 6.0 * x)
        assert by_b == 5.0
        both = srcgrad.grad(f, argnums=0, argnames="c")(x, c=1.0)
        assert [type(each) for each in both] == [np.ndarray, float]


def test_names_that_do_not_fit():
    with pytest.raises(ValueError, match="argnames='z': loss has no such parameter"):
        srcgrad.grad(loss, argnames="z")
    with pytest.raises(ValueError, match="argnames='b' does not fit a call without it"):
        srcgrad.grad(keywords, argnames="b")(x)
    for wrong in ([1], 1):
        with pytest.raises(TypeError, match="argnames is a str or a sequence of strs"):
            srcgrad.grad(loss, argnames=wrong)
    for wrong in ("w", 1.0, [None]):
        with pytest.raises(TypeError, match="argnums is an int or a sequence of ints"):
            srcgrad.grad(loss, argnums=wrong)


# ----- What is bound already does not shift the numbers -----


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, w, b):
        return self.k * np.sum(w**2) * b

    def __call__(self, w, b):
        return self.k * np.sum(w**2) * b


BOUND = {
    "method": lambda: Model(2.0).loss,
    "callable object": lambda: Model(2.0),
    "partial": lambda: functools.partial(loss, 2.0),
    "partial of a method": lambda: functools.partial(Model(2.0).loss),
    "partial of a partial": lambda: functools.partial(functools.partial(loss, 2.0)),
}


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.parametrize("argnums", [0, 1, (0, 1), -1])
@pytest.mark.parametrize("is_traced", [True, False])
def test_argnums_are_the_callers_own(name, argnums, is_traced):
    f = BOUND[name]()
    f = srcgrad.trace(f) if is_traced else f
    w, b = np.array([1.0, 2.0]), 3.0
    expected = [4.0 * w * b, 10.0]
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for _ in range(3):
        value, found = srcgrad.value_and_grad(f, argnums)(w, b)
        assert value == 30.0
        gradients = (found,) if isinstance(argnums, int) else found
        for number, g in zip(numbers, gradients, strict=True):
            np.testing.assert_allclose(g, expected[number])
    if is_traced:
        assert f.stats.compiled == 2
        assert f(w, b) == 30.0


def test_a_partials_arguments_are_those_of_each_call():
    """What it holds is part of the signature like any other argument."""
    for k in (2.0, 3.0):
        traced = srcgrad.trace(functools.partial(loss, k))
        for _ in range(2):
            assert srcgrad.grad(traced)(x, 1.0).tolist() == (2.0 * k * x).tolist()
    partial = functools.partial(loss, k=2.0)
    traced = srcgrad.trace(partial)
    assert traced(w=x, b=1.0) == 10.0
    partial.keywords["k"] = 3.0
    assert traced(w=x, b=1.0) == 15.0


def test_a_partial_with_arrays_and_variables():
    k = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
    traced = srcgrad.trace(functools.partial(lambda k, w: np.sum(k * w), k))
    for count in (1, 2, 3):
        traced(x).backward()
        np.testing.assert_allclose(k.grad.data, count * x)
    assert traced.stats.compiled == 2
