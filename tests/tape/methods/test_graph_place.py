"""How a Variable hangs in the graph: its links, its gradient, its flags."""

import numpy as np
import pytest

from srcgrad import Leaf, Variable
from tests.variables import variable

# ----- Links -----


def test_graph_links():
    x, y = variable([1.0]), variable([2.0])
    z = x * y
    node = z.grad_fn
    assert z.creator is node
    assert node.next_functions == ((x.creator, 0), (y.creator, 0))
    assert node.previous_functions == node.next_functions
    assert (z * 2.0).grad_fn.next_functions == ((node, 0),)
    assert x.is_leaf
    assert not z.is_leaf
    assert z.output_nr == 0


@pytest.mark.parametrize("requires_grad", [True, False])
def test_leaf_is_the_creator_of_a_leaf(requires_grad):
    x = variable([1.0], requires_grad)
    assert type(x.creator) is Leaf
    assert x.creator is x.creator
    assert x.creator.next_functions == ()
    assert x.grad_fn is None
    assert type(Variable(np.ones(1), volatile=True).creator) is Leaf


def test_detach_in_place():
    x = variable([1.0, 2.0])
    y = x * 2.0
    assert y.detach_() is y
    assert y.is_leaf
    assert not y.requires_grad
    y.requires_grad_()
    (y * 3.0).sum().backward()
    assert y.grad.data.tolist() == [3.0, 3.0]
    assert x.grad is None
    assert Variable(np.ones(1), volatile=True).detach_().volatile


# ----- Gradients -----


def test_grad_is_assignable_and_checked():
    x = variable([1.0, 2.0])
    x.grad = variable([3.0, 3.0], requires_grad=False)
    x.sum().backward()
    assert x.grad.data.tolist() == [4.0, 4.0]
    x.zero_grad()
    assert x.grad.data.tolist() == [0.0, 0.0]
    x.grad = None
    assert x.grad is None
    x.zero_grad()
    assert x.grad is None
    with pytest.raises(RuntimeError, match=r"shape \(1,\)"):
        x.grad = variable([1.0])
    with pytest.raises(RuntimeError, match="dtype float32"):
        x.grad = Variable(np.ones(2, np.float32))
    with pytest.raises(TypeError, match="expected a Variable or None"):
        x.grad = np.ones(2)
    with pytest.raises(RuntimeError, match="its own gradient"):
        x.grad = x


def test_grad_survives_a_change_of_flags():
    x = variable([1.0])
    x.sum().backward()
    x.requires_grad = False
    assert x.grad.item() == 1.0
    x.requires_grad = True
    x.sum().backward()
    assert x.grad.item() == 2.0


# ----- Flags -----


def test_requires_grad_spreads_and_is_set_on_leaves_only():
    x, c = variable([1.0]), variable([2.0], requires_grad=False)
    y = x * c
    assert y.requires_grad
    assert not (c * c).requires_grad
    assert (c * c).grad_fn is None
    with pytest.raises(RuntimeError) as error:
        y.requires_grad = False
    assert str(error.value) == (
        "you can only change requires_grad flags of leaf variables. If you want to "
        "use a computed variable in a subgraph that doesn't require differentiation "
        "use var_no_grad = var.detach()."
    )
    assert c.requires_grad_() is c
    assert not c.requires_grad_(False).requires_grad


def test_volatile_spreads_from_a_single_input():
    v = Variable(np.ones(2), volatile=True)
    x = variable([1.0, 2.0])
    for y in (v * x, x @ v, np.stack([x, v]), np.where(x > 1, x, v), np.exp(v), x + v):
        assert y.volatile
        assert not y.requires_grad
        assert y.grad_fn is None
    assert (v * x).sum().volatile


def test_volatile_beats_requires_grad():
    x = Variable(np.ones(2), requires_grad=True, volatile=True)
    assert x.volatile
    assert not x.requires_grad
    x.requires_grad = False
    assert x.volatile


def test_volatile_is_set_on_leaves_only():
    x = variable([1.0])
    with pytest.raises(RuntimeError, match="leaf variables"):
        (x * 2).volatile = True
    x.volatile = True
    assert (x * 2).volatile
    x.volatile = False
    assert not (x * 2).volatile
