"""Rules of functions that combine elements: every sample; a Hessian."""

import numpy as np

import srcgrad.autograd
from srcgrad.tape.variable import Variable


def test_hessian_of_a_product_with_a_zero():
    x = Variable(np.array([0.0, 2.0, 3.0]), requires_grad=True)
    (first,) = srcgrad.autograd.grad(np.prod(x), x, create_graph=True)
    rows = [
        srcgrad.autograd.grad(first, x, row, retain_graph=True)[0].data.tolist()
        for row in np.eye(3)
    ]
    assert rows == [[0.0, 3.0, 2.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
