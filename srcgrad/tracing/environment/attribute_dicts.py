"""Dicts whose keys are attributes too: ``cfg.rate`` for ``cfg["rate"]``.

A class of the user's does that, in one of three ways: it has a ``__getattr__`` of its
own, or that of ``dict.__getitem__``, or an object's attributes are the object itself.
All else has to be what a dict does.

>>> class Config(dict):
...     __module__ = "program_of_a_user"
...     __getattr__ = dict.__getitem__
>>> is_attribute_dict(Config), is_attribute_dict(dict)
(True, False)
"""

from types import FunctionType, MethodType
from typing import Any

from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.class_members import member_of
from srcgrad.tracing.environment.conditions import MISSING
from srcgrad.tracing.environment.containers import FollowedDict
from srcgrad.tracing.environment.references import Attribute, Known
from srcgrad.tracing.environment.trust import is_of_library, is_users
from srcgrad.tracing.refusal import give_up

# What such a class may have beside methods that are called by their names.
SPECIAL_ATTRIBUTES = frozenset(
    "__annotate__ __annotate_func__ __annotations__ __annotations_cache__ "
    "__delattr__ __dict__ __doc__ __firstlineno__ __getattr__ __init__ __module__ "
    "__qualname__ __setattr__ __static_attributes__ __weakref__".split()
)
# What finds a key, where it is put in the place of a `__getattr__`.
LOOKUPS = (dict.__getitem__, dict.get)


class AttributeDict(FollowedDict):
    """Stands for one of the environment."""


def is_attribute_dict(kind: type) -> bool:
    """Whether a class is one of these, and its objects are dicts in all else."""
    own = kind.__mro__[:-2]
    if kind.__mro__[-2:] != (dict, object) or not own or type(kind) is not type:
        return False
    for base in own:
        names = vars(base).keys() - SPECIAL_ATTRIBUTES
        is_plain = not any(hasattr(dict, name) or name[:2] == "__" for name in names)
        if is_of_library(base) or not is_plain:
            return False
    return True


def attribute(context: Any, item: AttributeDict, name: str) -> Any:
    """``item.name``; ``context`` takes note."""
    require, kind = context.reads.require, type(item.item)
    for each in kind.__mro__[:-2]:  # no method has been added meanwhile
        members = Attribute(Known(each.__name__, each), "__dict__")
        require(conditions.has_length(members, len(vars(each))))
    base, member = member_of(kind, name)
    if base in (dict, object) and member is not MISSING:
        return getattr(item, name)
    own = item.item.__dict__
    if isinstance(member, FunctionType) and name not in own:
        require(conditions.lacks_own(item.reference, name))
        require(conditions.has_own_member(base, name, member))
        return MethodType(member, item)
    if member is not MISSING:
        give_up(f"reads `{item.reference.text}.{name}`, which its class computes")
    if own is item.item:
        found = Attribute(item.reference, "__dict__")
        require(conditions.are_one(found, item.reference))
        if name in item:
            return item[name]
    elif name in own:
        give_up(f"reads `{item.reference.text}.{name}`, which is no key of it")
    else:
        require(conditions.lacks_own(item.reference, name))
    return _computed(context, item, name)


def _computed(context: Any, item: AttributeDict, name: str) -> Any:
    """What a ``__getattr__`` gives."""
    base, function = member_of(type(item.item), "__getattr__")
    if function is MISSING:
        kind = type(item.item).__name__
        error = AttributeError(f"{kind!r} object has no attribute {name!r}")
        raise context.reads.foreseen(error)
    context.reads.require(conditions.has_own_member(base, "__getattr__", function))
    if any(function is lookup for lookup in LOOKUPS):
        return item[name] if function is dict.__getitem__ else item.get(name)
    if not isinstance(function, FunctionType) or not is_users(function):
        give_up(f"reads `{item.reference.text}.{name}`, which its class computes")
    return context.reads.instrumented(function)(item, name)
