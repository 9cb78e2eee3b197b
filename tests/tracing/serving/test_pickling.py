"""What is found by its name is pickled by that; what is not, with its parts."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import srcgrad

SCRIPT = """
import sys
import cloudpickle
import numpy as np
import srcgrad

@srcgrad.trace
def squares(x):
    return np.sum(x**2)

@srcgrad.custom_vjp
def cubes(x):
    return np.sum(x**3)

cubes.defvjp(lambda x: (np.sum(x**3), x), lambda x, g: (7.0 * g * x,))

class Model:
    @srcgrad.trace
    def double(self, x):
        return 2.0 * x

made = [squares, srcgrad.grad(squares), srcgrad.grad(cubes), Model().double]
sys.stdout.buffer.write(cloudpickle.dumps(made))
"""


def test_what_a_script_has_decorated_goes_to_processes_without_its_names():
    pytest.importorskip("cloudpickle")
    script = [sys.executable, "-c", SCRIPT]
    found = pickle.loads(subprocess.run(script, capture_output=True, check=True).stdout)
    x = np.array([1.0, 2.0])
    for function, expected in zip(found, (5.0, 2 * x, 7 * x, 2 * x), strict=True):
        np.testing.assert_allclose(function(x), expected)


def cubed(x):
    return x**3


def test_what_is_made_of_a_function_that_has_its_name_has_that_function():
    traced = srcgrad.trace(cubed, verify=True)
    again = pickle.loads(pickle.dumps(traced))
    assert again is not traced
    assert again.__wrapped__ is cubed
    assert again(2.0) == 8.0
