"""``scipy.stats.exp``, ``log``, ``abs``, ``truncate`` and ``order_statistic``.

Each makes a random variable of another, whose distribution function and density are
those of the other at a place that depends on it.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> mu = srcgrad.Variable(0.5, requires_grad=True)
>>> stats.exp(stats.Normal(mu=mu, sigma=1.0)).logpdf(np.e).backward()
>>> mu.grad.item()
0.5
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.scipy.replacing import Refusing, is_plain, stands_for
from srcgrad.scipy.statistics.mixtures import is_scipys, own_of


class Derived(Refusing):
    """A random variable that is made of another one."""

    def __init__(self, variable: Any) -> None:
        self._of = own_of(variable)

    def __repr__(self) -> str:
        return f"<srcgrad's {type(self).__name__} of {self._of!r}>"

    def pdf(self, x: Any) -> Any:
        return np.exp(self.logpdf(x))

    def logcdf(self, x: Any) -> Any:
        return np.log(self.cdf(x))

    def logccdf(self, x: Any) -> Any:
        return np.log(self.ccdf(x))

    def iccdf(self, p: Any) -> Any:
        return self.icdf(1.0 - p)

    def ilogcdf(self, p: Any) -> Any:
        return self.icdf(np.exp(p))

    def ilogccdf(self, p: Any) -> Any:
        return self.icdf(-np.expm1(p))

    def median(self) -> Any:
        return self.icdf(0.5)


class Moved(Derived):
    """Of another one at a place that rises with it."""

    # Whether it can be there, the other's place, and the logarithm of that one's slope.
    _place: Callable[[Any], tuple[Any, Any, Any]]

    def logpdf(self, x: Any) -> Any:
        is_inside, place, log_slope = self._place(x)
        return np.where(is_inside, self._of.logpdf(place) + log_slope, -np.inf)

    def cdf(self, x: Any) -> Any:
        is_inside, place, _ = self._place(x)
        return np.where(is_inside, self._of.cdf(place), 0.0)

    def ccdf(self, x: Any) -> Any:
        is_inside, place, _ = self._place(x)
        return np.where(is_inside, self._of.ccdf(place), 1.0)


class Exp(Moved):
    """Positive numbers; nothing is below 0."""

    def _place(self, x: Any) -> tuple[Any, Any, Any]:
        is_inside = x > 0
        place = np.log(np.where(is_inside, x, 1.0))
        return is_inside, place, -place

    def icdf(self, p: Any) -> Any:
        return np.exp(self._of.icdf(p))


class Log(Moved):
    """Of positive numbers."""

    def _place(self, x: Any) -> tuple[Any, Any, Any]:
        return True, np.exp(x), x

    def icdf(self, p: Any) -> Any:
        return np.log(self._of.icdf(p))


class Absolute(Derived):
    """Both sides as one."""

    def logpdf(self, x: Any) -> Any:
        both = np.logaddexp(self._of.logpdf(x), self._of.logpdf(np.negative(x)))
        return np.where(x >= 0, both, -np.inf)

    def cdf(self, x: Any) -> Any:
        between = self._of.cdf(x) - self._of.cdf(np.negative(x))
        return np.where(x >= 0, between, 0.0)

    def ccdf(self, x: Any) -> Any:
        beyond = self._of.ccdf(x) + self._of.cdf(np.negative(x))
        return np.where(x >= 0, beyond, 1.0)


class Truncated(Derived):
    """Between two bounds."""

    def __init__(self, variable: Any, low: Any, high: Any) -> None:
        super().__init__(variable)
        self._low, self._high = low, high
        self._below, self._above = self._of.cdf(low), self._of.ccdf(high)
        self._share = self._of.cdf(high) - self._below

    def logpdf(self, x: Any) -> Any:
        is_inside = (x >= self._low) & (x <= self._high)
        return np.where(is_inside, self._of.logpdf(x) - np.log(self._share), -np.inf)

    def cdf(self, x: Any) -> Any:
        share = (self._of.cdf(x) - self._below) / self._share
        return np.where(x <= self._low, 0.0, np.where(x >= self._high, 1.0, share))

    def ccdf(self, x: Any) -> Any:
        share = (self._of.ccdf(x) - self._above) / self._share
        return np.where(x <= self._low, 1.0, np.where(x >= self._high, 0.0, share))

    def icdf(self, p: Any) -> Any:
        return self._of.icdf(self._below + p * self._share)


class OrderStatistic(Derived):
    """The smallest but ``r - 1`` of ``n``."""

    def __init__(self, variable: Any, r: Any, n: Any) -> None:
        super().__init__(variable)
        self._shapes = r, n + 1.0 - r

    def logpdf(self, x: Any) -> Any:
        a, b = self._shapes
        sides = special.xlogy(a - 1.0, self._of.cdf(x))
        sides = sides + special.xlogy(b - 1.0, self._of.ccdf(x))
        return self._of.logpdf(x) + sides - special.betaln(a, b)

    def cdf(self, x: Any) -> Any:
        return special.betainc(*self._shapes, self._of.cdf(x))

    def ccdf(self, x: Any) -> Any:
        return special.betaincc(*self._shapes, self._of.cdf(x))

    def icdf(self, p: Any) -> Any:
        return self._of.icdf(special.betaincinv(*self._shapes, p))


def truncated(X: Any, lb: Any = -np.inf, ub: Any = np.inf) -> Truncated:
    return Truncated(X, lb, ub)


def order_statistic(X: Any, /, *, r: Any, n: Any) -> OrderStatistic:
    return OrderStatistic(X, r, n)


def is_of_numbers(variable: Any, *others: Any) -> bool:
    return is_scipys(variable) and is_plain(*others)


for _original, _own in (
    (stats.exp, Exp),
    (stats.log, Log),
    (stats.abs, Absolute),
    (stats.truncate, truncated),
    (stats.order_statistic, order_statistic),
):
    # Also for one of srcgrad's random variables.
    stands_for(_original, _own, is_looking=True, is_plain=is_of_numbers)
