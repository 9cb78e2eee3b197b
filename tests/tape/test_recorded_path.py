"""The recorded path gives, and has written down, what the other path does."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from srcgrad.modes import override
from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.protocols import raw_of
from srcgrad.tape import recorded_path
from srcgrad.tape.function import Leaf
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.graphs.recorder import Recorder

RAWS = (2.0, 1j, np.float64(1.5), np.bool_(True), np.arange(1, 4), np.array(2.5))


def recorded(operation, raws, which, grad_enabled=True):
    """What an operator gives, the tape has, and a recorder has written down."""
    recorder, operands = Recorder(), []
    for raw, how in zip(raws, which, strict=True):
        own = raw.copy() if isinstance(raw, np.ndarray) else raw
        item = own if how == "raw" else TracedArray.make(own, None)
        if how == "on the tape" and item.dtype.kind in "fc":
            item.edge = Leaf.inside(own), 0
        if how != "raw":
            recorder.add_input(item, "x")
        operands.append(item)
    with (
        override(recorder=recorder, grad_enabled=grad_enabled),
        np.errstate(all="ignore"),
    ):
        try:
            out = operation(*operands)
        except (TypeError, ValueError):
            return "an error"
    edge = getattr(out, "edge", None)
    node = None if edge is None else (type(edge[0]), edge[0].plan, edge[0].saved)
    steps = [repr(replace(step, where=None)) for step in recorder.writer.steps]
    return type(out), type(raw_of(out)), repr(raw_of(out)), repr(node), steps


HOWS = ("raw", "off the tape", "on the tape")
RECORDED = {
    **{own.name: (own.python, 2) for own in BINARY_OPERATORS},
    **{own.name: (own.python, 1) for own in UNARY_OPERATORS if own.python},
    **{f.__name__: (f, f.nin) for f in (np.exp, np.conjugate, np.sign, np.maximum)},
}


@pytest.mark.parametrize("name", RECORDED)
def test_operations_are_recorded_as_other_calls_are(name, monkeypatch):
    function, count = RECORDED[name]
    cases = [
        (function, raws, which, grad_enabled)
        for which in itertools.product(HOWS, repeat=count)
        for raws in itertools.product(RAWS, repeat=count)
        for grad_enabled in (True, False)
        if {*which} != {"raw"}
    ]
    quick = [recorded(*case) for case in cases]
    monkeypatch.setattr(recorded_path, "VARIABLE_TYPES", set())
    for case, found in zip(cases, quick, strict=True):
        assert found == recorded(*case), case
