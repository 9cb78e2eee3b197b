"""Stand-ins for arguments, and what is read of the environment, in a function's run."""

from typing import Any

import numpy as np

from srcgrad.tape.function import Edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.refusal import give_up


def stand_in(leaf: Any, seen: dict[Any, Any], edge: Edge | None = None) -> Variable:
    """A Variable as it is; for an array or number one that stands for it.

    The recorder tells arrays apart by identity: ``seen`` are those that it has, with
    what they belong to. ``edge`` is the place on the tape of what is no Variable.
    """
    if isinstance(leaf, Variable):
        return _variable(leaf, seen)
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind not in "fciub":
        give_up(f"an array has dtype {leaf.dtype}")
    return TracedArray.make(_distinct(leaf, seen), edge)


def _variable(leaf: Variable, seen: dict[Any, Any]) -> Variable:
    made: Variable
    if isinstance(leaf.value, np.bool_):  # the recorder puts another in its place
        made = type(leaf).make(leaf.value, leaf.edge)
    elif seen.setdefault(id(leaf.value), leaf) is leaf:
        made = leaf
    elif leaf.edge is None:
        raw = _distinct(leaf.value, seen)
        made = type(leaf).make(raw, None, leaf.own_storage())
    else:
        made = _at_its_edge(leaf, seen)
    return made


def _at_its_edge(leaf: Variable, seen: dict[Any, Any]) -> Variable:
    """The same for one of which the array, and maybe the edge, were seen already.

    What has one array and one edge is one input, whatever else has that array.
    """
    first, place = seen[id(leaf.value)], (id(leaf.value), leaf.edge)
    is_there = first.edge == leaf.edge
    given, known = (first, first) if is_there else seen.get(place, (None, None))
    if given is leaf:
        return known  # type: ignore[no-any-return]
    raw = _distinct(leaf.value, seen) if known is None else known.value
    made: Variable = type(leaf).make(raw, leaf.edge, leaf.own_storage())
    seen.setdefault(place, (leaf, made))
    return made


def _distinct(leaf: Any, seen: dict[Any, Any]) -> Any:
    """The same array or number, as an object that the recorder has not seen."""
    if type(leaf) is float:
        return leaf * 1.0
    if not isinstance(leaf, np.ndarray):
        return leaf.copy()
    raw = leaf.view() if id(leaf) in seen else leaf
    seen[id(raw)] = leaf
    return raw
