"""What a gradient transform asks of a call: by which leaves, and of which value."""

import functools

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.argnums import Differentiation

x = np.array([1.0, 2.0])


def test_equal_ones_are_one_key():
    assert Differentiation((0, 1)) == Differentiation((0, 1), False)
    assert hash(Differentiation((0,))) == hash(Differentiation((0,)))
    assert Differentiation((0,)) != Differentiation((0,), True)
    assert Differentiation((0,)) != Differentiation((1,))


@pytest.mark.parametrize(
    ("argnums", "args", "leaves"),
    [
        ((0,), (x, x), [0]),
        ((1,), (x, x), [1]),
        ((-1,), (x, x), [1]),
        ((1, 0), (x, {"a": x, "b": 1.0}), [1, 2, 0]),
        ((1,), ((x, x), (x, None, 2.0)), [2, 4]),
        ((0,), ((),), []),
    ],
)
def test_leaves_are_numbered_over_all_arguments(argnums, args, leaves):
    assert Differentiation(argnums).leaves_of(args) == leaves


@pytest.mark.parametrize(
    ("argnums", "args", "error", "message"),
    [
        ((2,), (x, x), ValueError, "argnums=2 does not fit a call with 2 positional"),
        ((-3,), (x, x), ValueError, "argnums=-3 does not fit"),
        ((0,), (3,), TypeError, "but got int"),
        ((0,), (np.arange(3),), TypeError, "but got dtype int64"),
        ((0,), (["text"],), TypeError, "but got str"),
        ((0,), (np.ma.masked_array([1.0]),), TypeError, "but got MaskedArray"),
    ],
)
def test_what_cannot_be_differentiated_by_is_an_error(argnums, args, error, message):
    with pytest.raises(error, match=message):
        Differentiation(argnums).leaves_of(args)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (x, r"returned shape \(2,\)"),
        (1j, "returned complex"),
        (np.complex128(1j), "dtype complex128"),
        ("text", "returned str"),
        (None, "returned NoneType"),
    ],
)
def test_the_value_is_one_real_number(result, message):
    with pytest.raises(TypeError, match=message):
        Differentiation((0,)).check(result, np.sum)
    with pytest.raises(TypeError, match=message):
        Differentiation((0,), has_aux=True).check((result, 1.0), np.sum)


def test_with_aux_the_result_is_a_pair():
    for result in (1.0, (1.0,), [1.0, 2.0]):
        with pytest.raises(TypeError, match=r"must return \(value, aux\)"):
            Differentiation((0,), has_aux=True).check(result, np.sum)
    Differentiation((0,), has_aux=True).check((1.0, "anything"), np.sum)
    Differentiation((0,)).check(np.array([[3.0]]), np.sum)


def test_gradients_are_packed_as_their_arguments():
    args = ({"a": x, "b": (2.0, None)}, np.float32(1.0), 1j)
    packed = Differentiation((2, 0, 1)).packed([2j, None, 3, 4.0], args)
    assert packed[0] == 2j
    assert packed[1].keys() == args[0].keys()
    np.testing.assert_array_equal(packed[1]["a"], np.zeros(2))
    assert packed[1]["b"] == (3.0, None)
    assert type(packed[1]["b"][0]) is float
    assert type(packed[2]) is np.float32


# ----- What is bound already does not shift the numbers -----


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, w, b):
        return np.sum(w**2) * b

    def __call__(self, w, b):
        return np.sum(w**2) * b


def loss(k, w, b):
    return k * np.sum(w**2) * b


BOUND = {
    "method": (lambda: Model(1.0).loss, 1.0),
    "callable object": (lambda: Model(1.0), 1.0),
    "partial": (lambda: functools.partial(loss, 2.0), 2.0),
    "partial of a method": (lambda: functools.partial(Model(1.0).loss), 1.0),
    "partial of a partial": (
        lambda: functools.partial(functools.partial(loss, 3.0)),
        3.0,
    ),
}


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.parametrize("argnums", [0, 1, (0, 1), -1])
def test_argnums_are_the_callers_own(name, argnums):
    make, k = BOUND[name]
    traced = srcgrad.trace(make())
    w, b = np.array([1.0, 2.0]), 3.0
    expected = [2.0 * k * w * b, k * 5.0]
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for _ in range(3):
        value, found = srcgrad.value_and_grad(traced, argnums)(w, b)
        assert value == k * 15.0
        gradients = (found,) if isinstance(argnums, int) else found
        for number, g in zip(numbers, gradients, strict=True):
            np.testing.assert_allclose(g, expected[number])
    assert traced.stats.compiled == 2
    assert traced(w, b) == k * 15.0


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
