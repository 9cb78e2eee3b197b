"""``example`` and ``check_gradient`` of an exported module: how it is tried.

Its arguments are random numbers where these do, or those that it was exported with.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.emit.literals import written
from srcgrad.emit.one_line import text
from srcgrad.protocols import raw_of
from srcgrad.tracing.export.bodies import distinct
from srcgrad.tracing.export.dtypes import dtype_text
from srcgrad.tracing.export.parameters import Parameters, key_text, numbers_in
from srcgrad.tracing.export.scope import ExportScope
from srcgrad.tracing.serving.argument_kinds import LeafKind

# How the floats of an example are made.
NORMAL_NUMBERS = "rng.normal(size={shape})"
POSITIVE_NUMBERS = "rng.uniform(0.5, 1.5, size={shape})"
AS_GIVEN = ""
WAYS = (NORMAL_NUMBERS, POSITIVE_NUMBERS, AS_GIVEN)


def example(
    parameters: Parameters, scope: ExportScope, leaves: Sequence[Any], way: str
) -> str:
    """The function that gives arguments to try the others with.

    ``leaves`` are those of a call, ``way`` is one of ``WAYS``.
    """
    lines: list[str] = []
    for parameter, tree in parameters.trees.items():
        numbers = numbers_in(tree)
        made = {
            number: _made(scope, leaf, leaves[number], way, parameters.paths[number])
            if number < len(leaves)
            else default_of(parameters, number)
            for number, leaf in ((n, parameters.leaves[n]) for n in numbers)
        }
        lines.append(f"    {parameter} = {_tree(tree, made)}")
    if any("rng." in line for line in lines):
        (rng,) = distinct("rng", 1, {*parameters.trees})
        lines = [line.replace("rng.", f"{rng}.") for line in lines]
        lines.insert(0, f"    {rng} = np.random.default_rng(0)")
    names = ", ".join(parameters.trees)
    if len(parameters.trees) < 2:
        names = f"({names},)" if names else "()"
    return "\n".join(
        [
            "def example():",
            '    """Return arguments to try the functions with."""',
            *lines,
            f"    return {names}",
        ]
    )


def default_of(parameters: Parameters, number: int) -> str:
    """The default of a parameter that was added."""
    own = f"{parameters.paths[number]}: "
    (found,) = (each for each in parameters.signature if each.startswith(own))
    return found.rpartition(" = ")[2]


def _tree(tree: Any, made: dict[int, str]) -> str:
    if type(tree) is int:
        return made[tree]
    if isinstance(tree, dict):
        items = (f"{key_text(key)}: {_tree(part, made)}" for key, part in tree.items())
        return f"{{{', '.join(items)}}}"
    inner = ", ".join(_tree(part, made) for part in tree)
    if isinstance(tree, list):
        return f"[{inner}]"
    return f"({inner}{',' * (len(tree) == 1)})"


def _made(scope: ExportScope, leaf: LeafKind, item: Any, way: str, path: str) -> str:
    """The expression of one argument."""
    item = raw_of(item)
    if leaf.kind in ("static", "int") or way == AS_GIVEN or leaf.dtype.kind not in "fc":  # type: ignore[union-attr]
        if isinstance(item, np.ndarray) and item.size > 4:
            return text(scope.array(item, f"EXAMPLE_{path}"))
        if isinstance(item, np.ndarray):
            return f"np.array({item.tolist()!r}, {dtype_text(item.dtype)})"
        return text(written(scope, item))
    if leaf.kind != "array":
        return text(written(scope, item))
    shape = leaf.shape[0] if len(leaf.shape) == 1 else leaf.shape
    made = way.format(shape=shape)
    if leaf.dtype.kind == "c":  # type: ignore[union-attr]
        made = f"{made} + 1j * {made}"
    if leaf.dtype in (np.float64, np.complex128):
        return made if leaf.shape else f"np.array({made})"
    made = f"({made})" if "+" in made else made
    return (
        f"{made}.astype({dtype_text(leaf.dtype)})"
        if leaf.shape
        else f"np.array({made}, {dtype_text(leaf.dtype)})"
    )
