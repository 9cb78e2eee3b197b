"""``Panes``: source as HTML, whose lines know their counterparts and what they cost."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from srcgrad.errors import full_name, short_name
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
                place = f"{short_name(statement.filename)}:{line}"
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
                name = escape(short_name(block.filename))
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
        path = full_name(blocks[0].filename) if blocks else ""
        return _pane("Your source", path, parts)

    def _generated(self) -> Iterator[str]:
        first, *others = self._counterparts.texts
        lines = self._lines(first, 0)
        forward, backward = _forward_and_backward(first)
        is_divided = forward and backward
        yield _pane(
            "Generated: forward" if is_divided else "Generated",
            "",
            _parts(lines, forward),
        )
        if backward:
            yield _pane("Generated: backward", "", _parts(lines, backward))
        for module, text in enumerate(others, 1):
            title = "Generated: part of the way back"
            yield _pane(title, "", self._lines(text.rstrip("\n"), module))

    def _lines(self, text: str, module: int) -> list[str]:
        costs = self._costs.lines if self._costs and not module else {}
        return [
            self._line(
                *(line, shown, self.key(self._counterparts.statement(line, module))),
                costs.get(line),
            )
            for line, shown in enumerate(highlighted(text), 1)
        ]

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


def _parts(lines: Sequence[str], ranges: Iterable[range]) -> list[str]:
    """Some of the lines of a module, with a mark where others are left out."""
    parts: list[str] = []
    for each in ranges:
        parts += ['<div class="gap">⋮</div>'] if parts else []
        parts += lines[each.start - 1 : each.stop - 1]
    return parts


def _forward_and_backward(text: str) -> tuple[list[range], list[range]]:
    """The lines of a module for the way forward, and those for the way back.

    What stands before the first function, imports and constants, goes with it, and what
    stands after the last one with that.

    >>> functions = "def forward(x):\\n    pass\\n\\ndef backward(g):\\n    pass\\n"
    >>> _forward_and_backward(f"import numpy as np\\n\\n{functions}")
    ([range(1, 5)], [range(6, 8)])
    """
    nodes: list[Any] = [n for n in parsed(text).body if isinstance(n, ast.FunctionDef)]
    starts = [1, *(node.lineno for node in nodes[1:])]
    ends = [*(node.end_lineno for node in nodes[:-1]), len(text.rstrip().split("\n"))]
    found: tuple[list[range], list[range]] = ([], [])
    for is_back, group in groupby(range(len(nodes)), lambda k: "back" in nodes[k].name):
        numbers = [*group]
        found[is_back].append(range(starts[numbers[0]], ends[numbers[-1]] + 1))
    return found
