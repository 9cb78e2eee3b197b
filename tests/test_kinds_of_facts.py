"""A row that says nothing, and one that says something."""

import dataclasses

import pytest

from srcgrad.kinds_of_facts import Facts


def test_nothing_is_said_by_default():
    assert not any(dataclasses.asdict(Facts()).values())


def test_a_row_never_changes():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Facts().effect = "acts"
