"""Versions: what was saved and has changed since is found out."""

import contextlib
import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, detect_anomaly
from tests.cases import for_each
from tests.telling import in_full
from tests.test_facts import ARRAYS, FUNCTIONS, FURTHER
from tests.threads import run_in_threads
from tests.variables import variable

# ----- Counters -----


def test_the_error_names_both_places_and_versions():
    x = variable([1.0, 2.0])
    y = x * 2.0
    z = y * y  # saved here
    with srcgrad.set_inplace("error"):
        y += 1.0  # changed here
    with pytest.raises(RuntimeError) as error:
        z.sum().backward()
    text = in_full(error.value)
    assert text.startswith(
        "one of the variables needed for gradient computation has been modified by an "
        "inplace operation"
    )
    assert "MultiplyBackward" in text
    assert "z = y * y  # saved here" in text
    assert "y += 1.0  # changed here" in text
    assert text.count("test_versions.py:") >= 2
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


@for_each("name", FUNCTIONS)
def test_every_function_of_numpys_that_makes_views(name):
    """A write through one of them must be seen through the others."""
    for array, further in itertools.product(ARRAYS, FURTHER):
        x = Variable(array.copy())
        out = None
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            out = FUNCTIONS[name](x, *further)
        for result in out if isinstance(out, (tuple, list)) else (out,):
            is_view = isinstance(result, Variable)
            if is_view and np.shares_memory(result.data, x.data):
                assert result.own_storage() is x.own_storage()


@pytest.mark.parametrize(
    "view",
    [
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 2),
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 2)[1:].T,
        lambda x: np.broadcast_to(x, (2, 3)),
        lambda x: np.broadcast_arrays(x, np.ones((2, 3)))[0],
        lambda x: np.split(x, 3)[1],
        lambda x: np.real(x),
    ],
)
def test_a_write_makes_saved_views_out_of_date(view):
    x = variable([1.0, 2.0, 3.0]) * 1.0
    z = view(x)
    loss = np.sum(z * z)
    with srcgrad.no_grad():
        x += 1.0
    with pytest.raises(InplaceError):
        loss.backward()


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


def test_many_views_cost_no_more_each():
    x = variable(np.zeros((20_000, 2))) * 1.0
    rows = [x[i] for i in range(20_000)]
    assert len(rows) == x.storage.sharing() - 1


def test_threads_view_shared_leaves():
    w = variable(np.ones((50, 2)))

    def work(number):
        for i in range(500):
            w[i % 50].sum().backward()

    run_in_threads(4, work)
    assert w.grad.data.tolist() == [[40.0, 40.0]] * 50


# ----- Writes that go around the counter, under ``detect_anomaly`` -----


def through_data(x, original):
    x.data[0] = 5.0


def through_the_original(x, original):
    original[0] = 5.0


def through_asarray(x, original):
    np.asarray(x.detach(), copy=False)[0] = 5.0


def through_another_variable(x, original):
    Variable(original).fill_(5.0)


@pytest.mark.parametrize(
    "write",
    [through_data, through_the_original, through_asarray, through_another_variable],
)
@pytest.mark.parametrize("create_graph", [False, True])
def test_writes_around_the_counter_are_errors(write, create_graph):
    original = np.array([1.0, 2.0])
    with detect_anomaly():
        x = Variable(original, requires_grad=True)
        y = x * x  # it is saved here
        write(x, original)
        with pytest.raises(InplaceError) as error:
            y.sum().backward(create_graph=create_graph)
    assert "y = x * x  # it is saved here" in in_full(error.value)
    assert "goes around the Variable" in in_full(error.value)


def test_a_constant_that_was_changed_is_noticed():
    weights = np.ones(2)
    with detect_anomaly():
        y = variable([1.0, 2.0]) * weights
        weights *= 2.0
        with pytest.raises(InplaceError, match="goes around the Variable"):
            y.sum().backward()


def test_a_result_that_was_changed_is_noticed():
    with detect_anomaly():
        y = np.exp(variable([1.0, 2.0]))
        y.data[0] = 0.0
        with pytest.raises(InplaceError, match="ExpBackward"):
            y.sum().backward()


def test_what_a_users_function_saved_is_watched_too():
    class Square(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2.0 * x * g

    with detect_anomaly():
        x = variable([1.0, 2.0])
        y = Square.apply(x)
        x.data[0] = 5.0
        with pytest.raises(InplaceError, match="goes around the Variable"):
            y.sum().backward()


def test_what_was_not_changed_passes():
    with detect_anomaly():
        x = variable([1.0, 2.0])
        y = x * 1.0
        y *= np.array([3.0, 4.0])
        y.exp_()
        z = np.stack([y, x * x]).sum()
        z.backward()
    assert np.allclose(x.grad.data, [3 * np.exp(3) + 2, 4 * np.exp(8) + 4])


def test_a_tracked_write_is_told_as_such():
    with detect_anomaly():
        y = variable([1.0, 2.0]) * 1.0
        z = y * y
        with srcgrad.no_grad():
            y += 1.0
        with pytest.raises(InplaceError, match="version 1, expected 0"):
            z.sum().backward()
