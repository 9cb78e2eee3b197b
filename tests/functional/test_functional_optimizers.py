"""The spellings of ``scipy.optimize``, as docs/optimize.md lists them: each works."""

import re
from functools import partial  # noqa: F401  (in the rows)
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

import srcgrad  # noqa: F401  (in the rows)

PAGE = Path(__file__).parents[2] / "docs" / "optimize.md"
ROWS = re.findall(r"^\| [^|]+ \| `(\w+\(.*\))` \|$", PAGE.read_text("utf-8"), re.M)


def f(x, data):
    curved = np.sum(10.0 * (x[1:] - x[:-1] ** 2) ** 2)
    return curved + np.sum((x - data) ** 2)


def g(z):
    return np.array([z[0] ** 2 + z[1] ** 2 - 2.0, z[0] - z[1]])


def h(s):
    return s**3 - 1.0


def c(x):
    return x[1:] * x[:-1]


def model(t, w, b):
    return np.tanh(w * t + b)


t = np.linspace(-1.0, 1.0, 9)
y = model(t, 2.0, -0.5)


def r(p):
    return model(t, *p) - y


data = np.ones(4)
x0 = np.array([0.5, 0.8, 0.6, 0.7])
p0 = [1.0, 0.0]
z0 = [1.5, 0.5]
box = [(0.0, 2.0)] * 4
SPACE = {**vars(optimize), **globals()}


def solution_of(found):
    """The point, of whatever SciPy's functions return."""
    for name in ("x", "root"):
        found = getattr(found, name, found)
    return found[0] if isinstance(found, tuple) else found


def test_there_are_all_that_take_derivatives():
    named = {row.partition("(")[0] for row in ROWS}
    # As the ones beside them, and what compares with differences.
    others = {"fmin_cg", "fmin_tnc", "check_grad", "approx_fprime"}
    text = PAGE.read_text("utf-8")
    assert all(f"`{name}`" in text or f"`{name}(" in text for name in others)
    takes = re.compile(r"^ {4}(jac|fprime|Dfun|hess|hessp) : ", re.M)
    taking = {
        name
        for name in optimize.__all__
        if callable(item := getattr(optimize, name))
        and not isinstance(item, type)
        and takes.search(item.__doc__ or "")
    }
    assert taking <= named | others
    assert len(ROWS) >= 13


@pytest.mark.parametrize("row", ROWS)
def test_a_spelling_finds_the_solution(row):
    point = solution_of(eval(row, SPACE))
    expected = [2.0, -0.5] if "p0" in row else 1.0
    np.testing.assert_allclose(point, expected, atol=2e-4)
