"""Tracers that are broken on purpose, each of which the corpus of programs catches."""

import operator

import numpy as np
import pytest

from srcgrad.pytree import unflatten
from srcgrad.tracing import traced
from srcgrad.tracing.capture import closing, drawing
from srcgrad.tracing.capture.effects import Effects
from srcgrad.tracing.environment import draws, environment_array, iterators, signature
from srcgrad.tracing.environment.environment_array import EnvironmentArray
from srcgrad.tracing.environment.iterators import Taken
from srcgrad.tracing.environment.reader import Environment
from srcgrad.tracing.environment.references import Attribute, Cell, Global, Known
from srcgrad.tracing.following.running import run
from srcgrad.tracing.serving import fitting
from srcgrad.tracing.traced import Traced
from tests.corpus.programs import PROGRAMS
from tests.corpus.walks import walk


def freezes_a_global(monkeypatch):
    def source(self, parent, name):
        return name(self.namespace[self.key], self.hint)

    monkeypatch.setattr(Global, "source", source)


def forgets_a_cell(monkeypatch):
    def source(self, parent, name):
        return name(self.cell.cell_contents, self.hint)

    monkeypatch.setattr(Cell, "source", source)


def freezes_an_array_of_an_attribute(monkeypatch):
    take = Environment.take

    def frozen(self, reference, leaf, where=None):
        if isinstance(reference, Attribute) and isinstance(leaf, np.ndarray):
            reference = Known(reference.text, leaf.copy())
        take(self, reference, leaf, where)

    monkeypatch.setattr(Environment, "take", frozen)


def freezes_a_length(monkeypatch):
    require = Environment.require

    def forgetful(self, condition, where=None):
        if "the length of" not in condition.text:
            require(self, condition, where)

    monkeypatch.setattr(Environment, "require", forgetful)


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
        for trace in entry.traces if isinstance(hit, fitting.Unfit) else ():
            if trace.effects is not None:
                trace.effects.perform(
                    trace.effects.values, trace.guards.environment.objects
                )
        return hit

    monkeypatch.setattr(traced, "fitting", eager)


def draws_twice(monkeypatch):
    monkeypatch.setattr(fitting, "restore", lambda states: None)


def takes_one_for_true(monkeypatch):
    monkeypatch.setattr(signature, "KEYED_BY_VALUE", frozenset())
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
    # Written functions have what they call beside them: calls go the usual way.
    monkeypatch.setattr(
        Traced, "__call__", lambda self, *a, **k: self.called(None, a, k)
    )


def swallows_an_error(monkeypatch):
    monkeypatch.setattr(Traced, "_by_tape_instead", lambda self, *args: None)


# ----- Writes into arrays from outside, items of iterators -----


def changed_effects(monkeypatch, change):
    """Effects of which the steps, and what they change, are others."""
    perform = Effects.perform

    def changed(self, values, held):
        steps = self._steps
        self._steps, held = change(steps, held)
        try:
            perform(self, values, held)
        finally:
            self._steps = steps

    monkeypatch.setattr(Effects, "perform", changed)


def loses_writes(monkeypatch):
    def change(steps, held):
        return [step for step in steps if step[0] is not operator.setitem], held

    changed_effects(monkeypatch, change)


def writes_into_copies(monkeypatch):
    def change(steps, held):
        return steps, [h.copy() if isinstance(h, np.ndarray) else h for h in held]

    changed_effects(monkeypatch, change)


def writes_while_it_records(monkeypatch):
    write, update = EnvironmentArray.__setitem__, EnvironmentArray.update

    def through(self, *args):
        write(self, *args)
        self.array[...] = self.value

    def updated(self, *args):
        result = update(self, *args)
        self.array[...] = self.value
        return result

    monkeypatch.setattr(EnvironmentArray, "__setitem__", through)
    monkeypatch.setattr(EnvironmentArray, "update", updated)


def writes_before_a_miss(monkeypatch):
    def eager(leaves, entry, *rest):
        hit = fitting.fitting(leaves, entry, *rest)
        for trace in entry.traces if isinstance(hit, fitting.Unfit) else ():
            read = trace.guards.read(leaves, [])
            if trace.effects is not None and type(read) is not str:
                held = read[len(trace.guards.environment.taken) :]
                changed = [h for h in held if isinstance(h, np.ndarray)]
                for array in changed:
                    array += 1.0
        return hit

    monkeypatch.setattr(traced, "fitting", eager)


def writes_what_was_there_at_first(monkeypatch):
    take = Environment.take

    def stale(self, reference, leaf, where=None):
        if isinstance(leaf, np.ndarray) and not isinstance(reference, Taken):
            reference = Known(reference.text, leaf.copy())
        take(self, reference, leaf, where)

    monkeypatch.setattr(Environment, "take", stale)


def forgets_that_memory_is_shared(monkeypatch):
    monkeypatch.setattr(closing, "are_apart", lambda written, others: True)
    monkeypatch.setattr(environment_array, "are_apart", lambda written, others: True)


def takes_two_items(monkeypatch):
    take = iterators.next_of

    def two(iterator, *default):
        take(iterator, *default)
        return take(iterator, *default)

    monkeypatch.setattr(iterators, "next_of", two)


def keeps_the_first_item(monkeypatch):
    take, items = iterators.take_next, {}

    def kept(iterator, taken):
        item = take(iterator, taken)
        return items.setdefault(id(iterator), (iterator, item))[1]

    monkeypatch.setattr(iterators, "take_next", kept)
    monkeypatch.setattr(drawing, "take_next", kept)


def loses_what_it_took_in_vain(monkeypatch):
    monkeypatch.setattr(draws, "put_back", lambda iterator, item: None)


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
    loses_writes: [
        "writes: a buffer from outside is filled and read",
        "writes: an argument that is written into",
    ],
    writes_into_copies: [
        "writes: a ring buffer",
        "writes: a closure's array, and a default",
    ],
    writes_while_it_records: [
        "writes: an array from outside is read, and then written into"
    ],
    writes_before_a_miss: [
        "writes: an array is written into before a branch that misses"
    ],
    writes_what_was_there_at_first: ["writes: a swap of two arrays"],
    forgets_that_memory_is_shared: ["writes: a buffer from outside is filled and read"],
    takes_two_items: ["iterators: items of a generator"],
    keeps_the_first_item: ["iterators: a guard that misses after an item was taken"],
    loses_what_it_took_in_vain: ["iterators: items of a generator"],
}


@pytest.mark.parametrize("break_it", BROKEN, ids=lambda each: each.__name__)
def test_the_corpus_catches(monkeypatch, break_it):
    for name in BROKEN[break_it]:
        walk(PROGRAMS[name])
    break_it(monkeypatch)
    for name in BROKEN[break_it]:
        with pytest.raises(AssertionError):
            walk(PROGRAMS[name])
