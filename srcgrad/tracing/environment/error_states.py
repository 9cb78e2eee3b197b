"""What a function says by ``np.errstate``, and which lines it says it of.

Generated code runs without it: each floating-point error is noted there. One that
NumPy ignores, in the line that it comes from, is none; of any other the tape knows what
is to become.

>>> text = "with np.errstate(all='ignore'):\\n    y = 1 / x\\n    z = y * y\\nw = z / x"
>>> regions_of(text)
[Region(header=(1, 1), body=(2, 3), without=())]
"""

import ast
import functools
import linecache
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from srcgrad.emit.checks import quoted
from srcgrad.errors import here, line_of
from srcgrad.facts import facts_of
from srcgrad.graph import Joint, walk
from srcgrad.steps import Location, Node
from srcgrad.transforms.algebra.raising import may_signal

# What NumPy's handlers are told, and what `np.errstate` calls it.
ERROR_KINDS = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
# Of these it is clear enough which operation they come from: passes that put terms
# together in another way do not move them.
TOLD_ERRORS = ("divide", "invalid")

Lines = tuple[int, int]


class Region(NamedTuple):
    """A ``with`` statement: its head, its body, functions that are defined in that."""

    header: Lines
    body: Lines
    without: tuple[Lines, ...]


class Quiet(NamedTuple):
    """Which floating-point errors are none.

    ``lines``: by the user's lines as generated code has them. ``untouched``: those of
    which the function says no more than "ignore".
    """

    lines: Mapping[str, frozenset[str]]
    untouched: frozenset[str]

    def has(self, kind: str, line: str, around: Mapping[str, str]) -> bool:
        """Whether NumPy would ignore one; ``around``: its settings at the call."""
        if kind in self.untouched and around[kind] == "ignore":
            return True
        return kind in self.lines.get(line, ())


class ErrorStates:
    """The settings of the ``np.errstate`` that one run has entered, by their places."""

    def __init__(self) -> None:
        self._settings: dict[tuple[str, int], dict[str, str]] = {}
        self._said: set[tuple[str, str]] = set()
        self._is_unclear = False

    def enter(self, settings: Mapping[str, Any]) -> None:
        """Note a call of ``np.errstate``."""
        where = here()
        every = settings.get("all")
        words = {kind: settings.get(kind, every) for kind in ERROR_KINDS.values()}
        said = {kind: word for kind, word in words.items() if word is not None}
        self._said.update(said.items())
        place = ("", 0) if where is None else line_of(where)
        if self._settings.setdefault(place, said) != said:
            self._is_unclear = True

    def settings_at(self, where: Location) -> dict[str, str]:
        """What is said of the errors in a line, as far as that is clear."""
        words: dict[str, str] = {}
        for settings in () if self._is_unclear else self._around(where):
            words |= settings
        return words

    def quiet(self, graph: Joint, is_whole: bool) -> Quiet:
        """What is ignored, and where, of what was recorded.

        ``is_whole``: the way back is in the same function as the rest.
        """
        loud = {kind for kind, word in self._said if word != "ignore"}
        untouched = frozenset({*ERROR_KINDS.values()} - loud)
        if self._is_unclear:
            return Quiet({}, untouched)
        nodes = [n for n in walk(graph) if type(n) is Node and may_signal(n)]
        if not is_whole:  # what has a cotangent in it comes later, by itself
            late = of_cotangents(graph)
            nodes = [node for node in nodes if id(node) not in late]
        found = {id(node): self._ignored(node) for node in nodes}
        # One that is computed elsewhere as well may be computed once in the end.
        others = {
            (kind, node.function)
            for node in nodes
            for kind in TOLD_ERRORS
            if kind not in found[id(node)] and may_be(kind, node)
        }
        lines: dict[str, frozenset[str]] = {}
        for node in nodes:
            if node.in_backward and not is_whole:
                continue
            own = {k for k in found[id(node)] if (k, node.function) not in others}
            line = "" if node.where is None else quoted(node.where)
            lines[line] = lines.get(line, frozenset(TOLD_ERRORS)) & own
        return Quiet(lines, untouched)

    def _ignored(self, node: Node) -> frozenset[str]:
        if node.where is None or node.in_backward:
            return frozenset()
        words = self.settings_at(node.where)
        return frozenset(kind for kind in TOLD_ERRORS if words.get(kind) == "ignore")

    def _around(self, where: Location) -> Iterator[dict[str, str]]:
        """What is said of a line, the innermost last."""
        text = "".join(linecache.getlines(where.filename))
        for region in regions_of(text):
            apart = any(is_in(where.line, each) for each in region.without)
            if apart or not is_in(where.line, region.body):
                continue
            for (filename, line), settings in self._settings.items():
                if filename == where.filename and is_in(line, region.header):
                    yield settings


def may_be(kind: str, node: Node) -> bool:
    """Whether an operation may meet an error of this kind."""
    return kind != "divide" or not facts_of(node.function).finite


def is_errstate(item: ast.expr) -> bool:
    """Whether it is a call of something with this name, which is made in any case."""
    function = item.func if isinstance(item, ast.Call) else item
    name = getattr(function, "attr", None) or getattr(function, "id", None)
    return function is not item and name == "errstate"


def of_cotangents(graph: Joint) -> set[int]:
    """The ids of the nodes that compute with what comes back."""
    late, found = set(graph.cotangents), set[int]()
    for node in graph.nodes:
        if type(node) is Node and not late.isdisjoint(node.inputs):
            late.update(node.results)
            found.add(id(node))
    return found


def is_in(line: int, lines: Lines) -> bool:
    return lines[0] <= line <= lines[1]


@functools.lru_cache(maxsize=32)
def regions_of(text: str) -> list[Region]:
    """The ``with np.errstate(...)`` of a file, if its body has lines of its own."""
    try:
        tree = ast.parse(text)
    except SyntaxError:  # cells of a notebook, say
        return []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.With):
            continue
        items = [item.context_expr for item in node.items]
        header = node.lineno, max(item.end_lineno or 0 for item in items)
        if header[1] >= node.body[0].lineno or not all(map(is_errstate, items)):
            continue
        inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        apart = [n for each in node.body for n in ast.walk(each)]
        without = tuple(lines_of(n) for n in apart if isinstance(n, inner))
        body = node.body[0].lineno, lines_of(node.body[-1])[1]
        found.append(Region(header, body, without))
    return found


def lines_of(node: Any) -> Lines:
    return node.lineno, node.end_lineno


def settings_now() -> Mapping[str, str]:
    """What NumPy does where a result is no number."""
    found: dict[str, Any] = dict(np.geterr())
    return found
