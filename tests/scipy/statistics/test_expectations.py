"""``expect`` of functions, by parameters and by what the functions hold."""

import numpy as np
import pytest
import scipy.stats
from scipy import stats

import srcgrad
from srcgrad import gradcheck, gradgradcheck
from tests.variables import variable

PROGRAMS = {
    "loc and scale": lambda m, s: stats.norm.expect(lambda z: z**3, loc=m, scale=s),
    "shapes": lambda a, s: stats.gamma.expect(np.sqrt, args=(a,), scale=s),
    "held": lambda a, b: stats.norm(a).expect(lambda z: np.sin(b * z)),
    "limits": lambda a, b: stats.expon.expect(lambda z: z * b, lb=a, ub=2.0),
    "conditional": lambda m, b: stats.norm.expect(
        loc=m, lb=0.1, ub=b, conditional=True
    ),
    "support": lambda a, b: stats.truncnorm.expect(lambda z: z**2, args=(-a, b)),
    "counts": lambda mu, b: stats.poisson.expect(lambda k: k**b, args=(mu,)),
    "frozen": lambda p, b: stats.binom(5, 0.5 * p).expect(lambda k: np.cos(b * k)),
    "counts in limits": lambda p, b: stats.binom.expect(
        lambda k: k**b, args=(5, 0.5 * p), lb=1.0, ub=3.0, conditional=True
    ),
    "loc of counts": lambda mu, loc: stats.poisson.expect(np.sqrt, (mu,), loc),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_against_differences(program):
    values = np.array(0.7), np.array(1.3)
    followed = srcgrad.value_and_grad(program)
    assert followed(*values)[0] == program(*values)
    own = srcgrad.trace(program)
    assert gradcheck(own, values)
    assert gradgradcheck(own, values)
    assert own(*map(variable, values)).data == program(*values)


def test_the_function_is_called_as_often_as_by_scipy():
    seen = []

    def worth(k):
        seen.append(k)
        return k

    srcgrad.scipy.stats.poisson.expect(worth, (variable(2.0),))
    count = len(seen)
    scipy.stats.poisson.expect(worth, (2.0,))
    assert len(seen) == 2 * count


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="with weights"):
        srcgrad.grad(lambda m: stats.norm.expect(np.cos, loc=m, complex_func=True))(1.0)
