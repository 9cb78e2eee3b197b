"""What a traced function tells about itself: ``explain()``, headers, divergences."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.emit.names import one_line
from srcgrad.errors import DivergenceError, shown
from srcgrad.graph import Guard
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tracing.cache import Entry, Stats
from srcgrad.tracing.signature import Signature, is_dynamic
from srcgrad.tracing.trace import Trace


def explain(
    function: FunctionType,
    stats: Stats,
    entries: Iterable[Entry],
    reasons: Iterable[str | None],
) -> str:
    """Say in words what is compiled, what is not, and why.

    What would be said twice (one reason for many signatures) is said once.
    """
    lines = [
        f"{function.__name__} ({_place(function)})",
        f"  {stats.calls} calls: {stats.compiled} compiled, {stats.tape} on the "
        f"tape; {stats.traces} traces, {stats.misses} misses",
    ]
    asides = []
    for entry in entries:
        for made in entry.traces:
            inputs = made.replay.graph.inputs
            header = header_of(
                function, inputs[: len(inputs) - len(made.outside.taken)]
            )
            lines.append(f"  trace: {header}")
            lines += [
                f"    guard: {condition}" for condition in made.outside.conditions
            ]
            lines += [f"    note: {note}" for note in made.notes]
            mentions = made.assumptions.mentions()
            lines += [f"    guard: {name} is what it was" for name in mentions]
            lines += [
                f"    guard: {text}" + (f" ({count} times)" if count > 1 else "")
                for text, count in Counter(_value_guards(made)).items()
            ]
        if entry.last_miss:
            asides.append(f"  last miss: {entry.last_miss}")
        if entry.refusal is not None:
            asides.append(f"  on the tape: {entry.refusal}")
    asides += [f"  on the tape: {reason}" for reason in reasons if reason is not None]
    return "\n".join([*lines, *dict.fromkeys(asides)])


def header_of(function: FunctionType, inputs: Sequence[Any]) -> str:
    """What a generated module is for; ``inputs`` are those that are arguments."""
    arguments = ", ".join(_described(value) for value in inputs)
    return one_line(
        f"{function.__name__}, traced at {_place(function)}, for {arguments}"
    )


def arguments_of(signature: Signature) -> str:
    """The arguments that a signature fixes, and the shapes of the others."""
    return ", ".join(
        str(np.shape(raw_of(leaf))) if is_dynamic(leaf) else shown(leaf)
        for leaf in signature.leaves
    )


def compare(function: FunctionType, ours: Any, theirs: Any) -> None:
    """Raise if generated code and the tape gave different results.

    Raises
    ------
    DivergenceError
        With both.
    """
    for our, their in zip(flatten(ours)[0], flatten(theirs)[0], strict=True):
        a, b = raw_of(our), raw_of(their)
        same_kind = type(our) is type(their) and type(a) is type(b)
        if not same_kind or not _close(a, b):
            raise DivergenceError(
                f"{function.__name__}: generated code gave {a!r}, the tape {b!r}"
            )


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic, float, complex)):
        close: bool = np.shape(a) == np.shape(b) and np.allclose(
            a, b, rtol=1e-6, atol=1e-8, equal_nan=True
        )
        return close
    return bool(a == b)


def _place(function: FunctionType) -> str:
    code = function.__code__
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def _described(value: Any) -> str:
    if value.kind == "float":
        return f"{value.name}: float"
    shape = ", ".join(map(str, value.shape))
    return f"{value.name}: {value.dtype}" + (
        f"[{shape}]" if value.kind == "array" else ""
    )


def _value_guards(trace: Trace) -> list[str]:
    return [
        f"{os.path.basename(node.where.filename)}:{node.where.line}: "
        f"{node.convert.__name__} is {node.observed!r}"
        for node in trace.replay.graph.nodes
        if isinstance(node, Guard) and node.where is not None
    ]
