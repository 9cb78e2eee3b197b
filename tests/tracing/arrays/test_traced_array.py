"""Where ndarrays, NumPy scalars and floats do something else than a Variable."""

import copy
import math

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import outcome, same_through

FLOATS = {
    "floor divide": lambda t: (t // 2.0, 7 // t, t // 2),
    "divmod": lambda t: (divmod(t, 2.0), divmod(7.5, t)),
    "round": lambda t: (round(t), round(t, 1), round(t * 7.35, 2)),
    "compare": lambda t: (t < 2.0, t == 3.5, 1 < t, t != 2, not t),  # noqa: SIM300
    "booleans": lambda t: (~(t < 2.0), (t > 1) * 2.0, (t > 1) & (t < 5)),
    "conjugate": lambda t: (t.real, t.imag, t.conjugate()),
    "power": lambda t: (t**2, 2**t, t**0.5, pow(t, 2)),
    "own methods": lambda t: t.is_integer(),
    "class": lambda t: (type(t).__name__, t.__class__.__name__, isinstance(t, float)),
    "numpy": lambda t: (np.floor(t), np.sqrt(abs(t)), np.maximum(t, 1)),
    "convert": lambda t: (float(t), int(t), str(t), bool(t), complex(t)),
    "math": lambda t: math.exp(t) + math.floor(t),
}


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_floats_keep_pythons_arithmetic(name, kind):
    values = (2.75, 2.75, 3.5, -3.5, 2.0, 2.0)
    same_through(FLOATS[name], *[lambda t=t: (kind(t),) for t in values])


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_a_power_of_minus_one_is_a_division(kind):
    """The same but for rounding: NumPy before 2.3 has a power of float32 of its own."""
    inverse = srcgrad.trace(lambda t: t**-1)
    for value in (2.75, 2.75, 3.5, -3.5, 2.0):
        ours, theirs = inverse(kind(value)), inverse.__wrapped__(kind(value))
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=np.finfo(kind).eps)
    assert inverse.stats.compiled == 4


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("function", "bad"),
    [
        (lambda t: 1.0 / t, 0.0),
        (lambda t: t**-1, 0.0),
        (lambda t: t // 0.0 if t > 5 else t, 6.0),
        (lambda t: t**2, 1e200),
        (lambda t: t**0.5, -4.0),
        (lambda t: math.sqrt(t), -1.0),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_python_raises_where_numpy_does_not(function, bad, kind):
    same_through(function, *[lambda t=t: (kind(t),) for t in (2.0, 3.0, bad, 3.0)])


# ----- Operations that are another object's, or Python's -----

PYTHONS = {
    "repeat a list": lambda x, n: x * len([0] * n) + sum([1.0] * n),
    "repeat a tuple": lambda x, n: x * np.zeros((2,) * n).size,
    "repeat from the left": lambda x, n: x * len(n * (2,)),
    "repeat text": lambda x, n: x * len("ab" * n) + len(n * b"a"),
    "repeat nothing": lambda x, n: x * len([1] * (n * 0)),
    "make an array of a repeated list": lambda x, n: np.array([0.0] * n) + x[0],
    "times a list": lambda x, n: n * [1.0, 2.0],
    "plus a list": lambda x, n: (n + [1.0, 2.0, 3.0]) * x,  # noqa: RUF005
    "minus a tuple": lambda x, n: (n - (1.0, 2.0, 3.0)) * x,
    "compare with a list": lambda x, n: n != [1.0, 2.0],
    "compare with nothing": lambda x, n: (n == None, n != None),  # noqa: E711
    "compare with text": lambda x, n: (n == "a", n != "a"),
    "look up": lambda x, n: x * {1: 2.0, 2: 3.0}[n],
    "element of a list": lambda x, n: x * [1.0, 2.0, 3.0][n],
    "contained": lambda x, n: x * (2.0 if n in (1, 3) else 5.0),
    "format": lambda x, n: x * len("%d" % n) + len(f"{n}"),  # noqa: UP031
    "times a truth value": lambda x, n: x.astype(np.float32) + n * True,
}


@pytest.mark.parametrize(
    "kind", [np.int64, np.uint8, np.array, np.float64, np.float32, float, int]
)
@pytest.mark.parametrize("name", PYTHONS)
def test_sequences_and_others(name, kind):
    x = np.array([1.0, 2.0, 3.0])
    same_through(PYTHONS[name], *[lambda n=n: (x, kind(n)) for n in (2, 2, 1, 2)])


def test_a_product_of_python_numbers_is_one():
    scaled = srcgrad.trace(lambda x, rate, use: x + rate * use)
    x = np.ones(3, np.float32)
    for use in (True, False, True):
        assert scaled(x, 0.1, use).dtype == np.float32


def is_none(x):
    return x == None  # noqa: E711


def is_something(x):
    return x != None  # noqa: E711


@pytest.mark.parametrize("function", [is_none, is_something])
@pytest.mark.parametrize("x", [np.array([1.0, 2.0]), np.array(1.0), np.float64(1.0)])
def test_an_array_and_none(function, x):
    same_through(function, *[lambda: (x,)] * 3, compiled=2)


def test_a_loop_of_augmented_lists():
    def repeated(x, n):
        values = [1.0]
        values *= n
        return x * len(values)

    same_through(repeated, *[lambda n=n: (np.ones(2), np.int64(n)) for n in (2, 2, 3)])


# ----- NumPy's own functions on arrays without a gradient -----

NUMPYS = {
    "median": lambda x: (np.median(x), np.median(x, axis=0)),
    "quantile": lambda x: (np.quantile(x, 0.3), np.quantile(x, [0.3, 0.5])),
    "average": lambda x: (np.average(x), np.average(x, weights=x, returned=True)),
    "sums without nan": lambda x: (np.nancumsum(x), np.nanprod(x), np.nanmean(x)),
    "outer": lambda x: (np.subtract.outer(x, x), np.multiply.outer(x, 2.0)),
    "reduce": lambda x: (np.add.reduce(x), np.maximum.reduce(x)),
    "accumulate": lambda x: np.add.accumulate(x),
    "powers": lambda x: (x**2, x**3, np.power(x, 2)),
    "roots": lambda x: (x**0.5, np.power(x, 0.5)),
    "differences": lambda x: (np.ptp(x), np.diff(x), np.ediff1d(x)),
    "trace": lambda x: np.trace(np.multiply.outer(x, x)),
}
KINDS = ("f8", "f4", "f2", "i8", "i4", "u1", "?")
ROW = (1.0, 3.0, 0.0, 2.0)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", NUMPYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arrays_give_what_numpy_gives(name, dtype):
    x = np.array(ROW).astype(dtype)
    same_through(NUMPYS[name], *[lambda x=x: (x.copy(),)] * 3)
    same_through(NUMPYS[name], *[lambda x=x: (x[1],)] * 3)
    same_through(NUMPYS[name], *[lambda x=x: (np.array(x[1]),)] * 3)


@pytest.mark.parametrize("x", [np.array([-0.0, -np.inf, 4.0]), np.float64(-0.0)])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_root_written_as_a_power_is_the_operators(x):
    found, expected = [srcgrad.trace(root)(x) for _ in range(2)], root(x)
    for each in found:
        np.testing.assert_array_equal(each, expected)
        np.testing.assert_array_equal(np.signbit(each), np.signbit(expected))


def root(x):
    return x**0.5


def test_weights_that_sum_to_zero_raise():
    def weighted(x, w):
        return np.average(x, weights=w)

    x = np.array(ROW)
    same_through(weighted, *[lambda w=w: (x, w) for w in (x, x, 0.0 * x, x)])


# ----- Arrays where only dtypes are asked for -----

ASKED = {
    "dtype": lambda x: np.dtype(x),
    "promoted": lambda x: np.promote_types(x, x),
    "subdtype": lambda x: np.issubdtype(x, float),
    "contained": lambda x: 1.0 in x[0],
    "contiguous": lambda x: np.ascontiguousarray(x[0]).shape,
    "result": lambda x: np.result_type(x, x),
}


@pytest.mark.parametrize(
    "name",
    ["dtype", "promoted", "subdtype", "contained", "contiguous", "result"],
)
def test_what_numpy_refuses_of_an_array(name):
    same_through(ASKED[name], *[lambda: (np.ones((2,)),)] * 2)


@pytest.mark.parametrize("scalar", [1.5, 2 + 1j, np.float32(2.0), np.int8(3)])
def test_a_copy_of_a_scalar_is_a_scalar(scalar):
    traced, scalar = srcgrad.trace(lambda a: a.copy()), np.asarray(scalar)[()]
    for _ in range(3):
        assert type(traced(scalar)) is type(scalar.copy())
        assert traced(scalar) == scalar


# ----- NumPy's truth, for which an array stands while a function is recorded -----

TRUTHS = {
    "class": lambda b: (type(b), b.__class__, isinstance(b, np.bool_)),
    "no array": lambda b: (isinstance(b, np.ndarray), hasattr(b, "__len__")),
    "scalar": lambda b: (np.isscalar(b), isinstance(b, np.generic)),
    "converted": lambda b: (b.astype(float), b.astype(int), b.item(), int(b)),
    "copied": lambda b: (b.copy(), copy.copy(b), copy.deepcopy(b), np.copy(b)),
    "parts": lambda b: (b.real, b.imag, b.T, b.conj(), b.squeeze()),
    "shapes": lambda b: (b.reshape(()), np.reshape(b, ()), np.transpose(b), b.ravel()),
    "arrays": lambda b: (np.asarray(b), np.array(b), np.stack([b, b]), np.full(2, b)),
    "arithmetic": lambda b: (b**2, b + b, 1.0 * b, b * 2, ~b, b ^ True, b & True),
    "key": lambda b: ({True: 3, False: 4}[b], b in {True}, hash(b)),
    "index": lambda b: ([1, 2][int(b)], np.arange(2.0)[b]),
    "rounded": lambda b: round(b),
    "negative": lambda b: -b,
    "written": lambda b: b.__setitem__((), True),
    "in place": lambda b: changed(b),
}


def changed(b):
    before = b
    b |= True
    return before, b


MADE = {
    "compared": lambda x: x[0] > 0.0,
    "of two arms": lambda x: x[0] > 0.0 if x[1] > 0.0 else x[0] < 0.0,
    "or Python's": lambda x: x[0] > 0.0 if x[1] > 0.0 else False,
    "and": lambda x: x[0] > 0.0 and x[1] > 0.0,
}


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("made", MADE)
def test_numpys_truth_is_a_scalar(made, name):
    def f(x):
        return used(make(x))

    make, used = MADE[made], TRUTHS[name]
    points = [np.array(x) for x in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-2.0, -1.0))]
    same_through(f, *[lambda x=x: (x,) for x in points * 2])


# ----- Python's numbers compare as Python's do -----

COMPARED = {
    "complex": lambda a: complex(a, 1.0) < 2.0,
    "the largest of complex ones": lambda a: sorted([0.0, complex(a, 1.0)]),
    "equal complex ones": lambda a: (complex(a, 0.0) == a, complex(a, 1.0) != a),
    "no float": lambda a: (a == 2**53 + 1, a < 2**53 + 1, a < 2**60 + 1),
    "in an arm": lambda a: 1.0 if a < 2**53 + 1 else 2.0,
    "a rounded one": lambda a: round(complex(a, 1.0)),
    "kinds": lambda a: (a > 1.0, a == a, type(a < 2.0)),
}


@pytest.mark.parametrize("name", COMPARED)
def test_pythons_numbers_compare_as_they_do(name):
    function = COMPARED[name]
    values = (1.0, 2.0**53, 2.0**53 + 2.0, 1.0, 2.0**60, -3.0, 2.0**53)
    same_through(function, *[lambda a=a: (a,) for a in values])

    def beside(a):
        return a * 2.0, function(a)

    traced = srcgrad.value_and_grad(srcgrad.trace(beside), has_aux=True)
    for a in values:
        ours = outcome(lambda a: traced(a)[0][1], a)
        assert ours == outcome(function, a)
