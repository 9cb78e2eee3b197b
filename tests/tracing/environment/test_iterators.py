"""Items that are taken of iterators from outside; programs: corpus/iterators.txt."""

import re

import numpy as np
import pytest

import srcgrad


def squares(x):
    for v in x:
        yield v * v


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.fromiter(squares(x), float, 5),
        lambda x: np.fromiter(squares(np.outer(x, x)), float),
    ],
)
def test_arrays_of_iterators_raise_numpys_errors(function):
    with pytest.raises((TypeError, ValueError)) as expected:
        function(np.ones(3))
    for call in (srcgrad.trace(function), srcgrad.grad(lambda x: sum(function(x)))):
        for _ in range(2):
            with pytest.raises(expected.type, match=re.escape(str(expected.value))):
                call(np.ones(3))
