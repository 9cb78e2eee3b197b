"""Random programs with writes, as generated code: nobody sees what it changes."""

import copy
import warnings

import hypothesis
import numpy as np
import pytest

from srcgrad.emit.module import build
from srcgrad.transforms import optimize, split
from tests.transforms.interpret import assert_same, is_tame, run, tolerance
from tests.transforms.writes import programs


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def forward(module, partition, inputs):
    """The outputs, and what is saved."""
    result, saved = module.forward(*inputs), ()
    if partition.backward is not None:
        result, saved = result
    return (result,) if module.has_one_output else result, saved


def backward(module, partition, saved, cotangents):
    """The gradients that there are."""
    if partition.backward is None:
        return ()
    result = module.backward(saved, *cotangents)
    return (result,) if len(partition.backward.outputs) == 1 else result


def shared(arrays, others):
    """Which of some arrays are in the memory of which others."""
    return [
        (i, k)
        for i, array in enumerate(arrays)
        for k, other in enumerate(others)
        if np.shares_memory(array, other) and np.size(array)
    ]


def assert_untouched(items, before):
    """To the bit, and NaN is NaN."""
    for item, old in zip(items, before, strict=True):
        np.testing.assert_array_equal(item, old)


@hypothesis.given(programs())
@hypothesis.settings(max_examples=4 * hypothesis.settings().max_examples)
def test_generated_code_changes_what_is_its_own(program):
    graph, inputs, cotangents = program
    expected = run(graph, inputs, cotangents)
    hypothesis.assume(is_tame(expected[0] + expected[1]))
    partition = split(optimize(graph))
    module = build("writes", partition)
    hypothesis.note(module.text)
    given = copy.deepcopy([inputs, cotangents])

    # A second call comes before the first one's backward pass.
    outputs, saved = forward(module, partition, inputs)
    before = copy.deepcopy([outputs, saved])
    others = forward(module, partition, inputs)
    gradients = backward(module, partition, saved, cotangents)
    again = backward(module, partition, saved, cotangents)
    last = backward(module, partition, others[1], cotangents)

    assert_same(outputs, expected[0], tolerance(graph))
    if partition.backward is not None:
        wanted = [g for g in expected[1] if g is not None]
        assert_same(gradients, wanted, tolerance(graph))
        assert_untouched(again, gradients)
        assert_untouched(last, gradients)
    for items, old in zip([inputs, cotangents], given, strict=True):
        assert_untouched(items, old)
    for items, old in zip([outputs, saved], before, strict=True):
        assert_untouched(items, old)
    assert_untouched(others[0], outputs)

    assert shared(outputs, inputs) == shared(expected[0], inputs)
    assert shared(outputs, outputs) == shared(expected[0], expected[0])
    assert not shared(outputs, [a for a in others[0] if not shared([a], inputs)])
    assert not shared(gradients, [*inputs, *cotangents, *outputs, *saved, *again])
    assert len(shared(gradients, gradients)) <= len(gradients)
