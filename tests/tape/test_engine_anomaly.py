"""Under ``detect_anomaly``, NaN and infinity raise where they arise."""

import numpy as np
import pytest

from srcgrad import detect_anomaly
from tests.telling import in_full
from tests.variables import variable


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
        with pytest.raises(RuntimeError, match="nan or infinity") as error:
            np.sum(function(x * 1.0) * 2.0).backward()
    assert "test_engine_anomaly.py" in in_full(error.value)
    assert "lambda x:" in in_full(error.value)
    assert x.grad is None


def test_it_names_the_function_and_the_line():
    with detect_anomaly():
        x = variable([0.0, 1.0])
        root = np.sqrt(x)  # here it starts
        y = np.tanh(root) * 2.0
        with pytest.raises(RuntimeError) as error:
            y.sum().backward()
    assert "SqrtBackward" in in_full(error.value)
    assert "root = np.sqrt(x)  # here it starts" in in_full(error.value)


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


def test_with_create_graph():
    with detect_anomaly():
        x = variable([0.0])
        with pytest.raises(RuntimeError, match="SqrtBackward"):
            np.sqrt(x).sum().backward(create_graph=True)
