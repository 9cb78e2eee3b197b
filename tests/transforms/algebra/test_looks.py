"""A first look rules out nothing that fits."""

import warnings

import numpy as np
import pytest

from srcgrad.steps import Value
from srcgrad.transforms.algebra import identities
from srcgrad.transforms.algebra.algebra import (
    EQUAL_BUT_ROUNDED,
    EXACT_IDENTITIES,
    SIGN_IDENTITIES,
    simplify_algebra,
)
from srcgrad.transforms.algebra.formula_patterns import Pattern
from srcgrad.transforms.algebra.looks import DEPTH, DIGITS, look_like
from tests.transforms.algebra.test_algebra_random import Formulas
from tests.transforms.interpret import record, text

ROWS = [*SIGN_IDENTITIES.rows, *EXACT_IDENTITIES.rows, *EQUAL_BUT_ROUNDED.rows]


def all_rows(table, function, is_0d, looks):
    return [row for row in table.rows if row.before.ufunc is function]


@pytest.mark.seeds(50)
@pytest.mark.parametrize("kind", ["formula", "product"])
def test_what_a_look_rules_out_does_not_fit(kind, seed, monkeypatch):
    formulas = Formulas(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "product":
            graph = record(formulas.product(), formulas.factors())
        else:
            given = [formulas.given() for _ in range(3)]
            graph = record(formulas.formula(3), given)
        looked = text(simplify_algebra(graph))
        monkeypatch.setattr(identities, "_candidates", all_rows)
        assert text(simplify_algebra(graph)) == looked


def test_looks_that_are_alike_are_one():
    one = look_like(np.negative, False, (DIGITS[2],))
    assert look_like(np.negative, False, (DIGITS[2],)) is one
    assert look_like(np.negative, True, (DIGITS[2],)) is not one


def depth(pattern):
    inner = (depth(arg) for arg in pattern.args if isinstance(arg, Pattern))
    return 1 + max(inner, default=0)


def numbers_in(pattern):
    for arg in pattern.args:
        if isinstance(arg, Pattern):
            yield from numbers_in(arg)
        elif not isinstance(arg, str | Value):
            yield arg


def test_looks_go_as_deep_as_the_formulas_and_know_their_numbers():
    assert max(depth(row.before) for row in ROWS) <= DEPTH + 1
    assert {number for row in ROWS for number in numbers_in(row.before)} <= set(DIGITS)
