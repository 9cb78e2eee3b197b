"""Shapes that SciPy searches for, where there is none to be found."""

import pytest
from scipy import special

from tests.variables import variable


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (special.bdtrik, (0.1, 2.0, 0.5)),
        (special.pdtrik, (0.01, 1.0)),
        (special.nbdtrik, (0.01, 2.0, 0.9)),
        (special.fdtridfd, (2.0, 0.999, 0.5)),
        (special.stdtridf, (0.9999, 0.5)),
        (special.chndtridf, (0.5, 0.99, 2.0)),
        (special.chndtrinc, (1.0, 2.0, 0.9)),
        (special.ncfdtridfd, (2.0, 0.999, 1.0, 0.5)),
        (special.nctdtridf, (0.999, 0.3, 0.5)),
    ],
)
def test_an_end_of_the_search_does_not_move(function, args):
    given = [variable(each) for each in args]
    function(*given).backward()
    assert [each.grad.data for each in given] == [0.0] * len(args)


def test_zero_may_be_what_was_looked_for():
    p = variable(special.nctdtr(3.0, 0.0, 0.7))
    found = special.nctdtrinc(3.0, p, 0.7)
    found.backward()
    step = 1e-5
    high, low = (special.nctdtr(3.0, nc, 0.7) for nc in (step, -step))
    assert p.grad.data == pytest.approx(2.0 * step / (high - low), rel=1e-6)
