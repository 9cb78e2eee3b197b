"""Rules for functions that apply others: every sample, errors."""

import numpy as np
import pytest

from tests.variables import variable

WRONG = [
    lambda x: np.apply_along_axis(np.sum, 0, x[:, :0]),
    lambda x: np.apply_over_axes(lambda x, axis: np.sum(x), x, 0),
]


@pytest.mark.parametrize("function", WRONG)
def test_errors_are_numpys(function):
    with pytest.raises(ValueError, match=r"function|iteration") as theirs:
        function(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"function|iteration") as ours:
        function(variable(np.ones((2, 3))))
    assert str(ours.value) == str(theirs.value)
