"""The generated modules of some programs, kept as text and read like code.

pytest tests/test_golden.py --update-golden
"""

import re
import subprocess
import sys

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.jvp import Jvp
from srcgrad.tracing.runs import rolled_runs
from srcgrad.transforms.loops import rolling
from tests import branch_programs, loop_programs
from tests.calls import CALLS, arguments, as_variables
from tests.programs import PROGRAMS

NAMES = (
    "mlp",
    "cross_entropy",
    "layer_norm",
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

# Of the programs full of loops, by the same.
LOOPS = ("rosenbrock_loop", "preallocated", "two_layers", "roots")

# Those of gradient transforms, which start from one.
TRANSFORMED = ("mlp",)


def module_of(name):
    """The source of a first call with Variables; the program's lines count from 1."""
    program = PROGRAMS[name]
    traced = srcgrad.trace(program.function)
    args, kwargs = as_variables(arguments(program, CALLS["first"]))
    traced(*args, **kwargs)
    return lines_from_1(program, traced.source())


def lines_from_1(program, source):
    start = program.function.__code__.co_firstlineno
    return re.sub(
        r"programs\.py:(\d+)",
        lambda match: f"programs.py:{int(match[1]) - start + 1}",
        source,
    )


def module_of_transform(name):
    """The same of a call of ``value_and_grad`` by all arrays of floats."""
    program = PROGRAMS[name]
    traced = srcgrad.trace(program.function)
    args, kwargs = arguments(program, CALLS["first"])
    argnums = [
        i for i, arg in enumerate(args) if getattr(arg, "dtype", None) == np.float64
    ]
    srcgrad.value_and_grad(traced, argnums)(*args, **kwargs)
    return lines_from_1(program, traced.source())


@pytest.mark.parametrize("name", LOOPS)
def test_generated_loops(name, golden, monkeypatch):
    monkeypatch.setattr(rolling, "SHORTEST", 0)
    monkeypatch.setattr(rolled_runs, "MOST_NUMBERS", 0)
    function, args = loop_programs.PROGRAMS[name]
    traced = srcgrad.trace(function)
    random = np.random.default_rng(1)
    traced(*[srcgrad.Variable(make(random), requires_grad=True) for make in args])
    start = function.__code__.co_firstlineno
    golden(
        f"{name}.py",
        re.sub(
            r"loop_programs\.py:(\d+)",
            lambda match: f"loop_programs.py:{int(match[1]) - start + 1}",
            traced.source(),
        ),
    )


@pytest.mark.parametrize("name", branch_programs.PROGRAMS)
def test_generated_branches(name, golden):
    function = branch_programs.PROGRAMS[name]
    ours = srcgrad.value_and_grad(srcgrad.trace(function))
    ours(*branch_programs.arguments(name))
    start = function.__code__.co_firstlineno
    golden(
        f"{name}.py",
        re.sub(
            r"branch_programs\.py:(\d+)",
            lambda match: f"branch_programs.py:{int(match[1]) - start + 1}",
            srcgrad.source(ours),
        ),
    )


def module_of_direct(transform, name):
    """The same of a derivative in a direction, by the arrays of floats."""
    program = PROGRAMS[name]
    args, _ = arguments(program, CALLS["first"])
    by = [i for i, arg in enumerate(args) if getattr(arg, "dtype", None) == np.float64]
    traced = srcgrad.trace(program.function)
    transform(traced, args, by)
    return lines_from_1(program, traced.source())


def jvp(traced, args, by):
    """By all arrays of floats; the others are where they are."""
    primals = tuple(args[i] for i in by)
    Jvp(traced, False, tuple(by))(args, primals)


def hvp(traced, args, by):
    srcgrad.hvp(traced, tuple(args), tuple(args))


def linearize(traced, args, by):
    srcgrad.linearize(traced, *args)


DIRECT = [
    (linearize, "softmax"),
    *((jvp, name) for name in ("mlp", "rnn")),
    *((hvp, name) for name in ("rosenbrock", "mlp")),
]


@pytest.mark.parametrize("name", NAMES)
def test_generated_module(name, golden):
    golden(f"{name}.py", module_of(name))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_generated_module_of_a_transform(name, golden):
    golden(f"value_and_grad_{name}.py", module_of_transform(name))


@pytest.mark.parametrize(("transform", "name"), DIRECT)
def test_generated_module_of_a_direction(transform, name, golden):
    golden(f"{transform.__name__}_{name}.py", module_of_direct(transform, name))


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
