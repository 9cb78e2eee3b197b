"""``gradient_check``: an exported gradient against finite differences, as a function.

The derivative along one direction is compared, for each array: two calls each.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.emit.breaking import WIDTH
from srcgrad.tracing.export.bodies import distinct
from srcgrad.tracing.export.parameters import Parameters, key_text
from srcgrad.tracing.export.sections import quoted
from srcgrad.tracing.serving.argument_kinds import LeafKind

# By what is exported, how a derivative along a direction is found in its result.
ALONG_DIRECTION = {
    "grad": "np.sum({found} * {direction})",
    "complex": "np.sum(np.conj({found}) * {direction}).real",
    "jacobian": "np.tensordot({found}, {direction}, np.ndim({direction}))",
    "hessian": (
        "np.sum({direction} * np.tensordot({found}, {direction}, np.ndim({direction})))"
    ),
}
# The same by finite differences.
SLOPE = "np.sum({moved}(1e-6 * {direction}) - {moved}(-1e-6 * {direction})) / 2e-6"
SLOPES = {
    "jacobian": ("({moved}(1e-6 * {direction}) - {moved}(-1e-6 * {direction})) / 2e-6"),
    "hessian": """(
            {moved}(1e-6 * {direction})
            - 2 * {moved}(0 * {direction})
            + {moved}(-1e-6 * {direction})
        ) / 1e-6**2""",
}
# A direction in the complex plane.
TURN = """\
        if np.iscomplexobj({argument}):
            {direction} = {direction} * (0.6 + 0.8j)
"""
LOOP = "{name}, {argument}, {found}, {moved}"
# How the check calls what it has; a parameter may have one of these names.
CHECKS_NAMES = (
    "rng name argument found moved direction along slope gradient step".split()
)
CHECK = """\
        {direction} = {rng}.normal(size=np.shape({argument}))
%s        {along} = %s
        {slope} = %s
        if not np.allclose({along}, {slope}, %s):
            raise AssertionError(
                f"{{{name}}}: {{{along}}} by derivative, {{{slope}}} by differences"
            )"""


def paths_in(tree: Any, path: str = "") -> dict[int, str]:
    """For each leaf of a tree of numbers, how it is found in the tree.

    >>> paths_in({"w": 0, "b": (1,)})
    {0: '["w"]', 1: '["b"][0]'}
    """
    if type(tree) is int:
        return {tree: path}
    found: dict[int, str] = {}
    if tree is None:
        return found
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, part in items:
        found |= paths_in(part, f"{path}[{key_text(key)}]")
    return found


def gradient_check(
    parameters: Parameters,
    function: str,
    derivative: str,
    form: str,
    gradients: Any,
    part: str = "",
    value_part: str = "",
) -> str:
    """The function ``check_gradient``.

    Parameters
    ----------
    parameters : Parameters
        How the functions are called.
    function, derivative : str
        The functions.
    form : str
        One of ``ALONG_DIRECTION``: what the derivative is.
    gradients : tree of int
        Which gradient is of which leaf, as the derivative returns them.
    part, value_part : str
        Where the gradients, and the value, are in the results: ``[1]``.
    """
    names = ", ".join(parameters.trees)
    names = f"({names},)" if len(parameters.trees) == 1 else names
    places = paths_in(gradients)
    leaves = [parameters.leaves[number] for number in places]
    if form == "grad" and any(leaf.dtype.kind == "c" for leaf in leaves):  # type: ignore[union-attr]
        form = "complex"
    step, tolerance = _precision(form, leaves)
    # Names of its own, which no parameter has.
    taken = {*parameters.trees}
    own = {hint: distinct(hint, 1, taken)[0] for hint in CHECKS_NAMES}
    slope = SLOPES.get(form, SLOPE).replace("1e-6", step)
    slope = slope.replace("2e-6", step.replace("1e", "2e"))
    cases = [
        _case(parameters, number, f"{own['gradient']}{place}", own["step"], call)
        for number, place in places.items()
        for call in [f"{function}(%s){value_part}"]
    ]
    turned = TURN if form == "complex" else ""
    parts = turned, ALONG_DIRECTION[form], slope, f"{tolerance}, {tolerance}"
    text = (CHECK % parts).format(**own)
    return "\n".join(
        [
            "def check_gradient():",
            '    """Compare it with finite differences, or raise an error."""',
            f"    {names} = example()",
            f"    {own['gradient']} = {derivative}({parameters.passed_on}){part}",
            f"    {own['rng']} = np.random.default_rng(1)",
            f"    for {LOOP.format(**own)} in [",
            *cases,
            "    ]:",
            text,
        ]
    )


def _precision(form: str, leaves: Sequence[LeafKind]) -> tuple[str, str]:
    """The step of the differences, and how much they may be off."""
    if any(leaf.dtype.itemsize < 8 for leaf in leaves if leaf.dtype is not None):
        return "1e-2", "1e-2"
    return ("1e-4", "1e-3") if form == "hessian" else ("1e-6", "1e-5")


def _case(
    parameters: Parameters, number: int, gradient: str, step: str, call: str
) -> str:
    """One argument: its name, itself, its derivative, and the value with a step."""
    path = parameters.paths[number]
    moved = f"lambda {step}: {call % _moved(parameters, number, step)}"
    parts = [quoted(path.replace('"', "'")), path, gradient, moved]
    line = f"        ({', '.join(parts)}),"
    if len(line) <= WIDTH:
        return line
    inner = "".join(f"            {each},\n" for each in parts)
    return f"        (\n{inner}        ),"


def _moved(parameters: Parameters, number: int, step: str) -> str:
    """The arguments of a call, with a step at one leaf."""
    path = parameters.paths[number]
    call = parameters.passed_on
    for name, tree in parameters.trees.items():
        if type(tree) is int:
            if tree == number:
                return _replaced(
                    call, name, _step(parameters.leaves[number], path, step)
                )
        elif number in paths_in(tree):
            inner = _tree(parameters, tree, number, step)
            return _replaced(call, name, inner)
    raise AssertionError(path)


def _step(leaf: LeafKind, path: str, step: str) -> str:
    if leaf.kind == "array" and leaf.dtype not in (np.float64, np.complex128):
        return f"({path} + {step}).astype(np.{leaf.dtype})"
    return f"{path} + {step}"


def _replaced(call: str, name: str, value: str) -> str:
    parts = []
    for each in call.split(", "):
        key, sign, own = each.partition("=")
        if each.lstrip("*") == name:
            each = f"{each[: len(each) - len(name)]}{_enclosed(each, value)}"
        elif sign and own == name:
            each = f"{key}={value}"
        parts.append(each)
    return ", ".join(parts)


def _enclosed(each: str, value: str) -> str:
    return f"({value})" if each.startswith("*") else value


def _tree(parameters: Parameters, tree: Any, number: int, step: str) -> str:
    if type(tree) is int:
        path = parameters.paths[tree]
        return _step(parameters.leaves[tree], path, step) if tree == number else path
    if isinstance(tree, dict):
        items = (
            f"{key_text(key)}: {_tree(parameters, part, number, step)}"
            for key, part in tree.items()
        )
        return f"{{{', '.join(items)}}}"
    inner = ", ".join(_tree(parameters, part, number, step) for part in tree)
    if isinstance(tree, list):
        return f"[{inner}]"
    return f"({inner}{',' * (len(tree) == 1)})"
