"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import ndimage
from tests.variables import variable

PLACES = np.ones((2, 1))
REFUSED = [
    (lambda x: ndimage.map_coordinates(x, PLACES, np.zeros(1)), "output"),
    (lambda x: ndimage.spline_filter1d(x, output=np.float32), "output"),
    (lambda x: ndimage.rotate(x[None], 20.0), "more than two dimensions"),
]


@pytest.mark.parametrize(("function", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, message):
    with pytest.raises(NotImplementedError, match=message):
        function(variable(np.eye(3)))


def test_single_precision_stays_so():
    x = variable(np.eye(3))
    single = x.astype(np.float32)
    assert ndimage.shift(single, 0.5).dtype == np.float32
