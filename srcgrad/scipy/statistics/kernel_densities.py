"""``scipy.stats.gaussian_kde``: by the points, the data, the weights, the bandwidth.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([0.5]), requires_grad=True)
>>> stats.gaussian_kde(np.array([0.0, 1.0, 3.0])).logpdf(x).sum().backward()
>>> x.grad.data.round(4)
array([0.1059])
"""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.facts import declare
from srcgrad.protocols import dispatched, first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS, reaching
from srcgrad.rules.registry import defconstant
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import is_plain, stands_for

logsumexp = reaching(special.logsumexp)

# What else SciPy's object says of its data; of Variables it would lose them.
REFUSED = frozenset(
    "covariance inv_cov cho_cov factor neff weights dataset log_det integrate_gaussian "
    "integrate_box integrate_kde resample marginal set_bandwidth".split()
)


class GaussianKde(stats.gaussian_kde):  # type: ignore[misc]
    """``scipy.stats.gaussian_kde``"""

    given: Any = None

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None):
        way = raw_of(bw_method)
        way = way[()] if isinstance(way, np.ndarray) else way
        super().__init__(raw_of(dataset), way, raw_of(weights))
        if first_variable((dataset, bw_method, weights)) is None:
            return
        if callable(bw_method):
            refuse("stats.gaussian_kde", "by a bandwidth that a function chooses")
        self.given = dataset, bw_method, weights

    def __getattribute__(self, name: str) -> Any:
        if name in REFUSED and object.__getattribute__(self, "given") is not None:
            refuse("stats.gaussian_kde", f"by its {name!r}")
        return super().__getattribute__(name)


@dispatched
def held(kde: Any, asked: Any) -> Any:
    """What SciPy's object holds at a call: generated code looks anew."""
    return kde.dataset, kde.weights, kde.cho_cov


defconstant(held)
declare(held, shape_by_value=True, raises=True)


def parts(kde: Any, asked: Any) -> Any:
    """The data in rows of dimensions, the weights, and the root of the covariance."""
    given = getattr(kde, "given", None)
    if given is None:
        return held(kde, asked)
    dataset, way, weights = given
    dataset = dataset if np.ndim(dataset) > 1 else np.reshape(dataset, (1, -1))
    d, n = np.shape(dataset)
    weights = np.full(n, 1.0 / n) if weights is None else weights / np.sum(weights)
    square = np.sum(weights * weights)
    if way is None or isinstance(way, str):
        scale = 4.0 / (d + 2.0) if way == "silverman" else 1.0
        factor = (square * scale) ** (1.0 / (d + 4))
    else:
        factor = way
    apart = dataset - np.sum(weights * dataset, axis=1, keepdims=True)
    covariance = (weights * apart) @ apart.T / (1.0 - square)
    return dataset, weights, np.linalg.cholesky(covariance) * factor


def log_terms(kde: Any, points: Any) -> Any:
    """The logarithm of what each datum adds at each point."""
    dataset, weights, root = parts(kde, points)
    d = np.shape(dataset)[0]
    if np.ndim(points) < 2:
        points = np.reshape(points, (1, -1))
    if np.shape(points)[0] != d:
        if np.shape(points) != (1, d):
            m = np.shape(points)[0]
            raise ValueError(f"points have dimension {m}, dataset has dimension {d}")
        points = points.T
    points, dataset = (np.linalg.solve(root, each) for each in (points, dataset))
    apart = points[:, :, None] - dataset[:, None, :]
    logs = np.log(weights) - 0.5 * np.sum(apart * apart, axis=0)
    return logs - np.sum(np.log(np.diagonal(root))) - 0.5 * d * math.log(2.0 * math.pi)


def evaluate(self: Any, points: Any) -> Any:
    return np.sum(np.exp(log_terms(self, points)), axis=1)


def logpdf(self: Any, x: Any) -> Any:
    logs = log_terms(self, x)
    return logsumexp(logs, axis=1)


def integrate_box_1d(self: Any, low: Any, high: Any) -> Any:
    dataset, weights, root = parts(self, low + high)
    if np.shape(dataset)[0] != 1:
        raise ValueError("integrate_box_1d() only handles 1D pdfs")
    low, high = ((end - dataset[0]) / root[0, 0] for end in (low, high))
    return np.sum(weights * (special.ndtr(high) - special.ndtr(low)))


def is_of_numbers(kde: Any, *args: Any) -> bool:
    return is_plain(*args) and getattr(kde, "given", None) is None


for _name, _composed in (
    ("evaluate", evaluate),
    ("logpdf", logpdf),
    ("integrate_box_1d", integrate_box_1d),
    ("pdf", lambda self, x: evaluate(self, x)),
):
    _original = getattr(stats.gaussian_kde, _name)
    _method = stands_for(_original, _composed, is_plain=is_of_numbers)
    setattr(GaussianKde, _name, _method)
GaussianKde.__call__ = GaussianKde.evaluate
REPLACEMENTS[stats.gaussian_kde] = GaussianKde
