"""Classes with special methods of the user's, and which functions know of one.

>>> class Pair:
...     def __add__(self, other):
...         return self
>>> has_special_methods(Pair), has_special_methods(dict)
(True, False)
"""

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.environment.objects import ABSTRACT, SPECIAL, is_generated
from srcgrad.tracing.environment.trust import HEAP, is_library, is_users

# What Python's syntax, and its functions, run of a class. A call and `__post_init__`
# are followed where they are.
SPECIAL_NAMES = (SPECIAL - {"__call__", "__post_init__"}) | frozenset(
    "__array__ __array_priority__ __array_ufunc__ __ceil__ __floor__ __format__ "
    "__repr__ __str__ __trunc__".split()
)


def has_special_methods(kind: type) -> bool:
    """Whether a class of Python code alone has special methods of the user's."""
    bases = [base for base in kind.__mro__[:-1] if base not in ABSTRACT]
    if issubclass(kind, ArrayProtocol) or not all(b.__flags__ & HEAP for b in bases):
        return False
    members = [
        vars(base)[name] for base in bases for name in SPECIAL_NAMES & vars(base).keys()
    ]
    return any(is_followed(each) and not is_generated(each) for each in members)


def is_followed(member: Any) -> bool:
    """Whether a member of a class is a function of the user's."""
    return type(member) is FunctionType and is_users(member)


def knows_objects(function: FunctionType) -> bool:
    """Whether a function can name such a class, or an object of one."""
    return any(map(has_special_methods, set(_kinds_known(function))))


def _kinds_known(function: FunctionType) -> Iterator[type]:
    space = function.__globals__
    yield from _kinds(space.values())
    for module in space.values():
        if isinstance(module, ModuleType) and not is_library(module):
            yield from _kinds(vars(module).values())
    for cell in function.__closure__ or ():
        try:
            yield from _kinds([cell.cell_contents])
        except ValueError:  # it is empty still
            continue


def _kinds(items: Iterable[Any]) -> Iterator[type]:
    for item in [*items]:
        kind = type(item)
        yield item if kind is type or issubclass(kind, type) else kind
