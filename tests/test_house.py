"""The tests mirror the package, and the map of it is fresh."""

import ast
import functools
import itertools
import operator
import re
import runpy
from collections import defaultdict
from pathlib import Path

import numpy as np

import srcgrad

PACKAGE = Path(srcgrad.__file__).parent
TESTS = Path(__file__).parent

# Tests of the library as a whole; all others are named after a module.
WHOLE = set(
    "broken_tracers corpus coverage examples generated generated_calls "
    "generated_changes generated_keywords generated_nests generated_programs golden "
    "hostile_texts guides house imports layers peers public_api readme release "
    "scientific_programs typing worked_examples".split()
)

# Modules that the programs of their rooms drive, and the generators.
BY_PROGRAMS = {
    "native": "arrays body calls kernel nests numbers parts planning reductions "
    "small_arrays statements structures taking",
    "transforms/loops": "endings interleaving iterations regions slots",
    "transforms/branches": "maybe_ints own_arguments sharing",
}

MODULES = sorted(
    path.relative_to(PACKAGE).with_suffix("")
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py"
)
FOLDERS = sorted({module.parent for module in MODULES})
TEST_FILES = sorted(
    path.relative_to(TESTS).with_suffix("")
    for folder in FOLDERS
    for path in (TESTS / folder).glob("test_*.py")
)


# ----- The tests -----


SAMPLES = {path.stem for path in (TESTS / "samples").rglob("*.py")}
IN_FOLDERS = {
    folder: {module.name for module in MODULES if module.parent == folder}
    for folder in FOLDERS
}
# What is in `tracing` is run by the programs of tests/corpus.
OWN = [module for module in MODULES if module.parts[0] != "tracing"]


def has_tests(module):
    """A file, or a part of the folder's texts: ``== dce: eliminate_dead_code``."""
    folder, name = TESTS / module.parent, module.name
    return (
        (folder / f"test_{name}.py").exists()
        or (module.parts[0] == "rules" and name in SAMPLES)
        or name in BY_PROGRAMS.get(str(module.parent), "").split()
        or name in heads_in(folder)
    )


@functools.cache
def heads_in(folder):
    texts = (path.read_text(encoding="utf-8") for path in folder.glob("*.txt"))
    heads = re.findall(r"^== (\w+(?:, \w+)*)", "".join(texts), flags=re.M)
    return ", ".join(heads).split(", ")


def test_every_module_has_its_tests():
    assert [str(module) for module in OWN if not has_tests(module)] == []


def test_every_folder_of_tests_is_a_package():
    assert all((TESTS / folder / "__init__.py").exists() for folder in FOLDERS)


def test_every_test_file_stands_in_a_folder_of_the_package():
    found = (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    assert sorted(path.with_suffix("") for path in found) == TEST_FILES


def names_its_module(path):
    """``test_engine`` and ``test_engine_anomaly``; ``test_tape`` for the folder."""
    subject = path.name.removeprefix("test_")
    whole = {path.parent.name} if path.parent.name else WHOLE
    owners = IN_FOLDERS[path.parent] | whole
    return any(subject == name or subject.startswith(f"{name}_") for name in owners)


def test_every_test_file_names_its_module():
    assert [str(path) for path in TEST_FILES if not names_its_module(path)] == []


def holds_tests(path):
    text = (TESTS / path).with_suffix(".py").read_text(encoding="utf-8")
    return re.search(r"^(def test_|class Test)", text, flags=re.M)


def test_every_test_file_holds_tests():
    assert [str(path) for path in TEST_FILES if not holds_tests(path)] == []


# ----- One fact, one place -----
# What is known of functions stands here, and in the chapters of rules.
OF_FUNCTIONS = ("rules", "scipy", "facts", "operators", "protocols")
OF_FUNCTIONS += ("function_parameters", "unboxing.py")
# What is deleted soon: loops and branches as they were.
GOING = ("tracing/counts", "tracing/branches")
GOING += tuple(
    f"{room}/{name}."
    for room, names in {
        "tracing/graphs": "journals rewinding written_steps",
        "tracing/runs": "rolled_runs loop_reach arm_reach opening",
        "transforms/branches": "mixed_kinds maybe_ints own_arguments sharing",
        "transforms/loops": "rolling slots iterations regions endings gatherings "
        "interleaving",
    }.items()
    for name in names.split()
)


@functools.cache
def tables():
    """The values that files give to names at their top, with the lines before them."""
    return list(found_tables())


def found_tables():
    for module in MODULES:
        if module.parts[0] not in ("rules", "scipy"):
            text = (PACKAGE / module).with_suffix(".py").read_text(encoding="utf-8")
            for node in ast.parse(text).body:
                if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                    before = reversed(text.splitlines()[: node.lineno - 1])
                    above = " ".join(itertools.takewhile(str.strip, before))
                    target = getattr(node, "target", None) or node.targets[0]
                    yield f"{module}.py", ast.unparse(target), node.value, above


def functions_in(value):
    """The functions of NumPy's that an expression names."""
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if re.fullmatch(r"np(\.\w+)+", name):
                function = operator.attrgetter(name[len("np.") :])(np)
                if callable(function) and not isinstance(function, type):
                    yield name
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "present":
            yield from node.args[1].value.split()


def test_what_is_known_of_functions_is_a_fact_or_one_formula():
    """Else it becomes a column of ``facts``, or says above "The formula of ..."."""
    assert not [
        f"{name} in {path}"
        for path, name, value, above in tables()
        if not path.startswith(OF_FUNCTIONS + GOING)
        and len({*functions_in(value)}) > 1
        and "The formula of" not in above
    ]


def test_a_name_means_one_thing():
    meanings = defaultdict(set)
    for path, name, value, _ in tables():
        if name.isupper() and not path.startswith(GOING):
            meanings[name].add(ast.dump(value))
    assert [name for name, values in meanings.items() if len(values) > 1] == []


# ----- The field's words -----
# What these were called once is an environment, a capture, a partition, ...: as JAX,
# PyTorch and compilers have it. SciPy's rules have words of their own.
NOT_WORDS = set(
    "outside watched watcher watching turns fork forks callee callees lane lanes half "
    "halves ending endings leftover leftovers absorbed absorbing gather gathered "
    "gathering ownership patience laid".split()
)


def words(name):
    return {word.lower() for word in re.split(r"_+|(?<=[a-z0-9])(?=[A-Z])", name)}


def given_names(tree):
    """What a module gives names to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_names_are_the_fields_words():
    found = []
    for module in MODULES:
        path = f"{module}.py"
        if module.parts[0] not in ("rules", "scipy") and not path.startswith(GOING):
            tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
            names = {module.name, *given_names(tree)}
            found += [(path, name) for name in names if words(name) & NOT_WORDS]
    assert found == []


# ----- The map -----


def test_the_map_is_fresh():
    page = TESTS.parent / "docs" / "map.md"
    made = runpy.run_path(str(page.with_name("make_map.py")))["page"]()
    assert page.read_text(encoding="utf-8") == made, "run python docs/make_map.py"


def test_contributing_fits_on_two_screens():
    text = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
