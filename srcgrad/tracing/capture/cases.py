"""``Cases``: what the instrumented copy calls where ``match`` tries a pattern.

``matching`` writes these calls; each does what Python does for a part of a pattern.
"""

import functools
from collections import deque
from collections.abc import Mapping
from typing import Any

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.capture.asking import Asking
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.environment.symbolic import as_seen
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.refusal import give_up

# What a pattern takes as a whole: `case int(n)`.
TAKEN_WHOLE = (
    *(bool, bytearray, bytes, dict, float, frozenset),
    *(int, list, set, str, tuple),
)
# Sequences to Python, but not to a pattern.
TEXTS = (str, bytes, bytearray)

# ``Py_TPFLAGS_SEQUENCE``: what `case [a, b]` asks a type for.
OF_SEQUENCES = 1 << 5


class Cases:
    """The patterns that a recorded run tries."""

    def __init__(self, context: Context, asking: Asking) -> None:
        self._context, self._asking = context, asking

    def matched(self, subject: Any) -> Any:
        """What a ``match`` statement looks at."""
        return str(subject) if type(subject) is Text else as_seen(subject)

    def is_sequence(self, subject: Any, count: int, is_least: bool) -> Any:
        """Whether it fits ``[a, b]``, or ``[a, b, *rest]``."""
        if not isinstance(subject, (list, tuple, deque, range)):
            if is_sequence(_kind_of(subject)) and not isinstance(subject, TEXTS):
                give_up(f"matches a {type(subject).__name__}")
            return False
        length = self._context.call(len, subject)
        return length >= count if is_least else length == count

    def middle(self, subject: Any, start: int, after: int) -> list[Any]:
        """``*rest`` in ``[a, *rest, b]``."""
        items = [*subject]
        return items[start : len(items) - after]

    def values_if_mapping(self, subject: Any, keys: tuple[Any, ...]) -> Any:
        """What is under the keys of ``{key: ..., **rest}``; None if it lacks one."""
        if not isinstance(subject, dict):
            if isinstance(subject, Mapping):
                give_up(f"matches a {type(subject).__name__}")
            return None
        is_there = all(key in subject for key in keys)
        return [self._context.item(subject, key) for key in keys] if is_there else None

    def without(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
        """``**rest`` in such a pattern."""
        return {key: value for key, value in subject.items() if key not in keys}

    def attributes_if_instance(
        self, subject: Any, kind: Any, count: int, names: tuple[str, ...]
    ) -> list[Any] | None:
        """What ``kind(a, name=b)`` takes of an object; None if it is none of these."""
        if not self._context.call(isinstance, subject, kind):
            return None
        if (
            count
            and issubclass(kind, TAKEN_WHOLE)
            and not hasattr(kind, "__match_args__")
        ):
            return [
                subject,
                *map(functools.partial(self._context.attribute, subject), names),
            ]
        if count:
            names = (*self._context.attribute(kind, "__match_args__")[:count], *names)
        found = []
        for name in names:
            if not self._asking.has(subject, name):
                return None
            found.append(self._context.attribute(subject, name))
        return found


def is_sequence(kind: type) -> bool:
    """Whether it is one to a pattern, as ndarrays are from NumPy 2.5 on."""
    return bool(kind.__flags__ & OF_SEQUENCES)


def _kind_of(subject: Any) -> type:
    is_array = isinstance(subject, ArrayProtocol) and subject.stands_for_array
    return type(raw_of(subject)) if is_array else type(subject)
