"""The exceptions, and how a message finds the user's file and line."""

import ast
import linecache
import pickle
import re
import statistics
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad import errors
from srcgrad.errors import PACKAGE, describe, here, line_of, where_of
from tests.telling import in_full


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.InplaceError, RuntimeError),
        (errors.AnomalyError, RuntimeError),
        (errors.NoRuleError, NotImplementedError),
        (errors.DivergenceError, AssertionError),
        (errors.GradcheckError, AssertionError),
    ],
)
def test_except_clauses_of_numpy_and_pytorch_users_fit(error, expected):
    with pytest.raises(expected):
        raise error("reason")


# ----- Places -----


def in_the_package(source):
    """The functions of a source text that passes for a file of srcgrad."""
    filename = f"{PACKAGE}made_up.py"
    namespace = {"errors": errors}
    exec(compile(source, filename, "exec"), namespace)
    return namespace


def test_frames_of_the_package_are_skipped():
    functions = in_the_package(
        "def outer():\n    return inner()\n\n"
        "def inner():\n    return errors.here(1), errors.caller(1)\n"
    )
    where, frame = functions["outer"]()  # the user's line
    filename, line = line_of(where)
    assert filename == frame.f_code.co_filename == __file__
    assert linecache.getline(filename, line).strip().endswith("# the user's line")
    assert where[0] is frame.f_code


def test_a_place_is_described_with_its_line(tmp_path):
    path = tmp_path / "loss.py"
    path.write_text("first = 1\n    second = 2\n")
    assert describe(where_of(str(path), 2)) == f"{path}:2: second = 2"
    assert line_of(where_of(str(path), 2)) == (str(path), 2)
    assert describe(where_of("nowhere.py", 7)) == "nowhere.py:7"
    assert describe(None) == "<unknown place>"


class Compiler:
    """IPython's own, as far as it is asked: it names the files of cells."""

    @staticmethod
    def format_code_name(name):
        return ("Cell", "In[3]") if name == "/tmp/ipykernel_1/123.py" else None


def test_a_cell_of_a_notebook_has_its_number(monkeypatch):
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(compile=Compiler))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert describe(where_of("/tmp/ipykernel_1/123.py", 2)) == "In[3]:2"
    assert errors.short_name("/tmp/ipykernel_1/123.py") == "In[3]"
    assert errors.short_name("/tmp/loss.py") == "loss.py"
    ipython.get_ipython = lambda: None  # imported, and no shell runs
    assert errors.short_name("/tmp/ipykernel_1/123.py") == "123.py"


class Spy:
    """Notes of each ``+=`` and each store whether it was told for what it is."""

    def __init__(self):
        self.updates, self.stores = [], []

    def __iadd__(self, other):
        self.updates.append(errors.is_item_update(*here(2)))
        return self

    def __setitem__(self, index, value):
        self.stores.append(errors.stores_item(*here(2)))


def test_the_update_of_an_item_is_told_from_that_of_a_name():
    spy = Spy()
    rows = [spy]
    rows[0] += 1
    spy += 1
    spy.__iadd__(1)
    rows[0] += 1
    assert spy.updates == [True, False, False, True]


def test_a_store_is_told_from_a_call():
    spy = Spy()
    spy[0] = 1
    spy.__setitem__(0, 1)
    spy[1:] = 2
    assert spy.stores == [True, False, True]


def test_a_note_is_shown_with_the_error():
    error = ValueError("reason", 3)
    errors.add_note(error, "at loss.py:3")
    told = [str(error.args[0]), *getattr(error, "__notes__", [])]
    assert "\n".join(told) == "reason\nat loss.py:3"
    assert error.args[1:] == (3,)
    errors.add_note(nameless := ValueError(), "at loss.py:3")
    assert nameless.args == ()


def test_an_error_has_its_place_its_cure_and_its_page_in_notes():
    error = errors.located(ValueError("reason"), "do this", "", kind="freed")
    errors.add_note(error, "in the backward pass of loss.py:3")
    sentence, place, *others = in_full(error).splitlines()
    assert sentence == "reason"
    assert place.startswith(f"at {__file__}:")
    assert others == [
        "do this",
        "in the backward pass of loss.py:3",
        f"see {errors.PAGE}#freed",
    ]


def test_notes_stay_with_what_is_pickled():
    error = errors.explained(srcgrad.InplaceError("reason"), "do this")
    assert in_full(pickle.loads(pickle.dumps(error))) == in_full(error)


# ----- The page -----

ROOT = Path(__file__).parents[1]
ANCHORS = re.findall(
    r"^\(([\w-]+)\)=$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE
)
CLASSES = {each.__name__ for each in errors.KINDS}


def calls_in_srcgrad():
    """Each call in the package, with the name of what is called."""
    for path in sorted((ROOT / "srcgrad").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield path, node.func.id, node


def test_each_kind_of_error_has_its_anchor_on_the_page():
    kinds = {
        keyword.value.value
        for _, name, node in calls_in_srcgrad()
        if name in ("explained", "located", "warn")
        for keyword in node.keywords
        if keyword.arg == "kind" and isinstance(keyword.value, ast.Constant)
    }
    assert kinds | {*errors.KINDS.values()} == {*ANCHORS}
    assert len(ANCHORS) == len({*ANCHORS})


def test_errors_of_classes_of_our_own_have_notes():
    """All but those of the compiler, which users do not get to see."""
    noted, made = set(), {}
    for path, name, node in calls_in_srcgrad():
        if name in ("explained", "located"):
            noted |= {id(argument) for argument in node.args}
        elif name in CLASSES - {"CompilerError"}:
            made[id(node)] = f"{path.name}:{node.lineno}"
    assert [place for key, place in made.items() if key not in noted] == []


def test_classes_of_our_own_that_users_see_are_on_the_page():
    assert {each for each in CLASSES if hasattr(srcgrad, each)} == CLASSES - {
        "CompilerError"
    }
    page = (ROOT / "docs" / "errors.md").read_text()
    for each in CLASSES - {"CompilerError"}:
        assert f"| `{each}` |" in page


# ----- Warnings -----


def test_a_warning_is_in_the_name_of_the_users_line():
    def lost(x):
        return statistics.geometric_mean(x)

    with pytest.warns(RuntimeWarning, match="its gradient is lost") as caught:
        srcgrad.grad(lost)(np.ones(1))
    (warning,) = caught
    assert warning.filename == __file__
    assert "statistics.geometric_mean(x)" in linecache.getline(__file__, warning.lineno)
    assert str(warning.message).endswith(f" (see {errors.PAGE}#lost-gradient)")


def test_frames_of_numpy_are_no_users():
    """A function of NumPy's that calls back is between the user and us."""
    seen = []
    np.apply_along_axis(lambda row: seen.append(errors.caller()) or 0.0, 0, np.ones(2))
    assert {frame.f_code.co_filename for frame in seen} == {__file__}
