"""``Profile``: what each line costs, of the generated code and of the user's."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from srcgrad.errors import full_name
from srcgrad.late import LateNames
from srcgrad.parsing import parsed
from srcgrad.tracing.report.counterparts import Counterparts
from srcgrad.tracing.report.measuring import Cost, Costs, Measured, measured
from srcgrad.tracing.report.units import bytes_told, seconds_told
from srcgrad.tracing.report.user_source import Statement
from srcgrad.tracing.serving.reports import of_trace, place_of
from srcgrad.tracing.serving.trace import Trace

if TYPE_CHECKING:
    from srcgrad.tracing.report.page import Section, section_frame

_late = LateNames(globals(), {"srcgrad.tracing.report.page": "Section section_frame"})

COLUMNS = f"{'time':>10} {'%':>5} {'runs':>7} {'bytes':>9} {'kept':>9}"


class GeneratedLine(NamedTuple):
    """A statement of a generated function: its first line, and what it costs."""

    function: str
    line: int
    text: str
    statement: Statement | None
    cost: Cost


class UserLine(NamedTuple):
    """A statement of the user's, and what the code generated for it costs.

    ``filename`` and ``line`` are None for what is generated for none.
    """

    filename: str | None
    line: int | None
    text: str
    cost: Cost


def profile_of(traced: Any, transform: Any, args: Any, kwargs: Any) -> "Profile":
    """Measure a call of a traced function, or of a transform of it.

    Raises
    ------
    RuntimeError
        If there can be no trace of it, saying why.
    """
    trace, leaves = traced.served_call(transform, args, kwargs)
    edited, function = traced.edited(transform), traced.function
    return Profile(trace, function, measured(trace, leaves, edited, function))


class Profile:
    """What each line of a call costs; printed, it is a table.

    Attributes
    ----------
    seconds : float
        How long the generated code takes.
    most : int
        The most bytes that it holds at any time, beside its arguments.
    generated : list of GeneratedLine
        What its statements cost, ``runs``, ``seconds``, ``taken`` and ``kept``.
    user : list of UserLine
        The same by the user's statements.
    """

    def __init__(self, trace: Trace, function: Any, measured: Measured) -> None:
        self.trace = trace
        self.function = function
        self.found = of_trace(function, trace)
        self.seconds = measured.seconds
        self.most = measured.most
        self.counterparts = Counterparts(trace, function)
        self._measured = measured

    @property
    def generated(self) -> list[GeneratedLine]:
        """What the statements of the generated code cost."""
        text, statement = self.trace.module.text, self.counterparts.statement
        lines = text.split("\n")
        starts = {
            node.lineno: node.name
            for node in parsed(text).body
            if isinstance(node, ast.FunctionDef)
        }
        return [
            GeneratedLine(
                starts[max(start for start in starts if start <= line)],
                *(line, lines[line - 1], statement(line), cost),
            )
            for line, cost in self._measured.lines.items()
        ]

    @property
    def by_statement(self) -> dict[Statement | None, Cost]:
        """The sums for the user's statements; under None the rest.

        A statement runs as often as code for it begins, be it on the way there or back.
        """
        found: dict[Statement | None, Cost] = {}
        begun: dict[Statement | None, dict[str, dict[int, int]]] = {}
        for each in self.generated:
            own, piece = each.statement, self.counterparts.piece(each.line)
            found[own] = found.get(own, Cost()) + each.cost
            runs = begun.setdefault(own, {}).setdefault(each.function, {})
            start = each.line if piece is None else piece.start
            runs[start] = max(runs.get(start, 0), each.cost.runs)
        for own, cost in found.items():
            if own is None:
                continue
            most = max(sum(runs.values()) for runs in begun[own].values())
            found[own] = cost._replace(runs=most)
        return found

    @property
    def user(self) -> list[UserLine]:
        """What the user's statements cost."""
        costs = self.by_statement
        found = [
            UserLine(block.filename, line, text, costs.pop(statement))
            for block in self.counterparts.blocks()
            for line, text, statement in self.counterparts.rows(block)
            if statement in costs
        ]
        found += [UserLine(None, None, "", cost) for cost in costs.values()]
        return found

    @property
    def costs(self) -> Costs:
        """All of it, by line and by statement."""
        lines = self._measured.lines
        total = sum(lines.values(), Cost())
        return Costs(lines, self.by_statement, total, self.seconds, self.most)

    def __str__(self) -> str:
        return "\n".join(self._told())

    def __repr__(self) -> str:
        return f"<profile of {self.function.__name__}: {seconds_told(self.seconds)}>"

    def _repr_html_(self) -> str | None:
        if not _late.can_load():  # no Pygments: the text is shown
            return None
        section = Section(self.trace, self.counterparts, self.found, self.costs)
        return section_frame(section)

    def _told(self) -> Iterator[str]:
        costs = self.costs
        total = costs.total.seconds
        yield f"{self.function.__name__} ({place_of(self.function)})"
        yield (
            f"  {seconds_told(self.seconds)} a call, {bytes_told(self.most)} at most; "
            f"in the lines below {seconds_told(total)}, of {self._measured.runs} runs"
        )
        yield f"  {self.found['header']}"
        for block in self.counterparts.blocks():
            yield from ("", f"{COLUMNS}  {full_name(block.filename)}")
            for line, text, statement in self.counterparts.rows(block):
                cost = costs.statements.get(statement) if statement else None
                yield _row(cost, total, f"{line:>5}  {text}")
        if None in costs.statements:
            yield _row(costs.statements[None], total, "       (for no line of yours)")
        yield from ("", f"{COLUMNS}  generated")
        for line, text in enumerate(self.trace.module.text.split("\n")[:-1], 1):
            yield _row(costs.lines.get(line), total, f"{line:>5}  {text}")


def _row(cost: Cost | None, total: float, text: str) -> str:
    if cost is None:
        return f"{'':{len(COLUMNS)}} {text}".rstrip()
    share = 100 * cost.seconds / total if total else 0.0
    return (
        f"{seconds_told(cost.seconds):>10} {share:5.1f} {cost.runs:>7} "
        f"{_bytes(cost.taken):>9} {_bytes(cost.kept):>9} {text}"
    )


def _bytes(count: int) -> str:
    return bytes_told(count) if count else ""
