"""Rules for ``scipy.stats``: statistics of what is in a bin, frequencies, the mode.

Which bin something is in is constant between jumps. A statistic is differentiated by
the values in the bins, frequencies by their weights and by the ends of their bins.
"""

import numpy as np
from scipy import stats
from scipy.stats import _binned_statistic, _stats_py

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.pytree import flatten
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.compositions import defined_by
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.distances import root
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, instead_of
from srcgrad.rules.scipy.stats.distributions import is_differentiated
from srcgrad.rules.scipy.without import refuse


# ----- Statistics of the values in each bin -----
@dispatched
def places(sample, bins, span):
    """The number of each point's bin, those outside counted; and the edges."""
    found = stats.binned_statistic_dd(sample, None, "count", bins, span)
    return found.binnumber, *found.bin_edges


@dispatched
def ranked(values, number, size, share):
    """The two values around a share of those in each bin; how many are in it."""
    order = np.argsort(values, kind="stable")  # of complex numbers too
    order = order[np.argsort(number[order], kind="stable")]
    counts = np.bincount(number, minlength=size)
    first = np.cumsum(counts) - counts
    middle = first + np.maximum(counts - 1, 0) * share
    last = len(values) - 1
    ends = (np.minimum(end(middle), last).astype(int) for end in (np.floor, np.ceil))
    return *(order[end] for end in ends), counts


def total(values, number, size):
    if is_complex(values):
        real, imag = np.real(values), np.imag(values)
        return total(real, number, size) + 1j * total(imag, number, size)
    return np.bincount(number, weights=values, minlength=size)


def mean(values, number, size):
    counts = total(np.ones(np.shape(number)), number, size)
    return total(values, number, size) / np.where(counts == 0, np.nan, counts)


def std(values, number, size):
    apart = values - np.take(mean(values, number, size), number)
    return root(mean(np.real(apart * conj(apart)), number, size))


def count(values, number, size):
    return total(np.ones(np.shape(number)), number, size)


def at_share(share):
    def statistic(values, number, size):
        low, high, counts = ranked(values, number, size, share)
        return np.where(counts == 0, np.nan, 0.5 * (values[low] + values[high]))

    return statistic


STATISTICS = {
    "mean": mean,
    "std": std,
    "count": count,
    "sum": total,
    "median": at_share(0.5),
    "min": at_share(0.0),
    "max": at_share(1.0),
}
STATISTICS |= {
    getattr(np, name): STATISTICS[name]
    for name in "mean std sum median min max".split()
}


def depends_on_edges(sample, bins, span):
    """Whether the edges are found between the ends of points with a gradient."""
    given = [bins] if np.ndim(bins) == 0 else list(bins)
    is_found = span is None and any(np.ndim(each) == 0 for each in given)
    return is_found and is_differentiated(flatten(sample)[0])


def binned_statistic_dd(
    sample, values, statistic, bins, range, expand_binnumbers, binned_statistic_result
):
    if statistic not in STATISTICS:
        refuse("binned_statistic with a function as `statistic`", "call it on each bin")
    if isinstance(sample, (list, tuple)):
        sample = np.stack(sample, axis=-1)
    if np.ndim(sample) == 1:
        sample = sample[:, None]
    if binned_statistic_result is not None:
        edges = binned_statistic_result.bin_edges
        number = binned_statistic_result.binnumber
    elif depends_on_edges(sample, bins, range):
        refuse(
            "binned_statistic by the points, between whose ends are its bins",
            "give their edges as `bins`",
        )
    else:
        number, *edges = places(sample, bins, range)
    shape = tuple(len(each) + 1 for each in edges)
    lines = np.shape(values)[:-1]
    rows = np.reshape(values, (-1, np.shape(values)[-1]))
    found = [STATISTICS[statistic](row, number, int(np.prod(shape))) for row in rows]
    inner = (slice(None), *(slice(1, -1) for _ in shape))
    found = np.reshape(np.stack(found), (len(found), *shape))[inner]
    found = np.reshape(found, (*lines, *np.shape(found)[1:]))
    if expand_binnumbers and len(shape) > 1:
        number = np.stack(np.unravel_index(number, shape))
    return _binned_statistic.BinnedStatisticddResult(found, edges, number)


def binned_statistic(x, values, statistic, bins, range):
    bins = bins if np.ndim(bins) == 0 else [bins]
    span = [range] if range is not None and len(range) == 2 else range
    options = statistic, bins, span, False, None
    found, edges, number = binned_statistic_dd([x], values, *options)
    return _binned_statistic.BinnedStatisticResult(found, edges[0], number)


def binned_statistic_2d(x, y, values, statistic, bins, range, expand_binnumbers):
    if np.ndim(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    options = statistic, bins, range, expand_binnumbers, None
    found, edges, number = binned_statistic_dd([x, y], values, *options)
    return _binned_statistic.BinnedStatistic2dResult(found, *edges, number)


# ----- Frequencies; the most frequent -----
@dispatched
def most_frequent(a, axis):
    """Where it is first, and how often it is there."""
    found = stats.mode(a, axis=axis, keepdims=True)
    is_mode = (a == found.mode) | (np.isnan(a) & np.isnan(found.mode))
    return np.argmax(is_mode, axis=axis, keepdims=True), found.count


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """Of whole samples along one axis."""
    place, times = most_frequent(a, axis)
    found = np.take_along_axis(a, place, axis=axis), times
    return _stats_py.ModeResult(*(np.squeeze(each, axis=axis) for each in found))


instead_of(stats.mode.__wrapped__, mode)
as_in_scipy(stats, "cumfreq relfreq mode")
for _constant in (places, ranked, most_frequent):
    defconstant(_constant)
    declare(_constant, raises=True, shape_by_value=_constant is places)
declare(stats.binned_statistic_dd, raises=True, sequence="sample")
for _own in (binned_statistic, binned_statistic_2d, binned_statistic_dd):
    defined_by(getattr(stats, _own.__name__), _own)
