"""``Panes``: source as HTML, whose lines know their counterparts and what they cost."""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from html import escape

from srcgrad.parsing import parsed
from srcgrad.steps import Location
from srcgrad.tracing.report.counterparts import Counterparts
from srcgrad.tracing.report.highlighting import highlighted
from srcgrad.tracing.report.measuring import Cost, Costs
from srcgrad.tracing.report.units import bytes_told, seconds_told
from srcgrad.tracing.report.user_source import Statement


class Panes:
    """The panes of one trace: the user's source, and its modules.

    Parameters
    ----------
    counterparts : Counterparts
        What stands beside what.
    costs : Costs, optional
        What lines cost, where that has been measured.
    """

    def __init__(self, counterparts: Counterparts, costs: Costs | None = None) -> None:
        self._counterparts = counterparts
        self._costs = costs
        self._keys: dict[Statement, int] = {}
        for module, text in enumerate(counterparts.texts):
            for line in range(1, text.count("\n") + 2):
                statement = counterparts.statement(line, module)
                if statement is not None:
                    self._keys.setdefault(statement, len(self._keys))
        self._places = self._named_places()

    def _named_places(self) -> dict[str, Statement | None]:
        """The statements by ``loss.py:6``, as messages begin; None if there are two."""
        found: dict[str, Statement | None] = {}
        for statement in self._keys:
            for line in range(statement.first, statement.last + 1):
                place = f"{os.path.basename(statement.filename)}:{line}"
                is_other = found.get(place, statement) != statement
                found[place] = None if is_other else statement
        return found

    def key(self, statement: Statement | None) -> str:
        """The attribute that what belongs together has in common."""
        number = None if statement is None else self._keys.get(statement)
        return "" if number is None else f' data-k="{number}"'

    def key_at(self, where: Location | None) -> str:
        """The same for a step of the graph."""
        return self.key(self._counterparts.statement_of(where))

    def key_in(self, text: str) -> str:
        """The same for a message that begins with a place: ``loss.py:6: ...``."""
        found = re.match(r"([^:]+:\d+)(?::|$)", text)
        return "" if found is None else self.key(self._places.get(found[1]))

    def html(self) -> str:
        """All of them, side by side."""
        panes = [self._user(), *self._generated()]
        kind = "panes costs" if self._costs else "panes"
        return f'<div class="{kind}">{"".join(panes)}</div>'

    def _user(self) -> str:
        blocks = self._counterparts.blocks()
        costs = self._costs.statements if self._costs else {}
        parts, filename = [], ""
        for block in blocks:
            if filename == block.filename:
                parts.append('<div class="gap">⋮</div>')
            elif filename:
                name = escape(os.path.basename(block.filename))
                parts.append(f'<div class="gap">{name}</div>')
            filename = block.filename
            colours = highlighted("\n".join(text for _, text in block.rows))
            rows = self._counterparts.rows(block)
            for (line, _, begins), shown in zip(rows, colours, strict=True):
                statement = self._counterparts.source.statement_at(filename, line)
                cost = None if begins is None else costs.get(begins)
                parts.append(self._line(line, shown, self.key(statement), cost))
        rest = costs.get(None)
        if rest is not None:
            shown = '<span class="note">for no line of yours</span>'
            parts.append(self._line("", shown, "", rest))
        path = blocks[0].filename if blocks else ""
        return _pane("Your source", path, parts)

    def _generated(self) -> Iterator[str]:
        first, *others = self._counterparts.texts
        titles = "Generated: forward", "Generated: backward"
        both = _forward_and_backward(first)
        for title, ranges in zip(titles, both, strict=True):
            if ranges:
                name = title if all(both) else "Generated"
                yield _pane(name, "", self._lines(first, 0, ranges))
        for module, text in enumerate(others, 1):
            lines = [range(1, text.count("\n") + 2)]
            yield _pane(
                "Generated: part of the way back", "", self._lines(text, module, lines)
            )

    def _lines(self, text: str, module: int, ranges: Iterable[range]) -> list[str]:
        colours = highlighted(text)
        costs = self._costs.lines if self._costs and not module else {}
        parts: list[str] = []
        for each in ranges:
            while each and not colours[each[-1] - 1].strip():
                each = each[:-1]
            parts += ['<div class="gap">⋮</div>'] if parts else []
            for line in each:
                key = self.key(self._counterparts.statement(line, module))
                parts.append(self._line(line, colours[line - 1], key, costs.get(line)))
        return parts

    def _line(self, number: int | str, shown: str, key: str, cost: Cost | None) -> str:
        return _row(self._cost(cost), number, shown, key)

    def _cost(self, cost: Cost | None) -> str:
        if self._costs is None:
            return ""
        if cost is None:
            return '<span class="cost"></span>'
        total = self._costs.total.seconds
        share = 100 * cost.seconds / total if total else 0.0
        seconds, taken = seconds_told(cost.seconds), bytes_told(cost.taken)
        shown = seconds, f"{cost.runs}&times;", taken if cost.taken else ""
        cells = "".join(f"<b>{each}</b>" for each in shown)
        tip = (
            f"{seconds}, {share:.1f} % of all; runs {cost.runs} times; "
            f"takes {taken}, keeps {bytes_told(cost.kept)}"
        )
        return (
            f'<span class="cost" style="--share:{share:.1f}%" title="{tip}">'
            f"{cells}</span>"
        )


def _pane(title: str, path: str, parts: Iterable[str]) -> str:
    shown = f" <span>{escape(path)}</span>" if path else ""
    return (
        f'<section class="pane"><h3>{escape(title)}{shown}</h3>'
        f'<div class="lines" data-pane role="group" aria-label="{escape(title)}"><div>'
        f"{''.join(parts)}</div></div></section>"
    )


def source_pane(text: str) -> str:
    """A text alone."""
    lines = enumerate(highlighted(text.rstrip("\n")), 1)
    return _pane("Generated", "", [_row("", line, shown, "") for line, shown in lines])


def _row(cost: str, number: int | str, shown: str, key: str) -> str:
    return f'<span class="l"{key}>{cost}<span class="n">{number}</span>{shown}</span>'


def _forward_and_backward(text: str) -> tuple[list[range], list[range]]:
    """The lines of a module for the way forward, and those for the way back."""
    starts = [(1, False)]
    for node in parsed(text).body:
        if isinstance(node, ast.FunctionDef):
            starts.append((node.lineno, "backward" in node.name))
    ends = [start for start, _ in starts[1:]] + [text.count("\n") + 2]
    both: tuple[list[range], list[range]] = ([], [])
    for (start, is_back), end in zip(starts, ends, strict=True):
        own = both[is_back]
        if own and own[-1].stop == start:
            own[-1] = range(own[-1].start, end)
        elif start < end:
            own.append(range(start, end))
    return both
