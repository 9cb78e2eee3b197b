"""A debugger steps into the user's function and generated code, past srcgrad's own."""

import os
import pdb
import subprocess
import sys
from pathlib import Path

import pytest

from srcgrad import debugging

ROOT = Path(__file__).parents[1]
PROGRAM = """
import numpy as np, srcgrad

@srcgrad.trace
def loss(w, x):
    h = np.tanh(w * x)
    return np.sum(h)

w = srcgrad.Variable(np.ones(3), requires_grad=True)
for _ in range(CALLS):
    loss(w, 2.0).backward()

def main():
    breakpoint()
    out = loss(w, 2.0)
    out.backward()
    return "the end"

main()
"""
HOOK = {"PYTHONBREAKPOINT": "srcgrad.debugging.set_trace"}
PDBRC = "import srcgrad.debugging; srcgrad.debugging.skip()\n"


# From then on ``breakpoint()`` stops at its own line, not at the next one.
TO_THE_CALL = ["n"] if sys.version_info >= (3, 13) else []


def session(tmp_path, commands, calls=3, environment=HOOK, program=PROGRAM):
    """The lines that a session of ``pdb`` comes by, as it is driven by commands."""
    path = tmp_path / "program.py"
    path.write_text(program.replace("CALLS", str(calls)))
    found = subprocess.run(
        [sys.executable, str(path)],
        input="\n".join([*commands, "c", "c", ""]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            **environment,
        },
        check=True,
    )
    lines = found.stdout.splitlines()
    return [
        f"{line.rpartition('/')[2].removeprefix('(Pdb) ').removeprefix('> ')}"
        for line in lines
        if line.removeprefix("(Pdb) ").startswith("> ")
    ]


def functions(places):
    """The names in ``file.py(12)name()->value``."""
    return [place.partition(")")[2].partition("(")[0] for place in places]


def test_the_first_step_is_into_generated_code(tmp_path):
    places = session(tmp_path, [*TO_THE_CALL, *"sssssnnsss"])
    places = places[len(TO_THE_CALL) :]
    names = functions(places)
    assert names[:2] == ["main", "forward"]
    assert places[1].startswith("<srcgrad loss #1>")
    assert "backward" in names
    assert set(names) <= {"main", "forward", "backward"}


def test_the_first_step_of_a_first_call_is_into_the_users_function(tmp_path):
    places = session(tmp_path, [*TO_THE_CALL, *"ssss"], calls=0)
    places = places[len(TO_THE_CALL) :]
    assert functions(places)[:4] == ["main", "loss", "loss", "loss"]
    assert places[1].startswith("program.py(5)")


def test_breakpoints_hold_in_generated_code(tmp_path):
    places = session(tmp_path, [*TO_THE_CALL, "s", "s", "b 12", "c"])
    assert any(place.startswith("<srcgrad loss #1>(12)forward") for place in places)


def test_breakpoints_hold_in_srcgrad_and_next_stays_there(tmp_path):
    there = "srcgrad.tape.variable.accumulate"
    places = session(tmp_path, ["import srcgrad.tape.variable", f"b {there}", "c", "n"])
    names = functions(places)
    assert names == ["main", "accumulate", "accumulate"]


def test_a_line_in_pdbrc_does_it_for_every_debugger(tmp_path):
    (tmp_path / ".pdbrc").write_text(PDBRC)
    places = session(
        tmp_path, [*TO_THE_CALL, "s"], environment={"PYTHONBREAKPOINT": ""}
    )
    assert functions(places)[len(TO_THE_CALL) :][:2] == ["main", "forward"]


def test_without_it_steps_go_through_srcgrad(tmp_path):
    places = session(
        tmp_path, [*TO_THE_CALL, "s"], environment={"PYTHONBREAKPOINT": ""}
    )
    assert functions(places)[len(TO_THE_CALL) :][:2] == ["main", "__call__"]


def test_a_traced_function_stops_at_each_call(tmp_path):
    program = PROGRAM.replace("    h =", "    breakpoint()\n    h =")
    places = session(tmp_path, ["c"] * 5, calls=2, program=program)
    assert functions(places)[:3] == ["loss", "loss", "main"]


def test_set_trace_in_a_traced_function_stops_at_each_call(tmp_path):
    program = PROGRAM.replace("breakpoint()", "pass").replace(
        "    h =", "    srcgrad.debugging.set_trace(header='here')\n    h ="
    )
    program = program.replace("import numpy", "import srcgrad.debugging, numpy")
    places = session(tmp_path, ["c"] * 5, calls=2, program=program)
    assert functions(places) == ["loss"] * 3


def test_what_is_stepped_past_is_asked_of_a_given_debugger():
    debugger = pdb.Pdb()
    debugger.reset()
    debugging.skip(debugger)
    assert debugger.stop_here(sys._getframe())

    def inside():
        return sys._getframe()

    filename = str(ROOT / "srcgrad" / "made_up.py")
    inside.__code__ = inside.__code__.replace(co_filename=filename)
    assert not debugger.stop_here(inside())


def test_without_a_debugger_there_is_nothing_to_tell():
    with pytest.raises(RuntimeError, match="no debugger runs"):
        debugging.skip()
