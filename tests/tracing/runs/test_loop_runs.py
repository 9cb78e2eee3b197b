"""Loops that are recorded as one node do what the tape does."""

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd
from tests.corpus.programs import PROGRAMS
from tests.corpus.walks import walk, walk_by_grad

pytestmark = pytest.mark.usefixtures("regions")

TEXTS = (
    "breaks carried counted counters counts endings filling indices reach shared "
    "stepped"
).split()
NAMES = [name for name in PROGRAMS if name.partition(":")[0] in TEXTS]


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_as_untraced(name):
    program = PROGRAMS[name]
    if walk_by_grad(program) is None and not program.draws:
        walk(program)


def newton_for_each(c):
    total = 0.0
    for k in range(30):
        y, x, err = 0.05 * (k - 15.0), 0.0, 1.0
        while abs(err) > 1e-10:
            s = x * x + y * y
            err = c[0] * s + c[1] * s * s - x
            x = x - err / (2 * c[0] * x + 4 * c[1] * s * x - 1.0)
        total = total + np.sin(x) * x + y * x
    return total


def bisection_for_each(c):
    total = 0.0
    for k in range(20):
        low, high = 0.0, 10.0
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            if c[0] * middle * middle + c[1] * middle > 0.01 * (k + 1) * middle + 1.0:
                high = middle
            else:
                low = middle
        total = total + low * low * c[1]
    return total


def a_list_of_states(c):
    state, states = np.array([1.0, 0.0]), []
    for _ in range(60):
        state = state + 0.05 * np.array([state[1], -c[0] * state[0] - c[1] * state[1]])
        states.append(state)
    return np.sum(np.array(states) ** 2)


def rows_in_place(c):
    u = np.zeros((20, 2))
    u[0] = c
    for i in range(1, 20):
        u[i] = np.tanh(u[i - 1] * c[0] + u[i // 2] * 0.1)
    return np.sum(u * u)


PROGRAMS_OF_ONE_LOOP = [
    newton_for_each,
    bisection_for_each,
    a_list_of_states,
    rows_in_place,
]


@pytest.mark.parametrize("function", PROGRAMS_OF_ONE_LOOP)
def test_the_first_call_and_later_ones_give_what_the_tape_gives(function):
    traced = srcgrad.trace(function)
    for c in np.array([0.3, 0.2]), np.array([0.35, 0.1]), np.array([0.25, 0.15]):
        with srcgrad.set_stance("tape"):
            value, gradient = srcgrad.value_and_grad(traced)(c)
        ours = srcgrad.value_and_grad(traced)(c)
        assert ours[0] == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(ours[1], gradient, 1e-9)
    stats = srcgrad.value_and_grad(traced).explain(as_dict=True)
    assert stats["compiled"] == 2


@pytest.mark.parametrize("function", [newton_for_each, a_list_of_states])
def test_the_call_that_is_recorded_has_derivatives_of_any_order(function):
    found = []
    for stance in "tape", "default":
        x = srcgrad.Variable(np.array([0.3, 0.2]), requires_grad=True)
        with srcgrad.set_stance(stance):
            (first,) = autograd.grad(srcgrad.trace(function)(x), [x], create_graph=True)
            (second,) = autograd.grad(np.sum(first * first), [x])
        found.append((first.data, second.data))
    np.testing.assert_allclose(found[1], found[0], 1e-9)


def of_steps(steps):
    def function(c):
        h = np.zeros(3)
        for _ in range(steps):
            h = np.tanh(c[0] * h + c[1])
        return np.sum(h)

    return function


@pytest.mark.parametrize("steps", [20, 200])
def test_the_source_is_as_long_for_any_number_of_iterations(steps):
    few, many = of_steps(10), of_steps(steps)
    lengths = []
    for function in few, many:
        gradient = srcgrad.grad(srcgrad.trace(function))
        gradient(np.array([0.3, 0.2]))
        lengths.append(len(gradient.source().splitlines()))
    assert lengths[0] == lengths[1]
