"""What all tests share: golden files, hypothesis profiles, and nothing left changed."""

import gc
import os
from collections import defaultdict
from pathlib import Path

import hypothesis
import pytest

from srcgrad import modes
from srcgrad.deadline import Deadline
from srcgrad.modes import REDEFINED
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES, TANGENTS
from srcgrad.tracing.capture import loop_nodes
from srcgrad.tracing.runs import rolled_runs
from srcgrad.tracing.serving.budget import Budget
from srcgrad.transforms.loops import rolling

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
MODES = ("grad_enabled", "recorder", "depth", "anomaly", "fast")

# So that a failed `assert` in these shows both sides, as in a test file.
for name in (
    *("rules.suite", "tracing.comparing", "tracing.walks", "inplace_programs"),
    "corpus.walks",
):
    pytest.register_assert_rewrite(f"tests.{name}")

# Generated modules are compared as text; they are not collected for doctests.
collect_ignore = ["golden"]

# CI tries the same examples each time; a developer's machine looks for new ones.
# Few; `nox -s deep` tries a hundred times as many.
FEW = {"deadline": None, "max_examples": 50}
hypothesis.settings.register_profile("dev", **FEW)
hypothesis.settings.register_profile("ci", **FEW, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the generated code that was seen as the code to expect",
    )
    parser.addoption(
        "--deep",
        type=int,
        default=1,
        metavar="N",
        help="try N times as many generated cases as CI does",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "seeds(count): run for each `seed` below that, or below N times that with "
        "--deep N; a seed stands for the same cases for ever",
    )
    config.addinivalue_line("markers", "deep: takes more cases with --deep N")
    config.addinivalue_line(
        "markers",
        "one_in(count): without --deep, of so many cases one: where the places of its "
        "parameters in their tables add up to a multiple",
    )
    if (deep := config.getoption("--deep")) > 1:
        examples = deep * hypothesis.settings().max_examples
        hypothesis.settings.register_profile("deep", max_examples=examples)
        hypothesis.settings.load_profile("deep")


def pytest_generate_tests(metafunc):
    for mark in metafunc.definition.iter_markers("seeds"):
        deep = metafunc.config.getoption("--deep")
        metafunc.parametrize("seed", range(deep * mark.args[0]))


def pytest_collection_modifyitems(config, items):
    if config.getoption("--deep") == 1:
        places = defaultdict(dict)
        taken = [item for item in items if is_in_turn(item, places)]
        config.hook.pytest_deselected(items=[*({*items} - {*taken})])
        items[:] = taken


def is_in_turn(item, places):
    """Whether CI takes it; ``places`` are those of the values of each parameter."""
    mark, total = item.get_closest_marker("one_in"), 0
    for name, value in item.callspec.params.items() if mark is not None else ():
        table = places[item.function, name]
        total += table.setdefault(id(value), len(table))
    return mark is None or total % mark.args[0] == 0


def mode_values():
    return {name: getattr(modes.state, name) for name in MODES}


@pytest.fixture(autouse=True)
def _modes_are_restored():
    """Fail the test that leaves a mode changed, and put it back for the next."""
    before = mode_values()
    yield
    after = mode_values()
    for name, value in before.items():
        setattr(modes.state, name, value)
    assert after == before, "the test left a mode changed"


@pytest.fixture(autouse=True, scope="module")
def _what_stays_is_no_garbage():
    """Let the collector leave alone what the tests of a file have left for good."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _no_time_passes():
    """Let tracing be free, so that no test depends on how long something takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Budget, "clock", staticmethod(lambda: 0.0))
        patch.setattr(Deadline, "clock", staticmethod(lambda: 0.0))
        yield


@pytest.fixture
def rules_are_restored():
    """Take back the rules that the test has given to functions of its own."""
    tables = PRIMITIVES, COMPOSITIONS, TANGENTS
    before = [table.copy() for table in tables]
    yield
    for table, own in zip(tables, before, strict=True):
        table.clear()
        table.update(own)
    REDEFINED.clear()


@pytest.fixture
def golden(request):
    """Compare a text with a file of tests/golden, or write it with --update-golden."""

    def check(name, text):
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no {path.name} yet: run pytest --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def regions(monkeypatch):
    """Loops are recorded as nodes, however few steps there are."""
    monkeypatch.setattr(loop_nodes, "SHORTEST", 0)
    monkeypatch.setattr(loop_nodes, "OF_NUMBERS", 0)


@pytest.fixture
def short_loops_too(monkeypatch):
    """Loops are rolled, however few steps there are."""
    monkeypatch.setattr(rolling, "SHORTEST", 0)
    monkeypatch.setattr(rolled_runs, "MOST_NUMBERS", 0)
