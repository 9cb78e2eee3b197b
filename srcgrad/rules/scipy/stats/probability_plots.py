"""Rules for ``scipy.stats``: probability plots, and what data say of their moments."""

from typing import Any

import numpy as np
from scipy import stats
from scipy.stats import _morestats

from srcgrad.facts import declare
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.stats.correlations import linregress
from srcgrad.rules.scipy.stats.descriptive import boxcox, yeojohnson
from srcgrad.rules.scipy.without import refuse


# ----- Against the quantiles of a distribution -----
def no_picture(name, plot):
    if plot is not None:
        refuse(f"{name} with `plot`", "draw what it returns")


def medians_of(n: int) -> Any:
    """Of the order statistics of uniform numbers, as SciPy approximates them."""
    return _morestats._calc_uniform_order_statistic_medians(n)


def probplot(x, sparams=(), dist="norm", fit=True, plot=None, rvalue=False):
    no_picture("probplot", plot)
    distribution = getattr(stats, dist) if isinstance(dist, str) else dist
    shapes = () if sparams is None else sparams
    shapes = (shapes,) if np.ndim(shapes) == 0 else tuple(shapes)
    quantiles = replacement_of(distribution.ppf)(medians_of(len(x)), *shapes)
    ordered = np.sort(x)
    if not fit:
        return quantiles, ordered
    line = linregress(quantiles, ordered)
    return (quantiles, ordered), (line.slope, line.intercept, line.rvalue)


def correlations(samples):
    """How straight each probability plot is."""
    return np.stack([probplot(*sample)[1][2] for sample in samples])


def normplot(name, transform):
    def composed(x, la, lb, plot=None, N=80):
        no_picture(name, plot)
        if lb <= la:
            raise ValueError("`lb` has to be larger than `la`.")
        lmbdas = np.linspace(la, lb, num=N)
        return lmbdas, correlations((transform(x, lmbda),) for lmbda in lmbdas)

    return composed


def ppcc_plot(x, a, b, dist="tukeylambda", plot=None, N=80):
    no_picture("ppcc_plot", plot)
    if b <= a:
        raise ValueError("`b` has to be larger than `a`.")
    shapes = np.linspace(a, b, num=N)
    return shapes, correlations((x, shape, dist) for shape in shapes)


# ----- Mean, variance and deviation, as distributions -----
LARGE = 1000  # from where on they are taken to be normal


def moment_distributions(data):
    """Distributions, each with its shapes, its place and its scale."""
    x = np.ravel(data)
    n = np.size(x)
    if n < 2:
        raise ValueError("Need at least 2 data-points.")
    mean, spread = np.mean(x), np.var(x)
    if n > LARGE:
        root = np.sqrt(spread)
        yield stats.norm, (), {"loc": mean, "scale": root / np.sqrt(n)}
        yield stats.norm, (), {"loc": spread, "scale": spread * np.sqrt(2.0 / n)}
        yield stats.norm, (), {"loc": root, "scale": root / np.sqrt(2.0 * n)}
        return
    half, whole = 0.5 * (n - 1), 0.5 * n * spread
    yield stats.t, (n - 1,), {"loc": mean, "scale": np.sqrt(spread / (n - 1))}
    yield stats.invgamma, (half,), {"scale": whole}
    yield stats.gengamma, (half, -2), {"scale": np.sqrt(whole)}


def mvsdist(data):
    return tuple(
        distribution(*shapes, **place)
        for distribution, shapes, place in moment_distributions(data)
    )


def bayes_mvs(data, alpha=0.9):
    if not 0 < alpha < 1:
        raise ValueError(f"0 < alpha < 1 is required, but {alpha=} was given.")
    kinds = _morestats.Mean, _morestats.Variance, _morestats.Std_dev
    results = []
    for kind, (distribution, shapes, place) in zip(
        kinds, moment_distributions(data), strict=True
    ):
        middle = replacement_of(distribution.mean)(*shapes, **place)
        ends = replacement_of(distribution.interval)(alpha, *shapes, **place)
        results.append(kind(middle, tuple(ends)))
    return tuple(results)


for _name, _transform in (("boxcox", boxcox), ("yeojohnson", yeojohnson)):
    _plot = f"{_name}_normplot"
    defined_as(getattr(stats, _plot), normplot(_plot, _transform))
for _own in (probplot, ppcc_plot, mvsdist, bayes_mvs):
    declare(getattr(stats, _own.__name__), raises=True)
    defined_as(getattr(stats, _own.__name__), _own)
