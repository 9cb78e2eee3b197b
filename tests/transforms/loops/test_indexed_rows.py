"""What a loop is given row by row it takes from the array."""

import numpy as np

import srcgrad

W = 0.5 * np.eye(3) + 0.1
POINT = np.array([0.3, -0.5, 0.8])


def kept(h, count=40):
    states = []
    for _ in range(count):
        h = np.tanh(W @ h)
        states.append(h)
    return states


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
