"""``instrumented``: generated functions that tell at each statement that it begins.

A copy of the module is compiled, under the same name and with the same lines, with a
call before each statement; what is measured in these calls is counted to the statement
that runs. A loop's head is told again at the end of each iteration, and ``OVER`` where
a function ends.

>>> told = []
>>> text = "def forward(x):\\n    for i in range(2):\\n        x += i\\n    return x\\n"
>>> instrumented(text, "f.py", {}, told.append)["forward"](1)
2
>>> told
[2, 3, 2, 3, 2, 4, 0]
"""

import ast
import statistics
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from srcgrad.parsing import compiled, parsed

# What the copy calls.
TELL = "__srcgrad_at__"

# What is told when a function is over.
OVER = 0

CALIBRATION = 1000


def instrumented(
    text: str, filename: str, names: Mapping[str, Any], at: Callable[[int], Any]
) -> dict[str, Any]:
    """Run a module that calls ``at(line)`` where a statement of its functions begins.

    Parameters
    ----------
    text, filename : str
        The module's.
    names : dict
        What it finds around it.
    at : callable
        To be called with the first line of the statement.

    Returns
    -------
    dict
        What it defines.
    """
    tree = parsed(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            over = _telling(node, OVER)
            node.body = [ast.Try([*_told(node.body)], [], [], [over])]
    ast.fix_missing_locations(tree)
    space = {**names, TELL: at}
    exec(compiled(tree, filename), space)
    return space


def _told(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, each after the call that tells of it."""
    for node in body:
        if not _does_nothing(node):
            yield _telling(node, node.lineno)
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if block and not isinstance(node, ast.FunctionDef | ast.ClassDef):
                setattr(node, name, [*_told(block)])
        if isinstance(node, ast.For) or _has_test(node):
            node.body.append(_telling(node, node.lineno))  # type: ignore[attr-defined]
        yield node


def _does_nothing(node: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _telling(node: ast.stmt, line: int) -> ast.stmt:
    call = ast.Call(ast.Name(TELL, ast.Load()), [ast.Constant(line)], [])
    return ast.copy_location(ast.Expr(call), node)


def _has_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.While) and not isinstance(node.test, ast.Constant)


class Stopwatch:
    """How long each statement takes, in the unit of a clock.

    Attributes
    ----------
    spent : dict
        By its line, how long a statement took; under ``OVER``, what is none's.
    runs : dict
        How often it ran.

    Examples
    --------
    >>> watch = Stopwatch(iter([0, 5, 6, 9, 9]).__next__)
    >>> watch.at(2)
    >>> watch.at(OVER)
    >>> watch.spent[2], watch.runs[2]
    (3, 1)
    """

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.spent: dict[int, int] = defaultdict(int)
        self.runs: dict[int, int] = defaultdict(int)
        self.at = _timing(clock, self.spent, self.runs)


def _timing(
    clock: Callable[[], int], spent: dict[int, int], runs: dict[int, int]
) -> Callable[[int], None]:
    line, start = OVER, clock()

    def at(number: int) -> None:
        nonlocal line, start
        now = clock()
        spent[line] += now - start
        runs[number] += 1
        line = number
        start = clock()

    return at


def own_time(clock: Callable[[], int] = time.perf_counter_ns) -> float:
    """How long a statement seems to take that does nothing."""
    watch = Stopwatch(clock)
    text = "def empty():\n" + CALIBRATION * "    pass\n"
    instrumented(text, "<calibration>", {}, watch.at)["empty"]()
    return statistics.median(watch.spent[line] for line in watch.runs if line != OVER)


class Scales:
    """How much memory each statement takes, in bytes; ``tracemalloc`` has to run.

    Attributes
    ----------
    taken : dict
        By its line, what it took on top of what there was, at its most in each run.
    kept : dict
        What is there after it, and was not before.
    most : int
        The most there was at any time, on top of what there was at first.
    """

    def __init__(self) -> None:
        self.taken: dict[int, int] = defaultdict(int)
        self.kept: dict[int, int] = defaultdict(int)
        self.most = 0
        self._line = OVER
        # Objects of their own, which others take the places of.
        self._first = tracemalloc.get_traced_memory()[0]
        self._now = tracemalloc.get_traced_memory()[0]
        self._before = tracemalloc.get_traced_memory()[0]

    def at(self, number: int) -> None:
        self._now, peak = tracemalloc.get_traced_memory()
        self.taken[self._line] += peak - self._before
        self.kept[self._line] += self._now - self._before
        self.most = max(self.most, peak - self._first)
        self._line = number
        del peak
        # What has been made here meanwhile is not counted, and nothing is made later.
        self._before = tracemalloc.get_traced_memory()[0]
        self._first += self._before - self._now
        tracemalloc.reset_peak()
