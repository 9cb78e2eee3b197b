"""copy, deepcopy and pickle of Variables."""

import copy
import pickle

import numpy as np
import pytest

from srcgrad import InplaceError, Variable, no_grad


class Named(Variable):
    """A subclass with an attribute of its own."""

    def __init__(self, data, name, **flags):
        super().__init__(data, **flags)
        self.name = name


def leaf():
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    (x * x).sum().backward()
    return x


WAYS = {
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda v, p=protocol: pickle.loads(pickle.dumps(v, p))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_leaves_are_copied_with_their_gradients(way):
    x = leaf()
    y = way(x)
    assert type(y) is Variable
    assert y.requires_grad
    assert y.is_leaf
    assert y.data.tolist() == [1.0, 2.0]
    assert y.grad.data.tolist() == [2.0, 4.0]
    (y * 3.0).sum().backward()
    y.data[0] = 9.0
    assert x.data.tolist() == [1.0, 2.0]
    assert x.grad.data.tolist() == [2.0, 4.0]
    assert y.creator is not x.creator


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_flags_are_copied(way):
    assert way(Variable(np.ones(1), volatile=True)).volatile
    assert not way(Variable([1, 2])).requires_grad
    assert way(leaf().sum().detach()).item() == 3.0
    assert type(way(leaf().sum().detach()).data) is np.float64


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_subclasses_keep_their_attributes(way):
    v = way(Named(np.ones(2), "weights", requires_grad=True))
    assert type(v) is Named
    assert v.name == "weights"
    assert v.requires_grad
    assert type(v * 2.0) is Named


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_one_object_stays_one_object(way):
    x = leaf()
    first, second = way([x, x])
    assert first is second


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_was_computed_cannot_be_copied(way):
    with pytest.raises(
        RuntimeError, match=r"(?s)created explicitly by the user.*detach"
    ):
        way(leaf() * 2.0)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_hooks_cannot_be_copied(way):
    x = leaf()
    handle = x.register_hook(lambda g: g)
    with pytest.raises(RuntimeError, match="a Variable with hooks cannot be"):
        way(x)
    handle.remove()
    way(x)


def test_a_shallow_copy_is_another_handle_on_the_same():
    x = leaf()
    y = copy.copy(x)
    assert y is not x
    assert y.data is x.data
    (y * 2.0).sum().backward()
    assert x.grad.data.tolist() == [4.0, 6.0]
    z = x * 2.0
    other = copy.copy(z)
    square = other * other
    with pytest.raises(RuntimeError, match="objects sharing it"):
        z += 1.0
    del other
    with no_grad():
        z += 1.0
    with pytest.raises(InplaceError):
        square.sum().backward()
    assert copy.copy(Named(np.ones(1), "bias")).name == "bias"
