"""``copy.copy``, ``copy.deepcopy``, ``dataclasses.replace`` in a recorded function.

They look into what they copy, as do ``asdict`` and ``astuple``. So each look is noted,
as if the user had written it out: containers and objects are made anew, arrays copied,
and what cannot change is shared.
"""

import contextlib
import copy
import dataclasses
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, meant, raw_of
from srcgrad.tracing.arrays.functional_array import FunctionalArray, contents
from srcgrad.tracing.capture.captured_reads import FIXED
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.lasting_objects import IMMUTABLE
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.class_members import class_member
from srcgrad.tracing.environment.containers import Followed, FollowedSet
from srcgrad.tracing.environment.objects import has_twin
from srcgrad.tracing.environment.references import Attribute, Item, Known, Reference
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.environment.trust import is_namedtuple
from srcgrad.tracing.refusal import give_up

COPYING = (copy.copy, copy.deepcopy, dataclasses.replace)
TAKING_APART = (dataclasses.asdict, dataclasses.astuple, dataclasses.fields)
# What says how an object is copied.
OWN_WAYS = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")


def make_copy(context: Context, function: Any, args: Any, kwargs: Any) -> Any:
    """What one of these gives; ``context`` takes note."""
    if function is dataclasses.replace:
        return _replaced(context, *args, **kwargs)
    if len(args) != 1 or kwargs:
        give_up(f"calls `{function.__name__}` with a memo")
    make = _Copies(context)
    return make.deep(args[0]) if function is copy.deepcopy else make.shallow(args[0])


def _replaced(context: Context, item: Any, /, **changes: Any) -> Any:
    kind = _kind_of(context, item)
    fields = getattr(kind, "__dataclass_fields__", None)
    if not has_twin(kind) or fields is None:
        return give_up(f"replaces fields of a {kind.__name__}")
    for name, field in fields.items():
        if field not in dataclasses.fields(kind) or not field.init:
            give_up(f"replaces fields of a {kind.__name__}, whose `{name}` is no field")
        if name not in changes:
            changes[name] = context.attribute(item, name)
    return context.call(kind, **changes)


def take_apart(context: Context, function: Any, item: Any) -> Any:
    """``asdict``, ``astuple`` or ``fields`` of a dataclass."""
    if function is not dataclasses.fields:
        return _taken_apart(context, function is dataclasses.asdict, item)
    is_class = isinstance(item, type)
    return dataclasses.fields(item if is_class else _kind_of(context, item))


def _taken_apart(context: Context, is_named: bool, item: Any) -> Any:
    """The fields of a dataclass, of those in it, and so on; all else is copied."""

    def part(each: Any) -> Any:
        return _taken_apart(context, is_named, each)

    kind = _kind_of(context, item)
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
        parts = {name: part(context.attribute(item, name)) for name in names}
        return parts if is_named else tuple(parts.values())
    if isinstance(item, Followed):
        kind = type(item.item)
    if kind is list or kind is tuple:
        return kind(map(part, item))
    if kind is dict:
        return {part(key): part(value) for key, value in item.items()}
    return _Copies(context).deep(item)


def _kind_of(context: Context, item: Any) -> Any:
    return context.reads.twins.kind_of(item)


# A reference, and what the user has there; None: it was not found there.
Origin = tuple[Reference, Any] | None
# How many pairs of places are looked at in each call, whether they hold one object.
MANY = 30


class _Copies:
    """The copies of one call: an object that is met twice is one object."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._reads = context.reads
        self._made: dict[int, Any] = {}
        self._met: list[Any] = []
        # What was found in the environment and can change, by its kind.
        self._environment: dict[Any, list[tuple[Reference | None, Any, Any]]] = {}
        self._pairs = 0

    def shallow(self, item: Any) -> Any:
        """``copy.copy``"""
        if _is_shared(item) or isinstance(item, tuple):
            return item
        return self._copy(item, None, lambda each, origin: each)

    def deep(self, item: Any, origin: Origin = None) -> Any:
        """``copy.deepcopy``"""
        if _is_shared(item):
            return item
        item = self._first_of(item, origin)
        if id(item) not in self._made:
            self._met.append(item)  # its identity is no other's meanwhile
            self._made[id(item)] = None  # until it is made
            self._made[id(item)] = self._copy(item, origin, self.deep)
        elif self._made[id(item)] is None:
            give_up("copies what contains itself")
        return self._made[id(item)]

    def _first_of(self, item: Any, origin: Origin) -> Any:
        """What stands for the same object of the environment, if that was met before.

        Whether two places hold one object is a condition: their copies are one, too.
        """
        if isinstance(item, tuple):
            return item
        raw = raw_of(item)
        if isinstance(item, ArrayProtocol):
            if type(raw) is not np.ndarray or id(raw) not in self._reads.seen.raws:
                return item
            users = self._reads.seen.raws[id(raw)]
            # The function may have put another one there meanwhile.
            reference = origin[0] if origin is not None and origin[1] is users else None
            kind: Any = raw.shape, raw.dtype
        else:
            reference = self._reads.reference_of(item)
            if isinstance(item, Followed):
                reference, users = item.reference, item.item
            elif reference is None:
                return item
            else:
                users = self._reads.seen.users_own(item)
            kind = type(users)
        known = self._environment.setdefault(kind, [])
        for other, theirs, first in known:
            if first is item:
                return item
            self._pairs += 1
            if reference is None or other is None or self._pairs > MANY:
                give_up("copies arrays that may be one, now or later")
            if theirs is users:
                self._reads.require(conditions.are_one(other, reference))
                return first
            self._reads.require(conditions.are_two(other, reference))
        known.append((reference, users, item))
        return item

    def _copy(
        self, item: Any, origin: Origin, of_part: Callable[[Any, Origin], Any]
    ) -> Any:
        kind = type(item)
        if isinstance(item, ArrayProtocol) or kind is np.ndarray:
            return self._array(item)
        reference, users = origin or (None, ())
        if isinstance(item, Followed):
            reference, users, kind = item.reference, item.item, type(item.item)

        def part(key: Any, each: Any) -> Any:
            found = None
            if reference is not None:
                with contextlib.suppress(LookupError):  # the function has put it there
                    found = Item(reference, key), users[key]
            return of_part(each, found)

        if kind is list:
            return [part(i, each) for i, each in enumerate(item)]
        if kind is dict:
            return {key: part(key, each) for key, each in item.items()}
        if kind in (set, FollowedSet) and all(map(_is_shared, item)):
            return set(item)
        if kind is tuple or is_namedtuple(kind):
            parts = [part(i, each) for i, each in enumerate(item)]
            if all(new is old for new, old in zip(parts, item, strict=True)):
                return item
            return tuple(parts) if kind is tuple else kind._make(parts)
        return self._object(item, of_part)

    def _array(self, item: Any) -> Any:
        raw = meant(raw_of(item))
        if type(raw) is not np.ndarray:
            return item  # a number
        if not getattr(item, "stands_for_array", type(item) is np.ndarray):
            give_up("copies a Variable, which is the tape's")
        if raw.dtype.kind not in "fciub":
            give_up(f"copies an array of dtype {raw.dtype}")
        return FunctionalArray(np.copy(contents(item)))

    def _object(self, item: Any, of_part: Callable[[Any, Origin], Any]) -> Any:
        """An object of a user's class, which says nothing of copies itself."""
        reads, twins = self._reads, self._reads.twins
        kind, reference = twins.kind_of(item), reads.reference_of(item)
        ways = [class_member(kind, name) for name in OWN_WAYS]
        is_plain = has_twin(kind) and not any(isinstance(w, FunctionType) for w in ways)
        if not is_plain or not hasattr(item, "__dict__"):
            give_up(f"copies a {kind.__name__}")
        names, is_own = [*item.__dict__], twins.is_own(item)
        if not is_own:
            if reference is None or reads.is_changed(item):
                give_up(f"copies a {kind.__name__}")
            reads.require(
                conditions.has_length(Attribute(reference, "__dict__"), len(names))
            )
        self._require_no_own_way(kind)
        made = twins.blank(kind)
        for name in names:
            seen = self._context.attribute(item, name)
            found = None
            if reference is not None and not is_own:
                found = Attribute(reference, name), item.__dict__[name]
            object.__setattr__(made, name, of_part(seen, found))
        return made

    def _require_no_own_way(self, kind: type) -> None:
        owner = Known(kind.__name__, kind)
        for name in OWN_WAYS:
            if hasattr(kind, name):
                reference = Attribute(owner, name)
                self._reads.require(conditions.is_same(reference, getattr(kind, name)))
            else:
                self._reads.require(conditions.lacks(owner, name))


def _is_shared(item: Any) -> bool:
    """Whether a copy of something is itself."""
    return isinstance(item, (*IMMUTABLE, *FIXED, Symbolic, Text, slice, range))
