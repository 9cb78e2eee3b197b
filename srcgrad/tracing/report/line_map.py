"""``lines_from``: from the lines of generated code to those of the user's.

The comments in it tell: each is for what follows in its block, up to the next one or to
the end of a loop or ``if``. So much is known to stand for no line of the user's: what
names are unpacked from, and a ``return`` of names. A loop is left to those who know the
user's source, and so is what is set up right before it.

>>> text = "def f(x):\\n    # loss.py:6: h = x + x\\n    h = x + x\\n    return h\\n"
>>> where = Location("/me/loss.py", 6, "h = x + x")
>>> found = lines_from(text, [where])
>>> sorted(found.at)
[2, 3]
"""

import ast
import io
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from srcgrad.emit.checks import quoted
from srcgrad.parsing import parsed
from srcgrad.steps import Location


class Part(NamedTuple):
    """Generated lines that were written for a line of the user's in one go.

    ``start`` is the number of the comment, or of a loop's head.
    """

    where: Location
    start: int


class LoopHead(NamedTuple):
    """The lines of a loop's head, and those right before that set it up.

    ``inside`` are the user's lines in the loop, ``where`` is that of its test, if it
    has one. Loops inside of it come before it.
    """

    start: int
    end: int
    lines: Sequence[int]
    inside: Sequence[Location]
    where: Location | None


@dataclass
class LineMap:
    """Where lines come from.

    Attributes
    ----------
    at : dict
        By the number of a generated line what it is part of.
    loops : list of LoopHead
        What is not said of loops.
    """

    at: dict[int, Part] = field(default_factory=dict)
    loops: list[LoopHead] = field(default_factory=list)


def lines_from(text: str, locations: Iterable[Location]) -> LineMap:
    """Where the lines of generated code come from.

    ``locations`` are all that it may come from.
    """
    known: dict[str, Location | None] = {}
    for where in dict.fromkeys(locations):
        comment = quoted(where)
        # Of two files with one name, a comment does not tell which it is.
        known[comment] = None if comment in known else where
    found = ((line, known.get(each)) for line, each in _comments(text).items())
    comments = {line: Part(where, line) for line, where in found if where is not None}
    reading = _Reading(comments)
    for node in parsed(text).body:
        if isinstance(node, ast.FunctionDef):
            reading.block(node.body, None, node.lineno)
    reading.found.at.update(comments)
    return reading.found


def _comments(text: str) -> dict[int, str]:
    """The comments of a module that stand on lines of their own."""
    if "#" not in text:
        return {}
    return {
        token.start[0]: token.string.removeprefix("# ")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }


class _Reading:
    """A walk through the blocks of functions, with the comment that holds."""

    def __init__(self, comments: Mapping[int, Part]) -> None:
        self.found = LineMap()
        self._comments = comments

    def block(
        self, body: Sequence[ast.stmt], part: Part | None, before: int
    ) -> list[Location]:
        """Read a block, which begins after a line; the user's lines in it."""
        inside: list[Location] = []
        set_up: list[ast.stmt] = []
        for node in body:
            for line in range(before + 1, node.lineno):
                part = self._comments.get(line, part)
            before = _end(node)
            if _is_loop(node):
                inside += self._loop(node, set_up, part)
                part, set_up = None, []
                continue
            set_up = [*set_up, node] if _sets_up(node) else []
            if not _only_names(node):
                inside += self._head(node, part)
            for inner, start in _inner(node):
                inside += self.block(inner, part, start)
            if isinstance(node, ast.If) and not _is_guard(node):
                part = None
        return inside

    def _head(self, node: ast.stmt, part: Part | None) -> list[Location]:
        if part is None:
            return []
        last = min([_end(node), *(s for _, s in _inner(node))])
        self.found.at.update((line, part) for line in range(node.lineno, last + 1))
        return [part.where]

    def _loop(
        self, node: Any, set_up: Sequence[Any], part: Part | None
    ) -> list[Location]:
        over = node.iter if isinstance(node, ast.For) else node.test
        inside = self.block(node.body, None, _end(over))
        inside += self.block(node.orelse, None, _end(node.body[-1]))
        named = _names_in(node)
        lines = [*range(node.lineno, _end(over) + 1)]
        for each in set_up:
            if _names_in(each.targets[0]) <= named:
                lines += range(each.lineno, _end(each) + 1)
        for line in lines:
            self.found.at.pop(line, None)
        for each in node.body:  # what is kept of an iteration, before it begins
            if not _inner(each) and not _is_loop(each):
                own = range(each.lineno, _end(each) + 1)
                lines += [line for line in own if line not in self.found.at]
        has_test = isinstance(node, ast.While) and not isinstance(over, ast.Constant)
        where = part.where if part is not None and has_test else None
        self.found.loops.append(LoopHead(node.lineno, _end(node), lines, inside, where))
        return inside


def _end(node: Any) -> int:
    last: int = node.end_lineno
    return last


def _is_loop(node: ast.stmt) -> bool:
    return isinstance(node, ast.For | ast.While)


def _inner(node: Any) -> list[tuple[list[ast.stmt], int]]:
    """The blocks of an ``if`` or ``with``, and the lines that they begin after."""
    if isinstance(node, ast.With):
        return [(node.body, _end(node.items[-1].context_expr))]
    if not isinstance(node, ast.If):
        return []
    blocks = [(node.body, _end(node.test))]
    if node.orelse:
        blocks.append((node.orelse, _end(node.body[-1])))
    return blocks


def _is_guard(node: ast.If) -> bool:
    """Whether it only leaves: a loop, or the function, saying what does not fit."""
    first = node.body[0]
    is_reason = isinstance(first, ast.Return) and isinstance(first.value, ast.Constant)
    return not node.orelse and (is_reason or isinstance(first, ast.Break))


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _only_names(node: ast.stmt) -> bool:
    """Whether it computes nothing: ``x, h = saved``, ``return out, (x, h)``."""
    if isinstance(node, ast.Return | ast.Assign):
        kinds = ast.Name, ast.Tuple, ast.Load, ast.Store
        is_unpacking = isinstance(node, ast.Return) or isinstance(
            node.targets[0], ast.Tuple
        )
        return is_unpacking and all(
            isinstance(each, kinds) for each in ast.walk(node) if each is not node
        )
    return False


def _sets_up(node: ast.stmt) -> bool:
    """Whether a name gets what a loop may begin with: ``hs = []``."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    read = _names_in(node.value)
    return not read or read == {"np"} or isinstance(node.value, ast.Name)
