"""Every public function of NumPy has a class, and does what its class says."""

import contextlib
import importlib
import importlib.util
import io
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from srcgrad import Variable
from tests.telling import in_full

SCRIPT = Path(__file__).parents[1] / "docs" / "make_coverage.py"
spec = importlib.util.spec_from_file_location("make_coverage", SCRIPT)
coverage = importlib.util.module_from_spec(spec)
spec.loader.exec_module(coverage)

FUNCTIONS = {
    f"{module}.{name}": function
    for module in coverage.NUMPY
    for name, function in coverage.public(module)
    if not isinstance(function, type)
}


def of_kind(kind):
    return [n for n, f in FUNCTIONS.items() if coverage.classify(f).kind == kind]


# ----- The page -----


@pytest.mark.skipif(
    not coverage.is_current(), reason="the page is that of another NumPy or SciPy"
)
def test_the_page_is_what_is_printed(request):
    if request.config.getoption("--update-golden"):
        coverage.PAGE.write_text(coverage.page(), encoding="utf-8")
    text = coverage.PAGE.read_text(encoding="utf-8")
    assert text == coverage.page(), "run docs/make_coverage.py"


def test_every_function_has_a_class():
    assert not of_kind(coverage.MISSING)


@pytest.mark.parametrize("name", coverage.members())
def test_every_method_has_a_class(name):
    assert coverage.classify_member(name).kind != coverage.MISSING


# ----- What functions do -----

# They set how NumPy behaves, or tell of it on the screen; of anything that is no array
# or letter, `bmat` makes None, and `mintypecode` nonsense.
NOT_TRIED = "seterr seterrcall setbufsize set_printoptions show_config show_runtime "
NOT_TRIED += "info test bmat mintypecode"

REAL = (
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.array([3.0, 1.0, 2.0]),
    np.array(2.0),
    np.array([1.5 + 2.0j, 1.0]),
)
INTEGERS = (np.array([[1, 2], [0, 1]]), np.array([True, False]))
BEHIND = ((), (0,), (1,), (2, 2), (np.float32,), ("C",), ((0, 1),))


def calls(arrays):
    """Arguments that go with many functions: arrays, and what may follow them."""
    for array in arrays:
        for further in BEHIND:
            yield (array, *further)
        yield array, array
        yield "made.npy", array
        yield ([array],)


def wrapped(args):
    return [
        Variable(arg, requires_grad=arg.dtype.kind in "fc")
        if isinstance(arg, np.ndarray)
        else wrapped(arg)
        if isinstance(arg, list)
        else arg
        for arg in args
    ]


@pytest.fixture(autouse=True)
def _apart(tmp_path):
    """Warnings are not the subject, and files are written elsewhere."""
    before = os.getcwd()
    os.chdir(tmp_path)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    os.chdir(before)


def run(function, args):
    """The result of a call on copies of the arrays, and the error that it raised."""
    args = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            return function(*args), None
        except Exception as error:
            return None, error


def leaves(result):
    if isinstance(result, (tuple, list)):
        return [leaf for each in result for leaf in leaves(each)]
    return [result]


# Some ask in NumPy's words for what a Variable is not.
WAYS_OUT = (".data", ".detach()", ".item()", "np.stack", "no_grad")
WAYS_OUT += ("bytes-like", "__dlpack__")


def is_clear(error):
    """Whether an error, or what NumPy says that it comes from, tells of a way out."""
    error = error if error.__cause__ is None else error.__cause__
    return isinstance(error, (TypeError, AttributeError, RuntimeError)) and any(
        way in in_full(error) for way in WAYS_OUT
    )


@pytest.mark.parametrize("name", of_kind(coverage.CONSTANT))
def test_a_constant_result_is_numpys_and_has_no_gradient(name):
    ran = accepted = 0
    for args in calls((*REAL, *INTEGERS)):
        expected, error = run(FUNCTIONS[name], args)
        if error is not None:
            continue
        accepted += 1
        found, error = run(FUNCTIONS[name], wrapped(args))
        if error is not None:
            assert is_clear(error), error
            continue
        ran += 1
        for ours, numpy in zip(leaves(found), leaves(expected), strict=True):
            assert not getattr(ours, "requires_grad", False)
            np.testing.assert_array_equal(getattr(ours, "data", ours), numpy)
    assert ran or not accepted


@pytest.mark.parametrize("name", of_kind(coverage.NOT_NUMERIC))
def test_what_is_not_numeric_gives_a_plain_result_or_says_why(name):
    if name.rpartition(".")[2] in NOT_TRIED.split():
        return
    for args in calls(REAL):
        _, refused = run(FUNCTIONS[name], args)
        found, error = run(FUNCTIONS[name], wrapped(args))
        for leaf in leaves(found):
            assert not getattr(leaf, "requires_grad", False)
        # What takes no ndarray either may say so in its own words.
        if error is not None and refused is None:
            assert is_clear(error), error
