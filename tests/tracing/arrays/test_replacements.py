"""A replaced call means what the plain one means: values, kinds, dtypes, errors."""

import cmath
import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.replacements import replacement_of
from tests.cases import for_each
from tests.differences import slope_of
from tests.tracing.comparing import plain

F, S, D, V = 0.6, np.float32(1.5), np.float64(2.5), np.array([0.5, 0.25, 2.0])
M = np.arange(6.0).reshape(2, 3)

CALLS = {
    # Python's numbers
    **{f"math.{n}": (getattr(math, n), F) for n in "sin exp sqrt acos log".split()},
    **{f"{n} of D": (getattr(math, n), D) for n in "gamma lgamma erf log2".split()},
    **{f"cmath.{n}": (getattr(cmath, n), F) for n in "sin log sqrt acosh".split()},
    "floor": (math.floor, F),
    "trunc": (math.trunc, D),
    "modf": (math.modf, D),
    "frexp": (math.frexp, D),
    "isnan": (math.isnan, D),
    "isclose": (math.isclose, F, 0.6),
    "math.pow": (math.pow, F, 2),
    "atan2": (math.atan2, F, D),
    "hypot": (math.hypot, F, D, 1),
    "dist": (math.dist, [F, 1.0], [D, 2]),
    "dist of arrays": (math.dist, V, [1.0, 2.0, 3.0]),
    "math.prod": (math.prod, [F, D, 2]),
    "math.prod of an array": (math.prod, V),
    "fsum": (math.fsum, [0.1] * 9 + [F]),
    "sum of floats": (sum, [F] + [0.1] * 9),
    "sum of scalars": (sum, [D, 0.1, S]),
    "sum of an array": (sum, V),
    "polar": (cmath.polar, D),
    "rect": (cmath.rect, F, D),
    "float": (float, D),
    "float of an array": (float, np.array(2.5)),
    "complex": (complex, F, D),
    "round": (round, F),
    "round to digits": (round, D, 1),
    "isinstance": (isinstance, D, np.float64),
    # NumPy's kinds
    "np.float64": (np.float64, F),
    "np.float32": (np.float32, D),
    "np.float64 of an array": (np.float64, V),
    "np.complex128": (np.complex128, D),
    # arrays
    "array": (np.array, V),
    "array of a float": (np.array, F),
    "array of a row": (np.array, [F, 1]),
    "array of a tuple": (np.array, (F, D)),
    "array of integers beside": (np.array, [S, 1]),
    "array of a float32": (np.array, [S]),
    "array of truths beside": (np.array, [True, F]),
    "array of complex beside": (np.array, [F, 1j]),
    "array of rows": (np.array, [[F, 1.0], [0, D]]),
    "array of arrays": (np.array, [V, V]),
    "array of arrays and lists": (np.array, [V, [F, 1, 2]]),
    "array of deep lists": (np.array, [[[F]], [[1]]]),
    "array of matrices": (np.array, [M, M]),
    "asarray": (np.asarray, V),
    "asarray of a scalar": (np.asarray, D),
    "asarray of a list": (np.asarray, [[F], [D]]),
    "ascontiguousarray": (np.ascontiguousarray, D),
    "full": (np.full, (2, 3), F),
    "full of a row": (np.full, (2, 3), V),
    "full of a list": (np.full, (2, 2), [F, D]),
    "full of float32": (np.full, 3, S),
    "full_like": (np.full_like, M, F),
    "full_like of integers": (np.full_like, np.zeros(3, int), D),
    "fromiter": (np.fromiter, [F, D], float),
    "arange": (np.arange, 0.0, D, 0.5),
    "arange by one": (np.arange, D),
    # functions of lists
    "mean": (np.mean, [F, D]),
    "sum of rows": (np.sum, [[F, 1.0], [D, 2.0]]),
    "norm": (np.linalg.norm, [F, D, 1]),
    "dot": (np.dot, [F, D], [1.0, 2.0]),
    "matmul": (np.matmul, M, [F, D, 1.0]),
    "where": (np.where, [True, False], [F, 1.0], [2.0, D]),
    "maximum": (np.maximum, [F, D], 1.0),
    "cross": (np.cross, [F, D, 0.0], [1.0, 0.0, F]),
    "outer": (np.outer, [F, D], V),
    "interp": (np.trapezoid if hasattr(np, "trapezoid") else np.trapz, [F, D, 1.0]),
    "clip": (np.clip, [F, D], 0.0, 1.0),
    "concatenate": (np.concatenate, [[F, 1.0], V]),
    "stack": (np.stack, [[F, D], [1, 2]]),
    "vstack": (np.vstack, [[F, D], [1, 2]]),
    "block": (np.block, [[F, D], [1.0, 2.0]]),
    "einsum": (np.einsum, "i,i->", [F, D], [1.0, 2.0]),
    "det": (np.linalg.det, [[F, 0.0], [1.0, D]]),
    "solve": (np.linalg.solve, [[F, 0.0], [1.0, D]], [1.0, F]),
    "reshape": (np.reshape, [F, D, 1.0, 2.0], (2, 2)),
    "argmax": (np.argmax, [F, D]),
    "reduce": (np.add.reduce, [F, D]),
    "accumulate": (np.multiply.accumulate, [F, D]),
    "reduceat": (np.add.reduceat, [F, D, 1.0], [0, 2]),
    "outer of lists": (np.multiply.outer, [F, D], [1.0, F]),
}


def as_variable(item):
    """The argument with Variables for its floats and float arrays."""
    if isinstance(item, (list, tuple)):
        return type(item)(map(as_variable, item))
    if isinstance(item, (float, np.float32)) and item != 0.1:
        variable = Variable.make(item, None)
        variable.requires_grad = True
        return variable
    if isinstance(item, np.ndarray) and item.dtype.kind == "f":
        return Variable(item, requires_grad=True)
    return item


def described(result):
    leaves = [raw_of(leaf) for leaf in flatten(result)[0]]
    return [
        (
            type(leaf),
            getattr(leaf, "dtype", None),
            np.shape(leaf),
            np.array(leaf).tolist(),
        )
        for leaf in leaves
    ]


@for_each("name", CALLS)
def test_a_replaced_call_is_the_plain_one(name):
    function, *args = CALLS[name]
    plain = function(*args)
    assert described(replacement_of(function)(*args)) == described(plain)
    with override(depth=1):
        found = replacement_of(function)(*map(as_variable, args))
    assert type(found) in (type(plain), Variable)
    for ours, theirs in zip(described(found), described(plain), strict=True):
        # A 0-d array and NumPy's scalar are told apart, and Python's float of both.
        assert ours[:3] == theirs[:3]
        np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-15)


@for_each("name", CALLS)
def test_no_gradient_is_lost(name):
    function, *args = CALLS[name]
    if name in ("floor", "trunc", "isnan", "isclose", "round", "isinstance"):
        return
    if name in ("round to digits", "full_like of integers", "arange", "arange by one"):
        return
    if name == "argmax":
        return
    with override(depth=1):
        found = replacement_of(function)(*map(as_variable, args))
    assert any(getattr(leaf, "requires_grad", False) for leaf in flatten(found)[0])


FAILING = {
    "ragged": (np.array, [[F], [F, D]]),
    "a domain": (math.log, -F),
    "a range": (math.exp, 1e5 * F),
    "two points": (math.dist, [F, 1.0], [D]),
    "a list": (math.sin, [F]),
    "a long array": (math.sin, V),
    "an option": (np.mean, [F, D], 3),
}


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")
def test_the_errors_are_the_same(name):
    function, *args = FAILING[name]
    with pytest.raises(Exception) as expected:  # noqa: PT011
        function(*args)
    with pytest.raises(expected.type), override(depth=1):
        replacement_of(function)(*map(as_variable, args))


def test_methods_of_ndarrays_take_variables():
    x = Variable(V, requires_grad=True)
    assert replacement_of(V.dot)(x).requires_grad
    assert replacement_of(M.clip)(0.0, as_variable(F)).requires_grad
    assert replacement_of(V.dot)(V) == V.dot(V)
    assert replacement_of(V.tolist) == V.tolist


def test_methods_of_variables_take_lists_and_keep_numbers_in_the_graph():
    x = Variable(V, requires_grad=True)
    assert replacement_of(x.dot)([x[0], 1.0, 2.0]).requires_grad
    assert type(replacement_of(x[0].item)().value) is float
    with override(depth=1):
        assert replacement_of(x[0].item)().value == 0.5
        assert replacement_of(x.item)(1).requires_grad
        assert [each.value for each in replacement_of(x.tolist)()] == [0.5, 0.25, 2.0]


def test_what_nothing_is_known_of_is_itself():
    def function(x):
        return x

    for each in (function, [].append, "a".join, {}.get, print, len, np.dtype, Variable):
        assert replacement_of(each) is each or replacement_of(each) == each


class Equal:
    """Equal to any other one, though what it does may differ."""

    def __eq__(self, other):
        return isinstance(other, Equal)

    def __hash__(self):
        return 0


@pytest.mark.parametrize("pair", [(True, 1), (1, np.True_), (Equal(), Equal())])
def test_what_is_equal_is_not_the_same(pair):
    for function in (*pair, *pair):
        assert replacement_of(function) is function


def test_writers_write_into_own_arrays():
    x = Variable(V, requires_grad=True)
    own = FunctionalArray(np.zeros(3))
    replacement_of(np.add.at)(own, [0, 0], 1.0)
    assert own.content.tolist() == [2.0, 0.0, 0.0]
    replacement_of(np.copyto)(own, x)
    assert own.content.requires_grad
    assert replacement_of(np.multiply)(x, 2.0, out=own) is own
    assert own.value.tolist() == [1.0, 0.5, 4.0]
    whole, part = FunctionalArray(np.zeros(3)), FunctionalArray(np.zeros(3))
    assert replacement_of(np.sin)(x, out=(whole,)) is whole
    replacement_of(np.modf)(x, out=(part, whole))
    assert (part.value.tolist(), whole.value.tolist()) == ([0.5, 0.25, 0], [0, 0, 2])
    with pytest.raises(ValueError, match="shape"):
        replacement_of(np.multiply)(M, x, out=own)
    with pytest.raises(TypeError):
        replacement_of(np.multiply)(x, 1j, out=own)


@pytest.mark.parametrize(
    ("call", "first", "second"),
    [
        (lambda x, y: np.array([x, y]), D, 2.0),
        (lambda x, y: np.array([x, y]), V, V),
        (lambda x, y: np.asarray(x, y), V, S),
        (lambda x, y: np.ascontiguousarray(x, dtype=y), V, S),
        (lambda x, y: np.complex64(x, y), S, S),
        (lambda x, y: math.atan2(x, y), D, F),
        (lambda x, y: np.arange(x, y), D, 9.0),
        (lambda x, y: np.stack([x, y]), V, V),
        (lambda x, y: round(x, 1) + y, D, F),
    ],
)
def test_constants_beside_what_stands_for_arrays(call, first, second):
    """A Variable that requires no grad is a number to what does not know it."""
    traced = srcgrad.trace(call)
    for given in (first, Variable(first)):
        for _ in range(2):
            assert plain(traced(given, second)) == plain(call(given, second))


def test_a_scalar_as_a_dtype():
    """NumPy takes the scalar's own; in a trace something stands for it."""
    traced = srcgrad.trace(lambda x, y: np.asfortranarray(x, y))
    for _ in range(2):
        assert plain(traced(np.uint8(3), np.int64(2))) == plain(np.array([3]))


def test_how_many_elements_an_arange_has_is_a_condition():
    def f(x):
        return np.arange(0.5 * x, 3.0, 2.0 * x)

    traced = srcgrad.trace(f)
    for x in (0.2, 0.7, 0.7, 0.2, 0.21):
        np.testing.assert_allclose(traced(x), f(x), rtol=1e-14)


def test_elements_are_counted_as_they_are_written():
    def counted(x):
        h = np.empty_like(x)
        h.flat = np.asarray_chkfinite(x[0])
        for index, each in np.ndenumerate(h):
            h[index[0], -1] += each * x[index]
        return np.sum(h * h)

    traced = srcgrad.trace(counted)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(2, 3))
        assert traced(x) == counted(x)
        found = srcgrad.grad(traced)(x)
        np.testing.assert_allclose(found, slope_of(counted, x), rtol=1e-6)
