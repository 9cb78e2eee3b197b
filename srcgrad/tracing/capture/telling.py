"""``Telling``: texts that a recorded function makes, and what it tells.

A text of what is computed is made when it is needed (``texts``).
"""

import operator
import warnings
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.tracing.capture.attributes import Attributes
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.effects import all_as_told
from srcgrad.tracing.environment.texts import Text, is_live, of_parts
from srcgrad.tracing.environment.trust import is_text
from srcgrad.tracing.refusal import give_up


class Telling:
    """What the instrumented copy calls where it makes a text."""

    def __init__(self, context: Context, attributes: Attributes) -> None:
        self._reads, self._attributes = context.reads, attributes

    def formatted(self, *parts: Any) -> Any:
        """An f-string, of texts and of ``(value, conversion, spec)``."""
        values = [part if type(part) is str else part[0] for part in parts]
        is_plain = all(type(part) is str or part[1] != "r" for part in parts)
        return self.text(of_parts, parts, {}, values, is_plain)

    def text(
        self, function: Any, args: Any, kwargs: Any, values: Any, is_plain: bool = True
    ) -> Any:
        """A text that a function makes of its arguments, ``values`` among them."""
        if any(map(is_live, values)):
            if not is_plain and any(map(_has_place_on_tape, values)):
                give_up("tells of the `grad_fn` of a Variable")
            text = Text(function, tuple(map(all_as_told, args)), all_as_told(kwargs))
            return str(text) if text.is_error() else text  # an error now, not later
        self._attributes.look_at([*values])
        if not is_text([*values]):
            give_up("makes a text of an array, which depends on NumPy's print options")
        return function(*args, **kwargs)

    def called(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call that makes a text: ``str(x)``, ``"{}".format(x)``."""
        template = getattr(function, "__self__", "")
        is_plain = function is not repr and "!r" not in str(template)
        return self.text(function, args, kwargs, [*args, *kwargs.values()], is_plain)

    def remainder(self, first: Any, second: Any) -> Any:
        """``first % second``"""
        if isinstance(first, (str, Text)):
            values = [second, *(second if type(second) is tuple else ())]
            is_plain = type(first) is str and "%r" not in first and "%a" not in first
            return self.text(operator.mod, (first, second), {}, values, is_plain)
        if isinstance(first, bytes):
            self._attributes.look_at(second)
        return first % second

    def tell(self, function: Any, args: Any, kwargs: Any) -> None:
        """A call that only tells something: ``print``, ``logging``, ``warnings``."""
        if kwargs.get("file") is not None or kwargs.get("stacklevel", 1) != 1:
            give_up(f"calls `{function.__name__}` with `file` or `stacklevel`")
        if function is warnings.warn and self._reads.catching.catches:
            give_up("warns, which may be an error, and catches errors")
        self._reads.acting.tells(function)
        self._reads.acting.acts(function, all_as_told(args), all_as_told(kwargs))


def _has_place_on_tape(item: Any) -> bool:
    return isinstance(item, ArrayProtocol) and not item.stands_for_array
