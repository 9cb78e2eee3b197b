"""``scipy.stats.rv_histogram`` of counts or edges that are Variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> counts = srcgrad.Variable(np.array([1.0, 3.0]), requires_grad=True)
>>> stats.rv_histogram((counts, np.array([0.0, 1.0, 2.0]))).mean().backward()
>>> counts.grad.data
array([-0.1875,  0.0625])
"""

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.protocols import raw_of
from srcgrad.scipy.replacing import Refusing, is_plain, stands_for


class Histogram(Refusing):
    """The distribution that is even in each bin."""

    KIND = "an rv_histogram of Variables"

    def __init__(
        self, histogram: Any, *args: Any, density: Any = None, **options: Any
    ) -> None:
        # SciPy's own checks, and its warnings.
        plain = tuple(map(raw_of, histogram))
        stats.rv_histogram(plain, *args, density=density, **options)
        counts, self._edges = histogram
        self._widths = np.diff(self._edges)
        widths = raw_of(self._widths)
        if not (density or (density is None and not np.allclose(widths, widths[0]))):
            counts = counts / self._widths
        self._density = counts / np.sum(counts * self._widths)
        shares = np.cumsum(self._density * self._widths)
        self._shares = np.concatenate([np.zeros(1), shares])

    # ----- At points -----
    def pdf(self, x: Any) -> Any:
        around = np.concatenate([np.zeros(1), self._density, np.zeros(1)])
        found = np.take(around, np.searchsorted(self._edges, x, side="right"))
        return np.where(np.isnan(x), np.nan, found)

    def logpdf(self, x: Any) -> Any:
        return log(self.pdf(x))

    def cdf(self, x: Any) -> Any:
        inside = np.interp(x, self._edges, self._shares)
        return np.where(x >= self._edges[-1], 1.0, inside)

    def sf(self, x: Any) -> Any:
        return 1.0 - self.cdf(x)

    def logcdf(self, x: Any) -> Any:
        return log(self.cdf(x))

    def logsf(self, x: Any) -> Any:
        return log(self.sf(x))

    def ppf(self, q: Any) -> Any:
        inside = np.interp(q, self._shares, self._edges)
        return np.where((q >= 0) & (q <= 1), inside, np.nan)

    def isf(self, q: Any) -> Any:
        return self.ppf(1.0 - q)

    # ----- As a whole -----
    def moment(self, order: int) -> Any:
        powers = self._edges ** (order + 1)
        return np.sum(self._density * np.diff(powers)) / (order + 1)

    def mean(self) -> Any:
        return self.moment(1)

    def var(self) -> Any:
        apart = self._edges - self.mean()
        return np.sum(self._density * np.diff(apart**3)) / 3.0

    def std(self) -> Any:
        return np.sqrt(self.var())

    def median(self) -> Any:
        return self.ppf(0.5)

    def entropy(self) -> Any:
        return np.sum(special.entr(self._density) * self._widths)


def log(share: Any) -> Any:
    """The logarithm; minus infinity at 0, with no slope there."""
    is_zero = share == 0
    return np.where(is_zero, -np.inf, np.log(np.where(is_zero, 1.0, share)))


stands_for(
    *(stats.rv_histogram, Histogram),
    is_plain=lambda histogram, *_: is_plain(histogram),
)
