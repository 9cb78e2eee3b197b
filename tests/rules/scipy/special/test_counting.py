"""Every sample of the chapter."""

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.scipy import special
from tests.variables import variable


def test_factorials_of_whole_numbers_alone():
    with pytest.raises(ValueError, match="must opt into this"):
        special.factorial2(variable(5.0))
    found = special.factorialk(Variable(np.array(5)), 3)
    assert found == pytest.approx(10.0)
