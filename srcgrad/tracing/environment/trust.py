"""What is known of code that is not traced: which calls are pure, which types plain.

Whatever is not listed here may read or change the world, and is refused.
"""

import abc
import argparse
import builtins
import dataclasses
import datetime
import enum
import fractions
import functools
import operator
import os
import pathlib
import re
import sys
import sysconfig
import types
import uuid
from collections import ChainMap, deque
from collections.abc import Collection
from importlib.machinery import BuiltinImporter, FrozenImporter
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.modes import override
from srcgrad.operators import BINARY_OPERATORS
from srcgrad.protocols import TORCH_METHODS, ArrayProtocol
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.libraries import has_replacement, is_unreached
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.draws import GENERATORS

# The methods of lists and dicts that leave them as they are.
LOOKING = frozenset(
    "copy count get index items keys values __contains__ __getitem__ __iter__ __len__ "
    "__reversed__".split()
)
AUGMENTED: dict[str, Operation] = {
    own.syntax: own.augmented for own in BINARY_OPERATORS if own.augmented
}

# Objects of these types hold no more than the function's own state.
PLAIN_TYPES = (
    *(np.ndarray, np.generic, np.dtype, np.ufunc, np.finfo, np.iinfo),
    *(int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice),
    *(type(None), deque),
)

# The standard library's values: what they say of themselves depends on nothing else.
UNCHANGING_VALUES = frozenset(
    (
        *(fractions.Fraction, uuid.UUID, re.Pattern, re.Match),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
        *(pathlib.PurePath, pathlib.PurePosixPath, pathlib.PureWindowsPath),
        *(pathlib.PosixPath, pathlib.WindowsPath, operator.itemgetter),
    )
)

# Where the classes of plain objects are defined, and what an Enum keeps in its members.
PLAIN_MODULES = frozenset({"builtins", "collections", "enum", "numpy"})
ENUM_FIELDS = frozenset({"_value_", "_name_"})

# Attributes of a Variable that an ndarray has not, and that a trace covers. What else
# there is belongs to the tape: gradients, flags, nodes, hooks.
FOLLOWED = frozenset({"clone", "detach", "requires_grad", "volatile", *TORCH_METHODS})

HEAP = 1 << 9  # a class made by a `class` statement
CACHED = type(functools.lru_cache(lambda: None))
FUNCTION_TYPES = (FunctionType, BuiltinFunctionType, MethodType)

# Where installed packages lie, of whatever installation or user.
INSTALLED_FOLDERS = frozenset({"site-packages", "dist-packages"})
# These are libraries wherever they lie: in a checkout, a zip file, on PYTHONPATH.
TRUSTED_LIBRARIES = frozenset({"numpy", "scipy", "srcgrad"})
# Our own functions around the user's, which are followed as the user's are.
FOLLOWED_MODULES = frozenset({"srcgrad.testing"})
STANDARD_FOLDER = sysconfig.get_path("stdlib") + os.sep


def is_added(item: Any, name: str) -> bool:
    """Whether an attribute is no part of the value of a plain object.

    It is one that a class of the user's adds to those of its base, fields aside; or one
    of those in which equal dtypes differ.

    >>> is_added(np.float64(1.0), "real"), is_added(np.dtype(float), "metadata")
    (False, True)
    """
    if isinstance(item, (np.finfo, np.iinfo)):
        return False  # NumPy keeps what it has computed there
    if name in getattr(item, "__dict__", ()):
        is_own = type(item).__module__ in PLAIN_MODULES
        return not is_own and not (isinstance(item, enum.Enum) and name in ENUM_FIELDS)
    if isinstance(item, np.dtype):
        return name in ("metadata", "char", "num")
    for base in type(item).__mro__:
        if name in vars(base):
            is_field = is_namedtuple(base) and name in getattr(base, "_fields", ())
            return base.__module__ not in PLAIN_MODULES and not is_field
    return False


def is_pure(function: Any) -> bool:
    """Whether a call has no effects and reads nothing of the environment."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, ArrayProtocol):
        return True  # the Variable's own methods report what they do
    if isinstance(function, BuiltinFunctionType) and isinstance(owner, PLAIN_TYPES):
        return owner is not None or _computes(function)
    if (
        type(owner) in UNCHANGING_VALUES
        or type(owner) is ChainMap
        or type(function) is operator.itemgetter
    ):
        return True
    if isinstance(function, MethodType):
        kind = owner if isinstance(owner, type) else type(owner)
        inner = function.__func__
        if is_namedtuple(kind) and isinstance(inner, FunctionType):
            return not is_users(inner)  # `_replace` and its like
        return has_replacement(function)  # of a distribution, for one
    if isinstance(function, type):
        return (
            _computes(function)
            or issubclass(function, (np.generic, override))
            or (is_namedtuple(function) and hidden_code(function) is None)
        )
    if is_unreached(function):
        return True
    return function in PRIMITIVES or function in COMPOSITIONS or _computes(function)


def _computes(function: Any) -> bool:
    """Whether a call does no more than compute, or change its first argument."""
    return facts_of(function).effect in ("", "writes")


def is_namedtuple(kind: type) -> bool:
    """Whether a class is a named tuple's, or derived from one."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


# What a class may define without code of its running where none is seen: whatever
# calls these is refused by itself, or nothing of a function's body does.
VISIBLE = frozenset(
    "__abstractmethods__ __annotations__ __call__ __class_getitem__ __copy__ "
    "__dataclass_fields__ __dataclass_params__ __deepcopy__ __del__ __dict__ __doc__ "
    "__firstlineno__ __getnewargs__ __getstate__ __init__ __init_subclass__ "
    "__match_args__ __module__ __orig_bases__ __parameters__ __qualname__ __reduce__ "
    "__reduce_ex__ __replace__ __setstate__ __slots__ __static_attributes__ "
    "__slotnames__ __subclasshook__ __weakref__ __annotate__ __annotate_func__ "
    "__annotations_cache__ __classdictcell__".split()
)


def hidden_code(kind: type, followed: Collection[str] = ()) -> str | None:
    """The name of a method that operators, loops, or printing would run unseen.

    ``followed`` are methods that are seen.

    >>> class Box:
    ...     def __getitem__(self, index): ...
    >>> hidden_code(Box)
    '__getitem__'
    """
    is_tuple = is_namedtuple(kind)
    for base in kind.__mro__:
        if base is tuple or base is object:
            break
        for name, member in vars(base).items():
            if is_tuple and "_fields" in vars(base) and name in ("__new__", "__repr__"):
                continue  # the named tuple's own
            if name.startswith("__") and name.endswith("__"):
                if name not in VISIBLE and name not in followed:
                    return name
            elif is_tuple and isinstance(member, functools.cached_property):
                return name
    return None


# What runs only where a class is made.
MAKING = frozenset({"__new__", "__init__", "__prepare__", "__call__"})
# What an index of a class runs, and a question whether another one is derived from it.
OF_CLASSES = ("__class_getitem__", "__subclasshook__")


def hidden_in_class(kind: type) -> str | None:
    """The name of a method that a use of a class itself would run unseen.

    Its metaclass may say what `kind[key]`, `len(kind)` or `isinstance(item, kind)` are.

    >>> class Registry(type):
    ...     def __getitem__(cls, name): ...
    >>> hidden_in_class(Registry("Layer", (), {})), hidden_in_class(dict)
    ('__getitem__', None)
    """
    meta: type = type(kind)
    for base in () if meta is type else meta.__mro__:
        for name, own in vars(base).items():
            is_own = isinstance(own, FunctionType) and is_users(own)
            if is_own and name[:2] == "__" and name not in MAKING:
                return name
    for base in kind.__mro__ if kind.__flags__ & HEAP else ():
        for name in OF_CLASSES:
            member = vars(base).get(name)
            inner = getattr(member, "__func__", None)
            if isinstance(inner, FunctionType) and is_users(inner):
                return name
    return None


# Classes whose objects are what they are by their value alone.
VALUES = frozenset(
    (bool, int, str, bytes, complex, range, slice, type(...), type(None))
) | frozenset(np.sctypeDict.values())

# Whose objects are compared as Python does it, but for what a class derived from one
# of these adds.
COMPARED = frozenset(
    member
    for module in (builtins, enum, abc, functools, types, np)
    for member in vars(module).values()
    if isinstance(member, type)
)


def hidden_in(item: Any) -> str | None:
    """The same for a static argument; None if it is what it is by its value alone."""
    kind = type(item)  # its `__class__` may be whatever it likes
    if kind in VALUES or issubclass(kind, (np.dtype, np.ufunc)):
        return None
    if (
        issubclass(kind, (type, ModuleType, enum.Enum, *FUNCTION_TYPES))
        or kind is functools.partial
        or is_ours(item)
        or is_library_function(item)
    ):
        unseen = hidden_in_class(item) if issubclass(kind, type) else None
        return unseen or _own_comparison(kind)
    return hidden_code(kind)


# Methods that a class may have without code of its own running unseen: the copy of a
# function calls these itself, or refuses what would.
FOLLOWED_METHODS = frozenset(
    "__call__ __repr__ __str__ __format__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
    "__hash__ __getattr__ __setattr__ __delattr__".split()
)

# Library classes whose objects hold attributes, and do nothing.
HOLDERS = (SimpleNamespace, argparse.Namespace)


def is_followed_object(item: Any) -> bool:
    """Whether an object of the user's is looked into: its attributes, its methods."""
    kind = type(item)
    if isinstance(item, (*PLAIN_TYPES, ArrayProtocol, type, ModuleType, enum.Enum)):
        return False
    if isinstance(item, BaseException) or (callable(item) and is_ours(item)):
        return False
    if kind in HOLDERS or isinstance(item, GENERATORS):
        return True
    if is_of_library(kind):
        return False
    if type(kind) not in (type, abc.ABCMeta):
        return False
    return hidden_code(kind, FOLLOWED_METHODS) is None


def is_of_library(kind: type) -> bool:
    """Whether a class is an installed module's, and taken not to change."""
    # In a doctest `__main__` is what runs the tests.
    module = sys.modules.get(kind.__module__)
    return module is not None and kind.__module__ != "__main__" and is_library(module)


def _own_comparison(kind: type) -> str | None:
    """How a class of the user's says which objects are equal, if it does."""
    for base in kind.__mro__:
        if base not in COMPARED:
            for name in ("__eq__", "__hash__"):
                if name in vars(base):
                    return name
    return None


# ----- Whose code something is -----

DISPATCHER = functools.singledispatch(lambda item: item).__code__  # type: ignore[attr-defined]


def is_users(function: FunctionType) -> bool:
    """Whether a function's source is the user's, not a library's or ours."""
    namespace = function.__globals__
    module = sys.modules.get(namespace.get("__name__") or "")
    if module is not None and vars(module) is namespace:
        return not is_library(module)
    return not _is_installed(function.__code__.co_filename)


def is_library(module: ModuleType) -> bool:
    """Whether a module is installed, and taken not to change."""
    if module.__name__.partition(".")[0] in TRUSTED_LIBRARIES:
        return module.__name__ not in FOLLOWED_MODULES
    loader = getattr(module.__spec__, "loader", None)
    if loader in (BuiltinImporter, FrozenImporter):
        return True
    return _is_installed(getattr(module, "__file__", None) or "")


def _is_installed(filename: str) -> bool:
    """Whether a file is the standard library's, or an installed package's."""
    return filename.startswith(
        (STANDARD_FOLDER, "<frozen ")
    ) or not INSTALLED_FOLDERS.isdisjoint(filename.split(os.sep))


def is_library_function(value: Any) -> bool:
    """NumPy's array functions are no ``FunctionType``; ours are marked."""
    return (
        callable(value)
        and (getattr(value, "__module__", None) or "").split(".")[0]
        in ("numpy", "scipy", "srcgrad")
        and not isinstance(value, (ArrayProtocol, np.errstate))
    )


# What a library is made of. All else in it is data, which may change.
CODE = (ModuleType, type, np.ufunc, *FUNCTION_TYPES)

# NumPy's objects for writing indices: they hold nothing.
INDEXERS = (np.s_, np.index_exp, np.mgrid, np.ogrid, np.r_, np.c_)


def is_code(value: Any) -> bool:
    """Whether a member of a library is code, which is taken not to change."""
    return isinstance(value, CODE) or is_library_function(value) or is_indexer(value)


def is_indexer(value: Any) -> bool:
    """Whether it is one of NumPy's objects that indices are written with."""
    return any(value is indexer for indexer in INDEXERS)


def says_of_itself(item: Any, name: str) -> bool:
    """Whether an attribute of one of the standard library's values depends on nothing.

    A path may ask the file system, a time the zone that the user has written.
    """
    if type(item) is dataclasses.Field:
        return name == "name"
    if type(item) not in UNCHANGING_VALUES:
        return False
    if isinstance(item, pathlib.PurePath):
        return hasattr(pathlib.PurePath, name)
    if isinstance(item, (datetime.datetime, datetime.time)):
        return type(item.tzinfo) in (type(None), datetime.timezone)
    return True


def is_text(item: Any) -> bool:
    """Whether the text of an object says what it is, and no more.

    That of an array depends on how NumPy is told to print them.
    """
    if isinstance(item, (tuple, list)):
        return all(map(is_text, item))
    raw = item.value if isinstance(item, ArrayProtocol) else item
    if isinstance(raw, np.str_):
        return True
    return not isinstance(raw, (np.ndarray, np.generic, dict, set, frozenset))


def is_dispatcher(function: Any) -> bool:
    """Whether it is made by ``functools.singledispatch``: it calls one of several."""
    return type(function) is FunctionType and function.__code__ is DISPATCHER


def is_constant(value: Any) -> bool:
    """Whether a default is one and the same at every call."""
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    return value is None or isinstance(
        value, (int, float, complex, str, bytes, type, np.dtype, FunctionType, np.ufunc)
    )
