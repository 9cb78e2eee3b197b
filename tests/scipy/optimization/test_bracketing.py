"""``scipy.optimize.bracket``, by where it starts and by what the function takes."""

import pytest
import scipy.optimize

from srcgrad.scipy import optimize
from tests.variables import variable


@pytest.mark.parametrize("slope", [-1.0, 0.0])
def test_its_errors_are_scipys(slope):
    def bracket(module, a):
        return module.bracket(lambda x: a * x, maxiter=5)

    with pytest.raises(RuntimeError) as expected:
        bracket(scipy.optimize, slope)
    with pytest.raises(type(expected.value), match=str(expected.value)):
        bracket(optimize, variable(slope))
