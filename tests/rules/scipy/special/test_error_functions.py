"""Every sample of the chapter."""

import numpy as np

from srcgrad.scipy import special
from tests.variables import variable


def test_what_scipy_says_is_no_number():
    for function, values in (
        (special.nrdtrimn, (1.0, 2.0, 3.0)),
        (special.nrdtrisd, (0.0, 1.0, 3.0)),
    ):
        assert np.isnan(function(*map(variable, values)).data)
