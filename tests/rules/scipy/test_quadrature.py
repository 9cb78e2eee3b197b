"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import integrate
from tests.variables import variable


def test_what_the_rules_cannot_do():
    y = variable(np.ones((2, 5)))
    with pytest.raises(ValueError, match="strictly increasing"):
        integrate.cumulative_simpson(y, x=variable(np.zeros(5)))
    with pytest.raises(ValueError, match="`initial`"):
        integrate.cumulative_trapezoid(y, initial=1)
