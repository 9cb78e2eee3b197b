"""The package: what it offers, and what it says without Dask."""

import subprocess
import sys
from pathlib import Path

import srcgrad
import srcgrad.dask

ROOT = Path(__file__).parents[2]

WITHOUT_DASK = """
import sys
import srcgrad
srcgrad.grad(lambda x: x * x)(1.0)
assert not {"dask", "distributed"} & set(sys.modules)
sys.modules["distributed"] = None  # as if it were not installed
try:
    import srcgrad.dask
except ImportError as error:
    print(error, error.name)
"""


def test_its_names():
    assert sorted(srcgrad.dask.__all__) == srcgrad.dask.__all__
    for name in srcgrad.dask.__all__:
        assert getattr(srcgrad.dask, name).__doc__


def test_without_dask_it_says_what_to_install():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DASK], capture_output=True, text=True, cwd=ROOT
    )
    assert "pip install 'srcgrad[dask]' distributed" in done.stdout, done.stderr
