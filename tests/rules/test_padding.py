"""Rules of ``np.pad``: every sample, widths by axis, refusals."""

import numpy as np
import pytest

from tests.rules.gradients import backward, gradient


def test_pad_widths_by_axis():
    def pad(x):
        return np.pad(x, {-1: (1, 2)}, mode="edge")

    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy takes a dict from 2.4 on")
    assert gradient(pad, [[1.0, 2.0]]) == [[2.0, 3.0]]


def test_what_padding_leaves_empty_has_no_gradient():
    assert gradient(lambda x: np.pad(x, 1, mode="empty"), [1.0, 2.0]) == [1.0, 1.0]


def test_a_function_of_the_users_is_refused():
    def fill(vector, widths, axis, kwargs):
        vector[: widths[0]] = 1.0

    with pytest.raises(
        NotImplementedError, match=r"no derivative of np\.pad with mode="
    ):
        backward(lambda x: np.pad(x, 1, fill), [1.0, 2.0])
