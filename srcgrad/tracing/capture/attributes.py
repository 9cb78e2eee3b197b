"""``Attributes``: those of objects that a recorded function finds in its environment.

They are read under a condition, and set when the run is over (``acting``).
"""

import enum
import functools
import operator
from types import (
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.compressed import Compressed
from srcgrad.tracing.capture.captured_reads import NAMES_OF_CALLABLES
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.class_members import class_member, is_slot, member_of
from srcgrad.tracing.environment.conditions import MISSING
from srcgrad.tracing.environment.containers import attributes_like
from srcgrad.tracing.environment.environment_matrix import called
from srcgrad.tracing.environment.references import Attribute, Known, Reference
from srcgrad.tracing.environment.trust import HOLDERS, hidden_code, is_followed_object
from srcgrad.tracing.refusal import give_up

# Stands for an attribute that the function has deleted.
DELETED: Any = object()

# Numbers of which nobody tells one object from another.
FLOATS = float, np.float64

# What `item.__class__` is, unless a class says something else.
OBJECTS_CLASS = vars(object)["__class__"]

# What gives the `__dict__` of an object.
OF_DICTS = (GetSetDescriptorType, MemberDescriptorType)

# In the place of that of an object with slots.
NO_DICT: dict[str, Any] = {}


class Getter(NamedTuple):
    """What computes an attribute: a property's function, and the object.

    ``is_kept``: it is computed once, and is a plain attribute then. ``names``: the
    name, for a ``__getattr__``.
    """

    function: FunctionType
    item: Any
    is_kept: bool = False
    names: tuple[str, ...] = ()


class Attributes:
    """Objects of the environment: their attributes, and what else they are asked."""

    def __init__(self, context: Context) -> None:
        self._context, self._reads = context, context.reads

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name`` of an object that is looked into."""
        reference = self._reads.found_at(item)
        kind = self._reads.twins.kind_of(item)
        member = class_member(kind, name)
        own = getattr(item, "__dict__", NO_DICT)
        if name == "__dict__" and type(member) in OF_DICTS:
            return self.attributes_of(item, reference)
        if (id(item), name) in self._reads.names:
            seen = self._reads.names[id(item), name]
            if seen is DELETED:
                give_up(f"reads `{reference.text}.{name}`, which it has deleted")
            return self._reads.checked(seen)
        if isinstance(member, property):
            return self._property(reference, item, name, member)
        if name in own or is_slot(member):
            return self._stored(reference, item, name)
        if isinstance(member, functools.cached_property):
            return self._property(reference, item, name, member)
        if isinstance(member, FunctionType):
            self._reads.require(conditions.has_method(reference, name, member))
            return MethodType(member, item)
        if isinstance(member, (staticmethod, classmethod)):
            return self._of_class(reference, item, name, member)
        if isinstance(member, functools.partialmethod):
            self._reads.require(conditions.lacks_own(reference, name))
            return self._reads.twins.bound_partial(item, name)
        if name == "__class__" and member is OBJECTS_CLASS:
            return kind
        if member is not MISSING and not hasattr(type(member), "__get__"):
            return self._stored(reference, item, name)
        if member is MISSING and class_member(kind, "__getattr__") is MISSING:
            self._reads.require(conditions.lacks(reference, name))
            try:
                return getattr(item, name)
            except AttributeError as error:
                raise self._reads.foreseen(error) from None
        if member is MISSING and own is not NO_DICT:
            return self._by_getattr(reference, item, name)
        return give_up(f"reads `{reference.text}.{name}`, which its class computes")

    def attributes_of(self, item: Any, reference: Reference) -> Any:
        """``vars(item)``: to be looked at, and as it was before the call."""
        if self._reads.is_changed(item):
            give_up(f"looks into `{reference.text}.__dict__` after a change")
        found, own = Attribute(reference, "__dict__"), item.__dict__
        if self._reads.reference_of(own) is not None:
            return self._reads.seen.seen_of(own)
        self._reads.require(conditions.has_type(found, dict))
        return self._reads.seen.note(
            found, own, attributes_like(found, own, self._reads)
        )

    def _by_getattr(self, reference: Reference, item: Any, name: str) -> Getter:
        """What a ``__getattr__`` of the user's gives, as long as nothing else does."""
        kind = self._reads.twins.kind_of(item)
        base, function = member_of(kind, "__getattr__")
        if not isinstance(function, FunctionType):
            give_up(f"reads `{reference.text}.{name}`, which its class computes")
        known = Attribute(_known(base), "__getattr__")
        self._reads.require(conditions.is_same(known, function))
        self._reads.require(conditions.lacks(_known(kind), name))
        self._reads.require(conditions.lacks_own(reference, name))
        return Getter(function, item, names=(name,))

    def has_attribute(self, item: Any, reference: Reference, name: str) -> bool:
        """``hasattr`` of an object that is looked into."""
        if (id(item), name) in self._reads.names:
            return self._reads.names[id(item), name] is not DELETED
        found = hasattr(item, name)
        condition = conditions.has if found else conditions.lacks
        self._reads.require(condition(reference, name))
        return found

    def function_attribute(self, function: FunctionType, name: str, value: Any) -> Any:
        """``function.name``: what it is called, or what was put upon it."""
        if (
            name not in NAMES_OF_CALLABLES
            and vars(function).get(name, MISSING) is not value
        ):
            give_up(f"reads `{function.__name__}.{name}`, put upon a function")
        reference = Attribute(Known(function.__name__, function), name)
        return self._reads.read(function, name, reference, value)

    def member_attribute(self, item: enum.Enum, name: str, value: Any) -> Any:
        """``item.name`` of a member of an Enum."""
        kind = type(item)
        if name == "name":
            return value
        if name == "value" or name in vars(item):
            reference = Attribute(Known(f"{kind.__name__}.{item.name}", item), name)
            return self._reads.read(item, name, reference, value)
        base, member = member_of(kind, name)
        return self._reads.twins.found(item, base, member, name)

    def _stored(self, reference: Reference, item: Any, name: str) -> Any:
        found = Attribute(reference, name)
        return self._reads.read(item, name, found, getattr(item, name))

    def _property(self, reference: Reference, item: Any, name: str, member: Any) -> Any:
        is_kept = isinstance(member, functools.cached_property)
        function = member.func if is_kept else member.fget
        if not isinstance(function, FunctionType):
            give_up(f"reads `{reference.text}.{name}`, which its class computes")
        self._reads.require(conditions.has_class_member(reference, name, member))
        if is_kept:
            self._reads.require(conditions.lacks_own(reference, name))
        return Getter(function, item, is_kept)

    def _of_class(self, reference: Reference, item: Any, name: str, member: Any) -> Any:
        function = member.__func__
        if not isinstance(function, FunctionType):
            give_up(f"reads `{reference.text}.{name}`, which its class computes")
        if isinstance(member, staticmethod):
            return self._reads.enter(Attribute(reference, name), function)
        self._reads.require(conditions.has_method(reference, name, function))
        return MethodType(function, self._reads.twins.kind_of(item))

    def set_attribute(
        self, item: Any, name: str, value: Any, is_plain: bool = False
    ) -> None:
        """``item.name = value`` of an object that is looked into."""
        reference = self._reads.found_at(item)
        # What keeps others from setting it (a frozen dataclass) is passed over once.
        own = class_member(self._reads.twins.kind_of(item), "__setattr__")
        if is_plain and own is not object.__setattr__:
            give_up(f"sets `{reference.text}.{name}` by `object.__setattr__`")
        if not self.is_plain_attribute(item, name):
            give_up(
                f"sets `{reference.text}.{name}`, which its class does in its own way"
            )
        self._check_unseen(item, reference)
        self._reads.names[id(item), name] = value
        self._reads.changes_of(item, reference, setattr, (name, value))

    def _check_unseen(self, item: Any, reference: Reference) -> None:
        """What ``vars(item)`` stands for does not change after all."""
        if self._reads.reference_of(getattr(item, "__dict__", NO_DICT)) is not None:
            give_up(
                f"changes `{reference.text}` after it has looked into its `__dict__`"
            )

    def is_plain_attribute(self, item: Any, name: str) -> bool:
        """Whether to set an attribute is to keep what it is set to, and no more."""
        if isinstance(item, (ArrayProtocol, np.ndarray, ModuleType)):
            return True
        kind = self._reads.twins.kind_of(item)
        member = class_member(kind, name)
        own = class_member(kind, "__setattr__")
        is_usual = own in (object.__setattr__, type.__setattr__)
        if not is_usual and kind not in HOLDERS:
            return False
        return member is MISSING or is_slot(member) or not hasattr(member, "__set__")

    def may_hold(self, item: Any, name: str) -> bool:
        """Whether nobody minds that an attribute is set, which an arm may not have set.

        Of an object that was found in the environment it is a number, for what was
        there is set anew.
        """
        if not self.is_plain_attribute(item, name):
            return False
        if (id(item), name) in self._reads.names:
            return self._reads.names[id(item), name] is not DELETED
        own = getattr(item, "__dict__", {})
        if self._reads.twins.is_own(item):
            if id(item) in self._reads.twins.opened:
                return False
            member = class_member(self._reads.twins.kind_of(item), name)
            return name in own or (is_slot(member) and hasattr(item, name))
        return (
            self._reads.reference_of(item) is not None and type(own.get(name)) in FLOATS
        )

    def delete_attribute(self, item: Any, name: str) -> None:
        """``del item.name`` of an object that is looked into."""
        reference, kind = self._reads.found_at(item), self._reads.twins.kind_of(item)
        member = class_member(kind, name)
        own = class_member(kind, "__delattr__")
        has_own = name in getattr(item, "__dict__", {}) or (
            self._reads.names.get((id(item), name), DELETED) is not DELETED
        )
        if not has_own or hasattr(member, "__delete__"):
            give_up(f"deletes `{reference.text}.{name}`, which is not its own")
        if own is not object.__delattr__ and kind not in HOLDERS:
            give_up(f"deletes `{reference.text}.{name}`, which its class does")
        self._check_unseen(item, reference)
        if (id(item), name) not in self._reads.names:
            self._reads.require(conditions.has(reference, name))
        self._reads.names[id(item), name] = DELETED
        self._reads.changes_of(item, reference, delattr, (name,))

    def set_global(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """``name = value`` of a ``global`` name."""
        self._reads.names[id(namespace), name] = value
        reference = Known("globals", namespace)
        self._reads.acting.acts(
            operator.setitem, (name, value), found=((reference, namespace),)
        )

    def set_cell(self, name: str, cell: CellType, value: Any) -> None:
        """``name = value`` of a ``nonlocal`` name."""
        self._reads.names[id(cell), name] = value
        reference = Known(f"{name}_cell", cell)
        self._reads.acting.acts(
            setattr, ("cell_contents", value), found=((reference, cell),)
        )

    def look_at(self, item: Any) -> None:
        """Note that code that is not followed may ask an object what it is.

        All that it can be told is that it is the same; what it holds may have changed.
        """
        if isinstance(item, ArrayProtocol):
            return
        if isinstance(item, Compressed):
            give_up(f"hands `{called(item)}`, a sparse matrix, to a library")
        if type(item) in (tuple, list, set, frozenset):
            for each in item:
                self.look_at(each)
        elif type(item) is dict:
            self.look_at([*item.values()])
        elif self._reads.twins.is_own(item):
            give_up(f"hands a {type(item).__name__} that it has made to a library")
        elif self._reads.seen.is_object(item) and type(item) is not np.ndarray:
            give_up(f"hands `{self._reads.found_at(item).text}` to a library")
        elif (changed := self._reads.acting.changed.get(id(item))) is not None:
            give_up(f"hands `{changed[1].text}` on after a change")
        elif (
            reference := self._reads.reference_of(item)
        ) is not None and is_followed_object(item):
            self._reads.require(conditions.is_same(reference, item))
            if type(item) in HOLDERS or hidden_code(type(item)) is not None:
                give_up(
                    f"compares or prints `{reference.text}`, or hands it to a library"
                )


def _known(kind: type) -> Reference:
    return Known(kind.__name__, kind)
