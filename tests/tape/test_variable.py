"""The semantics of the Variable era, row by row: docs/semantics.md is the same table.

User-written Functions, hooks and stochastic functions have files of their own, as have
in-place operations.
"""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import Leaf, Variable
from srcgrad.autograd import backward, grad


def variable(data, requires_grad=True):
    return Variable(np.array(data, float), requires_grad=requires_grad)


# ----- The table -----


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (np.ones((2, 3)), (2, 3)),
        (np.float32(2.0), ()),
        (2.0, ()),
        ([[1.0, 2.0]], (1, 2)),
        (np.zeros((0, 3)), (0, 3)),
        (np.ones(3) * 1j, (3,)),
    ],
)
def test_construction(data, shape):
    x = Variable(data, requires_grad=True)
    assert x.shape == shape
    assert x.requires_grad
    assert not x.volatile
    assert type(x.data) is np.ndarray


def test_construction_shares_an_ndarray():
    data = np.ones(2)
    assert Variable(data).data is data
    assert Variable(Variable(data)).data is data


@pytest.mark.parametrize("data", [[1, 2], np.ones(2, bool), 3])
def test_construction_of_integers_that_require_grad(data):
    Variable(data)
    with pytest.raises(RuntimeError, match=r"only Variables of floating point.*astype"):
        Variable(data, requires_grad=True)


@pytest.mark.parametrize(
    "data", ["text", [None], np.ma.masked_array([1.0], [True]), {"a": 1}]
)
def test_construction_of_what_is_no_numbers(data):
    with pytest.raises(TypeError):
        Variable(data)


def test_construction_of_a_list_of_variables():
    with pytest.raises(TypeError, match="gradient would be lost"):
        Variable([variable(1.0), variable(2.0)])


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


def test_data_is_the_raw_ndarray():
    data = np.ones(2)
    x = Variable(data, requires_grad=True)
    assert x.data is data
    x.data = np.zeros(2)
    assert x.data.tolist() == [0.0, 0.0]
    assert x.is_leaf
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        x.data = np.zeros(3)


def test_data_updated_in_place_counts_as_a_write():
    w = variable([1.0, 2.0])
    y = w * w
    w.data -= 0.5
    assert w._version == 1
    with pytest.raises(srcgrad.InplaceError):
        y.backward(np.ones(2))


def test_data_replaced_leaves_what_was_saved():
    w = variable([1.0, 2.0])
    y = w * w
    w.data = np.array([5.0, 5.0])
    y.backward(np.ones(2))
    assert w.grad.data.tolist() == [2.0, 4.0]


def test_grad_accumulates_and_aliases_nothing():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    g = np.ones(2)
    (x + y).backward(g)
    assert type(x.grad) is Variable
    (x * 2.0).backward(g)
    assert x.grad.data.tolist() == [3.0, 3.0]
    assert y.grad.data.tolist() == [1.0, 1.0]
    assert g.tolist() == [1.0, 1.0]
    x.grad.data[:] = 9.0
    assert y.grad.data.tolist() == [1.0, 1.0]
    assert g.tolist() == [1.0, 1.0]


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


SCALAR_ONLY = (
    "backward should be called only on a scalar (i.e. 1-element array) or with "
    "gradient w.r.t. the variable"
)
NOTHING = "there are no graph nodes that require computing gradients"


def test_backward_errors():
    x = variable([1.0, 2.0])
    with pytest.raises(RuntimeError) as error:
        (x * 2).backward()
    assert str(error.value) == SCALAR_ONLY
    with pytest.raises(RuntimeError, match=r"shape \(3,\).*shape \(2,\)"):
        (x * 2).backward(np.ones(3))
    with pytest.raises(RuntimeError, match=NOTHING):
        variable([1.0], requires_grad=False).backward()
    with pytest.raises(RuntimeError, match=r"^calling backward on a volatile variable"):
        Variable(np.ones(1), volatile=True).backward()
    assert x.grad is None


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_backward_of_one_element_needs_no_gradient(shape):
    x = Variable(np.full(shape, 3.0), requires_grad=True)
    (x * x).backward()
    assert x.grad.data.tolist() == np.full(shape, 6.0).tolist()


@pytest.mark.parametrize("name", ["retain_graph", "retain_variables"])
def test_buffers_are_retained_under_both_names(name):
    x = variable(3.0)
    y = x * x
    y.backward(**{name: True})
    y.backward(np.array(1.0), **{name: False})
    assert x.grad.item() == 12.0
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert str(error.value.args[0]).startswith(
        "Trying to backward through the graph second time, but the buffers have "
        "already been freed. Please specify retain_graph=True when calling backward "
        "for the first time."
    )
    backward([z := x * x], [None], **{name: True})
    backward(z)
    assert x.grad.item() == 24.0


def test_buffers_that_were_never_there():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    out = (x + y - x + 1.0).sum()
    out.backward()
    out.backward()
    assert y.grad.data.tolist() == [2.0, 2.0]


def test_buffers_are_not_freed_by_a_walk_that_fails():
    x = variable([1.0, 2.0])
    y = x * x
    with pytest.raises(RuntimeError, match="does not fit"):
        y.backward(np.ones(3))
    y.backward(np.ones(2))
    assert x.grad.data.tolist() == [2.0, 4.0]


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


def test_modes():
    x = variable([1.0])
    with srcgrad.no_grad():
        assert not (x * 2).requires_grad
        with srcgrad.enable_grad():
            assert (x * 2).requires_grad
            with srcgrad.set_grad_enabled(False):
                assert not (x * 2).requires_grad
        assert str(x * 2).startswith("Variable containing:")
    assert srcgrad.no_grad()(lambda: (x * 2).requires_grad)() is False
    with pytest.raises(ZeroDivisionError), srcgrad.no_grad():
        raise ZeroDivisionError
    assert srcgrad.is_grad_enabled()


def test_modes_are_those_of_a_thread():
    seen = []
    with srcgrad.no_grad():
        thread = threading.Thread(target=lambda: seen.append(srcgrad.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_detach_shares_data_and_version_counter():
    x = variable([1.0, 2.0]) * 1.0
    d = x.detach()
    assert d.data is x.data
    assert not d.requires_grad
    with srcgrad.no_grad():
        d += 1.0
    assert x._version == d._version == 1
    assert Variable(np.ones(1), volatile=True).detach().volatile


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


def test_bool_is_numpys():
    assert variable(1.0)
    assert variable([[2.0]])
    assert not variable([0.0])
    with pytest.raises(ValueError, match="truth value of an array with more than one"):
        bool(variable([1.0, 2.0]))


def test_order_is_the_reverse_of_creation():
    x = variable([1.0])
    ran = []

    class Noted(srcgrad.Function):
        def __init__(self, name):
            super().__init__()
            self.label = name

        def forward(self, array):
            return array * 1.0

        def backward(self, g):
            ran.append(self.label)
            return g

    a, b, c = (Noted(name)(x) for name in "abc")
    (c + (a + b)).backward()
    assert ran == ["c", "b", "a"]


def test_higher_order():
    x = variable(2.0)
    y = x**5
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0):
        (y,) = grad(y, x, create_graph=True)
        assert y.item() == expected


def test_nan_and_infinity_flow():
    x = variable([np.nan, np.inf, 1.0])
    (x * x).backward(np.array([1.0, 1.0, np.nan]))
    assert np.array_equal(x.grad.data, [np.nan, np.inf, np.nan], equal_nan=True)


def test_empty_arrays():
    x = Variable(np.zeros((0, 3)), requires_grad=True)
    (x * 2.0).sum().backward()
    assert x.grad.shape == (0, 3)
