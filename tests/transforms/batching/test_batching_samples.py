"""Every sample of every rule, forward and backward, batched and in a loop."""

import numpy as np
import pytest

from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Joint, evaluate
from srcgrad.modes import enable_grad
from srcgrad.steps import Guard
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.record import record
from srcgrad.transforms.batching import BatchingError, vmap
from tests.rules.suite import (
    BY_NAME,
    as_user_code,
    assert_same,
    check_samples,
    in_turn,
    is_deep,
    rng_of,
)

SIZE = 3


def problems(sample):
    """The graph of one element, and inputs of as many as there are in the batch."""
    calls = []
    rng = rng_of(sample)
    for _ in range(SIZE):
        wrap = lambda array: Variable(array, requires_grad=True)  # noqa: E731
        calls.append(sample.arguments(rng, np.float64, wrap))
    args, kwargs = calls[0]
    function = as_user_code(sample.call or sample.function)
    recording = record(function, Signature(tuple(args), kwargs))
    joint = recording.graph
    signatures = [Signature(tuple(args), kwargs) for args, kwargs in calls]
    inputs = [
        tuple(
            getattr(leaf, "value", leaf)
            for leaf in (
                [*signature.leaves, *recording.interaction.environment.values][i]
                for i in recording.interface.positions
            )
        )
        for signature in signatures
    ]
    cotangents = [
        tuple(
            np.asarray(rng.uniform(0.5, 1.5, v.shape), v.dtype)[()]
            for v in joint.cotangents
        )
        for _ in range(SIZE)
    ]
    return joint, inputs, cotangents


def whole(joint: Joint):
    """Both halves as one graph without gradients of its own."""
    gradients = [g for g in joint.gradients if g is not None]
    return Graph(
        (*joint.inputs, *joint.cotangents),
        joint.nodes,
        (*joint.outputs, *gradients),
        joint.constants,
    )


def subsets(count, with_others):
    """All of the inputs, each alone, and with ``--deep`` all but each."""
    every = range(count)
    alone = [{i} for i in every]
    others = [set(every) - {i} for i in every] if count > 2 and with_others else []
    return [set(every), *(alone if count > 1 else []), *others]


@pytest.mark.deep
@pytest.mark.parametrize("name", BY_NAME)
def test_a_batch_is_a_loop(name, pytestconfig):
    check_samples(name, a_batch_is_a_loop, 0, pytestconfig)


def a_batch_is_a_loop(sample, config):
    try:
        with enable_grad(), np.errstate(all="ignore"):
            joint, inputs, cotangents = problems(sample)
    except Refusal:
        return  # it stays on the tape
    graph = whole(joint)
    each = [(*a, *b) for a, b in zip(inputs, cotangents, strict=True)]
    every = subsets(len(graph.inputs), is_deep(config))
    for chosen in in_turn(sample, every, config):
        elements = [
            tuple(one[i] if i in chosen else each[0][i] for i in range(len(one)))
            for one in each
        ]
        together = tuple(
            np.stack([one[i] for one in elements]) if i in chosen else each[0][i]
            for i in range(len(graph.inputs))
        )
        try:
            batch = vmap(graph, {graph.inputs[i] for i in chosen}, SIZE)
        except BatchingError:
            assert any(
                isinstance(step, Guard) or facts_of(step.function).shape_by_value
                for step in graph.nodes
            )
            continue
        batch.lint()
        with np.errstate(all="ignore"):
            try:
                results = [evaluate(graph, one) for one in elements]
            except np.exceptions.AxisError:
                continue  # NumPy takes the axis 0 of a number in some functions only
            found = evaluate(batch, together)
        for value, ours, theirs in zip(
            batch.outputs, found, zip(*results, strict=True), strict=True
        ):
            expected = np.stack(theirs)
            assert_same(ours, expected, 1e-9)
            assert (value.shape, value.dtype) == (ours.shape, ours.dtype)
