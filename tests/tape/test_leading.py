"""To whom a gradient leads: to the user's Variables, or to what a call has made."""

import numpy as np

import srcgrad
from srcgrad import Variable
from srcgrad.tape.function import Leaf
from srcgrad.tape.leading import leads_to_outer, span_from_now


def test_a_gradient_of_the_users_leads_to_outer():
    x = Variable(np.ones(2), requires_grad=True)
    assert leads_to_outer(x)
    assert leads_to_outer(np.sum(x * 2.0))
    with srcgrad.no_grad():
        assert not leads_to_outer(x * 2.0)
    assert not leads_to_outer(1.0)


def test_a_gradient_of_a_call_does_not():
    span = span_from_now()
    own = Variable.make(np.ones(2), (Leaf.inside(np.ones(2)), 0))
    assert not leads_to_outer(own * 2.0)
    assert not leads_to_outer(own * 2.0, (span,))
    assert leads_to_outer(own * 2.0, (span_from_now(),))
    assert leads_to_outer(own * Variable(1.0, requires_grad=True))
