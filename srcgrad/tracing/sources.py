"""Where a function's source is: the ``def`` or ``lambda`` that its code came from."""

import ast
import functools
import linecache
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

import gast


class Uninstrumentable(Exception):  # noqa: N818 (it never reaches the user)
    """A function whose source is not there, or does what cannot be followed."""

    def __init__(self, reason: str, filename: str = "", line: int = 0) -> None:
        text = linecache.getline(filename, line).strip() if line else ""
        place = f"{filename}:{line}: {text}: " if line else ""
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
    # The file may have been edited since it was imported, or pytest may have rewritten
    # the function's assertions: then what is parsed is not what would run.
    if code not in file.codes:
        raise Uninstrumentable(
            f"the source of {code.co_name} is not what was compiled (was the file "
            "changed, or its `assert`s rewritten by pytest?)",
            code.co_filename,
            code.co_firstlineno,
        )
    found = list(_candidates(file.tree, code))
    if len(found) > 1:
        found = [node for node in found if _same_place(node, code)]
    if len(found) != 1:
        raise Uninstrumentable(
            "several lambdas on one line cannot be told apart",
            code.co_filename,
            code.co_firstlineno,
        )
    definition = gast.ast_to_gast(found[0])
    if (owner := _class_around(file.tree, found[0])) is not None:
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
    compiled = compile(source, filename, "exec", dont_inherit=True)
    return _File(ast.parse(source), frozenset(codes_in(compiled)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object, and all that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def _candidates(tree: ast.Module, code: CodeType) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            if code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
                yield node
        elif (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == code.co_name
        ):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                yield node


def _same_place(node: Any, code: CodeType) -> bool:
    """Whether a lambda's body stands at the columns that its code names (from 3.11)."""
    body = node.body
    if isinstance(body, list) or not hasattr(code, "co_positions"):
        return False
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in set(code.co_positions())


# ----- Private names -----


def _class_around(tree: ast.Module, definition: Any) -> str | None:
    """The name of the innermost class that a definition stands in."""
    found = None
    for node in ast.walk(tree):  # outer ones come first
        if isinstance(node, ast.ClassDef) and any(
            inner is definition for inner in ast.walk(node)
        ):
            found = node.name
    return found


def _mangle(definition: Any, owner: str) -> None:
    """Write ``__name`` as Python reads it inside a class: ``_Owner__name``.

    Attributes are left: those that are private are not followed.
    """
    prefix = f"_{owner.lstrip('_')}" if owner.strip("_") else ""
    for node in gast.walk(definition):
        if isinstance(node, gast.Name) and is_private(node.id):
            node.id = f"{prefix}{node.id}"
        elif isinstance(node, gast.FunctionDef) and is_private(node.name):
            node.name = f"{prefix}{node.name}"


def is_private(name: str) -> bool:
    """Whether a name means another one inside a class.

    >>> is_private("__name"), is_private("__init__"), is_private("_name")
    (True, False, False)
    """
    return name.startswith("__") and not name.endswith("__")
