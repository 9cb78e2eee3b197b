"""Which loops are one node, and how many of their iterations Python runs."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.capture.carrying import Carrying, Ran
from srcgrad.tracing.capture.loop_nodes import TRIES

pytestmark = pytest.mark.usefixtures("regions")


def a_range(x):
    for i in range(50):
        x = np.sin(x) * i
    return x


def a_test(x):
    while abs(x - 1.0) > 1e-9:
        x = 0.5 * (x + 1.0 / x)
    return x


def a_break(x):
    for _ in range(50):
        new = 0.5 * (x + 1.0 / x)
        is_close = abs(new - x) < 1e-9
        x = new
        if is_close:
            break
    return x


def rows(x):
    for row in ROWS:
        x = np.tanh(x * row[0] + row[1])
    return x


def a_kind_that_comes_late(x):
    s = 0.0
    for _ in range(50):
        s = s + x
    return s


def arrays_in_place(x):
    u = np.zeros(50)
    for i in range(1, 50):
        u[i] = u[i - 1] * 0.5 + x
    return np.sum(u)


def a_list(x):
    found = []
    for _ in range(50):
        x = np.sin(x)
        found.append(x)
    return np.sum(np.array(found))


ROWS = np.linspace(0.1, 1.0, 80).reshape(40, 2)


@pytest.mark.parametrize(
    ("function", "ran"),
    [
        (a_range, [Ran(48, True)]),
        (rows, [Ran(38, True)]),
        (a_kind_that_comes_late, [Ran(48, True)]),
        (arrays_in_place, [Ran(47, True)]),
        (a_list, [Ran(48, True)]),
    ],
)
def test_python_runs_two_iterations(function, ran, rans):
    srcgrad.value_and_grad(srcgrad.trace(function))(0.7)
    assert rans == ran


@pytest.mark.parametrize("function", [a_test, a_break])
def test_python_runs_three_of_a_loop_that_ends_by_a_test(function, rans):
    srcgrad.value_and_grad(srcgrad.trace(function))(20.0)
    ((number, is_over),) = rans
    assert number > 2
    assert not is_over


def python_sees_the_number(x):
    for i in range(50):
        x = np.sin(x) * COEFFICIENTS[i]
    return x


def an_object_of_the_environment_changes(x):
    HELD.count = x
    for _ in range(50):
        HELD.count = np.sin(HELD.count)
    return HELD.count


class Held:
    pass


HELD = Held()
COEFFICIENTS = [0.1 * k for k in range(50)]


@pytest.mark.parametrize(
    "function", [python_sees_the_number, an_object_of_the_environment_changes]
)
def test_what_is_no_function_of_what_it_carries_runs_as_ever(function, rans):
    function_of_x = srcgrad.value_and_grad(srcgrad.trace(function))
    found, slope = function_of_x(0.7)
    with srcgrad.set_stance("tape"):
        assert function_of_x(0.7) == pytest.approx((found, slope))
    assert rans in ([None] * TRIES, [])


@pytest.fixture
def rans(monkeypatch):
    """What has run without Python, a try each."""
    found, leaves = [], Carrying.leaves

    def noting(self, *args):
        found.append(leaves(self, *args))
        return found[-1]

    monkeypatch.setattr(Carrying, "leaves", noting)
    return found
