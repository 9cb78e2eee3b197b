"""``inlined``: the source of functions of ours, and of all that they call.

Generated code may call functions of srcgrad's. An exported module has them for itself:
their source as it is, without annotations, and with the first part of each docstring.

>>> from srcgrad.updates import assign
>>> found = inlined({"assign": assign})
>>> [text.partition("(")[0] for text in found.definitions]
['def assign']
>>> sorted(found.imports)
['import numpy as np']
"""

import ast
import builtins
import inspect
import itertools
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from srcgrad.emit.literals import LITERAL_WRITERS
from srcgrad.errors import describe, explained, here, located
from srcgrad.parsing import parsed
from srcgrad.tracing.export.dtypes import dtype_text

# What a module may import: Python's own, and these.
LIBRARIES = frozenset({"numpy", "scipy"})


WITH_NOTES = '''def {}(error, *notes, kind=""):
    """Return an error, with what there is to say about it."""
    for note in notes:
        if hasattr(error, "add_note"):
            error.add_note(note)
    return error
'''
# Lines of a user's program are told by the generated code's comments there.
STANDING_IN: dict[Any, str] = {
    here: 'def here():\n    """Return nothing."""\n',
    describe: 'def describe(where):\n    """Say where: here."""\n    return __name__\n',
    **{each: WITH_NOTES.format(each.__name__) for each in (explained, located)},
}


@dataclass
class Inlined:
    """Statements of import, constants, and definitions, each as text."""

    imports: set[str] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    definitions: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def inlined(functions: Mapping[str, Any]) -> Inlined:
    """The source of some functions by name, and of what they use.

    Raises
    ------
    RuntimeError
        If one uses what cannot be written down.
    """
    found = Inlined()
    names: dict[str, Any] = {}
    waiting = [*functions.items()]
    while waiting:
        name, item = waiting.pop(0)
        if name in names:
            if names[name] is not item:
                raise RuntimeError(
                    f"two things that the generated code uses are called {name!r}"
                )
            continue
        names[name] = item
        found.names.add(name)
        waiting += _entered(found, name, item)
    return found


def _entered(found: Inlined, name: str, item: Any) -> list[tuple[str, Any]]:
    """Enter something under its name; what else that uses."""
    if isinstance(item, ModuleType) or _is_of_library(item):
        found.imports.add(_import(name, item))
        return []
    item = inspect.unwrap(item) if callable(item) else item
    if isinstance(item, FunctionType) and item in STANDING_IN:
        found.definitions.append(STANDING_IN[item])
        return []
    if isinstance(item, FunctionType | type) and _is_own(item):
        if isinstance(item, type) and issubclass(item, Exception):
            first = str(item.__doc__).partition("\n")[0]
            kind = item.__bases__[0].__name__
            found.definitions.append(f'class {name}({kind}):\n    """{first}"""\n')
            return []
        if isinstance(item, type):
            raise RuntimeError(f"it calls `{_told(item)}`, a class of srcgrad's")
        text = _source(item)
        tree = ast.parse(text)
        definition: Any = tree.body[0]
        if definition.name != name:
            raise RuntimeError(f"it calls `{_told(item)}` by another name")
        found.definitions.append(text)
        space = item.__globals__
        used = sorted(_free_names(definition) - vars(builtins).keys())
        missing = [each for each in used if each not in space]
        if missing or item.__closure__:
            raise RuntimeError(f"it calls `{_told(item)}`, a closure of srcgrad's")
        return [(each, space[each]) for each in used]
    found.constants[name] = _literal(name, item)
    return []


def _is_own(item: Any) -> bool:
    return str(item.__module__).partition(".")[0] == "srcgrad"


def _is_of_library(item: Any) -> bool:
    """Whether Python, NumPy or SciPy have it under its own name."""
    if not isinstance(item, FunctionType | BuiltinFunctionType | type | np.ufunc):
        return False
    module = getattr(item, "__module__", None) or ""
    root = str(module).partition(".")[0]
    return root in sys.stdlib_module_names or root in LIBRARIES


def _import(name: str, item: Any) -> str:
    if isinstance(item, ModuleType):
        module = item.__name__
        if module.partition(".")[0] == "srcgrad":
            raise RuntimeError(f"generated code uses the module {module}")
        return f"import {module}" if module == name else f"import {module} as {name}"
    own = item.__name__
    return f"from {item.__module__} import {own}" + (
        f" as {name}" if own != name else ""
    )


def _literal(name: str, item: Any) -> str:
    """A constant as an assignment."""
    if isinstance(item, frozenset | set):
        inner = ", ".join(sorted(map(repr, item)))
        return f"{name} = frozenset({{{inner}}})"
    if type(item) is np.ndarray and item.dtype.kind in "biuf":
        return f"{name} = np.array({item.tolist()!r}, {dtype_text(item.dtype)})"
    if type(item) not in LITERAL_WRITERS or item != item:
        raise RuntimeError(f"generated code uses {name}, a {type(item).__name__}")
    return f"{name} = {item!r}"


def _told(item: Any) -> str:
    return f"{item.__module__}.{item.__qualname__}"


def _source(item: Any) -> str:
    """The source without annotations, and with little of its docstring."""
    text = textwrap.dedent(inspect.getsource(item))
    first: Any = parsed(text).body[0]
    text = "".join(text.splitlines(keepends=True)[first.lineno - 1 :])  # no decorator
    source = _Source(text)
    cuts = [cut for node in ast.walk(parsed(text)) for cut in source.cuts(node)]
    for start, end, instead in sorted(cuts, reverse=True):
        source.data = source.data[:start] + instead + source.data[end:]
    return source.data.decode()


class _Source:
    """Text as bytes, in which syntax nodes tell their places."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        lengths = (len(line.encode()) for line in text.splitlines(keepends=True))
        self._starts = [0, *itertools.accumulate(lengths)]

    def _start(self, node: Any) -> int:
        start: int = self._starts[node.lineno - 1] + node.col_offset
        return start

    def _end(self, node: Any) -> int:
        end: int = self._starts[node.end_lineno - 1] + node.end_col_offset
        return end

    def cuts(self, node: ast.AST) -> Iterator[tuple[int, int, bytes]]:
        """What a node has that is left out, or written in another way."""
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield self._start(node) + len(node.arg.encode()), self._end(node), b""
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield self._end(node.target), self._end(node.annotation), b""
        elif isinstance(node, ast.FunctionDef):
            if node.returns is not None:
                arrow = self.data.rindex(b"->", 0, self._start(node.returns))
                start = len(self.data[:arrow].rstrip())
                yield start, self._end(node.returns), b""
            told = ast.get_docstring(node)
            if told is not None:
                text = f'"""{told.partition(chr(10) * 2)[0]}"""'
                text = textwrap.indent(text, " " * node.body[0].col_offset).strip()
                yield self._start(node.body[0]), self._end(node.body[0]), text.encode()


def _free_names(tree: Any) -> set[str]:
    """The names that a definition reads and does not bind, anywhere in it."""
    read: set[str] = set()
    bound = {tree.name}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read - bound
