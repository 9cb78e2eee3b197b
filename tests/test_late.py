"""Names that are imported late, and chapters on libraries; by many threads at once."""

import subprocess
import sys
import threading
import time
import types

import pytest

from srcgrad.late import Chapters, LateNames
from tests.threads import run_in_threads


@pytest.fixture
def home(monkeypatch):
    """A module that defines two names."""
    module = types.ModuleType("home_of_names")
    module.first, module.second = object(), object()
    monkeypatch.setitem(sys.modules, "home_of_names", module)
    return module


@pytest.fixture
def library(monkeypatch):
    """A library that the program has imported."""
    module = types.ModuleType("a_library")
    monkeypatch.setitem(sys.modules, "a_library", module)
    return module


# ----- Names -----


def test_a_name_is_found_once(home):
    space = {"__name__": "asking"}
    late = LateNames(space, {"home_of_names": "first second"})
    found = late.find("first")
    assert found is home.first
    assert space["first"] is found
    assert "second" not in space
    home.first = None
    assert late.find("first") is found


def test_all_names_are_loaded_but_those_that_are_there(home):
    space = {"__name__": "asking", "first": "replaced"}
    LateNames(space, {"home_of_names": "first second"}).load()
    assert space["first"] == "replaced"
    assert space["second"] is home.second


def test_a_module_of_a_package_is_found():
    space = {"__name__": "asking"}
    found = LateNames(space, {"xml": "dom", "srcgrad.tracing.serving": "reports"}).find
    assert found("dom").__name__ == "xml.dom"
    assert found("reports").__name__ == "srcgrad.tracing.serving.reports"


def test_another_name_is_an_attribute_error_that_suggests(home):
    late = LateNames({"__name__": "home_of_names"}, {"home_of_names": "first"})
    with pytest.raises(
        AttributeError, match="module 'home_of_names' has no attribute 'firzt'"
    ) as raised:
        late.find("firzt")
    assert (raised.value.name, raised.value.obj) == ("firzt", home)


def test_a_name_whose_import_fails_may_be_asked_for_again(home):
    space = {"__name__": "asking"}
    late = LateNames(space, {"home_of_names": "first", "no_such_module": "third"})
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            late.find("third")
    assert late.find("first") is home.first


# ----- Chapters -----


def entering(chapters_of):
    """Chapters that note what is entered, and the list of that."""
    entered = []

    def enter(modules):
        entered.extend(modules)
        chapters_of(modules)

    return Chapters(enter), entered


def test_a_chapter_is_entered_once_its_library_is_there(monkeypatch, library):
    chapters, entered = entering(lambda modules: None)
    modules = ["not_there_yet", "a_library"]
    assert chapters.enter_new(modules)
    assert not chapters.enter_new(modules)
    monkeypatch.setitem(sys.modules, "not_there_yet", library)
    assert chapters.enter_new(modules)
    assert entered == ["a_library", "not_there_yet"]


def test_what_is_being_imported_or_is_said_to_be_missing_waits(monkeypatch, library):
    chapters, entered = entering(lambda modules: None)
    library.__spec__ = types.SimpleNamespace(_initializing=True)
    assert not chapters.enter_new(["a_library"])
    monkeypatch.setitem(sys.modules, "missing", None)
    assert not chapters.enter_new(["missing"])
    library.__spec__._initializing = False
    assert chapters.enter_new(["a_library"])
    assert entered == ["a_library"]


@pytest.mark.usefixtures("library")
def test_a_chapter_that_fails_fails_again():
    def fails(modules):
        raise ImportError("no chapter")

    chapters, entered = entering(fails)
    for _ in range(2):
        with pytest.raises(ImportError, match="no chapter"):
            chapters.enter_new(["a_library"])
    assert entered == ["a_library", "a_library"]


def test_a_chapter_may_ask_for_others(monkeypatch, library):
    def asks(modules):
        monkeypatch.setitem(sys.modules, "another", library)
        found.append(chapters.enter_new(["a_library"]))
        found.append("another" in modules or chapters.enter_new(["another"]))

    found = []
    chapters, entered = entering(asks)
    assert chapters.enter_new(["a_library"])
    assert entered == ["a_library", "another"]
    assert found == [False, False, True, True]


@pytest.mark.usefixtures("library")
def test_no_thread_goes_on_before_a_chapter_is_there():
    done = threading.Event()

    def slowly(modules):
        time.sleep(0.1)
        done.set()

    chapters, entered = entering(slowly)

    def ask(number):
        chapters.enter_new(["a_library"])
        assert done.is_set()

    run_in_threads(8, ask)
    assert entered == ["a_library"]


# A rule of SciPy's that many threads need at once for the first time.
RULE = """
import sys, threading
import numpy as np, srcgrad, scipy.special
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(6)
found = []
def work():
    x = srcgrad.Variable(np.ones(2), requires_grad=True)
    barrier.wait()
    scipy.special.gammaln(x).sum().backward()
    found.append(x.grad.data[0].round(6))
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(set(found) == {np.float64(-0.577216)}, len(found))
"""


def test_many_threads_may_need_the_same_rule_first():
    done = subprocess.run(
        [sys.executable, "-c", RULE], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "6"], done.stderr
