"""Where a minus sign is written."""

from dataclasses import replace

import numpy as np
import pytest

from srcgrad.steps import Value
from tests.emit.graphs import array, body, node, scalar

x, y = array(3, name="x"), array(3, name="y")


@pytest.mark.parametrize(
    ("function", "factors", "text"),
    [
        (np.add, (-2.0, x), "y - 2.0 * x"),
        (np.subtract, (-2.0, x), "y + 2.0 * x"),
        (np.add, (-2 / 7, x), "y - 2 / 7 * x"),
        (np.add, (x, -2.0), "y + x * -2.0"),
        (np.multiply, (-2.0, x), "y * (-2.0 * x)"),
        (np.add, (-np.inf, x), "y - np.inf * x"),
    ],
)
def test_the_sign_of_a_term_is_that_of_the_sum(function, factors, text):
    term, out = array(3), array(3)
    nodes = [node(np.multiply, *factors, out=term), node(function, y, term, out=out)]
    assert body(nodes, [x, y], [out]) == f"return {text}\n"


def test_a_term_that_begins_with_a_sign_is_subtracted():
    negative, out = array(3), array(3)
    nodes = [node(np.negative, x, out=negative), node(np.add, y, negative, out=out)]
    assert body(nodes, [x, y], [out]) == "return y - x\n"


@pytest.mark.parametrize(
    ("size", "text"), [(3, "1.0 - x * y"), (2**15, "x * -y + 1.0")]
)
def test_what_is_subtracted_from_a_number_is_written_over_if_it_is_large(size, text):
    x, y, product, out = (array(size, name=letter) for letter in ("x", "y", None, None))
    nodes = [
        node(np.multiply, x, y, out=product),
        node(np.subtract, 1.0, product, out=out),
    ]
    assert body(nodes, [x, y], [out]) == f"return {text}\n"


@pytest.mark.parametrize(
    ("divided", "text"),
    [(scalar("s"), "-s / 3"), (x, "x / -3")],
)
def test_the_sign_of_a_divisor_goes_to_the_front_where_it_costs_nothing(divided, text):
    out = replace(divided, name=None)
    nodes = [node(np.divide, divided, -3, out=out)]
    assert body(nodes, [divided], [out]) == f"return {text}\n"


@pytest.mark.parametrize(("number", "text"), [(np.float64(2.0), "-3"), (0.5, "-3")])
def test_numbers_among_themselves(number, text):
    nodes = [node(np.divide, number, -3, out=(out := scalar()))]
    assert text in body(nodes, [], [out])


def test_integers_keep_the_sign_of_a_divisor():
    count = Value((), np.dtype(np.uint8), "count", "scalar")
    nodes = [node(np.divide, count, -3, out=(out := scalar()))]
    assert body(nodes, [count], [out]) == "return count / -3\n"


def test_complex_terms_keep_their_sign():
    z, term, out = (array(3, name=name, dtype=complex) for name in ("z", None, None))
    nodes = [node(np.multiply, -2.0, z, out=term), node(np.add, z, term, out=out)]
    assert body(nodes, [z], [out]) == "return z + -2.0 * z\n"
