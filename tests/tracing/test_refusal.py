"""How the tracer gives up: with the reason and the user's line."""

import pytest

from srcgrad.errors import PACKAGE
from srcgrad.tracing.refusal import Refusal, UserError, give_up


def test_the_reason_stands_after_the_users_line():
    namespace = {"give_up": give_up}
    source = "def visit():\n    give_up('prints')\n"
    exec(compile(source, f"{PACKAGE}made_up.py", "exec"), namespace)
    with pytest.raises(Refusal) as caught:
        namespace["visit"]()  # the user's line
    text = str(caught.value)
    assert text.startswith(f"{__file__}:")
    assert text.endswith('namespace["visit"]()  # the user\'s line: prints')


def test_no_except_clause_of_the_users_swallows_it():
    assert not issubclass(Refusal, Exception)
    assert issubclass(UserError, Exception)
