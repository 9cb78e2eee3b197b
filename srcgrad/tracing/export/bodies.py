"""The statements of exported functions: those of generated code, and some more."""

from collections.abc import Iterable, Sequence
from typing import Any

import gast
import numpy as np

from srcgrad.emit.syntax import assignment, call, constant, function, name, target
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Partition
from srcgrad.pytree import unflatten
from srcgrad.tracing.environment.reader import statement_of
from srcgrad.tracing.export import sections
from srcgrad.tracing.export.results import Converted, packed
from srcgrad.tracing.serving.trace import Trace

# What is said where a guard fails, after what it was.
WHEN = "when this was exported: export it for these arguments, too"


def result_tree(trace: Trace, partition: Partition) -> Any:
    """The same where nothing of it is an argument."""
    names = [f"input_{k}" for k in range(len(partition.forward.inputs))]
    return result_of(trace, partition, names)


def result_of(trace: Trace, partition: Partition, names: Sequence[str]) -> Any:
    """What a call gives, with the graph's outputs in their places."""
    interface, outputs = trace.interface, partition.forward.outputs
    leaves: list[Any] = []
    for output in interface.outputs:
        leaf: Any = output.source
        if output.kind in ("variable", "array"):
            leaf = outputs[output.source]
        elif output.kind == "constant":
            leaf = Converted(outputs[output.source], np.array)
        elif output.kind == "input":
            leaf = name(names[output.source])
        elif output.kind == "same":
            leaf = leaves[output.source]
        leaves.append(leaf)
    result = unflatten(interface.structure, leaves)
    whole = trace.whole
    if whole is None:
        return result
    rest = iter(outputs[interface.count :])
    return packed(
        whole.pack, result, [next(rest) if t else None for t in whole.is_there]
    )


def with_raises(statements: Iterable[gast.stmt]) -> list[gast.stmt]:
    """Statements that raise an error where a guard of generated code fails."""
    return [_Raising().visit(each) for each in statements]


class _Raising(gast.NodeTransformer):  # type: ignore[misc]
    """Puts ``raise`` in the place of ``return`` with a reason."""

    def visit_Return(self, node: gast.Return) -> gast.stmt:  # noqa: N802
        reason = node.value
        if not isinstance(reason, gast.Constant) or type(reason.value) is not str:
            return node
        told = reason.value.replace(": bool of `", ": `")
        message = constant(f"{told} {WHEN}")
        return gast.Raise(gast.Call(name("ValueError"), [message], []), None)


def refusing_nan(
    statements: list[gast.stmt], exprs: Sequence[gast.expr], first: int
) -> list[gast.expr]:
    """Let a function raise where one of its results is nan, from the first one on.

    They are expressions of its results, and then names: the statements get longer.
    Zeros that go back through a loop, or the arm that did not run, may meet an infinite
    slope, and make a nan that is none on the tape.
    """
    found = [*exprs]
    known = {each.id for each in exprs if isinstance(each, gast.Name)}
    for number, expr in enumerate(exprs[first:], first):
        if not isinstance(expr, gast.Name):
            (own,) = distinct("gradient", 1, known)
            statements.append(assignment(target(own), expr))
            found[number] = name(own)
    statements.append(gast.Expr(call(name("_refuse_nan"), found[first:])))
    return found


def names_of(definition: Any) -> list[str]:
    return [each.id for each in definition.args.args]


def distinct(hint: str, count: int, known: set[str]) -> list[str]:
    """So many new names."""
    names: list[str] = []
    number = 0
    while len(names) < count:
        each = f"{hint}_{number}" if number else hint
        number += 1
        if each not in known:
            names.append(each)
            known.add(each)
    return names


def parsed(*statements: Any) -> list[gast.stmt]:
    """Statements of which some are text."""
    return [
        each if isinstance(each, gast.AST) else statement_of(each)
        for each in statements
    ]


def body_text(statements: Sequence[gast.stmt]) -> str:
    """The statements of a function, indented."""
    whole: str = unparse(gast.Module([function("f", [], statements)], []))
    return sections.with_short_errors(whole.partition("\n")[2])
