"""Random variables of the new kind: SciPy's values, and gradients by what they hold."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from tests.variables import variable

X, P = np.array([0.3, 0.7]), np.array([0.2, 0.6])
A, B = np.array(0.1), np.array(1.5)

KINDS = {
    "Normal": lambda s, a, b: s.Normal(mu=a, sigma=b),
    "shifted": lambda s, a, b: 2.0 * s.Normal(mu=a, sigma=b) / 4.0 - 0.3,
    "Uniform": lambda s, a, b: s.Uniform(a=a, b=b),
    "Logistic": lambda s, a, b: s.Logistic() * b + a,
    "made": lambda s, a, b: s.make_distribution(s.gamma)(a=b) + a,
}
ASKED = {
    "densities": lambda d: (d.logpdf(X), d.pdf(X)),
    "shares": lambda d: (d.cdf(X), d.logcdf(X), d.ccdf(X), d.logccdf(X)),
    "a range": lambda d: d.cdf(0.2, 0.5),
    "inverses": lambda d: (d.icdf(P), d.iccdf(P), d.ilogcdf(-P), d.ilogccdf(-P)),
    "moments": lambda d: (d.mean(), d.variance(), d.standard_deviation(), d.median()),
    "the rest": lambda d: (d.entropy(), d.skewness() + d.mean(), d.kurtosis()),
}
# By a shape SciPy has no formula.
WITHOUT = {("made", "inverses"), ("made", "moments")}


def numbers(found):
    found = found if isinstance(found, tuple) else (found,)
    return [np.asarray(getattr(each, "data", each)) for each in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", ASKED)
def test_what_they_hold(kind, asked):
    if (kind, asked) in WITHOUT:
        return

    def call(a, b):
        return ASKED[asked](KINDS[kind](stats, a, b))

    expected = ASKED[asked](KINDS[kind](scipy.stats, float(A), float(B)))
    for ours, theirs in zip(
        numbers(call(variable(A), variable(B))), numbers(expected), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-14)
    assert gradcheck(call, (A, B))


def test_counts():
    p, k = variable(0.4), np.array([0, 2])
    expected = scipy.stats.Binomial(n=3, p=0.4)
    found = stats.Binomial(n=3, p=p)
    for name in ("pmf", "logpmf", "cdf"):
        ours = getattr(found, name)(k)
        np.testing.assert_allclose(ours.data, getattr(expected, name)(k))
    found.mean().backward()
    assert p.grad.item() == pytest.approx(3.0)


def test_scipys_own_take_points():
    rv = 2.0 * scipy.stats.Normal(mu=1.0, sigma=2.0) + 3.0

    @srcgrad.trace
    def loss(x):
        return np.sum(rv.logpdf(x))

    for shift in (0.0, 1.0, 2.0):
        x = variable(X + shift)
        out = loss(x)
        assert out.item() == pytest.approx(np.sum(rv.logpdf(x.data)))
        out.backward()
        np.testing.assert_allclose(x.grad.data, (5.0 - x.data) / 16.0)
    found = srcgrad.grad(lambda m: scipy.stats.Normal(mu=m, sigma=2.0).logpdf(3.0))(1.0)
    assert found == pytest.approx(0.5)


def test_what_has_no_derivative():
    normal = stats.Normal(mu=variable(1.0), sigma=2.0)
    with pytest.raises(srcgrad.NoRuleError, match=r"no derivative of 'sample'.*norm\("):
        normal.sample(3)
    with pytest.raises(NotImplementedError, match="positive"):
        -1.0 * normal
    mixed = scipy.stats.truncate(scipy.stats.Normal(), 0.0, 1.0)

    def density(x):
        return mixed.logpdf(x)

    with pytest.raises(srcgrad.NoRuleError, match="TruncatedDistribution"):
        srcgrad.grad(density)(0.5)
