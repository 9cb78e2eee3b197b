"""An attribute that has a name meanwhile is not looked for where it was."""

import pytest

from srcgrad.tracing.branches.held_attributes import Held
from srcgrad.tracing.refusal import SetsInArms

CODE = compile("0", "f.py", "eval")


@pytest.mark.parametrize("name", ["x", "__dict__"])
def test_who_looks_at_it_is_told_whose_it_is(name):
    held, item, other = Held(), [], []
    held.take(item, "x", CODE)
    held.check(other, name)
    with pytest.raises(SetsInArms) as met:
        held.check(item, name)
    assert met.value.code is CODE
    held.put_back(item, "x")
    held.check(item, name)
