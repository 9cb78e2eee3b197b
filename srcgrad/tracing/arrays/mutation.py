"""Mutation, functionalized: Variables written into a function's own array.

The array's content is another Variable after each write. A tape writes into its memory
if nobody else looks at that, and copies it otherwise. So does a recording: it knows
arrays by their identity, so each content is a view of its own on one memory, and what
nodes have saved is kept as the tape keeps it, element by element (``overwritten``). A
loop that fills an array takes the memory of what it writes, no array an iteration.

>>> from srcgrad.tracing.arrays.functional_array import FunctionalArray
>>> assigned(FunctionalArray(np.zeros(2)), 0, Variable(np.array(2.0)) * 3.0)
Variable containing:
array([6., 0.])
"""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.errors import here
from srcgrad.modes import Recorder, state
from srcgrad.policy import MOST_HELD
from srcgrad.tape.apply import class_of, put_on_tape
from srcgrad.tape.function import has_edge
from srcgrad.tape.inplace import refuse_integers
from srcgrad.tape.operands import take, variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tracing.refusal import give_up
from srcgrad.updates import assign


def assigned(own: Any, index: Any, value: Any) -> Any:
    """The content of an array after ``own[index] = value``, with a Variable in it."""
    recorder = state.recorder
    if recorder is not None:
        return _recorded(recorder, own, index, value)
    # What others hold, nodes of the tape above all, stays as it was.
    is_held = _references(own) > ALONE
    content = own.content
    kind = class_of(variables_in((content, index, value)))
    raw = np.array(own.value) if is_held else own.value
    target = kind.make(raw, own.edge)
    target[index] = value
    return target


def _recorded(recorder: Recorder, own: Any, index: Any, value: Any) -> Any:
    if state.grad_enabled and any(map(has_edge, variables_in(value))):
        refuse_integers(own)
    if own.has_own_memory and not isinstance(value, (list, tuple)):
        is_alone = _holders(own) <= HELD_ALONE
        if is_alone and own.content.own_storage().sharing() == 1:
            return _in_place(recorder, own.content, index, value)
    recorder.kept_before += own.value.nbytes
    if recorder.kept_before > MOST_HELD:
        give_up("writes into a large array so often that to record it takes too much")
    return assign(own.content, index, value)


def _in_place(recorder: Recorder, content: Any, index: Any, value: Any) -> Any:
    """``assign(content, index, value)``, in the memory of the content."""
    args = content, index, value
    variables: list[Any] = []
    raw, raw_index, raw_value = (take(arg, variables) for arg in args)
    call = recorder.before(assign, args, {})
    recorder.keep(content)
    storage = content.own_storage()
    overwritten = storage.overwritten_by(raw, raw_index)
    # An array is known by its identity: after the write it is another one.
    written = raw.view()
    written[raw_index] = raw_value
    storage.written(here(), overwritten)
    out = put_on_tape(assign, call.args, {}, variables, written)
    recorder.after(call, out)
    return out


def _references(own: Any) -> int:
    """How often the content is referred to, and its memory."""
    content = own.content
    if not isinstance(content, Variable):
        return 1_000
    return sys.getrefcount(content) + sys.getrefcount(content.value)


def _holders(own: Any) -> int:
    """How often the content is referred to; a recorder refers to its memory."""
    return sys.getrefcount(own.content)


# As many as there are if nobody holds them but the array itself.
_ALONE: Any = SimpleNamespace(content=Variable.make(np.zeros(1), None))
ALONE, HELD_ALONE = _references(_ALONE), _holders(_ALONE)
