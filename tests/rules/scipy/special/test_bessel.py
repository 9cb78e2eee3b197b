"""Every sample of the chapter."""

import numpy as np

import srcgrad
from srcgrad.scipy import special


def test_slopes_at_0_of_what_is_divided_by_x():
    assert srcgrad.grad(special.beip)(0.0) == 0.5
    assert srcgrad.grad(special.berp)(0.0) == 0.0
    assert srcgrad.grad(srcgrad.grad(special.beip))(0.0) == 0.0
    assert srcgrad.grad(special.it2struve0)(0.0) == -2.0 / np.pi
