"""The examples that the first autograd's users learned from, and its first defects."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.variables import variable

# ----- The worked examples, as they stand -----


def test_example_of_a_sum_of_two_variables(capsys):
    a = Variable(np.random.randn(2, 1), requires_grad=True)
    b = Variable(np.random.randn(2, 1), requires_grad=True)
    c = a.add(b)
    g = np.random.randn(2, 1)
    c.backward(g)
    print(a.grad, b.grad)
    assert np.array_equal(a.grad.data, g)
    assert np.array_equal(b.grad.data, g)
    assert capsys.readouterr().out.count("Variable containing:") == 2


def test_example_of_a_mean(capsys):
    x = Variable(np.ones((2, 2)), requires_grad=True)
    print(x)
    assert capsys.readouterr().out.startswith("Variable containing:")
    y = x + 2
    assert repr(y.grad_fn).startswith("<AddBackward")
    assert x.grad_fn is None
    z = y * y * 3
    out = z.mean()
    assert out.item() == 27.0
    out.backward()
    assert x.grad.data.tolist() == [[4.5, 4.5], [4.5, 4.5]]
    assert y.grad is None
    assert z.grad is None
    with pytest.raises(RuntimeError, match="second time, but the buffers have already"):
        out.backward()


def test_example_of_a_retained_graph():
    x = Variable(np.ones((2, 2)), requires_grad=True)
    y = x + 2
    y.backward(np.ones((2, 2)), retain_graph=True)
    z = y * y
    g = np.random.randn(2, 2)
    y.backward(g)
    assert np.array_equal(x.grad.data, 1 + g)
    assert z.shape == (2, 2)


def test_example_of_requires_grad_in_place():
    a = Variable(np.random.randn(2, 2))
    a = (a * 3) / (a - 1)
    assert a.requires_grad is False
    a.requires_grad_(True)
    assert a.requires_grad is True
    b = (a * a).sum()
    assert repr(b.grad_fn).startswith("<SumBackward")
    with srcgrad.no_grad():
        assert not (a * 2).requires_grad
    assert np.array_equal(a.detach().data, a.data)
    assert not a.detach().requires_grad


# ----- Defects of the first versions -----


def test_truth_of_an_array_is_no_test_for_none():
    x = variable([0.0, 0.0])
    (x * 2.0).backward(np.zeros(2))
    assert x.grad.data.tolist() == [0.0, 0.0]


def test_the_first_gradient_is_not_added_to_in_place():
    x, y = variable([1.0, 2.0]), variable([1.0, 2.0])
    z = x + y  # one array goes to both
    (z + x).backward(np.ones(2))
    assert x.grad.data.tolist() == [2.0, 2.0]
    assert y.grad.data.tolist() == [1.0, 1.0]


def test_functions_of_several_outputs_get_a_gradient_for_each():
    x = variable([[2.0, 1.0], [1.0, 3.0]])
    first, second = np.split(x, 2)
    (first * 2.0).sum().backward(retain_graph=True)
    assert x.grad.data.tolist() == [[2.0, 2.0], [0.0, 0.0]]
    (second * 3.0).sum().backward()
    assert x.grad.data.tolist() == [[2.0, 2.0], [3.0, 3.0]]


def test_a_constant_to_the_power_of_a_variable():
    x = variable(3.0)
    (2.0**x).backward()
    assert x.grad.item() == pytest.approx(8.0 * np.log(2.0))


def test_repeated_indices_all_count():
    x = variable([1.0, 2.0])
    x[[0, 0, 1]].sum().backward()
    assert x.grad.data.tolist() == [2.0, 1.0]


def test_identities_are_not_recycled():
    x = variable([1.0])
    total = 0.0
    for _ in range(100):
        x.grad = None
        (x * 2.0).sum().backward()
        total += x.grad.item()
    assert total == 200.0
