"""The table of operators, held against Python and NumPy."""

import ast

import pytest

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS

EVERY = (*BINARY_OPERATORS, *COMPARISONS, *UNARY_OPERATORS)


@pytest.mark.parametrize("own", EVERY, ids=lambda own: own.name)
def test_a_ufunc_is_its_operator(own):
    given = (6, 3) if own.ufunc.nin == 2 else (-6,)
    if own.name == "matmul":
        given = ([[1, 2]], [[3], [4]])
        assert own.ufunc(*given).tolist() == [[11]]
    else:
        assert own.ufunc(*given) == own.python(*given)
    assert not own.syntax or hasattr(ast, own.syntax)


@pytest.mark.parametrize("own", BINARY_OPERATORS, ids=lambda own: own.name)
def test_what_is_augmented_in_place_gives_the_same(own):
    if own.name != "matmul":
        assert own.augmented(6, 3) == own.python(6, 3)
