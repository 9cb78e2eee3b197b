"""From source text to functions that a debugger can step through.

>>> module = load("def forward(x):\\n    return x / 0\\n", "half")
>>> module.filename  # doctest: +ELLIPSIS
'<srcgrad half #...>'
>>> linecache.getline(module.filename, 2)
'    return x / 0\\n'
"""

import itertools
import linecache
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from srcgrad.emit.lower import Before, Lowered, lower
from srcgrad.emit.names import one_line
from srcgrad.emit.scope import SPARES
from srcgrad.emit.unparse import unparse
from srcgrad.errors import add_note
from srcgrad.graph import Partition
from srcgrad.unboxing import LEFT_TO_NUMPY, ignores_underflow

MODULE_NUMBERS = itertools.count(1)
FUNCTIONS_ON_FLOATS = ("forward_on_floats", "backward_on_floats")


@dataclass(frozen=True, eq=False)
class Module:
    """Generated source and the functions that it defines.

    ``environment`` runs before ``forward``: it gives what that takes besides arguments.
    ``has_one_output``: what ``forward`` computes is no tuple; ``has_one_gradient``: nor
    is what ``backward`` does. ``saved`` is what ``call_forward`` says is saved if there
    is no ``backward``: nothing, or None if nothing goes on the tape either.

    The functions on floats do the same, or raise; then the others run. They do not meet
    underflows, and so are for programs that ignore these. ``machine`` is what there is
    to say of machine code, where that is asked for: it takes their place.
    """

    text: str
    filename: str
    forward: Callable[..., Any] | None
    backward: Callable[..., Any] | None
    environment: Callable[..., Any] | None = None
    has_one_output: bool = True
    has_one_gradient: bool = False
    saved: Any = None
    forward_on_floats: Callable[..., Any] | None = None
    backward_on_floats: Callable[..., Any] | None = None
    machine: Any = None

    def call_forward(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], Any] | str:
        """Run ``forward``: outputs and what is saved, or why it does not fit."""
        assert self.forward is not None
        try:
            if self.forward_on_floats is None:
                result = self.forward(*inputs)
            else:
                result = _on_floats(self.forward_on_floats, self.forward, inputs)
        except Exception as error:
            self._add_place(error)
            raise
        if type(result) is str:
            return result
        if self.backward is None:
            return ((result,) if self.has_one_output else result), self.saved
        if self.has_one_output:
            return (result[0],), result[1]
        return result  # type: ignore[no-any-return]

    def call_backward(self, saved: Any, cotangents: Sequence[Any]) -> Sequence[Any]:
        """Run ``backward``: its results; none, where no gradient flows."""
        if self.backward is None:
            return ()
        try:
            if self.backward_on_floats is None:
                result = self.backward(saved, *cotangents)
            else:
                given = (saved, *cotangents)
                result = _on_floats(self.backward_on_floats, self.backward, given)
        except Exception as error:
            self._add_place(error)
            raise
        return (result,) if self.has_one_gradient else result

    def give_back(self) -> None:
        """Hold no array for the next call any more."""
        namespace = getattr(self.forward, "__globals__", {})
        namespace.get(SPARES, {}).clear()

    def _add_place(self, error: Exception) -> None:
        """Tell the user's line; the error itself is the same as on the tape."""
        line = self.users_line(error)
        add_note(error, f"in generated code for {line}", to_text=False)

    def users_line(self, error: BaseException) -> str:
        """The user's line, as the comment says it, that an error here comes from."""
        line, traceback = 0, error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        return self._users_line(line)

    def users_line_now(self) -> str:
        """The same where generated code runs at this moment."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return "" if frame is None else self._users_line(frame.f_lineno)

    def _users_line(self, line: int) -> str:
        above = (text.strip() for text in reversed(self.text.splitlines()[:line]))
        comments = (text[2:] for text in above if text.startswith("# "))
        return next(comments, self.filename)


def _on_floats(
    function: Callable[..., Any], otherwise: Callable[..., Any], given: Sequence[Any]
) -> Any:
    """Run a function on floats, and the other where NumPy has to decide."""
    if ignores_underflow():
        try:
            return function(*given)
        except LEFT_TO_NUMPY:
            pass  # inf, nan, a warning or an error
    return otherwise(*given)


class _Lines:
    """Lives in a module's globals, and so as long as any code of it may run."""


def build(
    name: str,
    partition: Partition,
    header: str = "",
    before: Before | None = None,
    has_spares: bool = False,
) -> Module:
    """Write forward and backward of a graph as source, and load it.

    Parameters
    ----------
    name : str
        What the source is for; part of its pseudo filename.
    partition : Partition
        The graphs.
    header : str
        The docstring of the module.
    before : callable, optional
        Writes the function ``environment``.
    has_spares : bool
        Whether a call may work in arrays of the one before: all have the same shapes.
    """
    lowered = lower(partition, header, before=before, has_spares=has_spares)
    return _loaded(lowered, name, partition)


def build_backward(name: str, partition: Partition, header: str = "") -> Module:
    """The same for the backward graph alone."""
    return _loaded(lower(partition, header, with_forward=False), name, partition)


def _loaded(lowered: Lowered, name: str, partition: Partition) -> Module:
    backward = partition.backward
    return replace(
        load(unparse(lowered.tree), name, lowered.constants),
        has_one_output=len(partition.forward.outputs) == 1,
        has_one_gradient=backward is not None and len(backward.outputs) == 1,
    )


def load(text: str, name: str, constants: Mapping[str, Any] | None = None) -> Module:
    """Run the source of a module, with some names given.

    Tracebacks and ``pdb`` show its lines for as long as the module, or a function or
    frame of it, lives.
    """
    filename = f"<srcgrad {one_line(name)} #{next(MODULE_NUMBERS)}>"
    lines = _Lines()
    namespace: dict[str, Any] = {"__name__": filename, "__lines__": lines}
    namespace.update(constants or {})
    code = compile(text, filename, "exec", dont_inherit=True)
    # Without a time of modification, `linecache.checkcache` leaves an entry alone.
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    weakref.finalize(lines, linecache.cache.pop, filename, None)
    exec(code, namespace)
    # Taken out of their own globals, or they would be a cycle, and outlive their use.
    functions = [
        namespace.pop(name, None) for name in ("forward", "backward", "environment")
    ]
    on_floats = {name: namespace.pop(name, None) for name in FUNCTIONS_ON_FLOATS}
    return Module(text, filename, *functions, **on_floats)
