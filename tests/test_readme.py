"""The README tells the truth: its generated code, and its commands."""

import ast
import doctest
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BEGIN, END = "<!-- generated: begin -->\n```python\n", "```\n<!-- generated: end -->"


def generated_backward(directory):
    """Run the README's example as loss.py; return the backward half of its source."""
    text = README.read_text(encoding="utf-8").partition(BEGIN)[0]
    script = directory / "loss.py"
    examples = doctest.DocTestParser().get_examples(text)
    script.write_text("".join(example.source for example in examples))
    source = runpy.run_path(str(script))["loss"].source()

    functions = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    (backward,) = (node for node in functions if node.name.startswith("backward"))
    lines = source.splitlines()[backward.lineno - 1 : backward.end_lineno]
    return "\n".join(lines) + "\n"


def test_generated_block_is_what_is_printed(tmp_path, request):
    expected = generated_backward(tmp_path)
    text = README.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    shown, end, tail = rest.partition(END)
    assert begin
    assert end
    if request.config.getoption("--update-golden"):
        README.write_text(head + begin + expected + end + tail, encoding="utf-8")
        shown = expected
    assert shown == expected, "run pytest --update-golden"


def commands():
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def test_each_command_sets_itself_up():
    run, test = commands()
    for command in (run, test):
        assert command.startswith("python3 -m venv .venv && ")
        assert "pip install" in command
    assert run.endswith("examples/digits.py")
    assert "-m pytest" in test


@pytest.mark.skipif(shutil.which("bash") is None, reason="CI is a bash script")
def test_ci_runs_the_test_command(tmp_path):
    shown = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), "--show"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert shown.stdout.strip() == commands()[1]
