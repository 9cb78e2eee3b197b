"""``Counterparts``: the user's statements beside the lines of a trace's modules."""

from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any, NamedTuple

from srcgrad.graph import Graph, walk
from srcgrad.steps import Location
from srcgrad.tracing.environment.callables import shown_for
from srcgrad.tracing.report.line_map import LineMap, LoopHead, lines_from
from srcgrad.tracing.report.user_source import Block, Statement, UserSource
from srcgrad.tracing.serving.trace import Trace


class Piece(NamedTuple):
    """Lines that were written for a statement in one go, from one line on."""

    statement: Statement
    start: int


class Counterparts:
    """Which statement of the user's a line of generated code is for.

    Parameters
    ----------
    trace : Trace
        Whose modules these are.
    function : function
        The user's.

    Attributes
    ----------
    texts : list of str
        The module, then those for parts of the way back that were asked for.
    source : UserSource
        The user's functions.
    """

    def __init__(self, trace: Trace, function: FunctionType) -> None:
        self._locations = [*dict.fromkeys(locations_in(trace))]
        self._function = shown_for(function)
        self.source = UserSource(self._locations)
        self.texts = [trace.module.text, *trace.gradients.backwards.texts]
        # Loops that are known, by the lines of the user's in them.
        self._loops: list[tuple[frozenset[Location], Statement]] = []
        self._pieces = [
            self._resolved(lines_from(text, self._locations)) for text in self.texts
        ]

    def statement(self, line: int, module: int = 0) -> Statement | None:
        """The statement that a line of a module is for."""
        piece = self.piece(line, module)
        return None if piece is None else piece.statement

    def piece(self, line: int, module: int = 0) -> Piece | None:
        """What of it was written in one go."""
        return self._pieces[module].get(line)

    def statement_of(self, where: Location | None) -> Statement | None:
        """The statement that a step of the graph is part of."""
        return None if where is None else self.source.statement(where)

    def blocks(self) -> list[Block]:
        """The user's functions: the traced one, and those that it calls."""
        code = self._function.__code__
        return self.source.blocks(code.co_filename, code.co_firstlineno)

    def rows(self, block: Block) -> Iterator[tuple[int, str, Statement | None]]:
        """The lines of a function, each with the statement that it begins."""
        for line, text in block.rows:
            statement = self.source.statement_at(block.filename, line)
            yield line, text, statement if statement.first == line else None

    def _resolved(self, found: LineMap) -> dict[int, Piece]:
        pieces = {
            line: Piece(self.source.statement(part.where), part.start)
            for line, part in found.at.items()
        }
        known: dict[int, Statement] = {}
        for head in found.loops:
            inner = [loop for k, loop in known.items() if head.start < k <= head.end]
            loop = self._loop_of(head, inner)
            if loop is not None:
                known[head.start] = loop
                self._loops.append((frozenset(head.inside), loop))
        for head in found.loops:
            loop = known.get(head.start) or self._loop_like(head)
            if loop is not None:
                pieces.update(dict.fromkeys(head.lines, Piece(loop, head.start)))
        return pieces

    def _loop_of(self, head: LoopHead, inner: list[Statement]) -> Statement | None:
        """The user's loop that a loop's lines stand in; ``inner`` are those in it."""
        loop = self.source.loop_around(head.inside, inner)
        if loop is None and head.where is not None:
            return self.source.statement(head.where)
        return loop

    def _loop_like(self, head: LoopHead) -> Statement | None:
        """The same by another loop: the way back may have fewer lines in its own."""
        inside = frozenset(head.inside)
        around = [known for known in self._loops if inside and inside <= known[0]]
        return min(around, key=lambda known: len(known[0]))[1] if around else None


def locations_in(trace: Trace) -> Iterable[Location]:
    """The lines of the user's that a trace is of."""
    partition = trace.gradients.backwards.partition
    graphs: Iterable[Graph | None] = (
        trace.about.optimised,
        trace.replay.graph,
        partition.forward,
        partition.backward,
    )
    steps: Iterable[Any] = (step for each in graphs if each for step in walk(each))
    return (step.where for step in steps if step.where is not None)
