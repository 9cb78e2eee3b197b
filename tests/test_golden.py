"""The generated modules of some programs, kept as text and read like code.

pytest tests/test_golden.py --update-golden
"""

import re
import subprocess
import sys

import pytest

import srcgrad
from tests.calls import CALLS, arguments, as_variables
from tests.programs import PROGRAMS

NAMES = (
    "mlp",
    "softmax",
    "log_sum_exp",
    "cross_entropy",
    "layer_norm",
    "attention",
    "attention_by_products",
    "rnn",
    "rosenbrock",
    "elements",
    "gaussian",
    "branch",
    "trust_region",
    "in_place_on_locals",
    "in_place_on_rows",
    "assigned_products",
    "numbers",
    "unpacked",
)


def module_of(name):
    """The source of a first call with Variables; the program's lines count from 1."""
    program = PROGRAMS[name]
    start = program.function.__code__.co_firstlineno
    traced = srcgrad.trace(program.function)
    args, kwargs = as_variables(arguments(program, CALLS["first"]))
    traced(*args, **kwargs)
    return re.sub(
        r"programs\.py:(\d+)",
        lambda match: f"programs.py:{int(match[1]) - start + 1}",
        traced.source(),
    )


@pytest.mark.parametrize("name", NAMES)
def test_generated_module(name, golden):
    golden(f"{name}.py", module_of(name))


def test_golden_files_are_clean(pytestconfig):
    """They pass the project's own linter and formatter, where these are installed."""
    pytest.importorskip("ruff")
    folder = pytestconfig.rootpath / "tests" / "golden"
    for command in (["format", "--check"], ["check"]):
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(folder)],
            check=True,
            cwd=pytestconfig.rootpath,
        )


def test_generated_code_is_the_same_each_time():
    for name in NAMES:
        assert module_of(name) == module_of(name)
