"""Assumptions: what a trace takes for granted of the world outside the function.

A trace has a list of them, of any kind. Before each run they are checked all at once,
by a condition that is put together of the source of each.
"""

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple, Protocol

MISSING = object()

# Gives an object a name that a condition may use.
Namer = Callable[[Any], str]


class Assumption(Protocol):
    """Something outside that must be as it was when the function was traced."""

    def source(self, name: Namer) -> str:
        """The condition that it holds, as Python that looks nothing up but attributes.

        ``name(object)`` is what the condition may call an object.
        """

    def broken(self) -> str | None:
        """What has changed, in words; None if nothing has."""

    def mention(self) -> str:
        """What the generated module calls it; nothing if it goes without saying."""


class SameName(NamedTuple):
    """A name outside the function still means the same object.

    ``namespace`` is a dict, a class's members, or a closure cell.
    """

    name: str
    namespace: Any
    key: str
    value: Any

    def source(self, name: Namer) -> str:
        """Look it up again."""
        if self._is_mapping:
            found = f"{name(self.namespace)}.get({self.key!r}, {name(MISSING)})"
        else:
            # The cell of a variable that was deleted is empty.
            found = f"{name(_content)}({name(self.namespace)})"
        return f"{found} is {name(self.value)}"

    @property
    def _is_mapping(self) -> bool:
        return isinstance(self.namespace, (dict, MappingProxyType))

    def broken(self) -> str | None:
        """What has changed, in words."""
        if self._is_mapping:
            now = self.namespace.get(self.key, MISSING)
        else:
            now = _content(self.namespace)
        return None if now is self.value else f"`{self.name}` was rebound"

    def mention(self) -> str:
        """The name; but of a module, a builtin, what is not there, nothing."""
        is_obvious = self.value is MISSING or isinstance(self.value, ModuleType)
        return "" if is_obvious else f"`{self.name}`"

    def __str__(self) -> str:
        return f"`{self.name}` is what it was"


class SameMember(SameName):
    """A constant of a library still means the same object."""

    __slots__ = ()

    def mention(self) -> str:
        """Nothing: libraries hardly change."""
        return ""


def _content(cell: Any) -> Any:
    """What a closure's cell holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


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

    def source(self, name: Namer) -> str:
        """Compare what it consists of."""
        function = name(self.function)
        keywords = f"{function}.__kwdefaults__"
        if self.kwdefaults is None:
            keywords = f"not {keywords}"
        else:
            keywords = f"{name(_are_same)}({keywords}, {name(self.kwdefaults)})"
        return (
            f"{function}.__code__ is {name(self.code)}"
            f" and {function}.__defaults__ is {name(self.defaults)} and {keywords}"
        )

    def broken(self) -> str | None:
        """What has changed, in words."""
        function = self.function
        if (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and _are_same(function.__kwdefaults__, self.kwdefaults)
        ):
            return None
        return f"the code and defaults of `{function.__name__}` changed"

    def mention(self) -> str:
        """Nothing: that a function's code stays goes without saying."""
        return ""

    def __str__(self) -> str:
        return f"the code and defaults of `{self.function.__name__}` are as they were"


def _are_same(now: dict[str, Any] | None, then: dict[str, Any] | None) -> bool:
    """Whether both have the same objects; ``1``, ``1.0`` and ``True`` are equal."""
    now, then = now or {}, then or {}
    return now.keys() == then.keys() and all(now[key] is then[key] for key in now)


class Assumptions(tuple[Assumption, ...]):
    """All that a trace takes for granted; ``hold()`` says whether it still is so."""

    hold: Callable[[], bool]

    def __new__(cls, assumptions: Iterable[Assumption] = ()) -> "Assumptions":
        """Put the conditions together."""
        self = super().__new__(cls, assumptions)
        objects: dict[int, Any] = {}

        def name(item: Any) -> str:
            objects[id(item)] = item
            return f"_{id(item)}"

        conditions = [each.source(name) for each in self] or ["True"]
        namespace = {name(item): item for item in objects.values()}
        source = " and ".join(f"({condition})" for condition in conditions)
        self.hold = eval(f"lambda: {source}", namespace)
        return self

    def broken(self) -> str | None:
        """What has changed, in words; None if nothing has."""
        reasons = (assumption.broken() for assumption in self)
        return next((reason for reason in reasons if reason is not None), None)
