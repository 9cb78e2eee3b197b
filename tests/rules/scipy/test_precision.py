"""Double precision, where SciPy computes in it."""

import numpy as np

from srcgrad.rules.scipy.precision import doubles
from srcgrad.tape.variable import Variable
from tests.rules.gradients import gradient


def test_what_is_double_stays_as_it_is():
    x = np.ones(2)
    assert doubles(x) is x
    v = Variable(np.array([1j]))
    assert doubles(v) is v


def test_a_gradient_flows_through():
    assert gradient(doubles, np.ones(2, np.float32)) == [1.0, 1.0]
