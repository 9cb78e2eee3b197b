"""``gradient_check``: an exported gradient against finite differences, as a function.

The derivative along one direction is compared, for each array: two calls each.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.emit.breaking import WIDTH
from srcgrad.tracing.export.bodies import distinct
from srcgrad.tracing.export.dtypes import dtype_text
from srcgrad.tracing.export.parameters import Parameters, key_text, paths_in
from srcgrad.tracing.export.sections import quoted
from srcgrad.tracing.serving.argument_kinds import LeafKind

# By what is exported, how a derivative along a direction is found in its result.
ALONG_DIRECTION = {
    "grad": "np.sum({found} * {direction})",
    "complex": "np.sum(np.conj({found}) * {direction}).real",
    "vjp": "np.sum({found} * {direction})",
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
# A direction from one symmetric matrix to others.
MIRROR = """\
        if np.shape({argument})[-2:-1] == np.shape({argument})[-1:]:
            {direction} = {direction} + np.swapaxes({direction}, -1, -2)
"""
LOOP = "{name}, {argument}, {found}, {moved}"
# How the check calls what it has; a parameter may have one of these names.
CHECKS_NAMES = (
    "rng name argument found moved direction along slope gradient step value pullback "
    "cotangents project".split()
)
DERIVED = """\
    {gradient} = {result}
    {rng} = np.random.default_rng(1)"""
# Of a way back: its value along random cotangents.
PROJECTED = """\
    {rng} = np.random.default_rng(1)
    {value}, {pullback} = {result}
    {cotangents} = [{rng}.normal(size=np.shape(out)) for out in {outputs}]
    {gradient} = {pullback}(*{cotangents})

    def {project}({value}):
        pairs = zip({cotangents}, {outputs}, strict=True)
        return sum(np.sum(cotangent * out) for cotangent, out in pairs)
"""
CHECK = """\
        {direction} = {rng}.normal(size=np.shape({argument}))
%s        {along} = %s
        {slope} = %s
        if not np.allclose({along}, {slope}, %s):
            raise AssertionError(
                f"{{{name}}}: {{{along}}} by derivative, {{{slope}}} by differences"
            )"""


def gradient_check(
    parameters: Parameters,
    function: str,
    derivative: str,
    form: str,
    gradients: Any,
    part: str = "",
    value_part: str = "",
    outputs: Sequence[str] = (),
    is_symmetric: bool = False,
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
    outputs : sequence of str
        The same for the outputs with a cotangent, if the form is ``"vjp"``.
    is_symmetric : bool
        Whether square matrices stay symmetric.
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
    call = f"{function}(%s){value_part}"
    result = f"{derivative}({parameters.passed_on}){part}"
    if form == "vjp":
        call = f"{own['project']}({call})"
    cases = [
        _case(parameters, number, f"{own['gradient']}{place}", own["step"], call)
        for number, place in places.items()
    ]
    turned = TURN if form == "complex" else ""
    turned += MIRROR if is_symmetric else ""
    parts = turned, ALONG_DIRECTION[form], slope, f"{tolerance}, {tolerance}"
    return "\n".join(
        [
            "def check_gradient():",
            '    """Compare it with finite differences, or raise an error."""',
            f"    {names} = example()",
            _head(form, result, outputs, own),
            f"    for {LOOP.format(**own)} in [",
            *cases,
            "    ]:",
            (CHECK % parts).format(**own),
        ]
    )


def _head(form: str, result: str, outputs: Sequence[str], own: dict[str, str]) -> str:
    """The statements that get the derivative; of a way back, along some cotangents."""
    if form != "vjp":
        return DERIVED.format(result=result, **own)
    found = ", ".join(f"{own['value']}{place}" for place in outputs)
    found = f"({found}{',' * (len(outputs) == 1)})"
    return PROJECTED.format(result=result, outputs=found, **own)


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
    start, end = call.split("%s")
    if len(f"            {moved},") > WIDTH:
        inner = _moved(parameters, number, step)
        pad = " " * 12
        moved = f"lambda {step}: {start}\n{pad}    {inner}\n{pad}{end}"
    parts = [quoted(path.replace('"', "'")), path, gradient, moved]
    line = f"        ({', '.join(parts)}),"
    if len(line) <= WIDTH and "\n" not in line:
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
            inner = _tree(parameters, tree, number, step, name)
            return _replaced(call, name, inner)
    raise AssertionError(path)


def _step(leaf: LeafKind, path: str, step: str) -> str:
    if leaf.kind == "array" and leaf.dtype not in (np.float64, np.complex128):
        return f"({path} + {step}).astype({dtype_text(leaf.dtype)})"
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


def _tree(parameters: Parameters, tree: Any, number: int, step: str, path: str) -> str:
    """A container that is found at a path, with a step at one leaf."""
    if type(tree) is int:
        return _step(parameters.leaves[tree], path, step) if tree == number else path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    parts = {
        key: f"{path}[{key_text(key)}]"
        if number not in paths_in(part)
        else _tree(parameters, part, number, step, f"{path}[{key_text(key)}]")
        for key, part in items
    }
    if isinstance(tree, dict):
        (key,) = (key for key, part in tree.items() if number in paths_in(part))
        is_all = len(tree) == 1
        rest = "" if is_all else f"**{path}, "
        return f"{{{rest}{key_text(key)}: {parts[key]}}}"
    inner = ", ".join(parts.values())
    if isinstance(tree, list):
        return f"[{inner}]"
    return f"({inner}{',' * (len(tree) == 1)})"
