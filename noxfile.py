"""The checks as sessions; `nox` alone runs lint, types and tests."""

import os
import shutil
import subprocess
from pathlib import Path

import nox

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]

# The lowest that srcgrad takes, or the first with wheels for a newer Python.
LOWEST_NUMPY = {
    "3.10": "2.0",
    "3.11": "2.0",
    "3.12": "2.0",
    "3.13": "2.1",
    "3.14": "2.3",
}

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["lint", "types", "tests"]


@nox.session
def lint(session):
    """Check the format, the style and the spelling."""
    session.install("-e", ".[dev]")  # the pinned versions
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("codespell")


@nox.session
def types(session):
    """Check the types of the package, and those that users' scripts get of it."""
    session.install("-e", ".[dev]")
    session.run("mypy")
    session.run("pyright")


@nox.session(python=PYTHONS)
@nox.parametrize("numpy", ["lowest", "newest"])
def tests(session, numpy):
    """Run the tests, on the lowest and on the newest NumPy."""
    wanted = (
        "numpy" if numpy == "newest" else f"numpy=={LOWEST_NUMPY[session.python]}.*"
    )
    session.install("-e", ".[test]", wanted)
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def coverage(session):
    """Run the tests, and fail where too few lines of the package ran."""
    session.install("-e", ".[dev]")
    session.run("pytest", "-n", "auto", "--cov", "--cov-report=term", *session.posargs)


@nox.session
def browser(session):
    """Open reports in a browser; needs Chromium, which this does not install."""
    session.install("-e", ".[browser,test]")
    session.run("pytest", "-rs", "tests/tracing/report", *session.posargs)


@nox.session
def docs(session):
    """Build the site into build/docs: all examples run, and warnings are errors."""
    session.install("-e", ".[docs]")
    for written in ("build/docs", "docs/gallery", "docs/reference/generated"):
        shutil.rmtree(written, ignore_errors=True)
    session.run("sphinx-build", "-W", "--keep-going", "docs", "build/docs")


@nox.session
def wheel(session):
    """Build the sdist and the wheel of it; install and run each on every Python."""
    session.install("build", "cffconvert", "check-wheel-contents", "twine")
    session.run("cffconvert", "--validate")
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build")  # the wheel from the sdist: it holds all
    archives = sorted(map(str, Path("dist").resolve().iterdir()))
    session.run("twine", "check", "--strict", *archives)
    session.run("check-wheel-contents", "dist")
    missing = []
    for python in PYTHONS:
        if not is_there(f"python{python}"):
            missing.append(python)
            continue
        for archive in archives:
            run_installed(session, python, archive)
    if missing:
        message = f"not run on Python {', '.join(missing)}: not on this machine"
        (session.error if os.environ.get("CI") else session.warn)(message)


def is_there(python):
    """Whether it runs: a shim of pyenv's may have nothing behind it."""
    if not shutil.which(python):
        return False
    return subprocess.run([python, "--version"], capture_output=True).returncode == 0


def run_installed(session, python, archive):
    """Run tests/smoke.py on what pip makes of an archive, in a fresh environment.

    With `-I`, Python sees neither the checkout nor the folder of the script.
    """
    folder = Path(session.create_tmp(), "installed").resolve()
    session.run(f"python{python}", "-m", "venv", "--clear", str(folder), external=True)
    inside = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")

    def run(*args, **options):
        session.run(inside, *args, external=True, **options)

    run("-m", "pip", "install", "-q", archive)
    run("-I", "tests/smoke.py")
    # SciPy 1.17 needs Python 3.11: on 3.10 pip says so, and installs nothing.
    has_scipy = python != "3.10"
    codes = [0] if has_scipy else [1]
    run("-m", "pip", "install", "-q", f"{archive}[scipy]", success_codes=codes)
    if has_scipy:
        run("-I", "tests/smoke.py", "scipy")


@nox.session
def bench(session):
    """Measure, and fail where a budget is exceeded."""
    session.install("-e", ".[bench,dask]")
    for script in (
        "bench_import",
        "bench_operator",
        "bench_network",
        "bench_compile",
        "bench_cliffs",
        "bench_scalars",
        "bench_loops",
        "bench_transforms",
        "bench_environment",
        "bench_dask",
        "bench_peers",
    ):
        session.run("python", f"benchmarks/{script}.py", "--check")


@nox.session
def native(session):
    """Run the programs of the tests as machine code, which takes an hour."""
    session.install("-e", ".[native,test]")
    tests = "tests/native", "tests/test_corpus.py", "tests/test_scientific_programs.py"
    given = {"SRCGRAD_NATIVE": "now", "SRCGRAD_CACHE_DIR": session.create_tmp()}
    session.run("pytest", "-n", "auto", *tests, *session.posargs, env=given)


@nox.session
def deep(session):
    """Run the generators of programs for far longer than CI does."""
    session.install("-e", ".[test]")
    options = "-n auto --deep 100 --timeout 7200 -m".split()
    taken = "seeds or hypothesis or deep or one_in"
    session.run("pytest", *options, taken, *session.posargs)
