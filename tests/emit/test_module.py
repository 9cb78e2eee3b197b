"""Generated functions run, and their lines can be seen for as long as they may run."""

import gc
import inspect
import linecache
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

from srcgrad.emit import build
from srcgrad.emit.module import load
from srcgrad.graph import Graph, Partition
from tests.emit.graphs import array, line, network, node


def test_forward_and_backward_compute():
    rng = np.random.default_rng(0)
    module = build("loss", network())
    W, b, x, y = (rng.normal(size=shape) for shape in [(4, 3), 3, (32, 4), (32, 3)])
    out, saved = module.forward(W, b, x, y)
    h = np.tanh(x @ W + b)
    np.testing.assert_allclose(out, np.mean((h - y) ** 2))
    dW, db = module.backward(saved, 1.0)
    dz = 2.0 * (h - y) / 96 * (1.0 - h**2)
    np.testing.assert_allclose(dW, x.T @ dz)
    np.testing.assert_allclose(db, dz.sum(axis=0))


def test_without_a_backward_graph_only_the_result_is_returned():
    forward = network().forward
    module = build("loss", Partition(forward))
    assert module.backward is None
    assert np.shape(module.forward(*(np.ones(v.shape) for v in forward.inputs))) == ()


def test_a_traceback_shows_the_generated_line():
    module = build("loss", network())
    linecache.checkcache()
    with pytest.raises(ValueError, match="matmul") as error:
        module.forward(np.ones((5, 3)), 0.0, np.ones((32, 4)), 0.0)
    shown = "".join(traceback.format_exception(error.value))
    assert f'File "{module.filename}", line 6, in forward' in shown
    assert "    h = np.tanh(x @ W + b)\n" in shown


# In a process of its own: a debugger takes the trace function away from others.
STEPPED = """
import pdb, sys
import numpy as np
from srcgrad.emit import build
from tests.emit.graphs import network

module = build("loss", network())
debugger = pdb.Pdb(nosigint=True, readrc=False)
debugger.runcall(module.forward, np.ones((4, 3)), 0.0, np.ones((32, 4)), 0.0)
"""


def test_a_debugger_shows_the_generated_lines(pytestconfig):
    commands = "step\nnext\np W.shape\ncontinue\n"
    done = subprocess.run(
        [sys.executable, "-c", STEPPED],
        input=commands,
        capture_output=True,
        text=True,
        check=True,
        cwd=pytestconfig.rootpath,
        env={**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)},
    )
    assert "-> h = np.tanh(x @ W + b)" in done.stdout
    assert "(4, 3)" in done.stdout


def test_inspect_finds_the_source():
    module = build("loss", network())
    assert inspect.getsource(module.forward).startswith("def forward(W, b, x, y):\n")


def test_every_module_has_a_file_name_of_its_own():
    first, second = (build("loss", network()) for _ in range(2))
    assert first.text == second.text
    assert first.filename != second.filename
    assert first.filename.startswith("<srcgrad loss #")


def test_the_lines_go_with_the_last_code_that_may_run():
    gc.disable()  # reference counting has to do
    try:
        module = build("loss", network())
        filename, backward = module.filename, module.backward
        del module
        assert filename in linecache.cache
        del backward
        assert filename not in linecache.cache
    finally:
        gc.enable()


def test_constants_are_found():
    assert load("def forward(x):\n    return x + C1\n", "c", {"C1": 2}).forward(1) == 3


def test_flags_of_this_package_do_not_reach_generated_code():
    module = load("def forward(x: int):\n    return x\n", "flags")
    assert module.forward.__annotations__ == {"x": int}


def test_a_long_graph_is_built_in_linear_time():
    x = h = array(3, name="x")
    nodes = []
    for i in range(20_000 // 4):
        where = line(i % 10, "h = np.tanh(h * h + 1.0)")
        hh, plus, following = array(3), array(3), array(3, name="h")
        other = array(3, name="unused")
        nodes += [
            node(np.multiply, h, h, out=hh, where=where),
            node(np.add, hh, 1.0, out=plus, where=where),
            node(np.tanh, plus, out=following, where=where),
            node(np.exp, following, out=other, where=where),
        ]
        h = following
    module = build("unrolled", Partition(Graph((x,), tuple(nodes), (h,))))
    assert module.text.count("\n") > 10_000
    expected = np.ones(3)
    for _ in range(20_000 // 4):
        expected = np.tanh(expected * expected + 1.0)
    np.testing.assert_array_equal(module.forward(np.ones(3)), expected)
