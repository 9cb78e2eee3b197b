"""How a Variable turns into Python numbers, text and ndarrays."""

import numpy as np
import pytest

from srcgrad import Variable
from tests.variables import variable


def test_bool_is_numpys():
    assert variable(1.0)
    assert variable([[2.0]])
    assert not variable([0.0])
    with pytest.raises(ValueError, match="truth value of an array with more than one"):
        bool(variable([1.0, 2.0]))


def test_a_loss_can_be_formatted():
    loss = Variable(np.array([1.0, 2.0]), requires_grad=True).sum()
    assert f"{loss:.3f}" == "3.000"
    assert f"{loss}".startswith("Variable containing:")


def test_an_element_of_an_ndarray_takes_no_variable():
    array = np.zeros(2)
    with pytest.raises(ValueError, match="setting an array element") as error:
        array[0] = variable(1.0)
    assert "make the ndarray a Variable first" in str(error.value.__cause__)
    array[0] = variable(2.0).item()
    array[1] = float(variable(3.0))
    assert array.tolist() == [2.0, 3.0]
