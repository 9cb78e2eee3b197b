"""``scipy.signal.whittaker_henderson``, of SciPy 1.18.

What it smooths solves linear equations; how much it smooths, where that is not given,
is where a likelihood (REML) is largest: a root of its slope.

>>> import numpy as np
>>> import srcgrad
>>> y = srcgrad.Variable(np.array([0.0, 1.0, 0.0, 2.0]), requires_grad=True)
>>> smoothed(y, 1.0, 1, np.ones(4)).sum().backward()
>>> y.grad.data.round(6)  # the sum stays
array([1., 1., 1., 1.])
"""

from typing import Any

import numpy as np
from scipy import optimize, signal

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of
from srcgrad.scipy.parameters import refuse
from srcgrad.valued import valued


def penalty(n: int, order: int) -> Any:
    """``D.T @ D`` of the differences of an order."""
    differences = np.diff(np.eye(n), order, axis=0)
    return differences.T @ differences


def smoothed(y: Any, lamb: Any, order: int, weights: Any) -> Any:
    stiffness = penalty(np.shape(y)[0], order)
    return np.linalg.solve(np.diag(weights) + lamb * stiffness, weights * y)


def slope(log_lamb: Any, y: Any, order: int, weights: Any) -> Any:
    """That of twice the negative log-likelihood; what is smoothed is at its best."""
    n, lamb = np.shape(y)[0], np.exp(log_lamb)
    stiffness = penalty(n, order)
    x = smoothed(y, lamb, order, weights)
    bends = lamb * np.sum(np.diff(x, order) ** 2)
    squares = np.sum(weights * (y - x) ** 2) + bends
    share = np.linalg.solve(np.diag(weights) + lamb * stiffness, stiffness)
    return (n - order) * (bends / squares - 1.0) + lamb * np.trace(share)


def most_likely(found: Any, y: Any, order: int, weights: Any) -> Any:
    """The strength that SciPy has ``found``, as it follows the data."""
    start = np.log(found)
    with np.errstate(all="ignore"):
        ends = slope(start, *map(raw_of, (y, order, weights)))
    if not abs(ends) < 1e-4 or not abs(start) < 15.0:
        refuse("signal.whittaker_henderson", "by REML where it has no maximum")
    newton = replacement_of(optimize.newton)
    root = newton(slope, start, args=(y, order, weights), x1=start + 1e-3)
    return valued(np.exp(root), found)


def whittaker_henderson(
    signal: Any, *, lamb: Any = "reml", order: int = 2, weights: Any = None
) -> Any:
    """``scipy.signal.whittaker_henderson``"""
    given = signal, lamb, weights
    y, strength, w = map(raw_of, given)
    found = original(y, lamb=strength, order=order, weights=w)
    if first_variable(given) is None:
        return found
    # Where a weight is 0 the value does not matter, and may be none.
    y = np.where(np.isfinite(y), signal, 0.0)
    w = np.ones(np.shape(y)) if weights is None else weights
    strength = lamb
    if isinstance(lamb, str):
        strength = most_likely(found.lamb, y, order, w)
    made = y if raw_of(strength) == 0.0 else smoothed(y, strength, order, w)
    found.x, found.lamb = valued(made, found.x), strength
    return found


# SciPy 1.17 has it not.
original: Any = getattr(signal, "whittaker_henderson", None)
if original is not None:
    REPLACEMENTS[original] = whittaker_henderson
