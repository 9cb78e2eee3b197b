"""Every way in which NumPy code reaches a Variable."""

import operator

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.protocols import dispatched, first_variable
from tests.variables import variable, vector

A, B = np.array([[1.5, -2.0], [0.5, 3.0]]), np.array([2.0, 4.0])


def same(found, expected):
    assert type(found) is Variable
    np.testing.assert_array_equal(found.data, expected, strict=True)
    return True


# ----- Operators -----

FLOATS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow, operator.matmul),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
]
INTEGERS = [
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)
]


@pytest.mark.parametrize("operate", FLOATS)
def test_operators_on_either_side(operate):
    x, y = np.abs(A), B
    expected = operate(x, y)
    assert same(operate(Variable(x), Variable(y)), expected)
    assert same(operate(Variable(x), y), expected)
    assert same(operate(x, Variable(y)), expected)


@pytest.mark.parametrize("operate", INTEGERS)
def test_operators_of_integers(operate):
    x, y = np.array([5, 3]), np.array([1, 2])
    expected = operate(x, y)
    assert same(operate(Variable(x), y), expected)
    assert same(operate(x, Variable(y)), expected)


@pytest.mark.parametrize("operate", [operator.neg, operator.pos, operator.abs])
def test_signs(operate):
    assert same(operate(Variable(A)), operate(A))


def test_inversion():
    assert same(~Variable(A > 0), ~(A > 0))


def test_divmod_gives_both():
    for found in (divmod(Variable(A), B), divmod(Variable(A), Variable(B))):
        for part, expected in zip(found, divmod(A, B), strict=True):
            assert same(part, expected)
    for part, expected in zip(divmod(7.5, Variable(B)), divmod(7.5, B), strict=True):
        assert same(part, expected)


def test_an_operand_may_ask_to_run_the_operator_itself():
    class Own:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

        __rmatmul__ = __rlt__ = __gt__ = __radd__

    assert Variable(A) + Own() == "mine"
    assert Variable(A) @ Own() == "mine"
    assert (Variable(A) < Own()) == "mine"


# ----- ndarray's methods and properties -----


def test_what_numpy_knows_without_the_elements():
    x = Variable(A.astype(np.float32))
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 2), 2, 4, 2)
    assert (x.dtype, x.itemsize, x.nbytes) == (np.float32, 4, 16)
    with pytest.raises(TypeError, match="unsized"):
        len(Variable(1.0))
    with pytest.raises(TypeError, match="0-d"):
        iter(Variable(1.0))


def test_rows_and_membership():
    rows = list(Variable(A))
    assert all(same(row, expected) for row, expected in zip(rows, A, strict=True))
    assert 1.5 in Variable(A)
    assert 9.0 not in Variable(A)


@pytest.mark.parametrize(
    "method",
    [
        lambda x: x.sum(axis=0),
        lambda x: x.mean(1, keepdims=True),
        lambda x: x.clip(0.0, 1.0),
        lambda x: x.reshape(4, 1),
        lambda x: x.reshape((1, -1)),
        lambda x: x.transpose(1, 0),
        lambda x: x.transpose((1, 0)),
        lambda x: x.T,
        lambda x: x.mT,
        lambda x: x.real,
        lambda x: x.imag,
        lambda x: x.flatten(order="F"),
        lambda x: x.argmax(axis=1),
        lambda x: x.conj(),
        lambda x: x.compress([True, False], axis=1),
    ],
)
def test_methods_are_ndarrays(method):
    assert same(method(Variable(A)), method(A))


def test_methods_under_pytorchs_names():
    x, y = Variable(np.abs(A)), Variable(np.abs(A).T)
    assert same(x.add(1.0), np.abs(A) + 1.0)
    assert same(x.div(y), np.abs(A) / np.abs(A).T)
    assert same(x.mm(y), np.abs(A) @ np.abs(A).T)
    assert same(x.log(), np.log(np.abs(A)))
    assert same(x.t(), np.abs(A).T)


def test_a_variable_is_kept_in_sets_by_identity():
    x, y = vector(1.0), vector(1.0)
    assert len({x, y, x}) == 2


# ----- NumPy's own functions -----


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.add.reduce(x),
        lambda x: np.multiply.reduce(x, axis=1),
        lambda x: np.maximum.reduce(x, axis=None),
        lambda x: np.maximum.reduce(x, 1, np.float64),
        lambda x: np.add.accumulate(x),
        lambda x: np.multiply.accumulate(x, axis=1),
        lambda x: np.subtract.outer(x, x[0]),
    ],
)
def test_methods_of_ufuncs_are_differentiated(call):
    x = variable(A)
    out = call(x)
    expected = call(A)
    np.testing.assert_array_equal(out.data, expected)
    out.backward(np.ones(np.shape(expected)))
    step = 1e-6 * np.eye(4).reshape(4, 2, 2)
    slopes = [np.sum(call(A + d) - call(A - d)) / 2e-6 for d in step]
    np.testing.assert_allclose(x.grad.data.ravel(), slopes, rtol=1e-6)


def test_a_function_of_ours_is_dispatched_like_numpys():
    @dispatched
    def shifted(x, index):
        assert not isinstance(x, Variable)
        return x[index] + 1.0

    seen = []

    class Noting(Variable):
        def _call(self, function, args, kwargs):
            seen.append((function, args))
            return "called"

    x = Noting(B)
    assert shifted(B, 0) == 3.0
    assert shifted(x, 0) == shifted(B, (slice(None), x)) == "called"
    assert seen == [(shifted, (x, 0)), (shifted, (B, (slice(None), x)))]


def test_the_first_variable_of_an_argument():
    x, y = vector(1.0), vector(2.0)
    assert first_variable([1.0, (None, y), x]) is y
    assert first_variable((1.0, "text")) is None
