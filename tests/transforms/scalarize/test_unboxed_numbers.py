"""Numbers that stand for scalars and elements, on their way into a graph."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph
from srcgrad.steps import Value
from srcgrad.transforms.scalarize.unboxed_numbers import (
    FLOAT,
    NotApartError,
    Number,
    Numbers,
)


def numbers_of(*shape, known=None):
    x = Value(shape, FLOAT, "x")
    numbers = Numbers(Graph((x,), (), ()), known={} if known is None else {x: known})
    return numbers, numbers.of(x).ravel(), x


def functions(numbers):
    return [node.function.__name__ for node in numbers.nodes]


def test_what_is_added_to_a_blank_takes_its_place():
    numbers, (x,), _ = numbers_of(1)
    blank = Number(numbers, 0.0, is_blank=True)
    assert blank + x is x
    assert x + blank is x
    assert (x + Number(numbers, 0.0)) is not x
    assert functions(numbers) == ["elements", "add"]


def test_a_factor_of_one_is_not_written():
    numbers, (x,), _ = numbers_of(1)
    one = Number(numbers, 1.0)
    assert one * x is x
    assert x * one is x
    assert functions(numbers) == ["elements"]


def test_constants_are_computed_unless_they_overflow():
    numbers, _, _ = numbers_of(1)
    two = Number(numbers, 2.0)
    assert (two * two - two).item == 2.0
    assert numbers.number(np.less, two, two).item is False
    with pytest.raises(NotApartError):
        Number(numbers, 1e308) * two


@pytest.mark.parametrize("function", [np.flip, np.matmul, np.linalg.cholesky])
def test_of_arrays_no_constants_are_computed(function):
    numbers, _, _ = numbers_of(1)
    with pytest.raises(NotApartError):
        numbers.number(function, Number(numbers, 2.0), Number(numbers, 3.0))


def test_elements_seen_before_are_the_same():
    old = Value((), FLOAT, "old", "float")
    numbers, (a, b, c), x = numbers_of(3, known=np.array([old, 1.0, old], object))
    assert a.item is c.item is old
    assert b.item == 1.0
    outs = numbers.nodes[0].out
    assert outs[0] is old
    assert len(set(outs)) == 3
    assert numbers.named_items(x)[0] is old


def test_results_are_of_their_kind():
    numbers, _, x = numbers_of(2)
    scalar, zero = (Value((), FLOAT, None, kind) for kind in ("scalar", "array"))
    numbers.held[scalar] = numbers.held[zero] = numbers.of(x)[:1].reshape(())
    for value in (scalar, zero, x):
        assert (given := numbers.give(value)).kind == value.kind
        assert given.shape == value.shape
    assert functions(numbers) == ["elements", "float64", "array", "array"]


def test_what_is_saved_are_floats_and_lists():
    numbers, _, x = numbers_of(2)
    made = Value((2,), FLOAT)
    numbers.held[made] = numbers.of(x)[::-1]
    assert numbers.keep(x) is x
    assert numbers.keep(made).kind == "floats"
    scalar = Value((), FLOAT, None, "scalar")
    numbers.held[scalar] = numbers.of(x)[:1].reshape(())
    assert numbers.keep(scalar) is numbers.of(x)[0].item


def test_other_dtypes_and_long_arrays_are_refused():
    for value in (Value((2,), np.dtype(np.float32)), Value((300,), FLOAT)):
        with pytest.raises(NotApartError):
            Numbers(Graph((value,), (), ())).of(value)
    with pytest.raises(NotApartError):
        Numbers(Graph((), (), ())).of("text")


def test_constants_that_no_float_is_are_refused():
    for constant in (np.float32(0.2), np.array([0.5], np.float32), 2**53 + 1):
        with pytest.raises(NotApartError):
            Numbers(Graph((), (), ())).of(constant)


@pytest.mark.parametrize("limit", [np.float32(0.2), np.array(0.2, np.float32)])
def test_a_float_is_compared_as_it_is_rounded_by_numpy(limit):
    def doubled(a):
        return a if limit > a else a * 2.0

    traced = srcgrad.trace(doubled)
    for a in (0.5, 0.1, 0.2, 0.2, 0.19):
        assert traced(a) == doubled(a)
