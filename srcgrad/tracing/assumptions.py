"""Assumptions: what a trace takes for granted of the world outside the function."""

from types import CodeType, FunctionType, MappingProxyType
from typing import Any, NamedTuple

MISSING = object()


class NameGuard(NamedTuple):
    """A name outside the function still means the same object.

    ``namespace`` is a dict, a class's members, or a closure cell.
    """

    name: str
    namespace: Any
    key: str
    value: Any

    def holds(self) -> bool:
        """Check it."""
        if isinstance(self.namespace, (dict, MappingProxyType)):
            return self.namespace.get(self.key, MISSING) is self.value
        try:
            return self.namespace.cell_contents is self.value
        except ValueError:  # the variable was deleted
            return False

    def __str__(self) -> str:
        return f"`{self.name}` is what it was"


def _same_values(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Whether both have the same objects; ``1``, ``1.0`` and ``True`` are equal."""
    return now.keys() == then.keys() and all(now[key] is then[key] for key in now)


class FunctionGuard(NamedTuple):
    """A Python function still has the same code and defaults."""

    function: Any
    code: CodeType
    defaults: tuple[Any, ...] | None
    kwdefaults: dict[str, Any] | None

    @classmethod
    def of(cls, function: FunctionType) -> "FunctionGuard":
        """The guard on a function as it is now."""
        kwdefaults = function.__kwdefaults__
        return cls(
            function,
            function.__code__,
            function.__defaults__,
            None if kwdefaults is None else dict(kwdefaults),
        )

    def holds(self) -> bool:
        """Check it."""
        function = self.function
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and (
                function.__kwdefaults__ is self.kwdefaults  # both None, mostly
                or _same_values(function.__kwdefaults__ or {}, self.kwdefaults or {})
            )
        )

    def __str__(self) -> str:
        return f"the code and defaults of `{self.function.__name__}`"
