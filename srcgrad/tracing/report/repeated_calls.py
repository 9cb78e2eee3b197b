"""``Call``: a call of generated code again and again, as it is or instrumented."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from srcgrad.emit.module import FUNCTIONS_ON_FLOATS
from srcgrad.tape.engine import first_cotangent
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.draws import State, restore
from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.report.stopwatch import TELL, instrumented
from srcgrad.tracing.serving.filled_zeros import unharmed
from srcgrad.tracing.serving.trace import Trace

# What a module may define.
GENERATED = ("forward", "backward", "environment", *FUNCTIONS_ON_FLOATS)


class Call:
    """A call of generated code: way there and, where it is one, way back."""

    def __init__(self, trace: Trace, leaves: Sequence[Any]) -> None:
        self._leaves = leaves
        self._cotangents: Sequence[Any] | None = None

    def run(self, trace: Trace) -> tuple[Any, Any]:
        """Run it: what ``forward`` gives, and ``backward`` for cotangents of one.

        ``trace`` is that of the call, or an instrumented copy.
        """
        drawn: list[State] = []
        try:
            found = self._forward(trace, drawn)
        finally:
            restore(drawn)
        if type(found) is str:
            raise RuntimeError(f"this call stays on the tape: {found}")
        return found, self._backward(trace, *found)

    def _forward(self, trace: Trace, drawn: list[State]) -> Any:
        read = trace.guards.read(self._leaves, drawn)
        if isinstance(read, str):
            return read
        leaves = [*self._leaves, *read[: len(trace.guards.environment.taken)]]
        inputs = [
            leaf.value if type(leaf := leaves[i]) is Variable else leaf
            for i in trace.interface.positions
        ]
        if trace.quiet is not None:
            return trace.run_masked(inputs)
        if trace.fills and trace.whole is not None:
            return unharmed(trace.module.call_forward, inputs) or "a nan"
        return trace.module.call_forward(inputs)

    def _backward(self, trace: Trace, outs: Sequence[Any], saved: Any) -> Any:
        if trace.whole is not None or saved is None or trace.module.backward is None:
            return ()
        if self._cotangents is None:
            results = [outs[number] for number in trace.gradients.outputs]
            self._cotangents = [
                first_cotangent(np.shape(result), np.result_type(result))
                for result in results
            ]
        given = saved, self._cotangents
        if trace.fills:
            return unharmed(trace.module.call_backward, *given)
        return trace.module.call_backward(*given)


def _with(trace: Trace, get: Callable[[str], Any]) -> Trace:
    """A trace with other functions, by their names."""
    functions: dict[str, Any] = {name: get(name) for name in GENERATED}
    return replace(
        trace,
        module=replace(trace.module, **functions),
        guards=replace(trace.guards, function=functions["environment"]),
    )


def timed(call: Call, trace: Trace, clock: Callable[[], int]) -> int:
    """How long the generated functions of a call take."""
    spent = 0

    def get(name: str) -> Callable[..., Any] | None:
        function = getattr(trace.module, name)

        def run(*args: Any) -> Any:
            nonlocal spent
            start = clock()
            try:
                return function(*args)
            finally:
                spent += clock() - start

        return None if function is None else run

    call.run(_with(trace, get))
    return spent


class Instrumented:
    """A trace whose functions tell of each statement."""

    def __init__(self, trace: Trace, edited: Edited | None, function: Any) -> None:
        module = trace.module
        if edited is not None and not isinstance(module.forward, FunctionType):
            self._space = _instrumented_module(edited)
            self._trace = self._edited(trace, edited, function)
            return
        assert isinstance(module.forward, FunctionType)
        names = module.forward.__globals__
        self._space = instrumented(module.text, module.filename, names, _untold)
        self._trace = _with(trace, self._space.get)

    def _edited(self, trace: Trace, edited: Edited, function: Any) -> Trace:
        copied = copy.copy(edited)
        copied.module = ModuleType(Path(edited.path).stem)
        vars(copied.module).update(self._space)
        return copied.into(trace, function)

    def run(self, call: Call, at: Callable[[int], Any]) -> tuple[Any, Any]:
        """Run a call, and tell of each statement."""
        self._space[TELL] = at
        return call.run(self._trace)


def _untold(line: int) -> None:
    """What is called as long as nothing is measured."""


def _instrumented_module(edited: Edited) -> dict[str, Any]:
    names = {"__name__": edited.path.stem, "__file__": str(edited.path)}
    return instrumented(edited.text, str(edited.path), names, _untold)
