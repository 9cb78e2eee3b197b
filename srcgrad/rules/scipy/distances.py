"""Rules for ``scipy.spatial.distance``: metrics, and tables of distances.

Each metric is one formula along the last axis. A distance that is zero has a slope of
zero where it has a corner.
"""

import numpy as np
from scipy.spatial import distance

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.precision import doubles


def root(x):
    """The square root, flat at 0."""
    is_zero = x == 0
    return np.where(is_zero, 0.0, np.sqrt(np.where(is_zero, 1.0, x)))


def total(x, w):
    return np.sum(x if w is None else w * x, axis=-1)


def sqeuclidean(u, v, w=None):
    return total((u - v) ** 2, w)


def euclidean(u, v, w=None):
    return root(sqeuclidean(u, v, w))


def cityblock(u, v, w=None):
    return total(np.abs(u - v), w)


def chebyshev(u, v, w=None):
    apart = np.abs(u - v)
    # A weight says only whether the coordinate counts.
    return np.max(apart if w is None else apart * np.greater(w, 0), axis=-1)


def minkowski(u, v, p=2, w=None):
    if p == 1:
        return cityblock(u, v, w)
    if np.isinf(p):
        return chebyshev(u, v, w)
    powers = total(np.abs(u - v) ** p, w)
    is_zero = powers == 0
    return np.where(is_zero, 0.0, np.where(is_zero, 1.0, powers) ** (1.0 / p))


def cosine(u, v, w=None):
    lengths = np.sqrt(total(u * u, w) * total(v * v, w))
    return 1.0 - total(u * v, w) / lengths


def correlation(u, v, w=None, centered=True):
    if not centered:
        return cosine(u, v, w)
    if w is None:
        middle = [np.mean(x, axis=-1, keepdims=True) for x in (u, v)]
    else:
        w = w / np.sum(w)
        middle = [np.sum(w * x, axis=-1, keepdims=True) for x in (u, v)]
    return cosine(u - middle[0], v - middle[1], w)


def canberra(u, v, w=None):
    sizes = np.abs(u) + np.abs(v)
    return total(np.abs(u - v) / np.where(sizes == 0, 1.0, sizes), w)


def braycurtis(u, v, w=None):
    return total(np.abs(u - v), w) / total(np.abs(u + v), w)


def seuclidean(u, v, V):
    return root(np.sum((u - v) ** 2 / V, axis=-1))


def mahalanobis(u, v, VI):
    apart = u - v
    return root(np.sum((apart @ VI) * apart, axis=-1))


def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    """Along the first axis, but in ``cdist`` and ``pdist``."""
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (p + q)
    parts = 0.5 * (relative(p, middle) + relative(q, middle))
    both = np.sum(parts, axis=axis, keepdims=keepdims)
    return root(both if base is None else both / np.log(base))


def relative(p, q):
    """``p * log(p / q)``, which is 0 where ``p`` is."""
    is_zero = p == 0
    ratio = np.where(is_zero, 1.0, p) / np.where(is_zero, 1.0, q)
    return p * np.log(ratio)


# ----- Of truth values, as SciPy counts them where they are numbers -----
def apart(u, v, w):
    """How many are in one alone."""
    return total((1.0 - u) * v, w) + total(u * (1.0 - v), w)


def dice(u, v, w=None):
    one = apart(u, v, w)
    return one / (2.0 * total(u * v, w) + one)


def hamming(u, v, w=None):
    differ = np.not_equal(u, v) * 1.0
    return np.mean(differ) if w is None else total(differ, w) / np.sum(w)


def jaccard(u, v, w=None):
    u, v = np.not_equal(u, 0), np.not_equal(v, 0)
    either = total(np.logical_or(u, v) * 1.0, w)
    return total(np.logical_xor(u, v) * 1.0, w) / np.where(either == 0, 1.0, either)


def rogerstanimoto(u, v, w=None):
    one = 2.0 * apart(u, v, w)
    return one / (total(u * v, w) + total((1.0 - u) * (1.0 - v), w) + one)


def russellrao(u, v, w=None):
    n = float(np.shape(u)[0]) if w is None else np.sum(w)
    return (n - total(u * v, w)) / n


def sokalsneath(u, v, w=None):
    one = 2.0 * apart(u, v, w)
    return one / (total(u * v, w) + one)


def yule(u, v, w=None):
    half = total((1.0 - u) * v, w) * total(u * (1.0 - v), w)
    whole = total(u * v, w) * total((1.0 - u) * (1.0 - v), w) + half
    return 2.0 * half / np.where(whole == 0, 1.0, whole)


OF_TRUTH = (dice, hamming, jaccard, rogerstanimoto, russellrao, sokalsneath, yule)

METRICS = {
    "braycurtis": braycurtis,
    "canberra": canberra,
    "chebyshev": chebyshev,
    "cityblock": cityblock,
    "correlation": correlation,
    "cosine": cosine,
    "euclidean": euclidean,
    "jensenshannon": jensenshannon,
    "mahalanobis": mahalanobis,
    "minkowski": minkowski,
    "seuclidean": seuclidean,
    "sqeuclidean": sqeuclidean,
}


def metric_of(name, kwargs):
    if name not in METRICS:
        raise NotImplementedError(
            f"srcgrad has no derivative of the metric {name!r}; it has of "
            f"{', '.join(METRICS)}"
        )
    kwargs.pop("out", None)
    if name == "jensenshannon":
        kwargs["axis"] = -1
    return METRICS[name]


def inverse_covariance(X):
    """What Mahalanobis's metric takes if it is not told: from the points themselves."""
    apart = X - np.mean(X, axis=0)
    return np.linalg.inv((apart.T @ apart) / (np.shape(X)[0] - 1.0)).T


def cdist(XA, XB, metric="euclidean", **kwargs):
    """``scipy.spatial.distance.cdist``: each of one set with each of another."""
    function = metric_of(metric, kwargs)
    XA, XB = doubles(XA), doubles(XB)
    if metric == "seuclidean" and "V" not in kwargs:
        kwargs["V"] = np.var(np.concatenate([XA, XB]), axis=0, ddof=1)
    if metric == "mahalanobis" and "VI" not in kwargs:
        kwargs["VI"] = inverse_covariance(np.concatenate([XA, XB]))
    return function(XA[:, None, :], XB[None, :, :], **kwargs)


def pdist(X, metric="euclidean", **kwargs):
    """``scipy.spatial.distance.pdist``: each pair once."""
    function = metric_of(metric, kwargs)
    X = doubles(X)
    if metric == "seuclidean" and "V" not in kwargs:
        kwargs["V"] = np.var(X, axis=0, ddof=1)
    if metric == "mahalanobis" and "VI" not in kwargs:
        kwargs["VI"] = inverse_covariance(X)
    i, j = np.triu_indices(np.shape(X)[0], 1)
    return function(X[i], X[j], **kwargs)


def squareform(X, force="no", checks=True):
    """``scipy.spatial.distance.squareform``: between pairs and a table."""
    if np.ndim(X) == 2:
        return X[np.triu_indices(np.shape(X)[0], 1)]
    n = int(np.ceil(np.sqrt(2 * np.shape(X)[0])))
    numbers = np.zeros((n, n), int)
    i, j = np.triu_indices(n, 1)
    numbers[i, j] = numbers[j, i] = np.arange(len(i))
    return np.where(np.eye(n) == 1.0, 0.0, X[numbers])


for _name, _function in METRICS.items():
    defined_as(getattr(distance, _name), _function)
for _function in OF_TRUTH:
    defined_as(getattr(distance, _function.__name__), _function)
defined_as(distance.cdist, cdist)
defined_as(distance.pdist, pdist)
defined_as(distance.squareform, squareform)
