"""The import layers: a module may import what its line names, and nothing else of ours.

The rows are in the order of the layers, so a row may name earlier rows only.
"""

import ast
from pathlib import Path

import pytest

import srcgrad

PACKAGE = Path(srcgrad.__file__).parent

MAY_IMPORT = {
    # level 0
    "errors": "",
    "config": "",
    "modes": "",
    "primitives": "",
    "protocols": "",
    "updates": "protocols",
    "storage": "errors modes",
    # rules, levels 1-3
    "rules.registry": "errors primitives",
    "rules.broadcasting": "",
    "rules.complexes": "",
    "rules.compositions": "",
    "rules.elementwise": "rules.registry rules.broadcasting",
    "rules.reductions": "rules.registry rules.broadcasting",
    "rules.shapes": "rules.registry rules.broadcasting",
    "rules.products": "rules.registry rules.broadcasting",
    "rules.indexing": "rules.registry rules.broadcasting",
    "rules.linalg": "rules.registry rules.broadcasting",
    "rules": "rules.registry rules.elementwise rules.reductions rules.shapes "
    "rules.products rules.indexing rules.linalg",
    # the compiler, levels 1-4
    "graph": "errors primitives",
    "guards": "errors",
    "emit.names": "",
    "emit.unparse": "",
    "emit.lower": "graph guards primitives emit.names",
    "emit.module": "errors emit.unparse",
    "emit": "emit.lower emit.unparse emit.module",
    "transforms.rewrite": "graph primitives",
    "transforms.dce": "graph primitives transforms.rewrite",
    "transforms.cse": "graph primitives transforms.rewrite",
    "transforms.folding": "graph primitives transforms.rewrite",
    "transforms.algebra": "graph primitives transforms.rewrite",
    "transforms.saving": "graph primitives transforms.rewrite",
    "transforms": "graph transforms.dce transforms.cse transforms.folding "
    "transforms.algebra transforms.saving",
    # the tape, levels 4-7
    "function": "errors modes primitives protocols rules rules.registry "
    "rules.broadcasting",
    "engine": "errors modes function",
    "variable": "errors modes primitives protocols function engine",
    "autograd": "errors modes engine variable",
    # where they meet, levels 7-10
    "signature": "modes variable",
    "tracer.instrument": "errors",
    "tracer.reads": "errors modes primitives protocols guards",
    "tracer.recorder": "errors modes graph variable",
    "tracer": "errors modes graph guards variable autograd tracer.instrument "
    "tracer.reads tracer.recorder",
    "checking": "errors variable autograd",
    "cache": "guards signature",
    "traced": "errors config modes variable signature cache tracer transforms emit",
    "functional": "errors variable autograd traced",
    "": "errors modes rules.registry function engine variable autograd checking traced "
    "functional",
}
TAPE = {"function", "engine", "variable", "autograd"}


def module_name(path: Path) -> str:
    """Return a file's dotted name inside the package; the package itself is ''."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(path: Path) -> set[str]:
    """Return our own modules that a file imports, anywhere in it."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*base, *filter(None, [node.module])])
            # `from srcgrad import modes` names a module, `... import Graph` does not.
            for alias in node.names:
                member = f"{source}.{alias.name}"
                found.add(member if member.partition(".")[2] in FILES else source)
    ours = {name.partition(".") for name in found}
    return {name for package, _, name in ours if package == "srcgrad"}


def inner_imports(path: Path) -> list[int]:
    """Return the lines of imports inside functions."""
    return [
        node.lineno
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def test_every_file_has_a_row_and_every_row_a_file():
    assert set(MAY_IMPORT) == set(FILES)


def test_rows_name_earlier_rows_only():
    seen = set()
    for name, allowed in MAY_IMPORT.items():
        assert set(allowed.split()) <= seen, f"row {name!r} points up"
        seen.add(name)


def test_compiler_never_reaches_the_tape():
    reached = {"graph", "guards", "transforms", "emit"}
    while new := {m for row in reached for m in MAY_IMPORT[row].split()} - reached:
        reached |= new
    assert not reached & TAPE


@pytest.mark.parametrize("name", FILES)
def test_imports_only_downwards(name):
    assert imports(FILES[name]) <= set(MAY_IMPORT.get(name, "").split())


@pytest.mark.parametrize("name", FILES)
def test_imports_stand_at_the_top(name):
    assert not inner_imports(FILES[name])
