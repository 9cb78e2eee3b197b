"""``detect_anomaly``: NaN and infinity raise where they arise, so do unseen writes."""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, detect_anomaly


def variable(data):
    return Variable(np.array(data, float), requires_grad=True)


# ----- NaN and infinity -----


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (lambda x: np.sqrt(x), [0.0, 1.0]),
        (lambda x: np.log(x + 1.0), [-1.0, 1.0]),
        (lambda x: (x * 0.0) / x, [0.0, 1.0]),
        (lambda x: x**0.5, [0.0, 1.0]),
        (lambda x: np.linalg.inv(x[None] + np.zeros((1, 1)))[0], [1e-200]),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_it_raises_where_it_arises(function, value):
    with detect_anomaly():
        x = variable(value)
        y = function(x * 1.0) * 2.0
        with pytest.raises(RuntimeError, match="nan or infinity") as error:
            y.sum().backward()
    assert "test_engine_anomaly.py" in str(error.value)
    assert "lambda x:" in str(error.value)
    assert x.grad is None


def test_it_names_the_function_and_the_line():
    with detect_anomaly():
        x = variable([0.0, 1.0])
        root = np.sqrt(x)  # here it starts
        y = np.tanh(root) * 2.0
        with pytest.raises(RuntimeError) as error:
            y.sum().backward()
    assert "SqrtBackward" in str(error.value)
    assert "root = np.sqrt(x)  # here it starts" in str(error.value)


def test_what_came_in_is_not_blamed():
    x = variable([1.0, 2.0])
    with detect_anomaly():
        (x * 2.0).backward(np.array([np.nan, np.inf]))
    assert np.array_equal(x.grad.data, [np.nan, np.inf], equal_nan=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outside_nothing_is_checked():
    x = variable([0.0])
    np.sqrt(x).sum().backward()
    assert x.grad.data.tolist() == [np.inf]


def test_it_is_a_decorator_and_of_its_thread():
    seen = []

    @detect_anomaly()
    def inside():
        thread = threading.Thread(
            target=lambda: seen.append(srcgrad.modes.state.anomaly)
        )
        thread.start()
        thread.join()
        x = variable([0.0])
        with pytest.raises(RuntimeError, match="SqrtBackward"):
            np.sqrt(x).sum().backward()

    inside()
    assert seen == [False]
    assert not srcgrad.modes.state.anomaly


def test_with_create_graph():
    with detect_anomaly():
        x = variable([0.0])
        with pytest.raises(RuntimeError, match="SqrtBackward"):
            np.sqrt(x).sum().backward(create_graph=True)


@srcgrad.trace
def traced(x):
    h = x * 2.0
    r = np.sqrt(h)  # the user's own line
    return np.sum(r)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_in_a_traced_function():
    traced.clear()
    for _ in range(2):
        traced(variable([1.0])).backward()
    assert traced.stats.compiled == 1
    with detect_anomaly():
        y = traced(variable([0.0]))
        with pytest.raises(RuntimeError) as error:
            y.backward()
        assert "r = np.sqrt(h)  # the user's own line" in str(error.value)
        with pytest.raises(RuntimeError, match="the user's own line"):
            srcgrad.grad(traced)(np.zeros(1))
    stats = traced.stats
    assert (stats.calls, stats.compiled, stats.tape) == (4, 1, 3)


# ----- Writes that go around the counter -----


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
def test_writes_around_the_counter(write, create_graph):
    original = np.array([1.0, 2.0])
    with detect_anomaly():
        x = Variable(original, requires_grad=True)
        y = x * x  # it is saved here
        write(x, original)
        with pytest.raises(InplaceError) as error:
            y.sum().backward(create_graph=create_graph)
    assert "y = x * x  # it is saved here" in str(error.value)
    assert "goes around the Variable" in str(error.value)


def test_a_constant_that_was_changed():
    weights = np.ones(2)
    with detect_anomaly():
        y = variable([1.0, 2.0]) * weights
        weights *= 2.0
        with pytest.raises(InplaceError, match="goes around the Variable"):
            y.sum().backward()


def test_a_result_that_was_changed():
    with detect_anomaly():
        y = np.tanh(variable([1.0, 2.0]))
        y.data[0] = 0.0
        with pytest.raises(InplaceError, match="TanhBackward"):
            y.sum().backward()


def test_what_a_users_function_saved():
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
        y += 1.0
        with pytest.raises(InplaceError, match="version 1, expected 0"):
            z.sum().backward()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("create_graph", [False, True])
def test_in_the_backward_pass_of_generated_code(create_graph):
    traced.clear()
    traced(variable([1.0]))
    y = traced(variable([0.0]))
    assert traced.stats.compiled == 1
    with detect_anomaly(), pytest.raises(RuntimeError) as error:
        y.backward(create_graph=create_graph)
    assert "SqrtBackward" in str(error.value)
    assert "r = np.sqrt(h)  # the user's own line" in str(error.value)
    with detect_anomaly():
        traced(variable([1.0])).backward()
