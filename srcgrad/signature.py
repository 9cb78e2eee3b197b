"""The signature of a call: what decides which trace may serve it.

A leaf of the arguments is *dynamic* (an array, Variable, NumPy scalar or Python float:
its value may differ from call to call) or *static* (anything else, by type and value).
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.function import VOLATILE
from srcgrad.modes import state
from srcgrad.pytree import flatten
from srcgrad.variable import Variable


class Signature(NamedTuple):
    """The key of a call, and its leaves.

    ``key`` is hashable if the static arguments are.
    """

    key: Any
    leaves: list[Any]
    structure: Any


def signature_of(
    args: tuple[Any, ...], kwargs: dict[str, Any], mode: Any = None
) -> Signature:
    """Take a call apart; ``mode`` is a further part of the key."""
    leaves, structure = flatten((args, kwargs))
    key: list[Any] = [structure, state.grad_enabled, mode]
    arrays: list[int] = []
    for leaf in leaves:
        kind = type(leaf)
        if kind is np.ndarray:
            key.append((leaf.shape, leaf.dtype))
            arrays.append(id(leaf))
        elif kind is Variable:
            raw, edge = leaf.value, leaf.edge
            if type(raw) is np.ndarray:
                arrays.append(id(raw))
                has_grad = edge if edge is None else edge is not VOLATILE
                key.append((raw.shape, raw.dtype, has_grad))
            else:
                key.append((type(raw), edge is None, edge is VOLATILE))
        elif kind is float:
            key.append(float)
        elif isinstance(leaf, np.generic):
            key.append(kind if leaf.dtype.kind in "fciub" else (kind, leaf))
        else:
            key.append(_static(leaf))
    if len(set(arrays)) != len(arrays):
        key.append(tuple(map(arrays.index, arrays)))
    return Signature(tuple(key), leaves, structure)


def _static(leaf: Any) -> Any:
    """The key of a leaf whose value is part of the signature."""
    if type(leaf) is complex:
        return complex, repr(leaf)  # -0j equals 0j, but is another number
    if type(leaf) is slice:  # not hashable before Python 3.12
        return slice, *map(_static, (leaf.start, leaf.stop, leaf.step))
    return type(leaf), leaf


def is_dynamic(leaf: Any) -> bool:
    """Whether a leaf is an input of the graph rather than part of the key."""
    return type(leaf) in (np.ndarray, Variable, float) or (
        isinstance(leaf, np.generic) and leaf.dtype.kind in "fciub"
    )
