"""What arms of `if` write is what the tape writes, whatever arms run."""

import numpy as np
import pytest

import srcgrad
from tests.tracing.branches.test_forking_random import Program, of_variables
from tests.tracing.comparing import on_tape

ERRORS = TypeError, IndexError, ValueError, RuntimeError, ArithmeticError


@pytest.mark.parametrize("is_transform", [True, False])
@pytest.mark.seeds(3)
def test_programs_with_arms_that_write(seed, is_transform):
    f = Program(seed, writes=True).function(seed)
    traced = srcgrad.trace(f)
    ours = srcgrad.value_and_grad(traced, argnums=(0, 1, 2))
    rng = np.random.default_rng(seed)
    points = [(*(2.0 * rng.normal(size=2)), rng.normal(size=8)) for _ in range(3)]
    a, _, x = points[0]
    points += [(np.nan, 0.5, x), (a, -0.0, x), (a, 1e200, x), (np.inf, a, x)]
    call = outcome_of_transform if is_transform else outcome_of_variables
    function = ours if is_transform else traced
    for args in (*points, *points[::-1]):
        with np.errstate(all="ignore"):
            found, expected = call(function, args), call(on_tape(function), args)
        assert_same(found, expected)


def outcome_of_transform(function, args):
    """The value, its type, and the gradients; or the kind of error."""
    try:
        value, gradients = function(*map(np.float64, args[:2]), args[2])
    except ERRORS as error:
        return [type(error)]
    return [type(value), value, *gradients]


def outcome_of_variables(function, args):
    try:
        value, gradients = of_variables(function, args)
    except ERRORS as error:
        return [type(error)]
    return [type(value), value, *gradients]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for mine, tapes in zip(found, expected, strict=True):
        if tapes is None or isinstance(tapes, type):
            assert mine is tapes
        else:
            np.testing.assert_allclose(mine, tapes, rtol=1e-8, atol=1e-10)
