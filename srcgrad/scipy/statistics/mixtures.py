"""``scipy.stats.Mixture`` of random variables, or with weights, that hold Variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> weights = srcgrad.Variable(np.array([0.5, 0.5]), requires_grad=True)
>>> parts = [stats.Normal(mu=0.0, sigma=1.0), stats.Normal(mu=2.0, sigma=1.0)]
>>> stats.Mixture(parts, weights=weights).mean().backward()
>>> weights.grad.data
array([0., 2.])
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, special, stats

from srcgrad.errors import NoRuleError, located
from srcgrad.modes import no_grad
from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import REPLACEMENTS, reaching
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.optimization.implicit import Solution, jacobian
from srcgrad.scipy.optimization.minima import gradient_of
from srcgrad.scipy.replacing import Refusing, is_plain, stands_for
from srcgrad.scipy.statistics.random_variables import RandomVariable, held

SUMS = ("pdf", "ccdf")
OF_LOGARITHMS = ("logpdf", "logcdf", "logccdf")
INVERSES = {"icdf": ("cdf", 1.0), "iccdf": ("ccdf", -1.0)}
HALVINGS = 40

logsumexp = reaching(special.logsumexp)
tanhsinh = REPLACEMENTS[integrate.tanhsinh]


class Mixture(Refusing):
    """Random variables, each drawn with a probability of its own."""

    KIND = "a Mixture"

    def __init__(self, components: Any, *, weights: Any = None) -> None:
        self.components = [own_of(each) for each in components]
        count = len(self.components)
        self.weights = np.full(count, 1.0 / count)
        if weights is not None:
            self.weights = np.stack(weights) if isinstance(weights, list) else weights
        if np.shape(self.weights) != (count,):
            raise ValueError("`components` and `weights` must have the same length.")
        if not np.isclose(np.sum(raw_of(self.weights)), 1.0):
            raise ValueError("`weights` must sum to 1.0.")
        if np.any(raw_of(self.weights) < 0):
            raise ValueError("All `weights` must be non-negative.")

    def __getattr__(self, name: str) -> Any:
        if name in OF_LOGARITHMS:
            return functools.partial(self._log_sum, name)
        if name in SUMS:
            return functools.partial(self._sum, name)
        if name in INVERSES:
            return functools.partial(self._inverse, name)
        return super().__getattr__(name)

    def _each(self, name: str, *args: Any) -> Any:
        """A method of all components, and their weights, along a last axis."""
        found = [getattr(each, name)(*args) for each in self.components]
        return np.stack(np.broadcast_arrays(*found), axis=-1)

    def _sum(self, name: str, *args: Any) -> Any:
        return np.sum(self.weights * self._each(name, *args), axis=-1)

    def _log_sum(self, name: str, *args: Any) -> Any:
        return logsumexp(self._each(name, *args), axis=-1, b=self.weights)

    def cdf(self, x: Any, y: Any = None) -> Any:
        return self._sum("cdf", *((x,) if y is None else (x, y)))

    def _inverse(self, name: str, p: Any) -> Any:
        """Where a distribution function is ``p``, between where the components' are."""
        own, sign = INVERSES[name]
        ends = raw_of(self._each(name, p))
        low, high = np.min(ends, axis=-1), np.max(ends, axis=-1)
        with no_grad(), np.errstate(all="ignore"):
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                is_below = sign * (raw_of(getattr(self, own)(middle)) - raw_of(p)) < 0
                low, high = (
                    np.where(is_below, middle, low),
                    np.where(is_below, high, middle),
                )
        place = 0.5 * (low + high)
        # Newton's steps have its slopes, to the third order, besides its last digits.
        for _ in range(2):
            place = place - sign * (getattr(self, own)(place) - p) / self.pdf(place)
        return place

    # ----- Moments -----
    def mean(self) -> Any:
        return self._sum("mean")

    def median(self) -> Any:
        return self.icdf(0.5)

    def variance(self) -> Any:
        apart = self._each("mean") - self.mean()
        return np.sum(self.weights * (self._each("variance") + apart**2), axis=-1)

    def standard_deviation(self) -> Any:
        return np.sqrt(self.variance())

    def skewness(self) -> Any:
        apart, spread = self._each("mean") - self.mean(), self._each("variance")
        third = self._each("skewness") * spread**1.5 + (3.0 * spread + apart**2) * apart
        return np.sum(self.weights * third, axis=-1) / self.variance() ** 1.5

    def kurtosis(self) -> Any:
        apart, spread = self._each("mean") - self.mean(), self._each("variance")
        fourth = self._each("kurtosis") * spread**2 + apart**4
        fourth = fourth + 4.0 * self._each("skewness") * spread**1.5 * apart
        fourth = fourth + 6.0 * spread * apart**2
        return np.sum(self.weights * fourth, axis=-1) / self.variance() ** 2

    # ----- Of the density as a whole -----
    def support(self) -> Any:
        low, high = zip(*[each.support() for each in self.components], strict=True)
        ends = np.stack(np.broadcast_arrays(*low)), np.stack(np.broadcast_arrays(*high))
        return np.min(ends[0], axis=0), np.max(ends[1], axis=0)

    def _density(self) -> Callable[[Any], Any]:
        """``pdf``, as a function around which the Variables are seen."""
        kinds = [each.parts for each in self.components]
        weights = [self.weights[i] for i in range(len(kinds))]

        def density(x: Any) -> Any:
            pairs = zip(weights, kinds, strict=True)
            return sum(weight * RandomVariable(*kind).pdf(x) for weight, kind in pairs)

        return density

    def entropy(self) -> Any:
        pdf = self._density()

        def integrand(x: Any) -> Any:
            density = pdf(x)
            return -density * np.log(np.where(density > 0.0, density, 1.0))

        return tanhsinh(integrand, *map(raw_of, self.support())).integral

    def mode(self) -> Any:
        """Where SciPy finds it, as a root of the slope there."""
        with no_grad():
            place = stats.Mixture.mode(Numbers(self))
        pdf = self._density()
        slope = gradient_of(lambda x: np.log(pdf(x)), None)
        around = captured(slope)
        own = opened(slope, around)
        raws = [raw_of(each) for each in around]
        curvature = float(raw_of(jacobian(own, place, raws)).item())
        near = 1e-3 * float(raw_of(self.standard_deviation()))
        if not abs(raw_of(own(place, *raws))) < near * -curvature:
            raise located(
                NoRuleError(
                    "srcgrad has no derivative of the mode of a Mixture that is no "
                    "smooth peak"
                ),
                "it is at an edge, or anywhere on a plateau",
            )
        return Solution.apply(own, place, *around)

    def __repr__(self) -> str:
        return f"<srcgrad's mixture of {self.components!r}>"


class Numbers:
    """What SciPy asks a mixture for, as numbers."""

    def __init__(self, mixture: Mixture) -> None:
        self._mixture = mixture

    def _raise_if_method(self, method: Any) -> None:
        """There are no methods to choose from."""

    def support(self) -> Any:
        return tuple(map(raw_of, self._mixture.support()))

    def pdf(self, x: Any) -> Any:
        return raw_of(self._mixture.pdf(x))


def own_of(component: Any) -> Any:
    """A component that takes Variables."""
    return component if isinstance(component, RandomVariable) else held(component)


def is_scipys(component: Any) -> bool:
    """Whether it holds numbers alone."""
    return type(component).__module__.startswith("scipy.")


def on_points(name: str) -> Any:
    """A method of SciPy's mixtures, of points that are Variables."""

    def method(given: Any, *args: Any, **options: Any) -> Any:
        own = Mixture(given.components, weights=given.weights)
        return getattr(own, name)(*args, **options)

    return method


# Also for srcgrad's random variables.
stands_for(
    *(stats.Mixture, Mixture, True),
    lambda components, *weights: all(map(is_scipys, components)) and is_plain(*weights),
)
for _name in ("cdf", *SUMS, *OF_LOGARITHMS, *INVERSES):
    stands_for(getattr(stats.Mixture, _name), on_points(_name))
