"""What a traced function gets: stand-ins with names, in the containers of the call."""

from collections import defaultdict

import pytest

from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.received import check_arguments


class Odd(dict):
    def __getitem__(self, key):
        return 0


def test_what_may_do_more_than_hold_is_refused():
    with pytest.raises(Refusal, match="which may do more than hold"):
        check_arguments(Signature((defaultdict(list),), {}, ()))
    with pytest.raises(Refusal, match="`__getitem__` would run unseen"):
        check_arguments(Signature((Odd(a=1),), {}, ()))
    check_arguments(Signature(({"a": 1},), {}, ()))
