"""Tracers that are broken on purpose, each of which the corpus of programs catches."""

import numpy as np
import pytest

from srcgrad.pytree import unflatten
from srcgrad.tracing import fitting, signature, traced
from srcgrad.tracing.follow import run
from srcgrad.tracing.outside import Outside
from srcgrad.tracing.places import Attribute, Cell, Global, Known
from srcgrad.tracing.traced import Traced
from tests.changing.programs import PROGRAMS
from tests.changing.walks import walk


def freezes_a_global(monkeypatch):
    def source(self, parent, name):
        return name(self.namespace[self.key], self.hint)

    monkeypatch.setattr(Global, "source", source)


def forgets_a_cell(monkeypatch):
    def source(self, parent, name):
        return name(self.cell.cell_contents, self.hint)

    monkeypatch.setattr(Cell, "source", source)


def freezes_an_array_of_an_attribute(monkeypatch):
    take = Outside.take

    def frozen(self, place, leaf, where=None):
        if isinstance(place, Attribute) and isinstance(leaf, np.ndarray):
            place = Known(place.text, leaf.copy())
        take(self, place, leaf, where)

    monkeypatch.setattr(Outside, "take", frozen)


def freezes_a_length(monkeypatch):
    require = Outside.require

    def forgetful(self, condition, where=None):
        if "the length of" not in condition.text:
            require(self, condition, where)

    monkeypatch.setattr(Outside, "require", forgetful)


def runs_the_first_call_twice(monkeypatch):
    record = Traced._record

    def twice(self, signature, entry):
        args, kwargs, bound = unflatten(signature.structure, signature.leaves)
        run(self._function, (*bound, *args), kwargs)
        return record(self, signature, entry)

    monkeypatch.setattr(Traced, "_record", twice)


def runs_effects_before_a_miss(monkeypatch):
    def eager(leaves, entry, *rest):
        hit = fitting.fitting(leaves, entry, *rest)
        for trace in entry.traces if hit is None else ():
            if trace.effects is not None:
                trace.effects.perform(trace.effects.values, trace.outside.objects)
        return hit

    monkeypatch.setattr(traced, "fitting", eager)


def draws_twice(monkeypatch):
    monkeypatch.setattr(fitting, "restore", lambda states: None)


def takes_one_for_true(monkeypatch):
    monkeypatch.setattr(signature, "SIMPLE", frozenset())
    monkeypatch.setattr(signature, "exact", lambda item: item)


def reuses_a_buffer(monkeypatch):
    results_of, buffers = fitting.results_of, {}

    def reused(*args):
        result = results_of(*args)
        if not isinstance(result, np.ndarray):
            return result
        buffer = buffers.setdefault((result.shape, result.dtype), result)
        buffer[...] = result
        return buffer

    monkeypatch.setattr(fitting, "results_of", reused)


def swallows_an_error(monkeypatch):
    monkeypatch.setattr(Traced, "_by_tape_instead", lambda self, *args: None)


# Which programs see it.
BROKEN = {
    freezes_a_global: [
        "names: a global float",
        "names: a global array that is rebound",
    ],
    forgets_a_cell: ["names: a closure cell"],
    freezes_an_array_of_an_attribute: ["objects: an array in an attribute"],
    freezes_a_length: ["containers: the length of a list"],
    runs_the_first_call_twice: ["effects: a counter in an attribute"],
    runs_effects_before_a_miss: ["effects: text before a branch that misses"],
    draws_twice: ["draws: a draw before a miss"],
    takes_one_for_true: ["arguments: one, true, and one as a float"],
    reuses_a_buffer: ["buffers: what is returned is kept"],
    swallows_an_error: ["errors: an error of NumPy's"],
}


@pytest.mark.parametrize("break_it", BROKEN, ids=lambda each: each.__name__)
def test_the_corpus_catches(monkeypatch, break_it):
    for name in BROKEN[break_it]:
        walk(PROGRAMS[name])
    break_it(monkeypatch)
    for name in BROKEN[break_it]:
        with pytest.raises(AssertionError):
            walk(PROGRAMS[name])
