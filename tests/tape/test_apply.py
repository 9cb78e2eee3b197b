"""One NumPy call on Variables: operands that are lists, and what is put on the tape."""

import numpy as np

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from tests.rules.gradients import gradients
from tests.variables import variable


def test_nothing_is_saved_where_no_gradient_is_needed():
    c = Variable(np.ones(3))
    v = Variable(np.ones(3), volatile=True)
    x = variable([1.0, 2.0, 3.0])
    for result in ((c * c) + 1.0, v * x, np.exp(v)):
        assert result.grad_fn is None
    with srcgrad.no_grad():
        assert (x * x).grad_fn is None
    assert (x * c).grad_fn.next_functions == ((x.creator, 0),)


def test_a_complex_list_is_conjugated_too():
    assert gradients(lambda x: x * [1j, 2.0], [1j, 1.0]) == [[-1j, 2.0]]
