"""What a loop is given row by row it takes from the array."""

import numpy as np
import pytest

import srcgrad

W = 0.5 * np.eye(3) + 0.1
POINT = np.array([0.3, -0.5, 0.8])


def kept(h, count=40):
    states = []
    for _ in range(count):
        h = np.tanh(W @ h)
        states.append(h)
    return states


def whole(h):
    return np.sum((np.array(kept(h)) - 0.3) ** 2)


def turned(h):
    return np.sum((np.array(kept(h)[::-1]) - 0.3) ** 2 * W[0])


def numbers(h):
    return np.sum((np.array([state[1] for state in kept(h, 80)]) - 0.3) ** 2)


def by_two(h):
    return np.sum(np.sin(np.array(kept(h)))[::2] ** 2)


def stacked(h):
    return np.sum(np.stack(kept(h), axis=1) ** 2)


def out_of_order(h):
    states = kept(h)
    states[3], states[4] = states[4], states[3]
    return np.sum((np.array(states) - 0.3) ** 2 * np.arange(40.0)[:, None])


def joined(h):
    return np.sum(np.concatenate([kept(h), kept(0.5 * h)]) ** 3)


def back_again(h):
    """Rows go into another loop, too."""
    total = 0.0
    for row in np.array(kept(h)) ** 2:
        total = np.sin(total) + row[0] * row[2]
    return total


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        *((whole, 17), (turned, 19), (numbers, 28), (stacked, 17)),
        *((by_two, None), (out_of_order, None), (joined, None), (back_again, None)),
    ],
)
def test_rows_of_cotangents_are_taken_by_their_index(function, lines):
    ours = srcgrad.value_and_grad(function)
    for point in (POINT, POINT, 2.0 * POINT):
        found = ours(point)
        with srcgrad.set_stance("tape"):
            expected = ours(point)
        for mine, tapes in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, tapes, rtol=1e-12)
    if lines is not None:
        code = ours.source().split("def forward")[1].split("\n")
        assert len([line for line in code if line and "# " not in line]) <= lines


def test_a_list_that_is_returned_is_not_the_one_that_is_saved():
    traced = srcgrad.trace(kept)
    for _ in range(3):
        variable = srcgrad.Variable(POINT, requires_grad=True)
        states = traced(variable)
        last = states[-1]
        states.clear()
        last.backward(np.ones(3))
        plain = srcgrad.Variable(POINT, requires_grad=True)
        kept(plain)[-1].backward(np.ones(3))
        np.testing.assert_allclose(variable.grad.data, plain.grad.data, rtol=1e-12)
