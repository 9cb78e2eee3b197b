"""Algebra: what each formula becomes, and that the numbers stay."""

from dataclasses import replace
from operator import neg

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.steps import Guard
from srcgrad.transforms import optimize
from srcgrad.transforms.algebra.algebra import simplify_algebra
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
x, y, s = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), np.float64(1.7)

# A formula of two arrays and a scalar, and the lines that it becomes.
CHANGED = {
    "signs cancel": (lambda x, y, s: neg(neg(x)) + y, "t = add(x, y)"),
    "minus a negative": (lambda x, y, s: x - -y, "t = add(x, y)"),
    "plus a negative": (lambda x, y, s: -x + y, "t = subtract(y, x)"),
    "signs of a product": (lambda x, y, s: (-x) * (-y), "t = multiply(x, y)"),
    "square": (lambda x, y, s: x**2, "t = multiply(x, x)"),
    "np.square": (lambda x, y, s: np.square(x), "t = multiply(x, x)"),
    "float square": (lambda x, y, s: x**2.0, "t = multiply(x, x)"),
    "reciprocal": (lambda x, y, s: x**-1, "t = divide(1.0, x)"),
    "unit power": (lambda x, y, s: x**1 * y, "t = multiply(x, y)"),
    "units": (lambda x, y, s: (1.0 * x / 1 - 0.0) * y, "t = multiply(x, y)"),
    "minus one": (lambda x, y, s: x * -1.0, "t = negative(x)"),
    "real": (lambda x, y, s: np.conjugate(x) * y, "t = multiply(x, y)"),
    "numbers": (lambda x, y, s: x * 2.0 * 3.0, "t = multiply(6.0, x)"),
    "numbers, left": (lambda x, y, s: 3.0 * (2.0 * x), "t = multiply(6.0, x)"),
    "divisors": (lambda x, y, s: x / 4 / 8, "t = divide(x, 32)"),
    "exact ratio": (lambda x, y, s: x * 2.0 / 96, "t = divide(x, 48.0)"),
    "exact ratio, turned": (lambda x, y, s: x / 96 * 2.0, "t = divide(x, 48.0)"),
    "exact factor": (lambda x, y, s: x * 6.0 / 3, "t = multiply(2.0, x)"),
    "other ratio": (lambda x, y, s: x * 3.0 / 4.0, "t = multiply(0.75, x)"),
    "all gone": (lambda x, y, s: x / 96 * 96 + y, "t = add(x, y)"),
    "sign into number": (lambda x, y, s: -(x * 2.0), "t = multiply(-2.0, x)"),
    "number over": (lambda x, y, s: 3.0 / x * 2.0, "t = divide(6.0, x)"),
    "reciprocal of a factor": (lambda x, y, s: 1 / x * y, "t = divide(y, x)"),
    "scalar ratio": (lambda x, y, s: s * 2.0 / 96 * x, "t = divide(s, 48.0)"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_formulas(name):
    formula, line = CHANGED[name]
    graph = record(lambda x, y, s: [np.exp(formula(x, y, s))], [x, y, s])
    result = simplify_algebra(graph)
    assert text(result)[0] == line.replace("(s", "(z")
    np.testing.assert_allclose(
        run(result, [x, y, s])[0], run(graph, [x, y, s])[0], rtol=1e-14
    )


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        (
            lambda x, y, s: s * x * 0.5,
            ["t = multiply(0.5, z)", "t_1 = multiply(t, x)", "return t_1"],
        ),
        (
            lambda x, y, s: -(s * x * y),
            ["t = negative(z)", "t_1 = multiply(t, x)", "t_2 = multiply(t_1, y)"],
        ),
        (
            lambda x, y, s: -x * y + x,
            ["t = multiply(x, y)", "t_1 = subtract(x, t)", "return t_1"],
        ),
        (
            lambda x, y, s: x + -s * y,
            ["t = multiply(z, y)", "t_1 = subtract(x, t)", "return t_1"],
        ),
        (
            lambda x, y, s: x - y * -s,
            ["t = multiply(z, y)", "t_1 = add(x, t)", "return t_1"],
        ),
        (
            lambda x, y, s: x**4,
            ["t = multiply(x, x)", "t_1 = multiply(t, t)", "return t_1"],
        ),
        (
            lambda x, y, s: (x * 0.5) * (y * 1.5),
            ["t = multiply(0.75, x)", "t_1 = multiply(t, y)", "return t_1"],
        ),
    ],
)
def test_scalars_come_first_and_signs_last(formula, lines):
    graph = record(lambda *given: [formula(*given)], [x, y, s])
    result = simplify_algebra(in_backward(graph))
    assert text(result)[: len(lines)] == lines
    np.testing.assert_allclose(
        run(result, [x, y, s])[0], run(graph, [x, y, s])[0], rtol=1e-14
    )


# Some values for which a product or sum on another way would leave the range.
TOP, SMALL = np.array([1.5e308]), np.array([1e-10])
IN_RANGE = {
    "a scalar times a number": (lambda x, y, s: s * y * 2.0, TOP, SMALL),
    "a scalar over a small number": (lambda x, y, s: s * y / 0.25, TOP, SMALL),
    "a scalar and two arrays": (lambda x, y, s: s * y * y * 4.0, TOP, SMALL),
    "numbers of two factors": (lambda x, y, s: (x * 1.1) * (y * 3.0), TOP, SMALL),
    "numbers of a chain": (lambda x, y, s: x * 1.1 * y * 3.0, TOP, SMALL),
    "a divisor that is small": (lambda x, y, s: y * y / s * 4.0, SMALL * 5e-314, SMALL),
    "a divisor that is large": (lambda x, y, s: y / s / 4.0, TOP, TOP),
    "the same twice": (lambda x, y, s: -x + x + x, TOP, SMALL),
    "a product twice": (lambda x, y, s: doubled(x * y), TOP, SMALL),
    "a sum of multiples": (lambda x, y, s: np.sum(x * 0.5), TOP.repeat(2), SMALL),
    "a mean of multiples": (lambda x, y, s: np.mean(x * 0.25), TOP.repeat(3), SMALL),
    "a sum of repeats": (
        lambda x, y, s: np.sum(np.broadcast_to(x, (2, 2)) * 0.1),
        np.array([1.5e308, -1.5e308]),
        SMALL,
    ),
    "a power": (lambda x, y, s: (x * 1e-9) ** 4 * 1e3, TOP * 1e-223, SMALL),
}


@pytest.mark.parametrize("half", ["forward", "backward"])
@pytest.mark.parametrize("name", IN_RANGE)
def test_what_is_in_range_stays_there(name, half):
    formula, x, y = IN_RANGE[name]
    given = [x, y, np.float64(x[0])]
    graph = record(lambda *given: [formula(*given)], given)
    graph = in_backward(graph) if half == "backward" else graph
    expected = run(graph, given)[0][0]
    assert np.all(np.isfinite(expected))
    seen = run(optimize(graph, check=True), given)[0][0]
    np.testing.assert_allclose(seen, expected, rtol=1e-14)


def doubled(term):
    return term + term


# Sums of two of the same; with a number first, where that stays in range.
SUMS = {
    "two": (lambda x, y, s: x + x, ["multiply(2.0, x)"]),
    "three": (lambda x, y, s: x + y + y, ["add(x, y)", "add(t, y)"]),
    "three, of a fraction": (
        lambda x, y, s: (lambda part: part + (part + x))(y / 4),
        ["divide(y, 2.0)", "add(x, t)"],
    ),
    "products": (
        lambda x, y, s: doubled(x * y),
        ["multiply(x, y)", "multiply(2.0, t)"],
    ),
    "products with a fraction": (
        lambda x, y, s: doubled(x / 4 * y),
        ["divide(x, 2.0)", "multiply(t, y)"],
    ),
    "products of three": (
        lambda x, y, s: y + doubled(x * y * x),
        ["multiply(x, y)", "multiply(t, x)", "multiply(2.0, t_1)", "add(y, t_2)"],
    ),
    "products with a number": (
        lambda x, y, s: doubled(x * 3.0),
        ["multiply(6.0, x)"],
    ),
    "what a number divides": (
        lambda x, y, s: doubled(x / 4),
        ["divide(x, 2.0)"],
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_two_of_the_same(name):
    formula, calls = SUMS[name]
    graph = record(lambda *given: [formula(*given) + 1.0], [x, y, s])
    result = simplify_algebra(in_backward(graph))
    assert [line.partition(" = ")[2] for line in text(result)[:-2]] == calls
    np.testing.assert_allclose(
        run(result, [x, y, s])[0], run(graph, [x, y, s])[0], rtol=1e-14
    )


def test_a_double_that_decides_is_exact_and_no_other_sum_is_touched():
    graph = record(lambda x, y: [x + x > 0.3, doubled(x * y) > 0.3], [x, y])
    assert text(simplify_algebra(graph))[0] == "t = multiply(2.0, x)"
    assert "t_3 = multiply(2.0, t_2)" in text(simplify_algebra(graph))
    graph = record(lambda x, y: [x + y + y > 0.3], [x, y])
    assert simplify_algebra(graph) is graph


@pytest.mark.parametrize("dtype", [int, bool, complex])
def test_sums_of_other_dtypes_stay(dtype):
    graph = record(lambda x: [doubled(x)], [x.astype(dtype)])
    assert simplify_algebra(graph) is graph


def test_sums_in_another_precision_stay():
    single = x.astype(np.float32)
    graph = record(lambda x, y: [x + y + y], [x, single])
    assert simplify_algebra(graph) is graph
    graph = record(lambda x: [np.exp(doubled(x * np.float64(0.1)))], [single])
    seen, expected = (run(g, [single])[0][0] for g in (simplify_algebra(graph), graph))
    np.testing.assert_allclose(seen, expected, rtol=1e-14, strict=True)


def test_long_products_are_doubled_in_linear_time():
    def function(x):
        total = x
        for _ in range(3000):
            total = doubled(total * x)
        return [total]

    with np.errstate(all="ignore"):
        graph = record(function, [np.ones(1)])
        assert len(simplify_algebra(graph).nodes) <= len(graph.nodes)


MINUS = {
    "a sum": (lambda x, y: x + np.sum(-y), ["sum(y)", "subtract(x, t)"]),
    "sums of an axis": (
        lambda x, y: np.sum(-(x * y), axis=-1, keepdims=True) + x,
        ["multiply(x, y)", "sum(t, axis=-1, keepdims=True)", "subtract(x, t_1)"],
    ),
    "a mean": (
        lambda x, y: x + np.sum(-y, 0) / 3,
        ["sum(y, 0)", "divide(t, 3)", "subtract(x, t_1)"],
    ),
    "a weighted sum": (
        lambda x, y: x + y * (np.sum(-y) / np.sum(x)),
        ["sum(x)", "sum(y)", "divide(t_1, t)", "multiply(y, t_2)", "subtract(x, t_3)"],
    ),
}


def in_backward(graph):
    """The graph as if all of it had run in the backward pass."""
    return replace(
        graph, nodes=tuple(replace(node, in_backward=True) for node in graph.nodes)
    )


@pytest.mark.parametrize("name", MINUS)
def test_the_sign_of_a_sum_goes_out_in_gradients(name):
    formula, calls = MINUS[name]
    graph = record(lambda x, y: [formula(x, y)], [x, y])
    assert simplify_algebra(graph) is graph
    result = simplify_algebra(in_backward(graph))
    assert [line.partition(" = ")[2] for line in text(result)[:-1]] == calls
    seen, expected = run(result, [x, y])[0], run(graph, [x, y])[0]
    np.testing.assert_allclose(seen, expected, rtol=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: [x + np.sum(-y, initial=1.0)],
        lambda x, y: [x + 3.0 / np.sum(-y)],
        lambda x, y: [x + np.exp(np.sum(-y))],
        lambda x, y: [x + np.prod(-y)],
        lambda x, y: [x > x + np.sum(-y)],
        lambda x, y: [x + np.sum(negative := -y), negative],
    ],
)
def test_other_signs_stay_where_they_are(function):
    graph = in_backward(record(function, [x, y]))
    assert simplify_algebra(graph) is graph


FRACTIONS = {
    "a divisor": (1 / 96, "divide(x, 96)"),
    "a negative one": (-1 / 7, "divide(x, -7)"),
    "a single": (np.float32(1 / 48), "divide(x, 48)"),
    "rounding": (3.0 * 0.2, "multiply(0.6, x)"),
    "of a single": (np.float32(0.1) * np.float32(3.0), "multiply(0.3, x)"),
    "what is short": (0.125, None),
    "a ratio": (2 / 7, None),
    "any number": (2**0.5, None),
    "more than rounding": (np.float32(0.3000004), None),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_numbers_in_gradients_are_written_shortly(name):
    number, line = FRACTIONS[name]
    z = x if isinstance(number, float) else x.astype(np.float32)
    graph = record(lambda x: [number * x + 1.0], [z])
    assert simplify_algebra(graph) is graph
    result = simplify_algebra(in_backward(graph))
    if line is None:
        line = text(graph)[0].partition(" = ")[2]
    assert text(result)[0] == f"t = {line}"
    epsilon = np.finfo(z.dtype).eps
    seen, expected = run(result, [z])[0][0], run(graph, [z])[0][0]
    np.testing.assert_allclose(seen, expected, rtol=4 * epsilon, strict=True)


def test_numbers_that_decide_are_written_out():
    graph = in_backward(record(lambda x: [x > 1 / 96 * x], [x]))
    assert simplify_algebra(graph) is graph


UNCHANGED = {
    "zero and NaN": lambda x, y, s: x * 0.0,
    "zero's sign": lambda x, y, s: x + 0.0,
    "the other zero": lambda x, y, s: x - -0.0,
    "difference": lambda x, y, s: -(x - y),
    "square root": lambda x, y, s: x**0.5,
    "zeroth power": lambda x, y, s: x**0,
    "variable power": lambda x, y, s: x**y,
    "overflow": lambda x, y, s: x * 1e200 * 1e-200,
    "underflow": lambda x, y, s: x * 1e-200 * 1e-200,
    "true": lambda x, y, s: x * True,
    "inexact ratio of a scalar": lambda x, y, s: s * 3.0 / 7.0,
    "two scalars of any size": lambda x, y, s: s * x * np.sum(y),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_would_not_be_the_same_stays(name):
    with np.errstate(all="ignore"):
        graph = record(lambda *given: [UNCHANGED[name](*given)], [x, y, s])
    assert simplify_algebra(graph) is graph


def test_dtypes_stay():
    single = x.astype(np.float32)

    def strong(x):
        return [x * np.float64(1.0), x / 3.0 / np.float64(2.0), x ** np.float64(2.0)]

    graph = record(strong, [single])
    assert simplify_algebra(graph) is graph
    graph = record(lambda x: [np.exp(x * 2.0 * 3.0)], [single])
    result = simplify_algebra(graph)
    assert text(result)[0] == "t = multiply(6.0, x)"
    assert run(result, [single])[0][0].dtype == np.float32


def test_kinds_stay():
    """``x * 1.0`` makes a NumPy scalar of a 0-d array."""
    graph = record(lambda x: [np.reshape(x * 1.0, (1,))], [np.array(2.0)])
    assert simplify_algebra(graph) is graph


def test_complex_products_with_infinities_stay():
    graph = record(lambda x: [np.exp(x * 1.0 * 2.0 * 3.0)], [x + 1j])
    assert simplify_algebra(graph) is graph
    graph = record(lambda x: [x - -np.exp(x)], [x + 1j])
    assert text(simplify_algebra(graph))[1] == "t_1 = add(x, t)"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [np.where(x * 3.0 * 0.1 > 0.3, x, 0.0)],
        lambda x: [np.floor(x / 3.0 * 0.1)],
        lambda x: [np.argmax(x**3 / 7.0, axis=0)],
    ],
)
def test_what_decides_is_as_on_the_tape(function):
    graph = record(function, [x])
    assert simplify_algebra(graph) is graph


def test_what_a_guard_sees_is_as_on_the_tape():
    graph = record(lambda x: [np.sum(x * 3.0 * 0.1)], [x])
    guard = Guard(graph.outputs[0], float, 1.0)
    graph = Graph(graph.inputs, (*graph.nodes, guard), graph.outputs)
    assert simplify_algebra(graph) is graph
    graph = record(lambda x: [np.sum(-(-x * 2.0))], [x])
    guard = Guard(graph.outputs[0], float, 1.0)
    graph = Graph(graph.inputs, (*graph.nodes, guard), graph.outputs)
    assert text(simplify_algebra(graph))[0] == "t = multiply(2.0, x)"


def test_special_values_flow_as_before():
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 5e-324, 2.0])

    def function(x, y):
        a = [x**2, x**3, x**4, x**-1, x**1, x * -1, x / 1, x - 0, neg(neg(x)), x + -y]
        a += [x - -y, -x * y, x / -y, -(x * 2.0), -x / 2.0, 3.0 / -x]
        return [*a, x + x, x + -y * x, x - x * -y]

    grid = np.meshgrid(special, special)
    with np.errstate(all="ignore"):
        graph = record(function, grid)
        result = simplify_algebra(graph)
        pairs = zip(run(graph, grid)[0], run(result, grid)[0], strict=True)
        for expected, seen in pairs:
            np.testing.assert_allclose(seen, expected, rtol=1e-15)
            real = ~np.isnan(expected)
            assert (np.signbit(seen) == np.signbit(expected))[real].all()
    assert len(result.nodes) < len(graph.nodes)
