"""``scipy.interpolate.generate_knots``: each knot is one of the places of the data.

Which one is a step function of the values; so knots follow the places alone.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> x = srcgrad.Variable(np.arange(6.0), requires_grad=True)
>>> *_, knots = interpolate.generate_knots(x, np.arange(6.0) ** 3, k=1, s=0.1)
>>> knots[2:4].sum().backward()
>>> x.grad.data
array([0., 1., 1., 0., 0., 0.])
"""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse


@functools.wraps(interpolate.generate_knots)
def generate_knots(
    x: Any,
    y: Any,
    *,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    s: Any = 0,
    nest: Any = None,
    bc_type: Any = None,
) -> Iterator[Any]:
    raws = {"w": raw_of(w), "xb": raw_of(xb), "xe": raw_of(xe), "s": raw_of(s)}
    found: Iterator[Any] = interpolate.generate_knots(
        *(raw_of(x), raw_of(y)), **raws, k=k, nest=nest, bc_type=bc_type
    )
    if first_variable((x, xb, xe)) is None:
        return found
    if bc_type == "periodic":
        refuse("interpolate.generate_knots", "by periodic places")
    return map(functools.partial(taken, places_of(x, xb, xe)), found)


def places_of(x: Any, xb: Any, xe: Any) -> Any:
    """What can be a knot: ends, places, and what is halfway between two."""
    ends = [np.reshape(end, (1,)) for end in (xb, xe) if end is not None]
    return np.concatenate([*ends, x, (x[1:] + x[:-1]) / 2])


def taken(places: Any, knots: Any) -> Any:
    """The places that are these knots."""
    apart = np.abs(raw_of(places)[:, None] - knots)
    return places[np.argmin(apart, axis=0)]


REPLACEMENTS[interpolate.generate_knots] = generate_knots
