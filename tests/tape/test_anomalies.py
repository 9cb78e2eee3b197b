"""Under ``detect_anomaly``, an operation that makes NaN or infinity is an error."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tape.anomalies import Content
from tests.telling import in_full
from tests.variables import variable

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Logarithm(srcgrad.Function):
    """A Function of a user's."""

    @staticmethod
    def forward(ctx, x):
        return np.log(x)

    @staticmethod
    def backward(ctx, g):
        return g


def divided_in_place(x):
    y = x * 1.0
    y /= 0.0
    return y


def logarithms(v):
    return np.sum(np.log(v))


ZEROS = np.zeros(3)
# What makes NaN or infinity of zeros, and the name that the error has for it.
BORN = {
    "a function": (np.log, "log"),
    "an operator": (lambda x: 1.0 / x, "divide"),
    "nan": (lambda x: x / x, "divide"),
    "a scalar": (lambda x: np.log(x[0]), "log"),
    "a method": (lambda x: x.log(), "log"),
    "an operator in place": (divided_in_place, "divide"),
    "out": (lambda x: np.log(x, out=np.ones_like(x)), "log"),
    "a Function": (Logarithm.apply, "Logarithm"),
    "several results": (lambda x: np.linalg.slogdet(np.outer(x, x)), "slogdet"),
    "a function made of others": (lambda x: np.mean(x[:0]), "mean"),
    "an overflow": (lambda x: (x + 1e300).astype(np.float32), "cast"),
    "a traced function": (srcgrad.trace(logarithms), "log"),
    "a transform": (lambda x: srcgrad.grad(logarithms)(ZEROS), "log"),
    "a batch": (lambda x: srcgrad.vmap(lambda v: np.log(v))(x), "log"),
    "an infinite argument": (lambda x: (x + np.inf) - (x + np.inf), "subtract"),
}
# What gives none, or was given it.
NOT_BORN = {
    "sums": np.sum,
    "an infinite argument": lambda x: np.sum(x + np.inf),
    "an infinite option": lambda x: np.max(x, initial=-np.inf),
    "a choice": lambda x: np.where(x > 0.0, x, -np.inf),
    "nan": lambda x: x * np.nan,
    "what a function does inside": np.sinc,
    "memory that nobody has set": np.empty_like,
    "an assignment": lambda x: np.copy(x).__setitem__(0, np.nan),
    "second derivatives": lambda x: srcgrad.hessian(lambda v: np.sum(v**3.0))(ZEROS),
    "tangents": lambda x: srcgrad.jvp(np.sin, (ZEROS,), (ZEROS,)),
}


@pytest.mark.parametrize("case", BORN)
def test_what_is_made_of_finite_numbers_is_an_error(case):
    function, name = BORN[case]
    with srcgrad.detect_anomaly(), pytest.raises(srcgrad.AnomalyError) as error:
        function(variable(ZEROS))
    told = in_full(error.value)
    assert told.startswith(f"{name} returned nan")
    assert "at " in told
    assert "test_anomalies.py:" in told


@pytest.mark.parametrize("case", NOT_BORN)
def test_what_was_there_before_is_none(case):
    with srcgrad.detect_anomaly():
        NOT_BORN[case](variable(ZEROS))


@pytest.mark.parametrize("case", BORN)
def test_outside_nothing_is_looked_at(case):
    BORN[case][0](variable(ZEROS))


def test_the_line_is_the_users():
    def loss(v):
        ratio = v / v  # here it starts
        return np.sum(ratio * 0.0)

    for wrapped in (loss, srcgrad.trace(loss)):
        with srcgrad.detect_anomaly(), pytest.raises(srcgrad.AnomalyError) as error:
            wrapped(variable(ZEROS))
        assert "ratio = v / v  # here it starts" in in_full(error.value)


def test_a_traced_function_is_looked_at_in_later_calls_too():
    traced = srcgrad.trace(logarithms)
    for _ in range(3):
        traced(variable(np.ones(3)))
    assert traced.stats.compiled
    with srcgrad.detect_anomaly(), pytest.raises(srcgrad.AnomalyError):
        traced(variable(ZEROS))


def test_the_way_back_is_looked_at_node_by_node():
    """A rule may compute NaN where it does not choose it."""
    x = variable(ZEROS)
    with srcgrad.detect_anomaly():
        (g,) = srcgrad.autograd.grad(np.sum(x**2.0), x, create_graph=True)
        np.sum(g).backward()
    assert x.grad.data.tolist() == [2.0] * 3


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((), (False, False)),
        ((1.0, 2, None, "nan"), (False, False)),
        ((np.nan,), (True, False)),
        (([1.0, (np.array([1.0, np.inf]),)],), (False, True)),
        (({"x": complex(np.nan, np.inf)},), (True, True)),
        ((np.array([3, 4]), np.float32(-np.inf)), (False, True)),
    ],
)
def test_what_arrays_and_containers_have(items, expected):
    assert Content.of(*items) == expected
