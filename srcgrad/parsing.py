"""Python's parser, and its compiler of syntax trees: one thread at a time.

They count how deep they are in a tree, in CPython 3.11 in one place for all threads:
where two take turns, one may end in a SystemError. What they warn of has been said
when the user's own code was compiled.

>>> tree = parsed("x = 1")
>>> namespace = {}
>>> exec(compiled(tree, "<made up>"), namespace)
>>> namespace["x"]
1
"""

import ast
import contextlib
import threading
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Any

# What is collected in between may be an object whose end calls this again.
_PARSER_ALONE = threading.RLock()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    with _PARSER_ALONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a module."""
    with _alone():
        return ast.parse(source)


def compiled(tree: ast.Module | str, filename: str, flags: int = 0) -> CodeType:
    """Return the code of a module; ``flags`` are those of its future statements."""
    with _alone():
        code: Any = compile(tree, filename, "exec", flags, dont_inherit=True)
    return code  # type: ignore[no-any-return]
