"""What a traced function tells about itself: ``explain()``, headers, divergences."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.emit.names import one_line
from srcgrad.errors import shown
from srcgrad.protocols import raw_of
from srcgrad.steps import Guard
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
