"""``scipy.stats.bootstrap`` and its kin: what is drawn is fixed, the data are not.

SciPy draws places in place of data, and so the same ones as ever; the statistic is
taken of the data at these places.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([1.0, 2.0, 6.0]), requires_grad=True)
>>> stats.bootstrap((x,), np.mean, n_resamples=99, rng=0).standard_error.backward()
>>> bool(x.grad.data.sum().round(12) == 0.0)  # no change where all data are moved
True
"""

import inspect
import itertools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import _sensitivity_analysis as sensitivity

from srcgrad.facts import declare
from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.registry import defconstant
from srcgrad.scipy.captures import captured
from srcgrad.scipy.parameters import as_array
from srcgrad.scipy.replacing import is_plain, replaces, stands_for

Statistic = Callable[..., Any]


class Noted:
    """A statistic that SciPy calls: it gets numbers, the Variables are kept."""

    def __init__(self, statistic: Statistic, vectorized: Any, given: Any) -> None:
        self.statistic = replacement_of(statistic)
        if vectorized is None:
            vectorized = "axis" in inspect.signature(statistic).parameters
        self.is_vectorized, self.given = vectorized, given
        self.found: list[Any] = []

    def __call__(self, *samples: Any, axis: int = -1) -> Any:
        out = self.of(*self.given(samples, len(self.found)))
        self.found.append(out)
        return raw_of(out)

    def of(self, *samples: Any) -> Any:
        """The statistic along the last axis of the samples."""
        if self.is_vectorized:
            return as_array(self.statistic(*samples, axis=-1))
        around = np.shape(samples[0])[:-1]
        rows = [np.reshape(each, (-1, np.shape(each)[-1])) for each in samples]
        each = [as_array(self.statistic(*row)) for row in zip(*rows, strict=True)]
        whole = np.stack(each)
        whole = np.reshape(whole, (*around, *np.shape(whole)[1:]))
        # What the statistic has of axes comes first.
        return np.moveaxis(whole, range(len(around)), range(-len(around), 0))


def along_last(samples: Any, axis: int) -> list[Any]:
    """The samples, their axis the last, the others of one shape."""
    moved = [np.moveaxis(sample, axis, -1) for sample in samples]
    around = np.broadcast_shapes(*(np.shape(each)[:-1] for each in moved))
    return [np.broadcast_to(each, (*around, np.shape(each)[-1])) for each in moved]


def is_of_numbers(data: Any, *functions: Any) -> bool:
    """Whether there are no Variables in the data, nor in the statistic."""
    return is_plain(data) and not captured(functions)


def resamples(name: str) -> Callable[[Any], Any]:
    return lambda own: stands_for(getattr(stats, name), own, True, is_of_numbers)


# ----- The bootstrap -----
@resamples("bootstrap")
def bootstrap(
    data: Any,
    statistic: Statistic,
    *,
    n_resamples: int = 9999,
    batch: Any = None,
    vectorized: Any = None,
    axis: int = 0,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "BCa",
    bootstrap_result: Any = None,
    **options: Any,
) -> Any:
    """``scipy.stats.bootstrap``"""
    samples = along_last(data, axis)
    places = [np.arange(np.shape(sample)[-1]) for sample in samples]
    noted = Noted(
        *(statistic, vectorized),
        lambda drawn, _: map(lambda x, at: x[..., at], samples, map(as_places, drawn)),
    )
    before = bootstrap_result and bootstrap_result.bootstrap_distribution
    plain = stats.bootstrap(
        *(places, noted),
        n_resamples=n_resamples,
        batch=batch,
        vectorized=True,
        confidence_level=confidence_level,
        alternative=alternative,
        method=method,
        bootstrap_result=None
        if before is None
        else SimpleNamespace(bootstrap_distribution=raw_of(before)),
        **options,
    )
    count = math.ceil(n_resamples / (batch or n_resamples or 1))
    drawn = noted.found[:count] if before is None else [before, *noted.found[:count]]
    distribution = np.concatenate(drawn, axis=-1)
    is_double = alternative.lower() == "two-sided"
    alpha = (1.0 - confidence_level) / (2.0 if is_double else 1.0)
    low, high = np.float64(alpha), np.float64(1.0 - alpha)
    if method.lower() == "bca":
        sizes = [
            len(place) for place in (places[:1] if options.get("paired") else places)
        ]
        low, high = accelerated(distribution, noted.found[count:], alpha, sizes, batch)
    low, high = quantile(distribution, low), quantile(distribution, high)
    if method.lower() == "basic":
        middle = 2.0 * noted.found[-1]
        low, high = middle - high, middle - low
    ends = plain.confidence_interval
    ends = type(ends)(
        ends.low if alternative.lower() == "less" else low,
        ends.high if alternative.lower() == "greater" else high,
    )
    return type(plain)(
        confidence_interval=ends,
        bootstrap_distribution=distribution,
        standard_error=np.std(distribution, ddof=1, axis=-1),
    )


def as_places(drawn: Any) -> Any:
    return np.asarray(drawn).astype(np.intp)


def quantile(distribution: Any, share: Any) -> Any:
    """One for each statistic, at a share of its own."""
    ordered = np.sort(distribution, axis=-1)
    place = np.broadcast_to(share, np.shape(ordered)[:-1]) * (np.shape(ordered)[-1] - 1)
    before = np.clip(np.floor(raw_of(place)), 0, np.shape(ordered)[-1] - 2)
    first, last = (
        np.take_along_axis(ordered, (before + i).astype(np.intp)[..., None], axis=-1)
        for i in (0, 1)
    )
    return first[..., 0] + (place - before) * (last - first)[..., 0]


def accelerated(
    distribution: Any, found: list[Any], alpha: float, sizes: list[int], batch: Any
) -> Any:
    """The shares that BCa takes the quantiles at, by the jackknife's statistics."""
    whole, *others = found
    raw, own = raw_of(distribution), raw_of(whole)[..., None]
    counts = np.sum(raw < own, axis=-1) + np.sum(raw <= own, axis=-1)
    shift = special.ndtri(counts / (2.0 * raw.shape[-1]))
    numerator: Any = 0.0
    denominator: Any = 0.0
    for n in sizes:
        calls = math.ceil(n / (batch or n))
        left, others = np.concatenate(others[:calls], axis=-1), others[calls:]
        apart = (n - 1.0) * (np.mean(left, axis=-1, keepdims=True) - left)
        numerator = numerator + np.sum(apart**3, axis=-1) / n**3
        denominator = denominator + np.sum(apart**2, axis=-1) / n**2
    acceleration = numerator / denominator**1.5 / 6.0
    for z in (special.ndtri(alpha), -special.ndtri(alpha)):
        yield special.ndtr(shift + (shift + z) / (1.0 - acceleration * (shift + z)))


# ----- Tests: chances are counts, statistics are not -----
@resamples("permutation_test")
def permutation_test(
    data: Any,
    statistic: Statistic,
    *,
    vectorized: Any = None,
    axis: int = 0,
    **rest: Any,
) -> Any:
    """``scipy.stats.permutation_test``"""
    samples = along_last(data, axis)
    whole = np.concatenate(samples, axis=-1)
    ends = np.cumsum([0, *(np.shape(sample)[-1] for sample in samples)])
    # From 1 on, as a lone sample has its signs changed.
    places = [np.arange(a, b) + 1 for a, b in itertools.pairwise(ends)]

    def given(drawn: Any, number: int) -> Any:
        for each in map(as_places, drawn):
            found = whole[..., np.abs(each) - 1] * np.sign(each)
            yield found if number == 0 else np.moveaxis(found, -2, 0)

    noted = Noted(statistic, vectorized, given)
    plain = stats.permutation_test(places, noted, vectorized=True, axis=0, **rest)
    observed, *null = noted.found
    return type(plain)(observed, plain.pvalue, np.concatenate(null, axis=0))


@resamples("monte_carlo_test")
def monte_carlo_test(
    data: Any,
    rvs: Any,
    statistic: Statistic,
    *,
    vectorized: Any = None,
    axis: int = 0,
    **rest: Any,
) -> Any:
    """``scipy.stats.monte_carlo_test``"""
    several = isinstance(rvs, (list, tuple))
    samples = along_last(data if several else (data,), axis)
    noted = Noted(
        *(statistic, vectorized),
        lambda drawn, number: samples if number == 0 else drawn,
    )
    raw = [raw_of(sample) for sample in samples]
    plain = stats.monte_carlo_test(
        *(raw if several else raw[0], rvs, noted), vectorized=True, axis=-1, **rest
    )
    observed, *null = noted.found
    found = np.reshape(np.concatenate(null), np.shape(plain.null_distribution))
    return type(plain)(observed, plain.pvalue, found)


# ----- Sobol's indices -----
class Outputs(Noted):
    """Of a function of points, each output in a row."""

    def of(self, *samples: Any) -> Any:
        return np.atleast_2d(as_array(self.statistic(*samples)))


def centred_outputs(func: Any, n: int, given: Any) -> Any:
    """What a function says at SciPy's points: of A, of B, and of their mixtures."""
    if not callable(func):
        rows = [np.atleast_2d(func[name]) for name in ("f_A", "f_B", "f_AB")]
    else:
        noted = Outputs(func, True, lambda drawn, _: drawn)
        stats.sobol_indices(func=noted, n=n, **given)
        *rows, mixed = noted.found
        d = np.shape(mixed)[-1] // n
        rows.append(np.moveaxis(np.reshape(mixed, (-1, n, d)), -1, 0))
    mean = np.mean(np.stack(rows[:2]), axis=(0, -1))[:, None]
    return [row - mean for row in rows]


def saltelli(f_A: Any, f_B: Any, f_AB: Any) -> Any:
    """``scipy.stats._sensitivity_analysis.saltelli_2010``"""
    spread = np.var(np.stack([f_A, f_B]), axis=(0, -1))
    first = np.mean(f_B * (f_AB - f_A), axis=-1) / spread
    total = 0.5 * np.mean((f_A - f_AB) ** 2, axis=-1) / spread
    return first.T, total.T


def is_of_outputs(*given: Any) -> bool:
    """Whether neither a function nor outputs of one hold Variables."""
    outputs = [tuple(each.values()) for each in given if isinstance(each, dict)]
    return is_plain(*outputs) and not captured(given)


@replaces(stats.sobol_indices, is_looking=True, is_plain=is_of_outputs)
def sobol_indices(func: Any, n: Any, dists: Any, method: Any, rng: Any) -> Any:
    """``scipy.stats.sobol_indices``"""
    given = {"dists": dists, "method": method, "rng": rng}
    f_a, f_b, f_ab = centred_outputs(func, n, given)
    indices = method if callable(method) else saltelli
    found = [np.squeeze(each) for each in indices(f_A=f_a, f_B=f_b, f_AB=f_ab)]
    found = [np.where(np.isfinite(each), each, 0.0) for each in found]
    return sensitivity.SobolResult(*found, indices, f_a, f_b, f_ab)


# How many of so many tests are passed: constant between jumps.
defconstant(stats.power)
declare(stats.power, effect="acts", calls=True, raises=True)  # it draws
