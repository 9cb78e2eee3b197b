"""``enter_container``: lists, dicts, objects of the environment, as they are seen.

It is looked into as far as the function does; what cannot be told is refused.
"""

import functools
from collections import ChainMap, deque
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.attribute_dicts import AttributeDict, is_attribute_dict
from srcgrad.tracing.environment.columns import (
    are_integers,
    columns_of,
)
from srcgrad.tracing.environment.containers import (
    STAND_INS,
    is_key,
    made_of,
    set_like,
    stands_for,
)
from srcgrad.tracing.environment.environment_matrix import EnvironmentMatrix, is_sparse
from srcgrad.tracing.environment.iterators import (
    OF_CONTAINERS,
    OTHERS,
    FollowedIterator,
)
from srcgrad.tracing.environment.objects import is_looked_into
from srcgrad.tracing.environment.queues import deque_like
from srcgrad.tracing.environment.references import Attribute, Item, Reference
from srcgrad.tracing.environment.trust import is_namedtuple
from srcgrad.tracing.refusal import give_up

# Kinds of arrays that are no numbers; how much of one is compared at each call.
TEXT_KINDS = "SUMmV"
MANY_TEXTS = 1 << 16
# From so many integers on, these are looked at at once.
MANY_NUMBERS = 5


def enter_container(reads: Any, reference: Reference, value: Any) -> Any:
    """What the function sees of what is at a place, if that holds others."""
    kind = type(value)
    reads.require(conditions.has_type(reference, kind))
    if kind is deque:
        return reads.seen.note(reference, value, deque_like(reference, value, reads))
    if kind is ChainMap:
        maps = reads.enter(Attribute(reference, "maps"), value.maps)
        return reads.seen.note(reference, value, ChainMap(*maps))
    if kind in STAND_INS:
        return reads.seen.note(reference, value, stands_for(reference, value, reads))
    if kind in (*OF_CONTAINERS, *OTHERS):
        return reads.seen.note_object(
            reference, value, FollowedIterator(reference, value)
        )
    if kind is tuple or is_namedtuple(kind):
        return _enter_tuple(reads, reference, value)
    if kind in (set, frozenset) and all(map(is_key, value)):
        reads.require(conditions.has_elements(reference, value))
        if kind is set:
            return reads.seen.note(reference, value, set_like(reference, value, reads))
        return value
    if kind is range or (kind is slice and _is_plain_slice(value)):
        reads.require(conditions.is_worth(reference, value))
        return value
    if kind is functools.partial:
        return _enter_partial(reads, reference, value)
    if kind is MethodType and isinstance(value.__func__, FunctionType):
        reads.require(conditions.is_same(reference, value))
        owner = reads.enter(Attribute(reference, "__self__"), value.__self__)
        return MethodType(value.__func__, owner)
    if is_attribute_dict(kind):
        seen = made_of(AttributeDict, reference, value, reads)
        return reads.seen.note(reference, value, seen)
    if is_sparse(value):
        return reads.seen.note(
            reference, value, EnvironmentMatrix(value, reference, reads)
        )
    if is_looked_into(value):
        return reads.seen.note_object(reference, value, reads.twins.standing_for(value))
    return give_up(f"reads `{reference.text}`, a {kind.__name__}")


def enter_texts(reads: Any, reference: Reference, value: np.ndarray[Any, Any]) -> Any:
    """An array of texts or dates: a constant, as long as it holds the same."""
    is_plain = value.flags.c_contiguous and not value.dtype.hasobject
    if not is_plain or value.nbytes > MANY_TEXTS:
        give_up(f"reads `{reference.text}`, an array of dtype {value.dtype}")
    reads.require(conditions.has_content(reference, value))
    # Of bytes, so that nothing can make it writeable.
    seen = np.ndarray(value.shape, value.dtype, value.tobytes())
    return reads.seen.note_object(reference, value, seen)


def _enter_tuple(reads: Any, reference: Reference, value: Any) -> Any:
    if type(value) is tuple and _are_integers(value):
        return reads.enter_integers(reference, value)
    reads.require(conditions.has_length(reference, len(value)))
    items = [reads.enter(Item(reference, i), item) for i, item in enumerate(value)]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return tuple(items) if type(value) is tuple else type(value)._make(items)


def _are_integers(value: tuple[Any, ...]) -> bool:
    """Whether there are many integers in it, of which loops make arrays."""
    form = columns_of(value) if len(value) >= MANY_NUMBERS else None
    return form is not None and are_integers(form)


def _enter_partial(reads: Any, reference: Reference, value: Any) -> Any:
    function = reads.enter(Attribute(reference, "func"), value.func)
    args = reads.enter(Attribute(reference, "args"), value.args)
    keywords = reads.enter(Attribute(reference, "keywords"), value.keywords)
    seen = functools.partial(function, *args, **keywords)
    return reads.seen.note_object(reference, value, seen)


def _is_plain_slice(item: slice) -> bool:
    return all(
        type(end) in (int, type(None)) for end in (item.start, item.stop, item.step)
    )
