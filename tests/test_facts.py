"""The table of facts, held against NumPy itself."""

import ast
import contextlib
import inspect
import itertools
import operator
import os
import warnings

import numpy as np
import pytest
from scipy import linalg

from srcgrad import facts
from srcgrad.facts import TABLE, UNKNOWN, facts_of
from srcgrad.function_parameters import SIGNATURES, parameters_of
from srcgrad.rules import COMPOSITIONS, PRIMITIVES
from srcgrad.rules.libraries import load_chapters
from tests.cases import for_each

ARRAYS = [
    np.ones((2, 3)),
    np.ones((3, 3)),
    np.ones((1, 2, 2)),
    np.ones(4),
    np.ones((2, 2), complex),
    np.array(2.0),
]
# Arguments that go with many functions, in the hope that each accepts some of them.
FURTHER = [(), (0,), (1,), (-1,), (0, 1), ((0,),), ((),), (None,), (None, 0), (2, 2)]
# These are no functions of an array, or set how NumPy behaves, or write to the screen.
NOT_TRIED = {"show_config", "show_runtime", "info", "test", "from_dlpack", "frombuffer"}
NOT_TRIED |= {"seterr", "seterrcall", "setbufsize", "set_printoptions"}

MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}
MODULES |= {"np.lib.scimath": np.lib.scimath}
FUNCTIONS = {
    f"{prefix}.{name}": function
    for prefix, module in MODULES.items()
    for name in sorted(set(dir(module)) - NOT_TRIED)
    if callable(function := getattr(module, name))
    and not name.startswith("_")
    and not isinstance(function, type)
}
load_chapters()
WITH_RULES = [*PRIMITIVES, *COMPOSITIONS]  # without those that other tests define
OF_MATRICES = {
    f"linalg.{name}": getattr(linalg, name)
    for name in linalg.__all__
    if getattr(linalg, name) in PRIMITIVES
}


def results_of(function):
    """What a function makes of some arrays, each with the array."""
    for array in ARRAYS:
        for further in FURTHER:
            own = array.copy()
            with contextlib.suppress(Exception):
                out = function(own, *further)
                for result in out if isinstance(out, tuple | list) else (out,):
                    if isinstance(result, np.ndarray):
                        yield own, result


@pytest.fixture(autouse=True)
def _quiet(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    os.chdir(before)


def test_every_public_function_has_a_row_or_is_a_ufunc():
    for name, function in FUNCTIONS.items():
        assert function in TABLE or isinstance(function, np.ufunc), name


def test_every_function_with_a_rule_is_known():
    for function in WITH_RULES:
        assert facts_of(function) != UNKNOWN, function


def named(is_so):
    """A test for each function of which a fact holds."""
    names = [name for name in FUNCTIONS if is_so(facts_of(FUNCTIONS[name]))]
    return pytest.mark.parametrize("name", names)


@for_each("name", FUNCTIONS)
def test_what_is_said_to_be_new_is_new(name):
    function = FUNCTIONS[name]
    if not facts_of(function).effect and not facts_of(function).view:
        for own, result in results_of(function):
            assert not np.shares_memory(own, result)
            assert result.flags.writeable


@named(lambda known: known.view == "whole")
def test_whole_views_are_whole_and_writable(name):
    for own, result in results_of(FUNCTIONS[name]):
        if np.shares_memory(own, result):  # np.atleast_1d takes several arguments
            assert result.size == own.size
            assert result.flags.writeable


# Of one shape and dtype, with other values.
VARIANTS = [
    [np.array([[1.0, sign * 2.0], [3.0, 4.0]]) for sign in (1.0, -1.0)],
    [sign * np.array([[1.0, 0.5], [0.25, 4.0]]) for sign in (1.0, -1.0)],
    [np.array([1.0, sign * 2.0, 1.5]) for sign in (0.5, 2.0, -1.0, 0.0)],
    [np.array([1.0, 1.0 + 2j, end]) for end in (1.0 - 2j, 3.0)],
    [np.array([0j, 1.0 + end]) for end in (0.0, 1e-30j, 1j)],
]


@for_each("name", [*FUNCTIONS, *OF_MATRICES])
def test_what_is_real_or_complex_by_value_is_known(name):
    function = FUNCTIONS[name] if name in FUNCTIONS else OF_MATRICES[name]
    known = facts_of(function)
    if known.effect or known.complex_by_value or known.calls:
        return
    if function in COMPOSITIONS:  # of what has facts of its own
        return
    further = (0.5,) if function is linalg.fractional_matrix_power else ()
    for arrays in VARIANTS:
        kinds = set()
        for array in arrays:
            with contextlib.suppress(Exception):
                out = function(array.copy(), *further)
                outs = out if isinstance(out, tuple | list) else (out,)
                kinds.add(tuple(map(np.iscomplexobj, outs)))
        assert len(kinds) <= 1


# Likewise, of which there are fewer or more that differ, are zero, or are true.
AS_MANY = [
    [np.array(each) for each in ([0, 1, 1, 2], [3, 0, 0, 0], [5, 5, 5, 5])],
    [np.array(each) for each in ([0.0, 1, 1, 2], [3.0, 0, 0, 0], [0.0, 0, 0, 0])],
    [np.array(each) for each in ([True, False] * 2, [False] * 4, [True] * 4)],
    [np.eye(3), np.ones((3, 3)), np.arange(9.0).reshape(3, 3)],
]
# Their array is a shape, or they stand for another function with one argument.
OF_A_SHAPE = {"np.empty", "np.full", "np.indices", "np.ones", "np.zeros", "np.where"}


@for_each("name", sorted({*FUNCTIONS} - OF_A_SHAPE))
def test_what_has_its_shape_by_value_is_known(name):
    function = FUNCTIONS[name]
    if facts_of(function).shape_by_value or function in COMPOSITIONS:
        return
    for arrays, further in itertools.product(AS_MANY, FURTHER):
        shapes = set()
        for array in arrays:
            with contextlib.suppress(Exception), np.errstate(all="ignore"):
                out = function(array.copy(), *further)
                outs = out if isinstance(out, tuple | list) else (out,)
                shapes.add(tuple(map(np.shape, outs)))
        assert len(shapes) <= 1


@named(lambda known: known.moves)
def test_what_moves_elements_computes_none(name):
    known = facts_of(FUNCTIONS[name])
    for own, result in results_of(FUNCTIONS[name]):
        if result.dtype.kind in "fc":  # else it is of None, say
            assert set(result.flat) <= {*own.flat, -1, 0, 1, 2}
        if known.moves == "in order" and result.size:
            assert result.size == own.size


@named(lambda known: known.view == "fixed")
def test_what_is_fixed_is_not_written_to(name):
    for _, result in results_of(FUNCTIONS[name]):
        # To write into what `np.broadcast_arrays` gives is deprecated.
        assert not result.flags.writeable or name == "np.broadcast_arrays"


FINITE = [np.linspace(-3.0, 3.0, 7), np.zeros(7), np.array([0.0] * 6 + [5e-324])]


@named(lambda known: known.finite)
def test_what_is_said_to_be_finite_divides_by_nothing(name):
    for x, y in itertools.product(FINITE, repeat=2):
        for args in ((x,), (x, y)):
            refused = contextlib.suppress(TypeError, ValueError)
            with refused, np.errstate(divide="raise"):
                FUNCTIONS[name](*args)


@named(lambda known: known.of_metadata)
def test_what_is_said_to_depend_on_metadata_does(name):
    function = FUNCTIONS[name]
    for array in ARRAYS:
        with contextlib.suppress(TypeError):
            assert function(array) == function(array + 1)


SPECIAL = [1e308, -1e308, 5e-324, 0.0, -1.0, -2.0, 0.5, np.inf, np.nan]
TAKE_SIZES = {"np.tile", "np.resize", "np.roll"}  # which are no floats
PAIRS = np.array([[x, y] for x in SPECIAL for y in SPECIAL])
LARGE = np.array([1e308, 1e308, -1.0])


@for_each("name", FUNCTIONS)
def test_what_meets_floating_point_errors_is_said_to(name):
    function = FUNCTIONS[name]
    known = facts_of(function)
    if known.signals or known.raises or known.effect or name in TAKE_SIZES:
        return
    x, y = PAIRS.T
    matrix = np.full((3, 3), 1e308)
    for args in ((x,), (x, y), (LARGE,), (LARGE, -LARGE), (matrix, matrix), ([3], [0])):
        with np.errstate(all="raise", under="ignore"):
            try:
                function(*args)
            except FloatingPointError as error:
                pytest.fail(f"{name}{args} raises {error}")
            except Exception:  # what it does not take
                continue


@pytest.mark.parametrize(
    "function", [f for f, known in TABLE.items() if known.raises_by]
)
def test_what_raises_does_so_by_some_of_its_arguments(function):
    names = set(facts_of(function).raises_by.split())
    parameters = set(parameters_of(function)[0])
    # Weights of quantiles came with NumPy 2.0.
    assert facts_of(function).raises
    assert names - {"weights"} <= parameters


@pytest.mark.parametrize(
    "function", [f for f, known in TABLE.items() if known.reduces or known.accumulates]
)
def test_reductions_are_those_of_their_ufunc(function):
    known = facts_of(function)
    for array in (np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([[True, False]])):
        for axis in (0, 1):
            if known.reduces is not None:
                expected = known.reduces.reduce(array, axis=axis)
            else:
                expected = known.accumulates.accumulate(array, axis=axis)
            np.testing.assert_array_equal(function(array, axis=axis), expected)


@pytest.mark.parametrize(
    "function", [f for f, known in TABLE.items() if known.sequence]
)
def test_the_argument_that_is_a_sequence_is_one_of_the_parameters(function):
    sequence = facts_of(function).sequence
    if function in SIGNATURES:
        assert sequence in SIGNATURES[function]
    else:
        assert sequence in inspect.signature(function).parameters


def test_what_commutes_has_two_arguments():
    for function, known in TABLE.items():
        if known.commutes:
            assert function(0.1, 0.7) == function(0.7, 0.1)


def test_functions_of_ufuncs():
    assert not facts_of(np.add.reduce).effect
    assert not facts_of(np.add.reduce).view
    assert facts_of(np.add.at).effect == "writes"
    double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    assert facts_of(double) == UNKNOWN
    assert facts_of(np.add).elementwise
    assert not facts_of(np.matmul).elementwise
    assert not facts_of(np.sum).elementwise


def test_random_draws_and_unknown_functions_have_effects():
    generator = np.random.default_rng(0)
    for function in (generator.normal, np.random.rand, print, lambda x: x, np.copyto):
        assert facts_of(function).effect
    assert not facts_of(operator.getitem).effect


def test_of_what_cannot_be_hashed_nothing_is_known():
    class Unhashable:
        __hash__ = None

        def __call__(self):
            return None

    assert facts_of(Unhashable()) == UNKNOWN


def test_a_function_has_one_row():
    facts.declare(np.arctan)  # what is known already
    with pytest.raises(ValueError, match="has two rows that differ"):
        facts.declare(np.sum, raises=True)


# In the table, but not in every NumPy that is supported.
COME_AND_GONE = set(
    "in1d row_stack trapz matvec vecmat unstack cumulative_sum cumulative_prod "
    "concat".split()
)


def test_rows_name_what_there_is():
    """A row passes over names that are not there: these must not be misspelled."""
    modules = {"np": np, "operator": operator}
    for call in ast.walk(ast.parse(inspect.getsource(facts))):
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "row":
            continue
        where, names = call.args
        if isinstance(names, ast.Constant):
            found = eval(ast.unparse(where), {**vars(facts), **modules})
            missing = {name for name in names.value.split() if not hasattr(found, name)}
            assert missing <= COME_AND_GONE
