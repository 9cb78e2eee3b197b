"""``autograd.backward`` from several roots; ``autograd.grad``: gradients as results."""

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd
from srcgrad.autograd import backward, grad
from tests.variables import variable


def test_autograd_backward_with_several_roots():
    x = variable([1.0, 2.0])
    y, z = x.sum(), x * x
    backward([y, z], [None, np.ones(2)])
    assert x.grad.data.tolist() == [3.0, 5.0]
    x.grad = None
    backward([y, y])
    assert x.grad.data.tolist() == [2.0, 2.0]
    backward(x.sum(), np.array(2.0))
    assert x.grad.data.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match="2 Variables and 1 gradients"):
        backward([y, z], [None])


def test_autograd_grad():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    z = x * y
    gx, gy = grad(z, [x, y], np.ones(2), retain_graph=True)
    assert gx.data.tolist() == [3.0, 4.0]
    assert gy.data.tolist() == [1.0, 2.0]
    assert x.grad is y.grad is None
    (gz,) = grad((z * 2.0).sum(), z)
    assert gz.data.tolist() == [2.0, 2.0]
    (twice,) = grad([z, z], x, [np.ones(2), np.ones(2)], only_inputs=True)
    assert twice.data.tolist() == [6.0, 8.0]


def test_autograd_grad_of_what_is_not_reached():
    x, y = variable([1.0]), variable([2.0])
    with pytest.raises(RuntimeError, match="unreachable"):
        grad(x * 2.0, [x, y])
    gx, gy = grad(x * 2.0, [x, y], allow_unused=True)
    assert (gx.item(), gy) == (2.0, None)
    with pytest.raises(RuntimeError, match="does not require grad"):
        grad(x * 2.0, variable([1.0], requires_grad=False))
    with pytest.raises(ValueError, match="only_inputs"):
        grad(x * 2.0, x, only_inputs=False)


def test_names_are_where_pytorch_has_them():
    assert autograd.Function is srcgrad.Function
    assert autograd.Variable is srcgrad.Variable
    assert autograd.once_differentiable is srcgrad.once_differentiable
