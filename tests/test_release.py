"""What a release is made of: metadata that agrees, and workflows that can run."""

import ast
import re
from itertools import product
from pathlib import Path

import pytest
import yaml

import srcgrad

try:
    import tomllib
except ModuleNotFoundError:  # on Python 3.10, where pytest needs it
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PROJECT["project"]


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


WORKFLOWS = {p.name: read(p) for p in sorted(ROOT.glob(".github/workflows/*.yml"))}
JOBS = [
    pytest.param(workflow, job, id=f"{name}:{key}")
    for name, workflow in WORKFLOWS.items()
    for key, job in workflow["jobs"].items()
]


# ----- The sessions of nox -----
NOXFILE = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))


def pythons():
    (found,) = (
        ast.literal_eval(node.value)
        for node in NOXFILE.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PYTHONS"
    )
    return found


def sessions():
    """As `nox --list` names them, and each once for all Pythons."""
    for node in NOXFILE.body:
        marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
        if any(mark.startswith("nox.session") for mark in marks):
            yield node.name
            if "nox.session(python=PYTHONS)" in marks:
                yield from (f"{node.name}-{python}" for python in pythons())


def asked_for(job):
    """The sessions that a job runs, for each row of its matrix."""
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    rows = matrix.pop("include", [])
    rows += [dict(zip(matrix, row, strict=True)) for row in product(*matrix.values())]
    for step in job["steps"]:
        if command := re.search(r"\bnox -s (.*)", step.get("run", "")):
            for row in rows:
                filled = re.sub(
                    r"\$\{\{ matrix\.(\w+) \}\}",
                    lambda found, row=row: row[found[1]],
                    command[1],
                )
                yield from filled.split()


@pytest.mark.parametrize(("workflow", "job"), JOBS)
def test_a_job_runs_sessions_that_exist(workflow, job):
    assert set(asked_for(job)) <= set(sessions())


def test_workflows_run_what_contributors_run():
    run = {
        s for w in WORKFLOWS.values() for j in w["jobs"].values() for s in asked_for(j)
    }
    every_python = {f"tests-{python}" for python in pythons()}
    assert run == {*sessions(), *every_python} - {"tests"}


@pytest.mark.parametrize(("workflow", "job"), JOBS)
def test_a_job_has_what_it_needs(workflow, job):
    assert workflow["permissions"] == {"contents": "read"}
    needed = job.get("needs", [])
    assert {needed} if isinstance(needed, str) else {*needed} <= {*workflow["jobs"]}
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "uses" not in step or re.fullmatch(
            r"[\w-]+/[\w-]+@[\w./]+", step["uses"]
        )


def test_only_what_publishes_may_ask_for_a_token():
    jobs = [j for w in WORKFLOWS.values() for j in w["jobs"].values()]
    (publishing,) = (j for j in jobs if "permissions" in j)
    assert publishing["permissions"] == {"id-token": "write"}
    assert publishing["steps"][-1]["uses"].startswith("pypa/gh-action-pypi-publish@")


# ----- Metadata -----
def test_the_pythons_of_the_metadata_are_those_that_are_tested():
    classifiers = METADATA["classifiers"]
    head = "Programming Language :: Python :: 3."
    assert [c.removeprefix(head) for c in classifiers if c.startswith(head)] == [
        python.removeprefix("3.") for python in pythons()
    ]
    assert METADATA["requires-python"] == f">={pythons()[0]}"


def test_the_citation_is_of_this_version():
    citation = read("CITATION.cff")
    assert citation["version"] == srcgrad.__version__
    assert citation["license"] == METADATA["license"]
    urls = METADATA["urls"]
    assert citation["repository-code"] == urls["Homepage"]
    assert citation["url"] == urls["Documentation"]


def test_urls_are_those_of_the_metadata():
    """All that are ours: in pages for people, and in forms."""
    known = METADATA["urls"]["Homepage"], METADATA["urls"]["Documentation"]
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob(".github/**/*.*"),
    ]
    texts = [path.read_text(encoding="utf-8") for path in pages if path.is_file()]
    found = {
        url
        for text in [*texts, *METADATA["urls"].values()]
        for url in re.findall(r"https://[\w./-]*srcgrad[\w./-]*", text)
    }
    assert [url for url in found if not url.startswith(known + OF_PYPI)] == []


OF_PYPI = ("https://pypi.org/p/srcgrad",)


def test_extras_promise_the_same_on_every_python():
    """One that installs nothing on some Python would not say so: pip is to fail."""
    extras = METADATA["optional-dependencies"]
    of_users = set(extras) - {"test"}
    assert [line for name in of_users for line in extras[name] if ";" in line] == []


def test_the_sdist_names_what_is_there():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [p for p in included if not [*ROOT.glob(p.removeprefix("/"))]] == []


def test_issue_forms_ask_what_they_can_be_answered():
    forms = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))
    for path in forms:
        form = read(path)
        if path.stem == "config":
            assert form["contact_links"]
            continue
        assert {"name", "description", "body"} <= set(form)
        names = [part["id"] for part in form["body"]]
        assert len(names) == len(set(names)) > 0
        assert all(part["attributes"]["label"] for part in form["body"])
