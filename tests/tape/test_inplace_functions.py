"""NumPy's functions and methods that write: their gradients, and what they refuse."""

import numpy as np
import pytest

from tests.inplace_programs import FUNCTIONS, assert_gradients, on_computed, on_leaf
from tests.rules.gradients import gradients
from tests.variables import variable

NAN = np.nan


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("prepare", [on_computed, on_leaf])
@pytest.mark.parametrize("program", FUNCTIONS, ids=lambda program: program.__name__)
def test_gradients_through_writes(program, prepare):
    assert_gradients(prepare(program))


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


def test_nan_to_num_in_place():
    def replaced(x):
        y = x * 1.0
        assert np.nan_to_num(y, copy=False) is y
        return y

    assert gradients(replaced, [1.0, NAN]) == [[1.0, 0.0]]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        gradients(lambda x: np.nan_to_num(x, copy=False), [1.0, NAN])
