"""``Source`` and ``Explanation``: texts that notebooks show in colours.

>>> text = Source("x = 1")
>>> text == "x = 1", f"{text}"
(True, 'x = 1')
"""

from typing import TYPE_CHECKING, Any

from srcgrad.late import LateNames

if TYPE_CHECKING:
    from srcgrad.tracing.report.page import explanation_frame, source_frame

_late = LateNames(
    globals(), {"srcgrad.tracing.report.page": "explanation_frame source_frame"}
)


class Source(str):
    """Generated modules, as one text."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return source_frame(self) if _late.can_load() else None

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


class Explanation(str):
    """What is compiled, what is not, and why.

    Attributes
    ----------
    found : dict or None
        The same as data.
    """

    found: dict[str, Any] | None

    def __new__(cls, text: str, found: dict[str, Any] | None = None) -> "Explanation":
        """The text, and the data that it is made of."""
        made = super().__new__(cls, text)
        made.found = found
        return made

    def _repr_html_(self) -> str | None:
        if self.found is None or not _late.can_load():
            return None
        return explanation_frame(self.found)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))
