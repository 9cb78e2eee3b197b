"""The text of an exported module, of its functions and what is around them."""

import re
from collections.abc import Sequence
from typing import Any

import gast

from srcgrad.emit.lower import imports_of
from srcgrad.emit.unparse import bare, unparse
from srcgrad.tracing.export import sections
from srcgrad.tracing.export.inlining import Inlined, inlined
from srcgrad.tracing.export.scope import ExportScope
from srcgrad.tracing.export.writing import ModuleWriter


def text_of(
    writer: ModuleWriter, docstring: str, declared: str, tries: Sequence[str]
) -> str:
    """The whole module."""
    scope = writer.scope
    helpers = inlined(scope.inlined)
    _refuse_clashes(writer, helpers)
    standard, others = _imports(writer, helpers.imports)
    names = ", ".join(f'"{each}"' for each in writer.names)
    main = ""
    if len(tries) > 1:
        main = (
            'if __name__ == "__main__":\n'
            "    check_gradient()\n"
            '    print("the derivative agrees with finite differences")'
        )
    constants = unparse(gast.Module(scope.statements, [])).strip()
    head = [
        docstring,
        "\n".join(standard),
        "\n".join(others),
        f"__all__ = [{names}]",
        declared,
        _data(scope),
        constants,
        "\n".join(helpers.constants.values()),
    ]
    parts = [
        "\n\n".join(filter(None, head)),
        *(each.text for each in writer.written),
        writer.inputs.arguments,
        *writer.inputs.helpers,
        *[sections.REFUSE_NAN] * any("_refuse_nan(" in t.text for t in writer.written),
        *helpers.definitions,
        *tries,
        main,
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _refuse_clashes(writer: ModuleWriter, helpers: Inlined) -> None:
    """Raise if a function of the user's has the name of one that comes along.

    Raises
    ------
    RuntimeError
        Naming it.
    """
    own = {*writer.names, *(item.targets[0].id for item in _constants(writer.scope))}
    for name in sorted(own & helpers.names):
        raise RuntimeError(
            f"the generated code uses a function {name!r} of srcgrad's: give yours, or "
            "the array, another name"
        )


def _constants(scope: ExportScope) -> list[Any]:
    return [each for each in scope.statements if isinstance(each, gast.Assign)]


def _data(scope: ExportScope) -> str:
    """The statements that load the arrays of the file beside."""
    if not scope.data:
        return ""
    lines = [f'    {name} = data["{name}"]' for name in scope.data]
    return "\n".join(
        ['with np.load(Path(__file__).with_suffix(".npz")) as data:', *lines]
    )


def _imports(writer: ModuleWriter, more: set[str]) -> tuple[list[str], list[str]]:
    """The statements of import: the standard library's, then the others."""
    writer.scope.imports.add("numpy")
    standard, others = (
        [unparse(gast.Module([each], [])).strip() for each in section]
        for section in imports_of(writer.scope.imports)
    )
    for line in sorted(more - {*standard, *others}):
        root = line.split()[1].partition(".")[0]
        (others if root in ("numpy", "scipy") else standard).append(line)
    if writer.scope.data:
        standard.append("from pathlib import Path")
    if any("Callable" in each.text for each in writer.written):
        standard.append("from collections.abc import Callable")
    key = lambda line: (line.startswith("from"), line)  # noqa: E731
    return sorted(standard, key=key), sorted(others, key=key)


def docstring(module: str, words: str, writer: ModuleWriter) -> str:
    """What a module says first: what it is for, and how it is used."""
    names, passed = writer.names, writer.parameters.passed_on
    usage = [f"    from {module} import {', '.join(names)}"]
    for each in writer.written:
        if each.made is not None:
            result = shown_result(each.name.removeprefix(names[0]), each.made.expr)
            usage.append(f"    {result} = {each.name}({passed})")
    first = sections.paragraph(f'"""{words}')
    says = f"Written by srcgrad; it needs {_needed(writer)} alone."
    return "\n".join([first, "", says, "", *usage, '"""'])


def shown_result(suffix: str, expr: Any) -> str:
    """What the result of a function is called where that is used.

    >>> shown_result("_value_and_grad", gast.parse("(out, (dx, dy))").body[0].value)
    'value, (dx, dy)'
    >>> shown_result("_grad", gast.parse("2 * x").body[0].value)
    'gradient'
    """
    kinds = gast.Name, gast.Tuple, gast.Load
    if suffix and all(isinstance(node, kinds) for node in gast.walk(expr)):
        text: str = bare(expr)
        return re.sub(r"^out\b", "value", text)
    return SHOWN.get(suffix, "result")


# What is shown for a result without a name.
SHOWN = {
    "": "value",
    "_grad": "gradient",
    "_value_and_grad": "value, gradient",
    "_jacobian": "jacobian",
    "_hessian": "hessian",
    "_derivative": "slopes",
}


def _needed(writer: ModuleWriter) -> str:
    is_scipys = any(each.startswith("scipy") for each in writer.scope.imports)
    return "NumPy and SciPy" if is_scipys else "NumPy"
