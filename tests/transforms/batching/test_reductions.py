import numpy as np
import pytest

from tests.transforms.batching.cases import loops_of

FUNCTIONS = [np.sum, np.prod, np.max, np.any, np.mean, np.std, np.nansum, np.add.reduce]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (-1, 0), ()], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_same_axes_further_back(function, axis, keepdims):
    assert not loops_of(function, (2, 3, 4), axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("function", [np.sum, np.max, np.mean])
def test_a_number_has_no_axes(function):
    assert not loops_of(function, ())


def test_an_initial_value_for_each_is_left_to_the_loop():
    def total(x, initial):
        return np.sum(x, initial=initial)

    assert set(loops_of(total, (3,), ())) == {"total"}
