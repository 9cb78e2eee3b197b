"""Where a function's source is: the ``def`` or ``lambda`` that its code came from."""

import ast
import copy
import functools
import linecache
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

import gast

from srcgrad.emit.python_trees import to_gast
from srcgrad.errors import full_name
from srcgrad.parsing import compiled, parsed
from srcgrad.tracing.user_code.syntax_trees import children_of, nodes_in


class Uninstrumentable(Exception):  # noqa: N818 (it never reaches the user)
    """A function whose source is not there, or does what cannot be followed."""

    def __init__(self, reason: str, filename: str = "", line: int = 0) -> None:
        text = linecache.getline(filename, line).strip() if line else ""
        place = f"{full_name(filename)}:{line}: {text}: " if line else ""
        super().__init__(f"{place}{reason}")


class _File(NamedTuple):
    """A source file: its tree, and all code objects that it compiles to."""

    tree: ast.Module
    codes: frozenset[CodeType]


# So many files are remembered: a function has its helpers next to it.
MOST_FILES = 16


def definition_of(code: CodeType) -> Any:
    """The gast node of the ``def`` or ``lambda`` that a code object comes from."""
    file = _file(code)
    # The file may have been edited since it was imported: then what is parsed is not
    # what would run.
    others = _codes_for_ipython, _codes_for_pytest
    if code not in file.codes and not any(code in f(code) for f in others):
        raise Uninstrumentable(
            f"the source of {code.co_name} is not what was compiled (was the file "
            "changed?)",
            code.co_filename,
            code.co_firstlineno,
        )
    found = list(_candidates(file.tree, code))
    if len(found) > 1 and hasattr(code, "co_positions"):
        found = [each for each in found if _same_place(each[0], code)]
    elif len(found) > 1:  # columns are known from Python 3.11 on
        found = _same_code(file.tree, found, code)
    if len(found) != 1:
        raise Uninstrumentable(
            "several lambdas on one line cannot be told apart",
            code.co_filename,
            code.co_firstlineno,
        )
    ((node, owner),) = found
    definition = to_gast(node)
    if owner is not None:
        _mangle(definition, owner)
    return definition


def _file(code: CodeType) -> _File:
    source = "".join(linecache.getlines(code.co_filename))
    if not source:
        raise Uninstrumentable(f"the source of {code.co_name} is not available")
    try:
        return _parsed(source, code.co_filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Uninstrumentable(
            f"the source of {code.co_name} cannot be parsed"
        ) from None


@functools.lru_cache(maxsize=MOST_FILES)
def _parsed(source: str, filename: str) -> _File:
    codes = codes_in(compiled(source, filename))
    return _File(parsed(source), frozenset(codes))


def _codes_for_ipython(code: CodeType) -> frozenset[CodeType]:
    """What IPython makes of a cell: it compiles each statement by itself.

    Python compiles ``np.sum(x)`` differently where it has seen ``import numpy as np``.
    """
    if "IPython" not in sys.modules:
        return frozenset()
    return _one_by_one("".join(linecache.getlines(code.co_filename)), code.co_filename)


@functools.lru_cache(maxsize=MOST_FILES)
def _one_by_one(source: str, filename: str) -> frozenset[CodeType]:
    modules = (ast.Module([statement], []) for statement in parsed(source).body)
    return frozenset(
        code for module in modules for code in codes_in(compiled(module, filename))
    )


def _codes_for_pytest(code: CodeType) -> frozenset[CodeType]:
    """What pytest makes of a file of tests, so that its ``assert``s tell more."""
    rewriting = sys.modules.get("_pytest.assertion.rewrite")
    if rewriting is None:
        return frozenset()
    source = "".join(linecache.getlines(code.co_filename))
    return _rewritten(source, code.co_filename, rewriting)


@functools.lru_cache(maxsize=MOST_FILES)
def _rewritten(source: str, filename: str, rewriting: Any) -> frozenset[CodeType]:
    tree = parsed(source)
    rewriting.rewrite_asserts(tree, source.encode())
    return frozenset(codes_in(compiled(tree, filename)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object, and all that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def _candidates(
    node: Any, code: CodeType, owner: str | None = None
) -> Iterator[tuple[Any, str | None]]:
    """The definitions inside a node that start where a code object does.

    Each beside the name of the innermost class that it stands in.
    """
    line = code.co_firstlineno
    for child in children_of(node):
        first = getattr(child, "lineno", line)
        for decorator in getattr(child, "decorator_list", ()):
            first = min(first, decorator.lineno)
        if not first <= line <= getattr(child, "end_lineno", line):
            continue
        if first == line and _name_of(child) == code.co_name:
            yield child, owner
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        yield from _candidates(child, code, inside)


def _name_of(node: Any) -> Any:
    """What the code of a ``def`` or ``lambda`` is called; None for other nodes."""
    if isinstance(node, ast.Lambda):
        return "<lambda>"
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return node.name if is_function else None


def _same_place(node: Any, code: Any) -> bool:
    """Whether a lambda's body stands at the columns that its code names."""
    body = node.body
    if isinstance(body, list):
        return False
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in set(code.co_positions())


def _same_code(tree: ast.Module, found: list[Any], code: CodeType) -> list[Any]:
    """The first of some lambdas that compiles to a code object; equal ones do the same.

    Each is compiled at a line that no other has.
    """
    nodes = [node for node, _ in found]
    lambdas: list[Any]
    tree, lambdas = copy.deepcopy((tree, nodes))
    line, apart = code.co_firstlineno, 1 + len(linecache.getlines(code.co_filename))
    for each, node in zip(found, lambdas, strict=True):
        node.lineno = apart
        codes = codes_in(compiled(tree, code.co_filename))
        node.lineno = line
        made = next((c for c in codes if c.co_firstlineno == apart), None)
        if made is not None and made.replace(co_firstlineno=line) == code:
            return [each]
    return []


# ----- Private names -----


# Where nodes have the names that they read or bind.
NAMED = {
    gast.Name: "id",
    gast.Attribute: "attr",
    gast.FunctionDef: "name",
    gast.ClassDef: "name",
    gast.alias: "asname",
    gast.MatchAs: "name",
    gast.MatchStar: "name",
    gast.MatchMapping: "rest",
}


def _mangle(definition: Any, owner: str) -> None:
    """Write ``__name`` as Python reads it inside a class: ``_Owner__name``."""
    prefix = f"_{owner.lstrip('_')}" if owner.strip("_") else ""
    for node in nodes_in(definition):
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [f"{prefix}{n}" if is_private(n) else n for n in node.names]
        field = NAMED.get(type(node), "")
        name = getattr(node, field, None)
        if name is not None and is_private(name):
            setattr(node, field, f"{prefix}{name}")


def is_private(name: str) -> bool:
    """Whether a name means another one inside a class.

    >>> is_private("__name"), is_private("__init__"), is_private("_name")
    (True, False, False)
    """
    return name.startswith("__") and not name.endswith("__")
