"""What is set before srcgrad is loaded, and tests that an older SciPy leaves out."""

import doctest
import gc
import os
import traceback
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace

# The form of a graph is checked after every pass; asked for before srcgrad reads it.
os.environ.setdefault("SRCGRAD_DEBUG", "1")

# Threads for matrices of three rows wait for each other a hundred times as long as they
# compute, where each core has a process that tests. Read when NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from srcgrad.rules.libraries import is_known_version

try:
    has_scipy = is_known_version(version("scipy"))
except PackageNotFoundError:
    has_scipy = False

OF_SCIPY = [
    *("srcgrad/rules/scipy", "srcgrad/rules/libraries.py", "srcgrad/scipy"),
    *("tests/rules/scipy", "tests/rules/test_libraries.py", "tests/scipy"),
    *("docs/scipy.md", "tests/test_coverage_scipy.py"),
    *(
        "srcgrad/functional/sparse_jacobians.py",
        "tests/functional/test_sparse_jacobians.py",
    ),
    *("docs/vmap.md", "tests/test_guides.py"),
    *("tests/test_scientific_programs*.py", "tests/test_generated_solvers.py"),
    *("tests/samples/scipy", "tests/tracing/algorithms"),
    *("docs/optimize.md", "tests/functional/test_functional_optimizers.py"),
    "tests/tracing/arrays/test_replacements_of_methods.py",
    "tests/tracing/capture/test_reads_sparse.py",
    "tests/tape/test_anomalies_in_scipy.py",
    "tests/tracing/capture/test_computing.py",
    "tests/tracing/environment/test_environment_matrix.py",
    "tests/rules/test_reflections.py",
]
# Copies of the gallery's scripts, where the site was built.
collect_ignore_glob = ["docs/gallery/*", *([] if has_scipy else OF_SCIPY)]


def sentence_of(*error):
    """What a doctest says of an error: its own first line, and none of its notes.

    Python's doctest compares the last note, or all, or in 3.10 has none, by version.
    """
    return [traceback.format_exception_only(*error)[0].partition("\n")[0] + "\n"]


doctest.traceback = SimpleNamespace(  # what it uses of that module
    **{**vars(traceback), "format_exception_only": sentence_of}
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: looking through it for garbage takes long each time.

    And so does looking through what the library remembers (``tests/conftest.py``).
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(700, 10, 200)
    gc.enable()
