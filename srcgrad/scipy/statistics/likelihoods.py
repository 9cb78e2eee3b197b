"""``scipy.stats.gamma.fit`` and its kin: the likeliest parameters, by the data.

Where SciPy stops the slope of the likelihood is almost 0, so the parameters' slopes in
the data are those of an implicit function.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([1.0, 2.0, 6.0]), requires_grad=True)
>>> mean, deviation = stats.norm.fit(x)
>>> mean.backward()
>>> x.grad.data.round(4)
array([0.3333, 0.3333, 0.3333])
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import replacement_of
from srcgrad.scipy.optimization.constrained import minimum
from srcgrad.scipy.optimization.minima import gradient_of
from srcgrad.scipy.parameters import pulled_back, refuse
from srcgrad.scipy.replacing import is_plain, replaces, stands_for

# Those whose place is at an edge of the data, or at a kink.
CLOSED: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "expon": lambda x: (np.min(x), np.mean(x) - np.min(x)),
    "laplace": lambda x: (np.median(x), np.mean(np.abs(x - np.median(x)))),
    "norm": lambda x: (np.mean(x), np.std(x)),
    "uniform": lambda x: (np.min(x), np.max(x) - np.min(x)),
}

# How far from the maximum SciPy may stop, in Newton's steps, as a share of the size.
NEAR = 1e-2


def free_of(distribution: Any, given: Any) -> list[int]:
    """The numbers of the parameters that are not given as fixed."""
    names = [name.strip() for name in (distribution.shapes or "").split(",") if name]
    fixed = [{f"f{i}", f"f{name}", f"fix_{name}"} for i, name in enumerate(names)]
    fixed += [{"floc"}, {"fscale"}]
    return [i for i, own in enumerate(fixed) if own.isdisjoint(given)]


def check_stationary(distribution: Any, slope: Any, found: Any, data: Any) -> None:
    """Refuse what is no smooth maximum: at an edge, or beyond all bounds."""

    def along(theta: Any) -> Any:
        return slope(theta, data)

    rows = [pulled_back(along, [found], row)[1][0] for row in np.eye(len(found))]
    curvature, lean = np.stack([raw_of(row) for row in rows]), raw_of(along(found))
    try:
        step = np.linalg.solve(curvature, lean)
    except np.linalg.LinAlgError:
        step = np.full(len(found), np.inf)
    if not np.all(np.abs(step) <= NEAR * (1.0 + np.abs(found))):
        refuse(
            f"stats.{distribution.name}.fit",
            "where the likelihood has no smooth maximum: hold a parameter (floc=0)",
        )


def likeliest(distribution: Any, data: Any, found: Any, free: list[int]) -> Any:
    """The parameters that SciPy has found, as Variables that depend on the data."""
    is_discrete = hasattr(distribution, "pmf")
    density = distribution.logpmf if is_discrete else distribution.logpdf
    density = replacement_of(density)

    def loss(theta: Any, x: Any) -> Any:
        values = list(found)
        for place, i in enumerate(free):
            values[i] = theta[place]
        return -np.sum(density(x, *values))

    slope, start = gradient_of(loss, None), np.array([found[i] for i in free])
    check_stationary(distribution, slope, start, raw_of(data))
    theta = minimum(slope, start, [data], [])
    out = list(found)
    for place, i in enumerate(free):
        out[i] = theta[place]
    return tuple(out)


def fitting(original: Any) -> Callable[..., Any]:
    def fit(self: Any, data: Any, *args: Any, **options: Any) -> Any:
        found = original(self, raw_of(data), *args, **options)
        if options.get("method", "mle").lower() != "mle":
            refuse(f"stats.{self.name}.fit", "by moments: use method='MLE'")
        free = free_of(self, options)
        if self.name in CLOSED and len(free) == 2:
            return CLOSED[self.name](data)
        return likeliest(self, data, found, free)

    return fit


def has_plain_data(self: Any, data: Any, *_: Any) -> bool:
    return is_plain(data)


KINDS = {type(each) for each in vars(stats).values() if hasattr(each, "nnlf")}
for _original in {kind.fit for kind in KINDS if hasattr(kind, "fit")}:
    stands_for(_original, fitting(_original), is_plain=has_plain_data)


# ----- By its own search, within bounds -----
def free_within(distribution: Any, bounds: Any) -> list[int]:
    """The numbers of the parameters that a search within bounds may move."""
    free = []
    for i, info in enumerate(distribution._param_info()):
        own = info.domain
        if isinstance(bounds, dict):
            own = bounds.get(info.name, None if is_place(info.name) else own)
        elif bounds is not None and i < len(bounds):
            own = bounds[i]
        elif is_place(info.name):
            own = None
        if own is not None and own[0] < own[1] and not info.integrality:
            free.append(i)
    return free


def is_place(name: str) -> bool:
    """Whether a parameter stays as it is where no bounds are given."""
    return name in ("loc", "scale")


@replaces(stats.fit)
def fit(found: Any, dist: Any, data: Any, bounds: Any, method: str) -> Any:
    """``scipy.stats.fit``"""
    if method.lower() != "mle":
        refuse("stats.fit", "by spacings: use method='mle'")
    free = free_within(dist, bounds)
    found.params = type(found.params)(*likeliest(dist, data, tuple(found.params), free))
    return found
