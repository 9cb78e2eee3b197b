"""``defsearch``: rules of what SciPy searches for, the shape of a distribution.

It solves ``F(..., shape, ...) = p``, so its slopes are quotients of those of ``F``.
Where no shape does, the search stays at an end of its range, and does not move.
"""

import inspect
from typing import Any

import numpy as np

from srcgrad.rules.scipy.ufuncs import defufunc

LEAST, MOST = 1e-50, 1e10  # where a search ends, at the latest
CLOSE = 1e-9  # of the probability


def defsearch(
    function: Any, parameters: str, forward: Any, slopes: Any, found: str, p: str = "p"
) -> None:
    """Rules of ``function``: which argument gives ``forward`` the value ``p``.

    ``slopes`` has one for each argument of ``forward``, in the order of these.
    """
    names = [each.strip() for each in parameters.split(",")]
    others = list(slopes)
    given = ["g", *names, "out"]

    def by(name: str) -> Any:
        def rule(g: Any, *values: Any) -> Any:
            known = dict(zip(given[1:], values, strict=True))
            out = known[found] = known["out"]
            reached = forward(*(known[other] for other in others))
            is_end = at_an_end(out, known[p], reached)
            known[found] = np.where(is_end, 1.0, out)
            at = [known[other] for other in others]
            share = 1.0 if name == p else -slopes[name](*at)
            return g * np.where(is_end, 0.0, share / slopes[found](*at))

        rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY)
                for each in given
            ]
        )
        return rule

    defufunc(function, parameters, **{name: by(name) for name in names})


def at_an_end(out: Any, p: Any, reached: Any) -> Any:
    """Zero may be what was looked for: of a noncentral distribution that is central."""
    size, scale = np.abs(out), CLOSE * np.minimum(p, 1.0 - p)
    is_low = np.less(size, LEAST) & np.greater(np.abs(reached - p), scale)
    return is_low | np.greater_equal(size, MOST)
