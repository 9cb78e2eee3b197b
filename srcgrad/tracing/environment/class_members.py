"""What a class has under a name, as it stands there: no descriptor runs."""

from types import MemberDescriptorType
from typing import Any

from srcgrad.tracing.environment.conditions import MISSING


def member_of(kind: type, name: str) -> tuple[type, Any]:
    """The class that has a member, as it is there; MISSING if none has."""
    for base in kind.__mro__:
        if name in vars(base):
            return base, vars(base)[name]
    return kind, MISSING


def class_member(kind: type, name: str) -> Any:
    """What a class, or a base of it, has under a name; MISSING if none has it."""
    return member_of(kind, name)[1]


def is_slot(member: Any) -> bool:
    """Whether a member of a class stands for one of ``__slots__``."""
    return type(member) is MemberDescriptorType
