"""What NumPy does in place or by method, as functions."""

import pytest

from srcgrad import updates
from srcgrad.facts import is_pure, may_view


@pytest.mark.parametrize("function", [updates.cast, updates.assign, updates.scatter])
def test_updates_are_pure_and_new(function):
    assert is_pure(function)
    assert not may_view(function)
