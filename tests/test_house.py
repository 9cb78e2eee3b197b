"""The tests mirror the package, and the map of it is fresh."""

import ast
import re
import runpy
from pathlib import Path

import pytest

import srcgrad

PACKAGE = Path(srcgrad.__file__).parent
TESTS = Path(__file__).parent

# Tests of the library as a whole; all others are named after a module.
WHOLE = set(
    "broken_tracers changing_programs coverage examples generated generated_calls "
    "generated_changes generated_keywords generated_programs golden hostile_texts "
    "house imports layers peers public_api readme scientific_programs "
    "worked_examples".split()
)

# Modules that the programs of their rooms drive, and the generators.
BY_PROGRAMS = {
    "transforms/loops": "endings inner_loops interleaving iterations regions slots",
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


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_module_has_its_tests(module):
    """A file, or a part of the folder's texts: ``== dce: eliminate_dead_code``."""
    folder = TESTS / module.parent
    texts = (path.read_text(encoding="utf-8") for path in folder.glob("*.txt"))
    heads = re.findall(r"^== (\w+)", "".join(texts), flags=re.M)
    has_samples = module.parts[0] == "rules" and any(
        (TESTS / "samples").rglob(f"{module.name}.py")
    )
    is_driven = (
        has_samples or module.name in BY_PROGRAMS.get(str(module.parent), "").split()
    )
    assert (
        is_driven
        or module.name in heads
        or ((folder / f"test_{module.name}.py").exists())
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_folder_of_tests_is_a_package(folder):
    assert (TESTS / folder / "__init__.py").exists()


def test_every_test_file_stands_in_a_folder_of_the_package():
    found = (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    assert sorted(path.with_suffix("") for path in found) == TEST_FILES


@pytest.mark.parametrize("path", TEST_FILES, ids=str)
def test_every_test_file_names_its_module(path):
    """``test_engine`` and ``test_engine_anomaly``; ``test_tape`` for the folder."""
    subject = path.name.removeprefix("test_")
    owners = {module.name for module in MODULES if module.parent == path.parent}
    owners |= {path.parent.name} if path.parent.name else WHOLE
    assert any(subject == name or subject.startswith(f"{name}_") for name in owners)


@pytest.mark.parametrize("path", TEST_FILES, ids=str)
def test_every_test_file_holds_tests(path):
    tree = ast.parse((TESTS / path).with_suffix(".py").read_text(encoding="utf-8"))
    names = {getattr(node, "name", "") for node in tree.body}
    assert any(name.startswith(("test_", "Test")) for name in names)


# ----- The map -----


def test_the_map_is_fresh():
    page = TESTS.parent / "docs" / "map.md"
    made = runpy.run_path(str(page.with_name("make_map.py")))["page"]()
    assert page.read_text(encoding="utf-8") == made, "run python docs/make_map.py"


def test_contributing_fits_on_two_screens():
    text = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
