"""What a traced function gets: stand-ins with names, in the containers of the call."""

from collections import defaultdict

import numpy as np
import pytest

from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.outside.signature import STEADY, Signature
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.received import check_arguments, received
from srcgrad.tracing.watching.reads import Reads
from srcgrad.tracing.watching.watcher import Watching
from tests.variables import vector


def function(x, params, n, *rest, flag=True):
    return x


class Odd(dict):
    def __getitem__(self, key):
        return 0


def test_stand_ins_have_the_names_of_the_parameters():
    recorder = Recorder()
    reads = Reads(recorder, Watching, (), None)
    x, w = vector(1.0, 2.0), np.ones(3)
    args = x, {"W": w, "more": [1.5]}, 2, "text", x
    signature = Signature(args, {"flag": False}, ())
    arguments, leaves, inputs = received(function, signature, recorder, reads, STEADY)
    positional, keywords, bound = arguments
    assert (keywords, bound) == ({"flag": False}, ())
    assert positional[2:4] == (2, "text")
    assert id(positional[1]) in reads.containers
    named = [recorder.writer.name_of(each.value) for each in inputs]
    assert named == ["x", "W", "more", "x"]
    assert len(leaves) == len(signature.leaves)
    reads.let_go()


def test_what_may_do_more_than_hold_is_refused():
    with pytest.raises(Refusal, match="which may do more than hold"):
        check_arguments(Signature((defaultdict(list),), {}, ()))
    with pytest.raises(Refusal, match="`__getitem__` would run unseen"):
        check_arguments(Signature((Odd(a=1),), {}, ()))
    check_arguments(Signature(({"a": 1},), {}, ()))
