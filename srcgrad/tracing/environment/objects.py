"""Objects of the user's classes: those that a function makes, and those with operators.

What an operator, a loop or ``with`` runs of a class does not stand in the function's
text. So the function sees objects of a *twin* of their class: a subclass whose special
methods are the followed ones. An object that it makes itself is its own, and may be
changed; it becomes one of the user's class where it is kept or given back.
"""

import abc
import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.class_members import class_member, is_slot, member_of
from srcgrad.tracing.environment.conditions import MISSING
from srcgrad.tracing.environment.references import Attribute, Known
from srcgrad.tracing.environment.trust import (
    HEAP,
    HOLDERS,
    is_constant,
    is_followed_object,
    is_of_library,
    is_users,
)
from srcgrad.tracing.refusal import give_up

# Special methods that Python runs where a function's text only shows an operator, a
# loop, an index.
SPECIAL = frozenset(
    "__abs__ __bool__ __call__ __complex__ __contains__ __delitem__ __divmod__ "
    "__enter__ __exit__ __float__ __getitem__ __hash__ __index__ __int__ __invert__ "
    "__iter__ __len__ __neg__ __next__ __pos__ __post_init__ __rdivmod__ "
    "__reversed__ __round__ __setitem__".split()
) | frozenset(
    f"__{prefix}{own.name}__"
    for own in (*BINARY_OPERATORS, *COMPARISONS)
    for prefix in ("", "r", "i")
)
# What else a class may have: it is seen where it is used, or refused there.
SEEN_MEMBERS = frozenset(
    "__abstractmethods__ __annotate__ __annotate_func__ __annotations__ "
    "__annotations_cache__ __class__ __copy__ __dataclass_fields__ "
    "__dataclass_params__ __deepcopy__ __delattr__ __dict__ __doc__ __eq__ "
    "__firstlineno__ __format__ __getattr__ __getstate__ __hash__ __init__ "
    "__init_subclass__ __match_args__ __module__ __orig_bases__ __parameters__ "
    "__qualname__ __reduce__ __reduce_ex__ __replace__ __repr__ __setattr__ "
    "__setstate__ __slots__ "
    "__static_attributes__ __str__ __weakref__ _abc_impl".split()
)


# Bases that say what there is to be, and do nothing.
ABSTRACT = (abc.ABC, typing.Generic, typing.Protocol)


def is_looked_into(item: Any) -> bool:
    """Whether an object of the user's is followed: attributes, methods, operators."""
    return is_followed_object(item) or (
        has_twin(type(item)) and hasattr(item, "__dict__")
    )


def has_twin(kind: Any) -> bool:
    """Whether all that a class does can be followed, and its objects made anew."""
    return _has_twin(kind)


@functools.lru_cache(maxsize=512)
def _has_twin(kind: Any) -> bool:
    if type(kind) not in (type, abc.ABCMeta):
        return False
    for base in kind.__mro__[:-1]:
        if base in ABSTRACT:
            continue
        if not _is_made_by_user(base) or "__new__" in vars(base):
            return False
        names = {name for name in vars(base) if name[:2] == name[-2:] == "__"}
        if not names <= SPECIAL | SEEN_MEMBERS:
            return False
    return True


def _is_made_by_user(kind: type) -> bool:
    """Whether a class is written in Python, and not a library's or an error."""
    if is_of_library(kind):
        return False
    functions = [
        member
        for name, member in vars(kind).items()
        if isinstance(member, FunctionType) and name not in TELLING_METHODS
    ]
    return bool(kind.__flags__ & HEAP) and all(map(is_users, functions))


# What makes the same anew each time.
FACTORIES = (list, dict, set, tuple, int, float, str, bool)

# What no operator or loop runs: `dataclasses` may have put its own there.
TELLING_METHODS = ("__repr__", "__str__", "__format__", "__replace__")


def is_generated(function: FunctionType) -> bool:
    """Whether ``dataclasses`` has written a method, so that there is no source."""
    return function.__code__.co_filename == "<string>"


class Unnoticed:
    """Comes before the class that a twin is of, so that this hears of no subclass."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Tell nobody: a class may keep a list of those that are derived from it."""


class Twins:
    """The twins of the classes that one run meets; ``reads`` takes note."""

    def __init__(self, reads: Any) -> None:
        self._reads = reads
        self._twins: dict[type, type] = {}
        self._kinds: dict[type, type] = {}
        self._methods: dict[tuple[type, str], Callable[..., Any]] = {}
        self._own: dict[int, tuple[int, Any]] = {}
        # By the identities of objects that the call keeps alive.
        self._standing: dict[int, Any] = {}
        # The objects of the function's own whose `__dict__` it has.
        self.opened: set[int] = set()

    def kind_of(self, item: Any) -> type:
        """The user's class of an object."""
        return self._kinds.get(type(item), type(item))

    def knows(self, item: Any) -> bool:
        """Whether the special methods of an object are followed."""
        return type(item) in self._kinds

    def is_own(self, item: Any) -> bool:
        """Whether the function has made an object."""
        return id(item) in self._own

    def number(self, item: Any) -> int:
        """Which one an object is of those that the function has made."""
        return self._own[id(item)][0]

    @property
    def count(self) -> int:
        """How many the function has made."""
        return len(self._own)

    def _keep(self, item: Any) -> Any:
        self._own[id(item)] = len(self._own), item
        return item

    def another(self, item: Any) -> Any:
        """One more of the class of such an object, without attributes."""
        return self._keep(object.__new__(type(item)))

    def runs_users_code(self, item: Any) -> bool:
        """Whether a call of an object runs a followed method of its class."""
        call = class_member(self.kind_of(item), "__call__")
        return self.knows(item) and isinstance(call, FunctionType) and is_users(call)

    def let_go(self) -> None:
        """The run is over: hold nothing any more."""
        self._own.clear()
        self._standing.clear()
        self._reads = None

    def compares(self, item: Any) -> bool:
        """Whether a twin says itself what it is equal to."""
        kind = self._kinds.get(type(item))
        return kind is not None and member_of(kind, "__eq__")[0] is not object

    def standing_for(self, item: Any) -> Any:
        """An object of the environment, as it is seen: the same attributes."""
        kind = type(item)
        if not has_twin(kind) or not (_special(kind) and hasattr(item, "__dict__")):
            return item
        if id(item) not in self._standing:
            made: Any = object.__new__(self.of(type(item)))
            made.__dict__ = item.__dict__
            self._standing[id(item)] = made
        return self._standing[id(item)]

    def of(self, kind: type) -> type:
        """The twin of a class."""
        if kind not in self._twins:
            methods: dict[str, Any] = {
                "__slots__": (),
                "__module__": kind.__module__,
                "__qualname__": kind.__qualname__,
            }
            for name in _special(kind):
                base, member = member_of(kind, name)
                if isinstance(member, FunctionType) and not is_generated(member):
                    methods[name] = self._followed(base, name, member)
                elif name == "__hash__":
                    methods[name] = member
            # Below the twins of its bases: Python asks the lower of two classes first.
            twins = [self.of(base) for base in kind.__bases__ if _has_code(base)]
            bases = (*twins, kind) if twins else (Unnoticed, kind)
            twin = type(kind)(kind.__name__, bases, methods)
            self._twins[kind], self._kinds[twin] = twin, kind
        return self._twins[kind]

    def _followed(
        self, kind: type, name: str, function: FunctionType
    ) -> Callable[..., Any]:
        """A method that notes what it is, and runs as its followed copy."""

        def method(*args: Any, **kwargs: Any) -> Any:
            reference = Attribute(Known(kind.__name__, kind), name)
            self._reads.require(conditions.is_same(reference, function))
            return self._reads.instrumented(function)(*args, **kwargs)

        # There is one of it, by which Python sees that a class has not its own.
        return self._methods.setdefault((kind, name), method)

    def blank(self, kind: type) -> Any:
        """An object of the function's own, without attributes."""
        return self._keep(object.__new__(self.of(kind)))

    def made(self, kind: type, args: Any, kwargs: Any) -> Any:
        """``kind(*args, **kwargs)``: an object of the function's own."""
        if kind in HOLDERS:
            return self._keep(kind(*args, **kwargs))
        base, start = member_of(kind, "__init__")
        item = self.blank(kind)
        if isinstance(start, FunctionType):
            reference = Attribute(Known(base.__name__, base), "__init__")
            self._reads.require(conditions.is_same(reference, start))
            if not is_generated(start):
                start = self._reads.instrumented(start)
            elif dataclasses.is_dataclass(base):
                kwargs = kwargs | self._made_defaults(base, args, kwargs)
            else:
                give_up(f"makes a {kind.__name__}, whose `__init__` has no source")
            start(item, *args, **kwargs)
        elif args or kwargs:
            kind(*args, **kwargs)  # the error
        return item

    def _made_defaults(self, kind: Any, args: Any, kwargs: Any) -> dict[str, Any]:
        """What the factories of a dataclass give for the fields that are not given."""
        try:
            given = inspect.signature(kind).bind_partial(*args, **kwargs).arguments
        except TypeError:
            return {}  # the error comes when it is made
        missing = [
            field
            for field in dataclasses.fields(kind)
            if field.default_factory is not dataclasses.MISSING
            and field.name not in given
        ]
        own = [each for each in missing if each.init]
        if any(
            each not in own and each.default_factory not in FACTORIES
            for each in missing
        ):
            give_up(f"makes a {kind.__name__}, whose defaults are computed")
        return {each.name: self._default(each.default_factory) for each in own}

    def _default(self, factory: Any) -> Any:
        if factory in FACTORIES:
            return factory()
        if isinstance(factory, FunctionType) and is_users(factory):
            return self._reads.instrumented(factory)()
        if has_twin(factory):
            return self.made(factory, (), {})
        return give_up(f"makes a default by `{factory!r}`, which is not followed")

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name`` of an object of the function's own: a value, or a getter."""
        kind = self.kind_of(item)
        if name == "__class__":
            return kind
        base, member = member_of(kind, name)
        is_data = hasattr(type(member), "__set__")
        if not is_data and name in getattr(item, "__dict__", {}):
            return item.__dict__[name]
        if name == "__dict__":
            self.opened.add(id(item))
            return item.__dict__
        if is_slot(member):
            return getattr(item, name)
        return self.found(item, base, member, name)

    def found(self, item: Any, base: type, member: Any, name: str) -> Any:
        """What a class gives for an attribute of its object; a property is called."""
        reference = Attribute(Known(base.__name__, base), name)
        if isinstance(member, FunctionType):
            if not is_generated(member):
                self._reads.require(conditions.is_same(reference, member))
            return MethodType(member, item)
        if isinstance(member, property) and isinstance(member.fget, FunctionType):
            self._reads.require(conditions.is_same(reference, member))
            return self._reads.instrumented(member.fget)(item)
        if isinstance(member, functools.cached_property):
            self._reads.require(conditions.is_same(reference, member))
            value = self._reads.instrumented(member.func)(item)
            item.__dict__[name] = value
            return value
        if isinstance(member, functools.partialmethod):
            return self.bound_partial(item, name)
        if isinstance(member, staticmethod) or member is MISSING:
            kind = self.kind_of(item)
            get, own = member_of(kind, "__getattr__")
            if member is MISSING and isinstance(own, FunctionType):
                known = Known(get.__name__, get)
                where = Attribute(known, "__getattr__")
                self._reads.require(conditions.is_same(where, own))
                self._reads.require(conditions.lacks(Known(kind.__name__, kind), name))
                return self._reads.instrumented(own)(item, name)
            return getattr(item, name)  # or the error that it raises
        if isinstance(member, classmethod):
            return MethodType(member.__func__, self.kind_of(item))
        if hasattr(type(member), "__get__"):
            give_up(f"reads `{base.__name__}.{name}`, which its class computes")
        return self._reads.class_attribute(base, name, member)

    def bound_partial(self, item: Any, name: str) -> Any:
        """What a ``functools.partialmethod`` is of an object."""
        kind = self.kind_of(item)
        base, member = member_of(kind, name)
        held = *member.args, *member.keywords.values()
        if not isinstance(member.func, FunctionType) or not all(map(is_constant, held)):
            give_up(f"calls `{name}`, a `partialmethod` of what may change")
        for each in kind.__mro__[: kind.__mro__.index(base) + 1]:
            found = vars(each).get(name, MISSING)
            self._reads.require(conditions.has_own_member(each, name, found))
        method = MethodType(member.func, item)
        return functools.partial(method, *member.args, **member.keywords)

    def set_attribute(
        self, item: Any, name: str, value: Any, is_plain: bool = False
    ) -> None:
        """``item.name = value`` of an object of the function's own.

        ``is_plain``: by ``object.__setattr__``, whatever its class does.
        """
        kind = self.kind_of(item)
        member = class_member(kind, name)
        if isinstance(member, property) and isinstance(member.fset, FunctionType):
            self._reads.instrumented(member.fset)(item, value)
            return
        own = class_member(kind, "__setattr__")
        is_plain = is_plain or own is object.__setattr__ or kind in HOLDERS
        if not is_plain or (hasattr(type(member), "__set__") and not is_slot(member)):
            give_up(f"sets `{name}`, which {kind.__name__} does in its own way")
        object.__setattr__(item, name, value)


class Parent:
    """``super()`` in a method: what the classes above say of an object."""

    def __init__(self, kind: type, item: Any, twins: Twins) -> None:
        self._kind, self._item, self._twins = kind, item, twins

    def attribute(self, name: str) -> Any:
        """``super().name``"""
        item = self._item
        is_class = isinstance(item, type)
        order = (item if is_class else self._twins.kind_of(item)).__mro__
        for base in order[order.index(self._kind) + 1 :]:
            if name not in vars(base):
                continue
            member = vars(base)[name]
            if base is object and name == "__init__":
                return _nothing
            if base is object or is_class:
                give_up(f"calls `super().{name}`")
            return self._twins.found(item, base, member, name)
        return getattr(super(self._kind, item), name)  # the error


def _nothing() -> None:
    """``object.__init__``"""


def _has_code(kind: type) -> bool:
    """Whether a base of a class is one of the user's."""
    return kind is not object and kind not in ABSTRACT


def _special(kind: type) -> list[str]:
    """The special methods of a class that code of its own has."""
    names = [name for base in kind.__mro__[:-1] for name in vars(base)]
    return [name for name in dict.fromkeys(names) if name in SPECIAL]
