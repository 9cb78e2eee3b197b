"""Some exported modules, kept as text and read like code: ``--update-golden``."""

import re

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.export import exported_programs as programs

ONE, SQUARE, ROWS = np.ones(5), np.ones((3, 3)), np.ones((30, 3))
PARAMS = {"W": np.ones((4, 3)), "b": (np.ones(3), 0.5)}
WEIGHTS = Variable(np.ones((4, 3)), requires_grad=True)
MODEL = programs.Model(np.ones((4, 3)), np.ones(3))

# What is exported, and the arguments.
EXPORTED = {
    "net": (srcgrad.trace(programs.net), (WEIGHTS, np.ones(3), np.ones((6, 4)))),
    "layer": (srcgrad.trace(programs.layer), (WEIGHTS, np.ones((6, 4)))),
    "rnn": (srcgrad.grad(programs.rnn), (SQUARE, ROWS)),
    "of_tree": (srcgrad.value_and_grad(programs.of_tree), (PARAMS, np.ones((6, 4)))),
    "of_model": (srcgrad.grad(programs.of_model, 1), (MODEL, np.ones((6, 4)))),
    "guarded": (srcgrad.grad(programs.guarded), (ONE,)),
    "large_global": (srcgrad.hessian(programs.large_global), (np.ones(200),)),
    "indexes": (srcgrad.grad(programs.indexes), (ONE, np.array([0, 2, 2]))),
}


@pytest.mark.parametrize("name", EXPORTED)
def test_exported_module(name, golden, tmp_path):
    function, args = EXPORTED[name]
    path = tmp_path / f"{name}_exported.py"
    function.export(path, *args)
    start = getattr(programs, name).__code__.co_firstlineno
    golden(
        f"exported_{name}.py",
        re.sub(
            r"exported_programs\.py:(\d+)",
            lambda found: f"exported_programs.py:{int(found[1]) - start + 1}",
            path.read_text(),
        ),
    )
