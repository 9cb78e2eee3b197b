"""From source text to functions that a debugger can step through.

>>> module = load("def forward(x):\\n    return x / 0\\n", "half")
>>> module.filename  # doctest: +ELLIPSIS
'<srcgrad half #...>'
>>> linecache.getline(module.filename, 2)
'    return x / 0\\n'
"""

import itertools
import linecache
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from srcgrad.emit.lower import lower
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Halves

NUMBERS = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Module:
    """Generated source and the functions that it defines."""

    text: str
    filename: str
    forward: Callable[..., Any]
    backward: Callable[..., Any] | None

    def users_line(self, error: BaseException) -> str:
        """The user's line, as the comment says it, that an error here comes from."""
        line, traceback = 0, error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        above = (text.strip() for text in reversed(self.text.splitlines()[:line]))
        comments = (text[2:] for text in above if text.startswith("# "))
        return next(comments, self.filename)


class _Lines:
    """Lives in a module's globals, and so as long as any code of it may run."""


def build(name: str, halves: Halves, header: str = "") -> Module:
    """Write both halves of a graph as source, and load it.

    Parameters
    ----------
    name : str
        What the source is for; part of its pseudo filename.
    halves : Halves
        The graphs.
    header : str
        The docstring of the module.
    """
    lowered = lower(halves, header)
    return load(unparse(lowered.tree), name, lowered.constants)


def load(text: str, name: str, constants: Mapping[str, Any] | None = None) -> Module:
    """Run the source of a module, with some names given.

    Tracebacks and ``pdb`` show its lines for as long as the module, or a function or
    frame of it, lives.
    """
    filename = f"<srcgrad {name} #{next(NUMBERS)}>"
    lines = _Lines()
    namespace: dict[str, Any] = {"__name__": filename, "__lines__": lines}
    namespace.update(constants or {})
    code = compile(text, filename, "exec", dont_inherit=True)
    # Without a time of modification, `linecache.checkcache` leaves an entry alone.
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    weakref.finalize(lines, linecache.cache.pop, filename, None)
    exec(code, namespace)
    # Taken out of their own globals, or they would be a cycle, and outlive their use.
    forward = namespace.pop("forward")
    return Module(text, filename, forward, namespace.pop("backward", None))
