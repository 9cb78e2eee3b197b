"""``Met``: a call that was not written down, as long as its arguments live.

>>> x = np.ones(2)
>>> met = Met.of(Signature((x, 3), {"scale": 0.5}))
>>> print(met.call())
((array([1., 1.]), 3), {'scale': 0.5})
>>> del x
>>> print(met.call())
None
"""

import weakref
from typing import Any, NamedTuple

import numpy as np

from srcgrad.pytree import unflatten
from srcgrad.tracing.environment.signature import KEYED_BY_VALUE, Signature


class Met(NamedTuple):
    """The structure of the arguments, and a way to each leaf; arrays are not held."""

    structure: Any
    leaves: tuple[Any, ...]

    @classmethod
    def of(cls, signature: Signature) -> "Met":
        """A call with this signature."""
        return cls(signature.structure, tuple(map(_way_to, signature.leaves)))

    def call(self) -> tuple[Any, dict[str, Any]] | None:
        """The arguments, by position and by name; None if one is gone."""
        leaves = [way() for way in self.leaves]
        if any(leaf is GONE_SINCE for leaf in leaves):
            return None
        args, kwargs, _ = unflatten(self.structure, leaves)
        return args, kwargs


GONE_SINCE: Any = object()


def _way_to(leaf: Any) -> Any:
    """A function that gives a leaf, or that it is gone."""
    if type(leaf) in KEYED_BY_VALUE or isinstance(leaf, (float, np.generic)):
        return lambda: leaf
    try:
        reference = weakref.ref(leaf)
    except TypeError:  # it would be held
        return lambda: GONE_SINCE

    def way() -> Any:
        found = reference()
        return GONE_SINCE if found is None else found

    return way
