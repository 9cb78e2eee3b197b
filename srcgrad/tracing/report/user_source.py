"""``UserSource``: the user's functions that generated code comes from, by statement.

What is lit together, and what is counted together, is a statement: all lines of a
simple one, the head of an ``if`` or a loop.

>>> file = SourceFile("f.py", "for i in g(\\n        x):\\n    x += i\\n")
>>> file.statement(2), file.statement(3)
((1, 2), (3, 3))
"""

import ast
import linecache
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from srcgrad.parsing import parsed
from srcgrad.steps import Location

# The first and the last line of something.
Lines = tuple[int, int]

IN_EXPRESSIONS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
LOOP_STATEMENTS = ast.For, ast.AsyncFor, ast.While
FUNCTION_STATEMENTS = ast.FunctionDef, ast.AsyncFunctionDef


class Statement(NamedTuple):
    """A statement of the user's: its file, and its first and last line there."""

    filename: str
    first: int
    last: int


class Block(NamedTuple):
    """A function of the user's, as numbered lines."""

    filename: str
    rows: tuple[tuple[int, str], ...]


class SourceFile:
    """A file: which of its lines are one statement, one loop, one function."""

    def __init__(self, filename: str, text: str) -> None:
        self.filename = filename
        self.lines = text.split("\n")
        self._statements: dict[int, Lines] = {}
        # The lines of a loop, and those of its head.
        self._loops: list[tuple[Lines, Lines]] = []
        self._functions: list[Lines] = []
        self._comprehensions: set[Lines] = set()
        try:
            tree = parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # each line is a statement
        self._enter(tree.body)

    def has(self, line: int, text: str) -> bool:
        """Whether a line is what it was when it was recorded."""
        return 0 < line <= len(self.lines) and self.lines[line - 1].strip() == text

    def statement(self, line: int) -> Lines:
        """The statement that a line is part of."""
        return self._statements.get(line, (line, line))

    def loop_around(
        self, lines: Iterable[int], besides: Collection[Lines] = ()
    ) -> Lines | None:
        """The head of the innermost loop that some lines stand in, but for some."""
        first, last = min(lines := [*lines]), max(lines)
        own = self.statement(first)
        if own in self._comprehensions and own[1] >= last and own not in besides:
            return own
        found = [
            (whole, head)
            for whole, head in self._loops
            if whole[0] <= first and last <= whole[1] and head not in besides
        ]
        return max(found)[1] if found else None

    def function(self, line: int) -> Lines:
        """The innermost function that a line stands in; of a lambda its statement."""
        around = [(a, b) for a, b in self._functions if a <= line <= b]
        return max(around, default=self.statement(line))

    def _enter(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            inner: list[Any] = [*_blocks(node)]
            first, last = node.lineno, node.end_lineno or node.lineno
            head = (
                (first, max(first, _start(node, inner) - 1)) if inner else (first, last)
            )
            if isinstance(node, LOOP_STATEMENTS):
                self._loops.append(((first, last), head))
            if isinstance(node, FUNCTION_STATEMENTS):
                decorators = [each.lineno for each in node.decorator_list]
                self._functions.append((min([first, *decorators]), last))
            self._enter_expressions(node, head)
            self._statements.update(
                (line, head) for line in range(head[0], head[1] + 1)
            )
            for each in inner:
                self._enter(each)

    def _enter_expressions(self, node: ast.stmt, lines: Lines) -> None:
        waiting: list[ast.AST] = [node]
        while waiting:
            for child in ast.iter_child_nodes(waiting.pop()):
                if isinstance(child, ast.Lambda):
                    self._functions.append(lines)
                elif isinstance(child, IN_EXPRESSIONS):
                    self._comprehensions.add(lines)
                if not isinstance(child, ast.stmt):
                    waiting.append(child)


def _blocks(node: Any) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a statement, in the order in which they stand there."""
    if block := getattr(node, "body", ()):
        yield block
    for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield each.body
    for name in ("orelse", "finalbody"):
        if block := getattr(node, name, ()):
            yield block


def _start(node: Any, inner: Sequence[Sequence[Any]]) -> int:
    """The line on which the first block in a statement starts."""
    if isinstance(node, ast.Match):
        first_case: int = node.cases[0].pattern.lineno
        return first_case
    first = inner[0][0]
    decorators = [each.lineno for each in getattr(first, "decorator_list", ())]
    lines: list[int] = [first.lineno, *decorators]
    return min(lines)


class UserSource:
    """The user's source, as far as some of its lines tell.

    Parameters
    ----------
    locations : iterable of Location
        Lines of the user's.
    """

    def __init__(self, locations: Iterable[Location]) -> None:
        self._locations = [*dict.fromkeys(locations)]
        self._files: dict[str, SourceFile | None] = {}
        for where in self._locations:
            file = self._file(where.filename)
            if file is not None and not file.has(where.line, where.text):
                self._files[where.filename] = None  # changed since

    def _file(self, filename: str) -> SourceFile | None:
        if filename not in self._files:
            text = "".join(linecache.getlines(filename)).removesuffix("\n")
            self._files[filename] = SourceFile(filename, text) if text else None
        return self._files[filename]

    def statement(self, where: Location) -> Statement:
        """The statement that a line is part of; the line alone, if the file is gone."""
        return self.statement_at(where.filename, where.line)

    def statement_at(self, filename: str, line: int) -> Statement:
        """The same by its number."""
        file = self._file(filename)
        lines = (line, line) if file is None else file.statement(line)
        return Statement(filename, *lines)

    def loop_around(
        self, found: Iterable[Location], besides: Iterable[Statement] = ()
    ) -> Statement | None:
        """The head of the loop that lines stand in; None if that cannot be told.

        Some may be lines of functions that the loop calls. It is none of ``besides``,
        of loops inside of it.
        """
        inner = [*besides]
        by_function: dict[tuple[str, Lines], list[int]] = {}
        for where in found:
            file = self._file(where.filename)
            if file is not None:
                key = where.filename, file.function(where.line)
                by_function.setdefault(key, []).append(where.line)
        loops = set()
        for (filename, _), lines in by_function.items():
            file = self._file(filename)
            others = [(s.first, s.last) for s in inner if s.filename == filename]
            head = None if file is None else file.loop_around(lines, others)
            if head is not None:
                loops.add(Statement(filename, *head))
        return loops.pop() if len(loops) == 1 else None

    def blocks(self, filename: str, line: int) -> list[Block]:
        """The functions that the lines stand in, and one that begins at a line.

        By file, that of this one before others, and in the order of their lines.
        """
        places = [(filename, line), *((w.filename, w.line) for w in self._locations)]
        found: dict[str, list[Lines]] = {}
        for filename, line in places:
            file = self._file(filename)
            lines = found.setdefault(filename, [])
            if file is not None:
                lines.append(file.function(line))
        made = []
        for filename, lines in found.items():
            file = self._file(filename)
            if file is None:
                made += self._block_of_known_lines(filename)
                continue
            made += [_block(file, each) for each in _outermost(lines)]
        return made

    def _block_of_known_lines(self, filename: str) -> list[Block]:
        """What is known of a file that is not there, or has changed."""
        rows: Mapping[int, str] = {
            where.line: where.text
            for where in sorted(self._locations, key=lambda where: where.line)
            if where.filename == filename
        }
        return [Block(filename, tuple(rows.items()))] if rows else []


def _outermost(found: Iterable[Lines]) -> list[Lines]:
    """Those that are not part of another one, in order."""
    kept: list[Lines] = []
    for first, last in sorted(set(found), key=lambda lines: (lines[0], -lines[1])):
        if not kept or last > kept[-1][1]:
            kept.append((first, last))
    return kept


def _block(file: SourceFile, lines: Lines) -> Block:
    """Lines of a file, without the indentation that they all have."""
    first, last = lines
    texts = file.lines[first - 1 : last]
    head = texts[0][: len(texts[0]) - len(texts[0].lstrip())]
    is_common = all(text.startswith(head) for text in texts if text.strip())
    width = len(head) if is_common else 0
    rows = ((first + k, text[width:]) for k, text in enumerate(texts))
    return Block(file.filename, tuple(rows))
