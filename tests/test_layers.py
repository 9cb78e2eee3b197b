"""The import layers: a module may import what its line names, and nothing else of ours.

The rows are in the order of the layers, so a row may name earlier rows only.
"""

import ast
from pathlib import Path

import pytest

import srcgrad

PACKAGE = Path(srcgrad.__file__).parent

# What a chapter of rules may use.
RULES = "updates rules.registry rules.broadcasting rules.complexes rules.compositions "
# What every part of the compiler may use.
COMPILER = "errors primitives updates graph guards "

MAY_IMPORT = {
    # level 0
    "errors": "",
    "config": "",
    "modes": "",
    "primitives": "",
    "protocols": "",
    "pytree": "",
    "storage": "errors",
    "updates": "protocols",
    # rules, levels 1-3
    "rules.registry": "errors primitives",
    "rules.broadcasting": "",
    "rules.complexes": "",
    "rules.compositions": "",
    "rules.elementwise": RULES,
    "rules.reductions": RULES,
    "rules.statistics": RULES,
    "rules.shapes": RULES,
    "rules.joining": RULES,
    "rules.indexing": RULES + "rules.joining",
    "rules.einsum": RULES,
    "rules.products": RULES + "rules.einsum",
    "rules.linalg": RULES,
    "rules": "protocols rules.registry rules.compositions rules.elementwise "
    "rules.reductions rules.statistics rules.shapes rules.joining rules.indexing "
    "rules.einsum rules.products rules.linalg",
    # the compiler, levels 1-4
    "graph": "errors primitives",
    "guards": "errors",
    "emit.names": "",
    "emit.syntax": "",
    "emit.flat": "",
    "emit.breaking": "emit.flat",
    "emit.unparse": "emit.syntax emit.flat emit.breaking",
    "emit.scope": "graph emit.names emit.syntax",
    "emit.literals": "graph emit.syntax emit.scope",
    "emit.calls": "graph updates emit.syntax emit.scope emit.literals",
    "emit.checks": "graph guards emit.syntax emit.scope emit.literals emit.calls",
    "emit.body": "graph guards updates emit.syntax emit.flat emit.breaking emit.scope "
    "emit.literals emit.calls emit.checks",
    "emit.lower": "graph guards updates emit.body emit.syntax emit.breaking emit.scope "
    "emit.literals emit.calls emit.checks",
    "emit.module": "graph emit.unparse emit.lower",
    "emit": "emit.module",
    "transforms.rewrite": COMPILER,
    "transforms.patterns": COMPILER + "transforms.rewrite",
    "transforms.dce": COMPILER + "transforms.rewrite",
    "transforms.cse": COMPILER + "transforms.rewrite",
    "transforms.folding": COMPILER + "transforms.rewrite",
    "transforms.calls": COMPILER + "transforms.rewrite transforms.patterns",
    "transforms.broadcasts": COMPILER + "transforms.rewrite",
    "transforms.algebra": COMPILER + "transforms.rewrite transforms.patterns",
    "transforms.ownership": COMPILER + "transforms.rewrite",
    "transforms.saving": COMPILER + "transforms.rewrite",
    "transforms.scatters": COMPILER,
    "transforms": "graph transforms.dce transforms.cse transforms.folding "
    "transforms.calls transforms.broadcasts transforms.algebra transforms.ownership "
    "transforms.scatters "
    "transforms.saving",
    # the tape, levels 4-7
    "hooks": "modes protocols",
    "context": "errors modes protocols storage",
    "function": "errors modes storage hooks context",
    "rule_function": "primitives storage rules.registry function",
    "user_function": "modes protocols storage context function",
    "stochastic": "errors modes protocols storage function",
    "engine": "errors modes updates rules.broadcasting hooks function",
    "calls": "errors modes primitives protocols storage rules.compositions "
    "rules.registry function rule_function",
    "operators": "errors modes protocols storage rules.registry function rule_function",
    "inplace": "errors modes storage updates rules.registry function rule_function "
    "calls",
    "writes": "errors modes primitives protocols updates rules.registry function calls "
    "inplace",
    "conversions": "errors modes function",
    "copies": "errors function",
    "links": "errors modes protocols function",
    "hookable": "errors modes hooks function",
    "variable": "errors modes primitives protocols storage updates function engine "
    "operators inplace writes conversions copies links hookable stochastic calls "
    "user_function",
    "autograd": "errors modes context function engine variable",
    # where they meet, levels 7-10
    "signature": "modes pytree function variable",
    "checking": "errors modes pytree variable autograd",
    "tracer.sources": "",
    "tracer.instrument": "tracer.sources",
    "tracer.purity": "errors modes primitives protocols rules.compositions "
    "rules.registry",
    "tracer.traced_array": "errors operators protocols variable",
    "tracer.recorder": "errors primitives protocols rules.registry graph guards "
    "function variable tracer.traced_array",
    "tracer.inline": "modes protocols guards context function user_function "
    "tracer.purity tracer.traced_array",
    "tracer.reads": "protocols updates guards function writes tracer.inline "
    "tracer.instrument "
    "tracer.purity tracer.recorder tracer.sources",
    "tracer": "modes protocols pytree storage graph guards function engine variable "
    "signature tracer.purity tracer.traced_array tracer.recorder tracer.reads",
    "compiled": "errors config modes pytree storage graph guards emit transforms "
    "transforms.rewrite function engine variable tracer",
    "cache": "compiled",
    "reports": "errors protocols pytree signature compiled cache",
    "traced": "config modes protocols variable signature tracer compiled cache reports",
    "functional": "errors modes protocols pytree function engine calls variable tracer "
    "traced",
    "": "errors modes rules.registry context function stochastic variable autograd "
    "checking traced functional",
}
TAPE = (
    {"function", "rule_function", "user_function", "engine", "calls", "operators"}
    | {"inplace", "writes", "conversions", "copies", "links", "hookable", "variable"}
    | {"autograd", "hooks", "context", "stochastic"}
)


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
