"""Random formulas with constants of every type: the passes keep what they compute.

Results are those of the graph as it was recorded, but for rounding: infinities, NaN and
the signs of what is infinite are the same, unless the graph itself leaves the range of
a dtype somewhere on the way: then there may be less of that, and never more. The same
holds of gradients.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.steps import map_values
from srcgrad.transforms import optimize
from srcgrad.updates import cast
from tests.transforms.interpret import record, run

KINDS = (
    *(int, float, bool, np.bool_, np.float64, np.float32, np.float16, np.longdouble),
    *(np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8),
)
NUMBERS = (1, 2, 3, 4, 7, 96, 100, 200, -1, -2, 0.5, 0.25, 0.1, -0.3, 1e-3, 50000)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.0)
DTYPES = ("f8", "f8", "f4", "f4", "f2", "g", "i8", "u1", "?")
SHAPES = ((), (3,), (2, 3), (1, 3), (3,), ())

# One on a line: Python 3.10 cannot tell apart those that stand together.
UNARY = (
    *(np.negative, np.negative, np.positive, np.square, np.conjugate, np.absolute),
    lambda x: x**2,
    lambda x: x**3,
    lambda x: x**4,
    lambda x: x**-1,
    lambda x: x**1,
    lambda x: np.sum(x),
    lambda x: np.mean(x),
    lambda x: x + x,
    *(np.exp, np.sign),
    lambda x: np.sum(x, axis=-1, keepdims=True) if x.ndim else np.sum(x),
    lambda x: cast(x, np.dtype("f8")),
    lambda x: cast(x, np.dtype("f4")),
    lambda x: cast(x, np.dtype("i8")),
    lambda x: np.broadcast_to(x, (2, 3)),
)
BINARY = (
    *(np.multiply, np.multiply, np.multiply, np.multiply, np.multiply, np.multiply),
    *(np.divide, np.divide, np.divide, np.divide, np.add, np.subtract),
    *(np.maximum, np.copysign),
    lambda x, y: x + y + y,
    lambda x, y: np.power(x, y),
)


class Formulas:
    """Draws formulas; a seed stands for the same for ever."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self, items):
        return items[self.rng.integers(len(items))]

    def given(self):
        """An array, a NumPy scalar, or a Python float."""
        shape, dtype = self.one(SHAPES), np.dtype(self.one(DTYPES))
        values = self.rng.uniform(-2.0, 2.0, shape)
        how = self.rng.random()
        if how < 0.2 and dtype.kind == "f":
            values = np.where(
                self.rng.random(shape) < 0.5, values, self.rng.choice(SPECIAL, shape)
            )
        elif how < 0.7 and dtype.kind == "f":
            top = float(np.finfo("f8" if dtype.char == "g" else dtype).max)
            values = values * self.one((top / 2.0, top / 30.0, top**-0.5, top**-0.9))
        if dtype.kind in ("b", "u"):
            values = np.abs(values)
        array = np.asarray(values).astype(dtype)
        if shape:
            return array
        return float(array) if self.rng.random() < 0.3 else array[()]

    def number(self):
        kind, value = self.one(KINDS), self.one(NUMBERS)
        is_whole = np.dtype(kind).kind in "iu"
        try:
            return kind(round(value) if is_whole else value)
        except OverflowError:
            return kind(1)

    def formula(self, count):
        """A function of some arrays."""
        steps = [
            (*self.rng.integers(10**6, size=4).tolist(), self.number())
            for _ in range(self.rng.integers(2, 9))
        ]

        def function(*given):
            pool = list(given)
            for a, b, how, turned, number in steps:
                x = pool[-1 - a % 3 % len(pool) * (how % 4 == 0)]
                other = number if how % 8 < 5 else pool[b % len(given)]
                try:
                    if how % 11 < 3:
                        made = UNARY[b % len(UNARY)](x)
                    else:
                        pair = (x, other) if turned % 3 else (other, x)
                        made = BINARY[b % len(BINARY)](*pair)
                except (AttributeError, TypeError, ValueError, OverflowError):
                    continue  # what NumPy refuses
                pool.append(made)
            return pool[-1:]

        return function

    def factors(self):
        """Two arrays and a scalar, of one dtype, some of them next to its bounds."""
        dtype = np.dtype(self.one(("f8", "f4", "f2")))
        top = float(np.finfo(dtype).max)
        sizes = (1.0, 1.0, top / 3.0, top / 3.0, top**-0.5, 3.0 / top)
        shapes = ((3,), self.one(((3,), (2, 3))), ())
        return [
            (self.one(sizes) * self.rng.uniform(0.5, 2.0, shape)).astype(dtype)[()]
            for shape in shapes
        ]

    def product(self):
        """Products and quotients of these and of numbers, in some order."""
        steps = [
            (*self.rng.integers(12, size=3).tolist(), self.number())
            for _ in range(self.rng.integers(2, 6))
        ]
        last = self.one((*UNARY[:9], np.sum, np.sum, lambda x: x + x))

        def function(*given):
            out = given[0]
            for which, how, turned, number in steps:
                other = number if which % 2 else given[which // 2 % 3]
                operation = np.divide if how < 4 else np.multiply
                pair = (out, other) if turned % 3 else (other, out)
                out = operation(*pair)
                if how == 11:
                    out = out + out if turned % 2 else -out
            return [last(out)]

        return function


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def values_of(graph, given):
    """All that a graph computes."""
    known = dict(graph.constants) | dict(zip(graph.inputs, given, strict=True))
    for node in graph.nodes:
        args = [map_values(known.__getitem__, arg) for arg in node.args]
        known[node.out] = node.function(
            *args, **map_values(known.__getitem__, dict(node.kwargs))
        )
    return [known[node.out] for node in graph.nodes]


def is_in_range(value):
    """Whether it is finite, and far from what is as good as zero."""
    value = np.asarray(value)
    if value.dtype.kind != "f":
        return True
    size, limits = np.abs(value), np.finfo(value.dtype)
    moderate = float(limits.tiny) * float(limits.max) ** 0.25
    is_small = (size > 0) & (size < moderate)
    return bool(np.all(size <= limits.max) and not np.any(is_small))


def rounding(graph):
    """What results may differ by, relatively: by the lowest precision in the graph."""
    kinds = [node.out.dtype for node in graph.nodes if node.out.dtype.kind == "f"]
    return 64 * max([float(np.finfo(dtype).eps) for dtype in kinds], default=0.0)


@pytest.mark.seeds(60)
def test_formulas_with_constants_of_every_type(seed):
    formulas = Formulas(seed)
    given = [formulas.given() for _ in range(formulas.rng.integers(1, 4))]
    check(formulas.formula(len(given)), given, in_backward=seed % 3 == 0)


@pytest.mark.seeds(60)
def test_products(seed):
    formulas = Formulas(seed)
    check(formulas.product(), formulas.factors(), in_backward=seed % 8 == 0)


def check(formula, given, in_backward):
    """Compare a graph and what the passes make of it."""
    graph = record(formula, given)
    expected = run(graph, given)[0]
    computed = values_of(graph, given)
    if in_backward:  # where some passes do more
        nodes = [replace(node, in_backward=True) for node in graph.nodes]
        graph = replace(graph, nodes=tuple(nodes))
    optimized = optimize(graph, check=True)
    for seen, value in zip(run(optimized, given)[0], expected, strict=True):
        assert type(seen) is type(value)
        assert np.result_type(seen) == np.result_type(value)
        assert np.shape(seen) == np.shape(value)
        finite = np.isfinite(value)
        assert np.all(np.isfinite(seen)[finite]), "leaves the range"
        if all(map(is_in_range, [*computed, *given])):
            rtol = rounding(graph)
            sizes = [np.max(np.abs(each), initial=0.0) for each in computed]
            scale = float(max(sizes, default=0.0))
            np.testing.assert_allclose(seen, value, rtol, rtol * scale)


# ----- Gradients -----


def back(function, given, cotangent):
    """A result and its gradients, by a cotangent of some size."""
    variables = [Variable(np.array(each), requires_grad=True) for each in given]
    (out,) = function(*variables)
    out.backward(np.full(out.shape, cotangent, out.dtype)[()])
    grads = [each.grad for each in variables if each.grad is not None]
    return [out.data, *(np.array(grad.data) for grad in grads)]


@pytest.mark.seeds(30)
def test_gradients_of_products(seed):
    formulas = Formulas(seed)
    formula, given = formulas.product(), formulas.factors()
    top = float(np.finfo(given[0].dtype).max)
    cotangent = formulas.one((1.0, 1.0, top / 3.0, 3.0 / top, top**0.5, top**-0.5))
    traced = srcgrad.trace(formula)
    expected = back(formula, given, cotangent)
    for _ in range(2):
        seen = back(traced, given, cotangent)
        for one, other in zip(seen, expected, strict=True):
            assert one.dtype == other.dtype
            assert np.all(np.isfinite(one)[np.isfinite(other)]), "leaves the range"
    assert traced.stats.compiled == 1, traced.explain()
