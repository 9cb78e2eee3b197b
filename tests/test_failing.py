"""Whether a call raises an error, as a function of its arguments."""

import numpy as np
import pytest

from srcgrad.failing import fails

RAISE = (("all", "raise"),)


@pytest.mark.parametrize(
    ("kind", "settings", "call", "expected"),
    [
        (np.linalg.LinAlgError, (), (np.linalg.cholesky, -np.eye(2)), True),
        (np.linalg.LinAlgError, (), (np.linalg.cholesky, np.eye(2)), False),
        # `LinAlgError` is a ValueError, and goes another way through the user's code.
        (ValueError, (), (np.linalg.cholesky, -np.eye(2)), False),
        (FloatingPointError, RAISE, (np.log, np.zeros(1)), True),
        (FloatingPointError, RAISE, (np.log, np.ones(1)), False),
    ],
)
def test_it_tells_errors_of_one_kind(kind, settings, call, expected):
    found = fails(kind, settings, *call)
    assert type(found) is np.bool_
    assert found == expected


def test_errors_of_other_kinds_are_raised():
    with pytest.raises(ValueError, match="matmul"):
        fails(ZeroDivisionError, (), np.matmul, np.ones(2), np.ones(3))
