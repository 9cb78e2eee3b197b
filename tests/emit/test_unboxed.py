"""Python's floats in generated code."""

import math

import numpy as np
import pytest

from srcgrad.emit import build
from srcgrad.graph import Graph, Partition
from srcgrad.steps import Value
from srcgrad.unboxing import (
    choice,
    elements,
    finite,
    larger,
    listed,
    row,
    sign,
    smaller,
)
from tests.emit.graphs import array, node, number, scalar, source

X, Y, Z = number("x"), number("y"), number("z")


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (choice, (X, Y, Z), "y if x else z"),
        (larger, (X, 0.0), "x if x > 0.0 else 0.0"),
        (smaller, (X, Y), "x if x < y else y"),
        (sign, (X,), "1.0 if x > 0.0 else -1.0 if x else 0.0"),
        (math.exp, (X,), "math.exp(x)"),
    ],
)
def test_a_choice_is_a_conditional_expression(function, args, expected):
    out = number("out")
    text = source([node(function, *args, out=out)], (X, Y, Z), (out,))
    assert expected in text


def test_choices_in_other_expressions_are_in_parentheses():
    first, second, out = number(), number(), number("out")
    nodes = (
        node(larger, X, 0.0, out=first),
        node(choice, Y, first, Z, out=second),
        node(np.multiply, second, X, out=out),
    )
    text = source(nodes, (X, Y, Z), (out,))
    assert "np.multiply((x if x > 0.0 else 0.0) if y else z, x)" in text


def test_arrays_are_unpacked_and_packed():
    x, rows = array(2, 2, name="x"), Value((2, 2), np.dtype(float), "rows", "floats")
    a, b, c, d = (number(name) for name in "abcd")
    nodes = (
        node(elements, x, out=(a, b, c, d)),
        node(listed, [[a, b], [c, a]], out=rows),
    )
    text = source(nodes, (x,), (rows,))
    assert "(a, b), (c, _) = x.tolist()" in text
    assert "return [[a, b], [c, a]]" in text
    assert "(a, b), (_, d) = rows\n" in source(
        [node(elements, rows, out=(a, b, c, d))], (rows,), (a, b, d)
    )
    text = source([node(elements, rows, out=(a, b, c, d))], (rows,), (b, c))
    assert "b = rows[0][1]\n" in text
    assert "c = rows[1][0]\n" in text


def test_an_array_that_is_wanted_as_well_keeps_its_name():
    x, rows = array(2, 2, name="x"), Value((2, 2), np.dtype(float), "x", "floats")
    nodes = (node(row, x, out=rows),)
    assert "    x = x.tolist()\n    return x, x\n" in source(nodes, (x,), (rows, rows))
    wanted = source(nodes, (x,), (rows, rows, x))
    assert "    x_1 = x.tolist()\n    return x_1, x_1, x\n" in wanted


def test_what_is_looked_at_is_added_up():
    values = tuple(number(name) for name in "abcdefghijklmnopq")
    names = ", ".join("abcdefghijklmnopq")
    found = Value((6,), np.dtype(float), "found", "floats")
    for items, expected in (
        (values[:1], "math.isfinite(a)"),
        (values[:3], "math.isfinite(a + b + c)"),
        (values, f"math.isfinite(sum(({names})))"),
        ((X, found), "math.isfinite(x + sum(found))"),
    ):
        text = source([node(finite, *items)], (*values, X, found), ())
        assert f"    if not {expected}:\n        raise OverflowError" in text


def halves_of_two_kinds():
    """The logarithm, with floats that know of positive numbers only."""
    x, y = scalar("x"), scalar("y")
    inner, log, given = number("x"), number("log"), scalar("y")
    floats = Graph(
        (x,),
        (
            node(float, x, out=inner),
            node(math.log, inner, out=log),
            node(np.float64, log, out=given),
        ),
        (given,),
    )
    return Partition(
        Graph((x,), (node(np.log, x, out=y),), (y,)), unboxed=Partition(floats)
    )


def test_where_floats_raise_numpys_scalars_are_used():
    module = build("log", halves_of_two_kinds())
    assert "    x = float(x)\n    log = math.log(x)\n    return np.float64(log)\n" in (
        module.text
    )
    assert module.call_forward([np.float64(math.e)])[0] == (1.0,)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        ((found,), _) = module.call_forward([np.float64(0.0)])
    assert found == -np.inf
    assert type(found) is np.float64
    with np.errstate(all="raise"), pytest.raises(FloatingPointError) as met:
        module.call_forward([np.float64(0.0)])
    assert met.value.__context__ is None


def test_where_underflow_matters_floats_are_not_used():
    module = build("log", halves_of_two_kinds())
    asked = []
    object.__setattr__(module, "forward_on_floats", asked.append)
    with np.errstate(under="raise"):
        assert module.call_forward([np.float64(1.0)])[0] == (0.0,)
    assert not asked
    module.call_forward([np.float64(1.0)])
    assert len(asked) == 1
