"""Rules for what reads an array as it lies in memory: ``as_strided``, ``view``."""

import operator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from srcgrad.errors import NoRuleError, located
from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import UNREACHED
from srcgrad.rules.registry import deflinear, defvjp
from srcgrad.updates import as_complexes, as_reals, scatter

UNREACHED.add(as_strided)


def offsets(shape: Any, strides: Any) -> Any:
    """How many bytes behind the first element each element lies."""
    own = (np.arange(n) * step for n, step in zip(shape, strides, strict=True))
    return sum(np.ix_(*own), np.zeros(shape, np.intp))


def index_by_strides(x: Any, shape: Any, strides: Any) -> Any:
    """The index with which ``x`` gives what lies there by a shape and strides."""
    own = np.ravel(offsets(x.shape, x.strides))
    shape = x.shape if shape is None else shape
    shape = (operator.index(shape),) if np.ndim(shape) == 0 else tuple(shape)
    wanted = offsets(shape, x.strides if strides is None else strides)
    order = np.argsort(own, kind="stable")
    places = np.searchsorted(own, wanted, sorter=order)
    found = order[np.minimum(places, own.size - 1)] if own.size else wanted
    if wanted.size and (not own.size or np.any(own[found] != wanted)):
        raise located(
            NoRuleError(
                "srcgrad has no derivative of as_strided where it reads memory that "
                "is no element of its argument"
            )
        )
    return np.unravel_index(found, x.shape)


def strided_back(g, x, shape, strides):
    if not np.ndim(x):
        return np.sum(g)
    return scatter(g, index_by_strides(raw_of(x), shape, strides), np.shape(x))


defvjp(as_strided, x=strided_back)
deflinear(as_strided, "x")
defvjp(as_reals, x=lambda g: as_complexes(g))
deflinear(as_reals, "x")
defvjp(as_complexes, x=lambda g: as_reals(g))
deflinear(as_complexes, "x")
