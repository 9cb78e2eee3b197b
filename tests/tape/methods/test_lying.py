"""What a Variable tells of its memory, and its views as numbers of another kind."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.variables import variable


def test_a_view_as_other_bits_is_refused():
    with pytest.raises(TypeError, match=r"write `\.astype"):
        variable(np.ones(2)).view(np.int64)
    with pytest.raises(ValueError, match="divisor"):  # NumPy's own
        variable(np.ones(3)).view(complex)


def test_views_share_the_memory():
    x = variable(np.array([1.0, 2.0])) * 1.0
    for view in (x.view(), x.view(float), x.view(complex), x.view(type=np.ndarray)):
        assert np.shares_memory(view.data, x.data)
        assert view.own_storage() is x.own_storage()
    assert x.strides == (8,)


def test_in_a_traced_function_they_are_on_the_tape():
    """Generated code does not look at how arrays lie in memory."""
    traced = srcgrad.trace(lambda z: (z * 2.0).view(float) * z.strides[0])
    for z in (np.array([1.0 + 2.0j, 3.0]), np.array([4.0j, 3.0])):
        expected = (z * 2.0).view(float) * z.strides[0]
        assert traced(z).tolist() == expected.tolist()
        assert (
            traced(Variable(z, requires_grad=True)).data.tolist() == expected.tolist()
        )
