"""Gradients of programs that write by ``+=`` and assignment."""

import pytest

from tests.inplace_programs import STATEMENTS, assert_gradients, on_computed, on_leaf


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("prepare", [on_computed, on_leaf])
@pytest.mark.parametrize("program", STATEMENTS, ids=lambda program: program.__name__)
def test_gradients_through_writes(program, prepare):
    assert_gradients(prepare(program))
