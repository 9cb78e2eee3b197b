"""Writes into a Variable: which are refused, and what they leave behind."""

import gc

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.variables import variable

SHARED = (
    r"^in-place operations can be only used on variables that don't share storage with "
    r"any other variables, but detected that there are 2 objects sharing it"
)

LEAF = r"^a leaf Variable that requires grad has been used in an in-place operation\n"


def test_a_write_that_another_variable_sees_is_refused():
    x = variable([[1.0, 2.0], [3.0, 4.0]])
    y = x * 1.0
    view = y[0]
    with pytest.raises(RuntimeError, match=SHARED):
        y += 1.0
    with pytest.raises(RuntimeError, match=SHARED):
        view += 1.0
    with pytest.raises(RuntimeError, match=SHARED):
        view[0] = 1.0
    assert y.data.tolist() == x.data.tolist()
    del view
    y += 1.0  # dead views do not count
    detached = y.detach()
    with pytest.raises(RuntimeError, match=SHARED):
        y += 1.0
    with pytest.raises(RuntimeError, match=SHARED):
        detached += y
    assert (y.sum() + detached.sum()).item() == 28.0


def test_a_write_that_a_variable_made_of_it_sees_is_refused():
    y = variable([1.0, 2.0]) * 1.0
    other = Variable(y)
    with pytest.raises(RuntimeError, match=SHARED):
        other += 1.0


def test_an_update_of_an_item_of_a_list_leaves_no_wrong_gradient():
    y = variable([[1.0, 2.0], [3.0, 4.0]]) * 1.0
    rows = [y[0]]
    rows[0] += 1.0
    assert y.data.tolist() == [[2.0, 3.0], [3.0, 4.0]]
    with pytest.raises(RuntimeError, match=SHARED):
        (y * 2.0).sum().backward()
    rows[0].sum().backward()


def test_a_view_that_was_stored_over_is_out_of_date():
    y = variable([[1.0, 2.0], [3.0, 4.0]]) * 1.0
    row = y[1]
    y[:] = row
    with pytest.raises(RuntimeError, match=SHARED):
        (row * 2.0).sum().backward()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(1.0),
        lambda x: x.__setitem__(0, 1.0),
        lambda x: np.add(x, 1.0, out=x),
        lambda x: np.copyto(x, 1.0),
        lambda x: np.put(x, 0, 1.0),
        lambda x: x.fill(1.0),
        lambda x: x.sort(),
        lambda x: np.add.at(x, 0, 1.0),
    ],
)
def test_a_leaf_that_requires_grad_takes_no_write(write):
    x = variable([1.0, 2.0])
    with pytest.raises(RuntimeError, match=LEAF):
        write(x)
    assert x.data.tolist() == [1.0, 2.0]
    with srcgrad.no_grad():
        write(x)
    assert x.is_leaf
    assert x._version >= 1


def test_a_part_of_a_leaf_takes_no_write():
    x = variable([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(RuntimeError, match=LEAF):
        x[0] += 1.0
    assert x.data.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_updates_without_grad():
    w = variable([1.0, 2.0])
    (w * w).sum().backward()
    with srcgrad.no_grad():
        w -= 0.5 * w.grad
        w[1:] += 1.0
    assert w.data.tolist() == [0.0, 1.0]
    assert w.is_leaf
    assert w.requires_grad


def test_a_leaf_that_does_not_require_grad_gets_interior():
    a, x = variable(np.zeros(3), requires_grad=False), variable(2.0)
    a[1] = x * 3.0
    assert not a.is_leaf
    (a * a).sum().backward()
    assert x.grad.item() == 36.0


def test_a_volatile_operand_makes_the_target_volatile():
    y = variable([1.0]) * 1.0
    y += Variable(np.ones(1), volatile=True)
    assert y.volatile


@pytest.mark.parametrize("dtype", [int, bool])
def test_integers_take_no_gradient(dtype):
    a = Variable(np.zeros(3, dtype))
    with pytest.raises(RuntimeError, match="cannot take a value that requires grad"):
        a[0] = variable(1.0)
    a[0] = variable(1.0).detach()
    assert a.data.tolist() == [1, 0, 0]


def test_nothing_is_written_into_a_copy():
    y = Variable(np.zeros(2))
    wide = np.broadcast_to(y, (2, 2))
    del y
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        wide.fill_(1.0)


def test_shapes_and_dtypes_of_targets_stay():
    y = variable([1.0, 2.0]) * 1.0
    with pytest.raises(ValueError, match="broadcast"):
        y += np.ones((3, 2))
    with pytest.raises(ValueError, match="output array has shape"):
        np.sum(y, out=y)
    with pytest.raises(TypeError):
        np.copyto(Variable(np.zeros(2, int)), y)
    single = Variable(np.ones(2, np.float32), requires_grad=True) * np.float32(1)
    single += y
    single.sum().backward()
    assert single.dtype == np.float32


def test_no_cycle_is_left_behind():
    gc.disable()
    try:
        y = variable([[1.0, 2.0]]) * 1.0
        y[0] += 1.0
        y[0] = y[0] * 2.0
        gc.collect()
        del y
        assert gc.collect() == 0
    finally:
        gc.enable()
