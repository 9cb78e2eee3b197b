"""What Python's floats give is what NumPy's scalars give."""

import itertools
import math

import numpy as np
import pytest

from srcgrad.unboxing import (
    FORMS,
    LEFT_TO_NUMPY,
    elements,
    finite,
    ignores_underflow,
    is_kept,
    listed,
)

NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, 1e-3, 700.0, -740.0, 1e5, -1e5),
    *(math.inf, -math.inf, math.nan, 5e-324, 1e-310, 1e154, -1e200, 1.7e308),
)
UFUNCS = [f for f in FORMS if isinstance(f, np.ufunc)]


def calls(function):
    operands = [np.linspace(-3.0, 3.0, 41).tolist()] if function.nin == 1 else []
    grid = [*itertools.product(NUMBERS, repeat=function.nin)]
    return [*grid, *zip(*operands, strict=True)]


@pytest.mark.parametrize("function", UFUNCS, ids=lambda f: f.__name__)
def test_python_raises_or_gives_what_numpy_gives(function):
    form = FORMS[function]
    for numbers in calls(function):
        if form.needs_numbers and any(map(math.isnan, numbers)):
            continue
        try:
            ours = form.function(*numbers)
        except LEFT_TO_NUMPY:
            continue
        with np.errstate(all="ignore"):
            theirs = function(*map(np.float64, numbers))
        assert type(ours) in (float, bool)
        if form.is_exact or not math.isfinite(theirs):
            assert repr(ours) == repr(theirs.item()), numbers
        else:
            assert abs(ours - theirs) <= math.ulp(theirs), numbers


@pytest.mark.parametrize("function", UFUNCS, ids=lambda f: f.__name__)
def test_numpy_warns_only_where_python_raises_or_is_looked_at(function):
    form = FORMS[function]
    for numbers in calls(function):
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                function(*map(np.float64, numbers))
        except FloatingPointError:
            pass
        else:
            continue
        try:
            ours = form.function(*numbers)
        except LEFT_TO_NUMPY:
            continue
        assert form.may_overflow, numbers
        assert not math.isfinite(ours), numbers


@pytest.mark.parametrize("function", UFUNCS, ids=lambda f: f.__name__)
def test_inf_and_nan_come_through_but_where_that_is_said(function):
    form = FORMS[function]
    for numbers in calls(function):
        comes_in = [not math.isfinite(number) for number in numbers]
        if not any(comes_in[i] for i in range(len(numbers)) if i not in form.absorbs):
            continue
        try:
            ours = form.function(*numbers)
        except LEFT_TO_NUMPY:
            continue
        assert not math.isfinite(ours), numbers


def test_numbers_that_are_not_finite_are_found():
    finite(1.0, -2.0, [3.0, 1e300])
    for numbers in ((math.inf,), (1.0, math.nan), (math.inf, -math.inf), ([math.nan],)):
        with pytest.raises(OverflowError):
            finite(*numbers)


def test_arrays_and_lists_are_taken_apart():
    a = np.arange(6.0).reshape(2, 3)
    assert elements(a) == elements(listed(a)) == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert listed(listed(a)) == a.tolist()
    assert is_kept(np.tanh)
    assert not is_kept(np.exp)
    assert not is_kept(math.tanh)


def test_underflow_is_asked_for_at_every_call():
    assert ignores_underflow()
    assert ignores_underflow()
    for setting, expected in (("raise", False), ("warn", False), ("ignore", True)):
        with np.errstate(under=setting):
            assert ignores_underflow() is expected
            with np.errstate(under="ignore"):
                assert ignores_underflow()
            assert ignores_underflow() is expected
    assert ignores_underflow()
