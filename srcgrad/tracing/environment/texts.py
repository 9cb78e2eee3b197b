"""``Text``: a text that is made when it is needed, of what is computed by then.

``f"loss {loss:.3f}"`` in a traced function is one. What prints or keeps it gets it anew
at each call; whatever looks at it gets the ``str``, and the recording holds only for
just these numbers.

>>> text = Text("{:.1f}".format, (0.25,))
>>> str("loss " + text), len(text)
('loss 0.2', 3)
"""

import operator
from collections.abc import Callable
from typing import Any

from srcgrad.protocols import ArrayProtocol, meant, raw_of
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.environment.trust import is_text
from srcgrad.tracing.refusal import give_up


class Text:
    """What ``function(*args, **kwargs)`` says."""

    __slots__ = ("args", "function", "kwargs")

    def __init__(
        self,
        function: Callable[..., str],
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs or {}

    def __str__(self) -> str:
        args = tuple(map(_now, self.args))
        kwargs = {key: _now(arg) for key, arg in self.kwargs.items()}
        return self.function(*args, **kwargs)

    def is_error(self) -> bool:
        """Whether there is no such text of this run's numbers; nobody looks at them."""
        try:
            self._made()
        except _UnknownError:
            return False
        except Exception:
            return True
        return False

    def _made(self) -> str:
        args = tuple(map(_concrete, self.args))
        return self.function(*args, **{k: _concrete(v) for k, v in self.kwargs.items()})

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return repr(str(self))

    def __add__(self, other: Any) -> Any:
        return Text(operator.add, (self, other))

    def __radd__(self, other: Any) -> Any:
        return Text(operator.add, (other, self))

    def __getattr__(self, name: str) -> Any:
        return getattr(str(self), name)

    def __bool__(self) -> bool:
        return bool(str(self))

    def __len__(self) -> int:
        return len(str(self))

    def __eq__(self, other: object) -> bool:
        return str(self) == other

    def __hash__(self) -> int:
        give_up("looks up a text of computed numbers")


def _now(item: Any) -> Any:
    """An argument for a text that is made at once: numbers, under guards."""
    if type(item) is Text:
        return str(item)
    if isinstance(item, Symbolic):
        return item.look()
    if type(item) in (tuple, list):
        return type(item)(map(_now, item))
    if not is_text(item):
        give_up("makes a text of an array, which depends on NumPy's print options")
    return item


class _UnknownError(Exception):
    """The text of something is not to be known yet."""


def _concrete(item: Any) -> Any:
    """An argument with the numbers of this run."""
    if type(item) is Text:
        return item._made()
    if isinstance(item, Symbolic):
        return item.concrete
    if isinstance(item, ArrayProtocol) and not item.shape:
        return meant(raw_of(item))
    if type(item) in (tuple, list):
        return type(item)(map(_concrete, item))
    if item is None or type(item) in (str, bool, int, float, complex):
        return item
    raise _UnknownError


def is_live(item: Any) -> bool:
    """Whether there is something in an argument that is computed at each call."""
    if isinstance(item, (tuple, set, frozenset)) or type(item) is list:
        return any(map(is_live, item))
    if type(item) is dict:
        return any(map(is_live, item)) or any(map(is_live, item.values()))
    if type(item) is slice:
        return any(map(is_live, (item.start, item.stop, item.step)))
    return isinstance(item, (Text, Symbolic, ArrayProtocol))


def of_parts(*parts: Any) -> str:
    """The text of an f-string: of texts, and of ``(value, conversion, spec)``."""
    return "".join([part if type(part) is str else _formatted(*part) for part in parts])


def _formatted(value: Any, conversion: str, spec: str) -> str:
    if conversion:
        value = CONVERSIONS[conversion](value)
    return format(value, spec)


CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
