"""``scipy.stats``: ``ppf`` and ``isf`` by shape parameters.

The point is where a distribution function has a value, so its slope by a parameter is
that of the distribution function over the density.

>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> stats.gamma.ppf(0.5, a).backward()
>>> round(a.grad.item(), 4)
0.9933
"""

from typing import Any

import numpy as np

from srcgrad.errors import NoRuleError
from srcgrad.protocols import raw_of
from srcgrad.rules.scipy.stats.cumulatives import CUMULATIVES
from srcgrad.rules.scipy.stats.distributions import (
    REWRITTEN,
    Continuous,
    below,
    by_share,
    inverse,
    is_differentiated,
    log_density,
    value_of,
)
from srcgrad.scipy.parameters import pulled_back
from srcgrad.scipy.replacing import stands_for
from srcgrad.tape.function import Function


class Quantile(Function):
    """The standardised point with a share of the probability below or above it."""

    @staticmethod
    def forward(
        ctx: Any, distribution: Any, name: str, point: Any, share: Any, *shapes: Any
    ) -> Any:
        ctx.distribution, ctx.sign = distribution, 1.0 if name == "ppf" else -1.0
        point = np.array(point)
        ctx.save_for_backward(point, *shapes)
        return point

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        point, *shapes = ctx.saved_tensors
        g = g * np.exp(-log_density(ctx.distribution, point, *shapes))

        def share(*shapes: Any) -> Any:
            return below(ctx.distribution, point, *shapes)

        _, found = pulled_back(share, shapes, -g)
        of_share = ctx.sign * g if ctx.needs_input_grad[3] else None
        wanted = ctx.needs_input_grad[4:]
        found = [each if w else None for each, w in zip(found, wanted, strict=True)]
        return (None, None, None, of_share, *found)


def of_shapes(distribution: Any, name: str, share: Any, *shapes: Any) -> Any:
    """An inverse by its own formula if there is one, else by that of ``cdf``."""
    if not is_differentiated(shapes):
        return inverse(distribution, name, share, *shapes)
    if distribution.name not in CUMULATIVES.keys() | REWRITTEN["_cdf"]:
        try:
            return inverse(distribution, name, share, *shapes)
        except NoRuleError:
            pass
    raw = raw_of(share), [raw_of(shape) for shape in shapes]
    point = value_of(distribution, name, *raw)
    whole = np.zeros(np.shape(point))
    parts = (part + whole for part in (share, *shapes))  # all of one shape
    out = Quantile.apply(distribution, name, point, *parts)
    below(distribution, out, *shapes)  # an error now, not in the backward pass
    return out


for _name in ("ppf", "isf"):
    stands_for(getattr(Continuous, _name), by_share(_name, of_shapes))
