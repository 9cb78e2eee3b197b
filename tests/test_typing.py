"""Types for users: CI has mypy and pyright check the scripts in ``typing/``."""

import runpy
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "typing").glob("[a-z]*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs(script):
    runpy.run_path(str(script), run_name="__main__")


def test_scripts_say_what_types_they_expect():
    """Else a type checker that finds Any everywhere would be content."""
    texts = [path.read_text(encoding="utf-8") for path in SCRIPTS]
    assert len(texts) >= 10
    assert all("assert_type(" in text for text in texts)
    assert sum("# type: ignore[" in text for text in texts) >= 5
