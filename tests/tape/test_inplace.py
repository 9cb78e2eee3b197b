"""In-place methods, version counters, and the errors that name both places."""

import gc

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable


def variable(data, requires_grad=True):
    return Variable(np.array(data, float), requires_grad=requires_grad)


METHODS = {
    "add_": lambda y: y.add_(2.0),
    "sub_": lambda y: y.sub_(2.0),
    "mul_": lambda y: y.mul_(2.0),
    "div_": lambda y: y.div_(2.0),
    "neg_": lambda y: y.neg_(),
    "exp_": lambda y: y.exp_(),
    "sqrt_": lambda y: y.sqrt_(),
    "tanh_": lambda y: y.tanh_(),
    "clamp_": lambda y: y.clamp_(1.0, 3.0),
    "clip_": lambda y: y.clip_(max=2.0),
    "fill_": lambda y: y.fill_(2.0),
    "zero_": lambda y: y.zero_(),
    "copy_": lambda y: y.copy_([3.0, 4.0]),
}
OUT_OF_PLACE = {
    "add_": lambda x: x + 2.0,
    "sub_": lambda x: x - 2.0,
    "mul_": lambda x: x * 2.0,
    "div_": lambda x: x / 2.0,
    "neg_": lambda x: -x,
    "exp_": np.exp,
    "sqrt_": np.sqrt,
    "tanh_": np.tanh,
    "clamp_": lambda x: np.clip(x, 1.0, 3.0),
    "clip_": lambda x: np.clip(x, None, 2.0),
    "fill_": lambda x: x * 0.0 + 2.0,
    "zero_": lambda x: x * 0.0,
    "copy_": lambda x: x * 0.0 + np.array([3.0, 4.0]),
}


@pytest.mark.parametrize("name", METHODS)
def test_underscore_methods(name):
    x, same = variable([0.5, 2.5]), variable([0.5, 2.5])
    y = x * 1.0
    assert METHODS[name](y) is y
    assert y._version == 1
    expected = OUT_OF_PLACE[name](same)
    assert np.array_equal(y.data, expected.data)
    y.backward(np.array([1.0, 3.0]))
    expected.backward(np.array([1.0, 3.0]))
    assert np.allclose(x.grad.data, same.grad.data)


@pytest.mark.parametrize("name", ["log_", "pow_", "abs_", "sin_", "reciprocal_"])
def test_methods_that_overwrite_what_they_save(name):
    x = variable([0.5, 2.5])
    y = x * 1.0
    getattr(y, name)(*([2.0] if name == "pow_" else []))
    if name == "reciprocal_":  # its result is enough
        y.sum().backward()
        assert np.allclose(x.grad.data, [-4.0, -0.16])
        return
    with pytest.raises(InplaceError, match="modified by an inplace operation"):
        y.sum().backward()


# ----- Version counters -----


def test_the_error_names_both_places_and_versions():
    x = variable([1.0, 2.0])
    y = x * 2.0
    z = y * y  # saved here
    y += 1.0  # changed here
    with pytest.raises(RuntimeError) as error:
        z.sum().backward()
    text = str(error.value)
    assert text.startswith(
        "one of the variables needed for gradient computation has been modified by an "
        "inplace operation"
    )
    assert "MultiplyBackward" in text
    assert "z = y * y  # saved here" in text
    assert "y += 1.0  # changed here" in text
    assert text.count("test_inplace.py:") >= 2
    assert "version 1, expected 0" in text
    assert x.grad is None


def test_uses_that_saved_nothing_still_work():
    x = variable([1.0, 2.0])
    y = x * 2.0
    z = y + 1.0
    y *= 3.0
    (z + y).sum().backward()
    assert x.grad.data.tolist() == [8.0, 8.0]


def test_views_and_detached_copies_share_the_counter():
    x = variable([[1.0, 2.0], [3.0, 4.0]])
    y = x * 1.0
    views = [y[0], y.T, y.reshape(-1), y.detach(), np.ravel(y), y[..., None]]
    with srcgrad.no_grad():
        y += 1.0
        views[0] *= 2.0
    assert [view._version for view in views] == [2] * len(views)
    assert y[0].copy()._version == 0


def test_a_write_through_a_view_is_seen():
    x = variable([1.0, 2.0])
    z = x * x
    with srcgrad.no_grad():
        x[:1] += 1.0
    with pytest.raises(InplaceError):
        z.sum().backward()


def test_the_counter_of_a_scalar():
    x = variable([1.0, 2.0])
    total = x.sum()
    before = total
    total += 1.0  # a new object, as with NumPy's scalars
    assert before.item() == 3.0
    total.add_(1.0)
    assert total._version == 1
    (total * before).backward()
    assert x.grad.data.tolist() == [8.0, 8.0]


# ----- Errors -----

SHARED = (
    r"^in-place operations can be only used on variables that don't share storage with "
    r"any other variables, but detected that there are 2 objects sharing it"
)
LEAF = r"^a leaf Variable that requires grad has been used in an in-place operation\."


def test_shared_storage():
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


def test_storage_shared_with_a_variable_made_of_it():
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
def test_a_leaf_that_requires_grad(write):
    x = variable([1.0, 2.0])
    with pytest.raises(RuntimeError, match=LEAF):
        write(x)
    assert x.data.tolist() == [1.0, 2.0]
    with srcgrad.no_grad():
        write(x)
    assert x.is_leaf
    assert x._version >= 1


def test_a_part_of_a_leaf_that_requires_grad():
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


@pytest.mark.parametrize(
    ("write", "error"),
    [
        (lambda a, v: a.__setitem__(slice(None), v), TypeError),
        (lambda a, v: np.copyto(a, v), TypeError),
        (lambda a, v: np.put(a, [0, 1], v), TypeError),
        (lambda a, v: np.add(v, 1.0, out=a), TypeError),
        (lambda a, v: np.add.at(a, [0, 1], v), TypeError),
        (lambda a, v: a.__iadd__(v), TypeError),
    ],
)
def test_an_ndarray_takes_no_variable(write, error):
    array = np.zeros(2)
    with pytest.raises(error):
        write(array, variable([1.0, 2.0]))
    assert array.tolist() == [0.0, 0.0]


def test_an_element_of_an_ndarray_takes_no_variable():
    array = np.zeros(2)
    with pytest.raises(ValueError, match="setting an array element") as error:
        array[0] = variable(1.0)
    assert "make the ndarray a Variable first" in str(error.value.__cause__)
    array[0] = variable(2.0).item()
    array[1] = float(variable(3.0))
    assert array.tolist() == [2.0, 3.0]


def test_nothing_is_written_into_a_copy():
    y = Variable(np.zeros(2))
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        y.flat[0] = 5.0
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


@pytest.mark.parametrize(
    ("write", "compiled"),
    [
        (lambda x: x.add_(1.0), 0),
        (lambda x: np.tanh(x).mul_(x), 0),
    ],
)
def test_traced_functions_raise_the_tapes_errors(write, compiled):
    def run(x):
        return write(x) * 1.0

    messages = []
    for function in (run, traced := srcgrad.trace(run), traced):
        x = variable([1.0, 2.0])
        with pytest.raises(RuntimeError) as error:
            function(x).sum().backward()
        messages.append(str(error.value).split(" (")[0])
    assert messages[0] == messages[1] == messages[2]
    assert traced.stats.compiled == compiled


def test_results_of_generated_code_are_checked_too():
    @srcgrad.trace
    def run(x):
        return np.tanh(x)

    for _ in range(2):
        y = run(variable([1.0, 2.0]))
        y += 1.0
        with pytest.raises(InplaceError, match=r"y \+= 1\.0"):
            y.sum().backward()
    assert run.stats.compiled == 1


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
