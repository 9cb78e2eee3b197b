"""Rules of distribution functions, and of all that SciPy finds by inverting one.

``slopes`` has for each argument, in their order, the slope in it: a function of all of
them, or None. An inverse solves ``F(..., shape, ...) = p``, so its slopes are quotients
of those of ``F``.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from srcgrad.rules.scipy.ufuncs import defufunc

LEAST, MOST = 1e-50, 1e10  # where a search ends, at the latest
CLOSE = 1e-9  # of the probability

Slopes = Mapping[str, Callable[..., Any] | None]


def asking(names: Iterable[str], rule: Any) -> Any:
    """A rule that asks for what has these names."""
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(each, kind) for each in ("g", *names)]
    rule.__signature__ = inspect.Signature(parameters)
    return rule


def defslopes(function: Any, slopes: Slopes, sign: float = 1.0) -> None:
    """Rules of a real function; the sign is -1 for the complement of ``F``."""

    def by(slope: Any) -> Any:
        return asking([*slopes], lambda g, *given: sign * g * slope(*given))

    known = {name: by(slope) for name, slope in slopes.items() if slope is not None}
    defufunc(function, ", ".join(slopes), **known)


def definverse(
    function: Any,
    parameters: str,
    slopes: Any,
    found: str,
    p: str = "p",
    sign: float = 1.0,
    forward: Any = None,
    **own: Any,
) -> None:
    """Rules of ``function``: which argument ``found`` gives ``F`` the value ``p``.

    ``forward`` is ``F`` itself, where it is searched for a shape: where no shape solves
    that, the search stays at an end of its range, and does not move. ``own`` are rules
    in place of these.
    """
    names = [each.strip() for each in parameters.split(",")]
    needed = [each for each in names if each != p or forward is not None]

    def by(name: str) -> Any:
        def rule(g: Any, *values: Any) -> Any:
            known = dict(zip((*needed, found), values, strict=True))
            is_end = False
            if forward is not None:
                reached = forward(*(known[other] for other in slopes))
                is_end = at_an_end(known[found], known[p], reached)
                known[found] = np.where(is_end, 1.0, known[found])
            at = [known[other] for other in slopes]
            share = sign if name == p else -slopes[name](*at)
            slope = g * share / slopes[found](*at)
            return slope if forward is None else np.where(is_end, 0.0, slope)

        return asking([*needed, "out"], rule)

    known = [each for each in names if each == p or slopes[each] is not None]
    defufunc(function, parameters, **{name: by(name) for name in known} | own)


def at_an_end(out: Any, p: Any, reached: Any) -> Any:
    """Zero may be what was looked for: of a noncentral distribution that is central."""
    size, scale = np.abs(out), CLOSE * np.minimum(p, 1.0 - p)
    is_low = np.less(size, LEAST) & np.greater(np.abs(reached - p), scale)
    return is_low | np.greater_equal(size, MOST)
