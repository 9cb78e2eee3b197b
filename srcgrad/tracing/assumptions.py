"""Assumptions: what a trace takes for granted of the world outside the function.

A trace has a list of them, of any kind, and looks at each before it runs.
"""

from collections.abc import Iterable
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple, Protocol

MISSING = object()


class Assumption(Protocol):
    """Something outside that must be as it was when the function was traced."""

    def broken(self) -> str | None:
        """What has changed, in words; None if nothing has."""

    def source(self) -> str:
        """What the generated module says of it; nothing if that goes without saying."""


class SameName(NamedTuple):
    """A name outside the function still means the same object.

    ``namespace`` is a dict, a class's members, or a closure cell.
    """

    name: str
    namespace: Any
    key: str
    value: Any

    def broken(self) -> str | None:
        """What has changed, in words."""
        namespace = self.namespace
        if type(namespace) in (dict, MappingProxyType):
            if namespace.get(self.key, MISSING) is self.value:
                return None
        else:
            try:
                if namespace.cell_contents is self.value:
                    return None
            except ValueError:
                pass  # the variable was deleted
        return f"`{self.name}` was rebound"

    def source(self) -> str:
        """The name; a module, a builtin, what is not there, go without saying."""
        is_obvious = self.value is MISSING or isinstance(self.value, ModuleType)
        return "" if is_obvious else f"`{self.name}`"

    def __str__(self) -> str:
        return f"`{self.name}` is what it was"


class SameFunction(NamedTuple):
    """A Python function still has the same code and defaults."""

    function: Any
    code: CodeType
    defaults: tuple[Any, ...] | None
    kwdefaults: dict[str, Any] | None

    @classmethod
    def of(cls, function: FunctionType) -> "SameFunction":
        """The assumption that a function stays as it is now."""
        kwdefaults = function.__kwdefaults__
        return cls(
            function,
            function.__code__,
            function.__defaults__,
            None if kwdefaults is None else dict(kwdefaults),
        )

    def broken(self) -> str | None:
        """What has changed, in words."""
        function = self.function
        if (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and (
                function.__kwdefaults__ is self.kwdefaults  # both None, mostly
                or _are_same(function.__kwdefaults__ or {}, self.kwdefaults or {})
            )
        ):
            return None
        return f"the code and defaults of `{function.__name__}` changed"

    def source(self) -> str:
        """Nothing: that a function's code stays goes without saying."""
        return ""

    def __str__(self) -> str:
        return f"the code and defaults of `{self.function.__name__}` are as they were"


def _are_same(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Whether both have the same objects; ``1``, ``1.0`` and ``True`` are equal."""
    return now.keys() == then.keys() and all(now[key] is then[key] for key in now)


def first_broken(assumptions: Iterable[Assumption]) -> str | None:
    """What has changed of all that was assumed, if anything."""
    for assumption in assumptions:
        reason = assumption.broken()
        if reason is not None:
            return reason
    return None
