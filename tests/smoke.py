"""What must work wherever srcgrad is installed: `nox -s wheel` runs it there.

python tests/smoke.py [scipy]
"""

import runpy
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import srcgrad

X = np.array([0.5, 1.5])


def loss(x):
    total = 0.0
    for row in x:
        total = total + np.tanh(row) ** 2
    return total


def run_on_the_tape():
    x = srcgrad.Variable(X, requires_grad=True)
    loss(x).backward()
    return x.grad.data


def run_traced():
    traced = srcgrad.trace(loss)
    for _ in range(2):
        x = srcgrad.Variable(X, requires_grad=True)
        traced(x).backward()
    assert traced.stats.compiled == 1, traced.explain()
    return x.grad.data


def run_exported():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exported.py")
        srcgrad.grad(loss).export(path, X)
        return runpy.run_path(str(path))["loss_grad"](X)


def run_scipy():
    import scipy.stats

    found = srcgrad.grad(lambda A: np.sum(scipy.linalg.expm(A) ** 2))(np.diag(X))
    np.testing.assert_allclose(np.diag(found), 2.0 * np.exp(2.0 * X))
    slopes = srcgrad.grad(lambda x: np.sum(scipy.stats.norm.logpdf(x)))(X)
    np.testing.assert_allclose(slopes, -X)


if __name__ == "__main__":
    folder = Path(srcgrad.__file__).parent
    assert folder.is_relative_to(sys.prefix), f"{folder} is not what was installed"
    assert (folder / "py.typed").exists()
    assert version("srcgrad") == srcgrad.__version__
    expected = 2.0 * np.tanh(X) / np.cosh(X) ** 2
    for run in (run_on_the_tape, run_traced, run_exported):
        np.testing.assert_allclose(run(), expected)
    if "scipy" in sys.argv:
        run_scipy()
    print(f"srcgrad {srcgrad.__version__} works on Python {sys.version.split()[0]}")
