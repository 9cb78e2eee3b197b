"""Functions that are defined by others: each has a sample, and checks like NumPy."""

import numpy as np
import pytest

from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.tape.variable import Variable
from tests.samples import SAMPLES


def test_every_composition_has_a_sample():
    sampled = {sample.function for sample in SAMPLES}
    assert not [f.__name__ for f in COMPOSITIONS if f not in sampled]


SQUARE = np.eye(3) + 0.1
ERRORS = [
    (lambda x: np.block([[x], x]), ValueError, "evenly"),
    (lambda x: np.block([x, []]), ValueError, "empty"),
    (lambda x: np.select([x > 0], [x, x]), ValueError, "as many choices"),
    (lambda x: np.select([x], [x]), TypeError, "must be boolean"),
    (lambda x: np.linalg.multi_dot([x]), ValueError, "at least two"),
    (lambda x: np.linalg.outer(x, x), ValueError, "one-dimensional"),
    (lambda x: np.linalg.tensorinv(x, 0), ValueError, "Invalid ind"),
]


@pytest.mark.parametrize(("function", "error", "message"), ERRORS)
def test_compositions_check_their_arguments_like_numpy(function, error, message):
    with pytest.raises(error):
        function(SQUARE)
    with pytest.raises(error, match=message):
        function(Variable(SQUARE, requires_grad=True))
