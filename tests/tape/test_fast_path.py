"""The fast path gives what the other path gives, and is what is taken."""

import operator

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.modes import override


class Slow(Variable):
    """The fast path is that of Variables of exactly their own class."""


A, B = np.array([[0.5, 1.5], [2.0, 0.25]]), np.array([1.5, 0.75])

BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "np.maximum": np.maximum,
    "np.hypot": np.hypot,
}
UNARY = {
    "neg": operator.neg,
    "abs": operator.abs,
    "np.exp": np.exp,
    "np.tanh": np.tanh,
    "sum": lambda x: x.sum(),
    "sum of an axis": lambda x: x.sum(axis=0, keepdims=True),
    "np.mean": lambda x: np.mean(x, 1),
    "max": lambda x: x.max(axis=-1),
    "part": lambda x: x[0],
    "slice": lambda x: x[:, ::-1],
}


def everything(out, leaves):
    """The result, the node, and the gradients, of which the last are of the first."""
    node = out.grad_fn
    first = srcgrad.autograd.grad(
        out, leaves, np.ones(out.shape), create_graph=True, retain_graph=True
    )
    found = [out.data, *(g.data for g in first)]
    return found, (type(node), node.plan.saves, len(node.versions), out.output_nr)


def compare(function, *arrays):
    results = []
    for cls in (Variable, Slow):
        leaves = [cls(array.copy(), requires_grad=True) for array in arrays]
        out = function(*leaves)
        assert type(out) is cls
        results.append(everything(out, leaves))
    (fast, fast_node), (slow, slow_node) = results
    assert fast_node == slow_node
    for one, other in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name):
    compare(BINARY[name], A, B)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        (name, other)
        for name in BINARY
        for other in (B, 1.5, 2, np.float64(1.5))
        if name != "matmul" or other is B
    ],
    ids=repr,
)
def test_an_operand_that_is_no_variable(name, other):
    compare(lambda x: BINARY[name](x, other), A)
    compare(lambda x: BINARY[name](other, x), A)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name):
    compare(UNARY[name], A)


def not_to_be_called(self, function, args, kwargs):
    raise AssertionError(f"{function} is not on the fast path")


@pytest.fixture
def only_fast(monkeypatch):
    monkeypatch.setattr(Variable, "_call", not_to_be_called)


def test_the_common_case_takes_it(only_fast):
    x, y = Variable(A, requires_grad=True), Variable(B, requires_grad=True)
    for function in BINARY.values():
        assert function(x, y).requires_grad
        assert function(x, B).requires_grad
    for function in UNARY.values():
        assert function(x).requires_grad


@pytest.mark.parametrize(
    "mode",
    [{"grad_enabled": False}, {"anomaly": True}],
    ids=["no_grad", "detect_anomaly"],
)
def test_other_modes_take_the_other(only_fast, mode):
    x = Variable(A, requires_grad=True)
    for function in (lambda: x * x, lambda: np.exp(x), lambda: x.sum()):
        with override(**mode), pytest.raises(AssertionError, match="fast path"):
            function()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(axis=np.array(0)),
        lambda x: x.sum(where=A > 1.0),
        lambda x: x[np.array([0, 0])],
        lambda x: np.add(x, x, dtype=np.float32),
        lambda x: x * [1.0, 2.0],
    ],
)
def test_unusual_arguments_take_the_other(only_fast, function):
    with pytest.raises(AssertionError, match="fast path"):
        function(Variable(A, requires_grad=True))


def test_volatile_spreads_on_it():
    x, v = Variable(A, requires_grad=True), Variable(B, volatile=True)
    for out in (x + v, v + x, v * v, np.exp(v), v * 2.0):
        assert out.volatile
        assert out.grad_fn is None


def test_a_view_shares_the_version_counter():
    x = Variable(A.copy(), requires_grad=True) * 1.0
    row = x[0]
    assert row.own_storage() is x.own_storage()
    assert np.exp(x).own_storage() is not x.own_storage()
