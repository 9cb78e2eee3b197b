"""What to write instead."""

import pytest

from srcgrad.tracing.serving.hints import HINTS, hint


@pytest.mark.parametrize("part", HINTS)
def test_each_reason_has_its_hint(part):
    assert hint(f"loss.py:3: y = f(x): {part}") == HINTS[part]


def test_of_others_there_is_nothing_to_say():
    assert hint("a new reason") == ""
