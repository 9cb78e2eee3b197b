"""``expect`` calls the function as SciPy does; values and slopes: rows.txt."""

import scipy.stats

import srcgrad
from tests.variables import variable


def test_the_function_is_called_as_often_as_by_scipy():
    seen = []

    def worth(k):
        seen.append(k)
        return k

    srcgrad.scipy.stats.poisson.expect(worth, (variable(2.0),))
    count = len(seen)
    scipy.stats.poisson.expect(worth, (2.0,))
    assert len(seen) == 2 * count
