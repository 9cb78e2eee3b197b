"""The arguments of a call: what is an array to NumPy and SciPy, what stays a list."""

import numpy as np
import pytest

import srcgrad
from srcgrad.protocols import raw_of
from srcgrad.tape.operands import joined, take, unwrap, variables_in, with_operands
from tests.variables import variable


def solve(a, b, axes=None, args=()):
    """Something of SciPy's."""


def test_the_variables_of_nested_arguments_in_order():
    v, w = variable(2.0), variable([1.0, 3.0])
    item = [v, (1.0, [w]), slice(0, v)]
    assert [id(each) for each in variables_in(item)] == [id(v), id(w), id(v)]
    found = []
    plain = take(item, found)
    assert plain[0] == 2.0
    assert plain[2] == slice(0, 2.0)
    assert unwrap((v, 1)) == (2.0, 1)


def test_nested_lists_are_arrays_of_variables():
    v, w = variable(2.0), variable([1.0, 3.0])
    made = joined([[v, 1.0], w])
    np.testing.assert_array_equal(raw_of(made), [[2.0, 1.0], [1.0, 3.0]])
    made.sum().backward()
    assert v.grad.item() == 1.0
    assert w.grad.data.tolist() == [1.0, 1.0]
    assert joined([1.0, 2.0]) == [1.0, 2.0]
    with pytest.raises(ValueError, match="inhomogeneous"):
        joined([[v], w])


def test_lists_of_numbers_are_arrays_to_scipy_but_for_counts():
    args, kwargs = with_operands(solve, ([1.0, 2.0], (1, [2.0])), {"axes": [0, 1]})
    assert type(args[0]) is type(args[1][1]) is np.ndarray
    assert args[1][0] == 1
    assert kwargs == {"axes": [0, 1]}


def test_lists_with_variables_are_arrays_in_followed_functions_alone():
    v = variable(2.0)
    (left,), _ = with_operands(solve, ([v, 1.0],), {})
    assert left == [v, 1.0]

    def program(x):
        (made, kept), _ = with_operands(solve, ([x, 1.0], []), {"args": [x]})
        assert np.shape(made) == (2,)
        assert kept == []
        return made[0] * 2.0

    with srcgrad.set_stance("tape"):
        assert srcgrad.grad(program)(3.0) == 2.0
