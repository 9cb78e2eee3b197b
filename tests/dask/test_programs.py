"""What travels: source, and functions with their files."""

import linecache
import pickle
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest

import srcgrad
from srcgrad.dask.programs import (
    Missed,
    Program,
    pickled,
    received,
    sources_of,
    unpickled,
)
from srcgrad.tracing.export.carried import Carried
from tests.dask.losses import X, square
from tests.telling import in_full

w = np.ones(3)


def module_for(*args, loss=square):
    return Carried(srcgrad.value_and_grad(loss), args).exported


def test_the_first_module_that_takes_a_call_serves_it():
    program = Program((module_for(w, X[:9]), module_for(w, X[:7])))
    run = received(program.pickled())
    for rows in (9, 7):
        value, gradient = run(w, X[:rows])
        expected = srcgrad.value_and_grad(square)(w, X[:rows])
        assert value == pytest.approx(expected[0], rel=1e-14)
        np.testing.assert_allclose(gradient, expected[1], rtol=1e-14)
    with pytest.raises(Missed) as caught:
        run(w.astype(np.float32), X[:9])
    assert "must be an array of float64" in str(caught.value.__cause__)


def test_large_constants_come_along():
    large = np.linspace(0.0, 1.0, 1000)
    module = module_for(w, X, loss=lambda w, x: np.sum(x @ w) * np.sum(large * w[0]))
    assert module.data
    run = received(Program((module,)).pickled())
    expected = np.sum(X @ w) * np.sum(large)
    assert run(w, X)[0] == pytest.approx(expected, rel=1e-13)


def test_what_no_module_takes_the_function_does():
    program = Program((module_for(w, X),), srcgrad.value_and_grad(square))
    assert received(program.pickled())(w[:2], X[:, :2])[1].shape == (2,)


def test_a_program_is_made_once():
    program = Program((module_for(w, X),)).pickled()
    assert received(program) is received(bytes(bytearray(program)))


def test_functions_keep_their_files():
    function = pickle.loads(pickled(lambda x: x / 0))
    try:
        function(1)
    except ZeroDivisionError as error:
        text = "".join(traceback.format_exception(error))
    assert "lambda x: x / 0" in text


SCRIPT = """
import sys
import numpy as np
import srcgrad
from srcgrad.dask.programs import Program, sources_of

scale = 2.0

def helper(z):
    return np.array([z, scale * z])  # what only a followed copy can do

def loss(w):
    return np.sum(helper(w[0]))

gradient = srcgrad.grad(loss)
program = Program((), gradient, sources_of(gradient)).pickled()
assert program == Program((), gradient, sources_of(gradient)).pickled()
sys.stdout.buffer.write(program)
"""


def test_the_source_of_a_script_that_is_not_here(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, check=True)
    path.unlink()
    linecache.checkcache()
    gradient = received(done.stdout)
    assert gradient(np.ones(2)).tolist() == [3.0, 0.0]
    assert "return np.array([z, scale * z])" in "".join(linecache.getlines(str(path)))


def test_a_module_that_is_not_here():
    gone = b"cnot_installed_anywhere\nfunction\n."
    with pytest.raises(ModuleNotFoundError) as caught:
        unpickled(gone)
    assert "client.upload_file" in in_full(caught.value)


def test_sources_are_those_of_functions_that_are_called():
    def unknown():
        return later()

    files = sources_of(srcgrad.grad(lambda w: square(w, X) + unknown()))
    assert {name.rpartition("/")[2] for name in files} == {
        "test_programs.py",
        "losses.py",
    }

    def later():
        return 1.0
