"""A loop the other way round has the gradients of the loop written out."""

import numpy as np

import srcgrad
from srcgrad import Variable


@srcgrad.trace
def with_roots_that_no_result_needs(x):
    c, d = x[0], 0.0
    for _ in range(len(x)):
        for each in x:
            d * each
            d = np.sqrt(c - 1.0)
            c = c * each
    return c


def test_what_no_result_needs_has_no_cotangents():
    """Also where it is carried through a loop in a loop, which gives what is needed."""
    for value in (1.0, -1.0):
        x = np.full(13, value)
        found = []
        for stance in ("default", "tape"):
            variable = Variable(x, requires_grad=True)
            with srcgrad.set_stance(stance), np.errstate(invalid="ignore"):
                with_roots_that_no_result_needs(variable).backward()
            found.append(variable.grad.data)
        np.testing.assert_allclose(*found)
    assert with_roots_that_no_result_needs.stats.compiled
    assert "for " in with_roots_that_no_result_needs.source()
