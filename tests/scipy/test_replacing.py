"""Formulas in place of SciPy's; the chapters' tests run each."""

import numpy as np
import pytest

from srcgrad.scipy.replacing import OfVariables, of_variables, raws, replacing
from tests.variables import variable


def scaled(x, factor=2.0, *, shift=0.0):
    """Stands for a function of SciPy's."""
    assert type(x) is not type(variable(0.0))
    return factor * x + shift


def test_a_formula_gets_what_it_names_with_scipys_defaults():
    call = replacing(scaled, lambda found, factor, x: (found, factor, x))
    x = variable(3.0)
    assert call(1.0) == 2.0
    found, factor, given = call(x, shift=1.0)
    assert (found, factor) == (7.0, 2.0)
    assert given is x


def test_scipys_own_can_run_later():
    call = replacing(scaled, lambda run, x: (x, run))
    assert call(variable(3.0), 4.0)[1]() == 12.0


def test_the_numbers_of_variables_in_lists_too():
    found = raws([variable(1.0), (variable(2.0), "text")])
    assert found == [1.0, (2.0, "text")]
    assert type(found[0]) is np.ndarray


class Own:
    """Stands for a class of SciPy's."""

    __module__ = "scipy.own"

    def __init__(self, x, power=2):
        self.x, self.power = x, power

    def __call__(self, y):
        return self.x + y

    def lost(self):
        return self.x


class OfOurs(OfVariables, Own):
    MEMBERS = {"x": lambda self: self.own, "lost": None}  # noqa: RUF012

    def hold(self, x, power):
        self.own, self.most = x, power

    @of_variables
    def __call__(self, y):
        return self.own * y


def test_an_object_is_scipys_without_variables():
    plain, own = OfOurs(3.0), OfOurs(variable(3.0))
    assert (plain(1.0), plain.x, plain.lost(), plain.most) == (4.0, 3.0, 3.0, 2)
    assert own(2.0).item() == 6.0
    assert plain(variable(2.0)).item() == 6.0
    with pytest.raises(NotImplementedError, match="lost"):
        own.lost()
