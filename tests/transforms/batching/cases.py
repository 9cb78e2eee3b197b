"""Calls on a batch against calls on each element, for the tests of batching rules."""

import itertools

import numpy as np

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import vmap

SIZE = 3


def loops_of(call, *shapes, dtype=float, **options):
    """Batch each choice of the arguments of ``call``: what has run in a loop.

    ``call`` is a function of arrays, of which each shape gives one.
    """
    looped = []
    for chosen in itertools.product((False, True), repeat=len(shapes)):
        if any(chosen):
            looped += _check(call, shapes, chosen, dtype, options)
    return looped


def _check(call, shapes, chosen, dtype, options):
    rng = np.random.default_rng(0)
    each = [draw(rng, shape, dtype) for shape in shapes]
    inputs = tuple(
        Value(np.shape(x), x.dtype, kind="array" if np.ndim(x) else "scalar")
        for x in each
    )
    expected = call(*each, **options)
    outs = tuple(
        Value(np.shape(out), np.result_type(out))
        for out in (expected if isinstance(expected, (tuple, list)) else [expected])
    )
    out = outs if isinstance(expected, (tuple, list)) else outs[0]
    graph = Graph(inputs, (Node(call, inputs, options, out),), outs)
    wide = [
        np.stack([draw(rng, shape, dtype) for _ in range(SIZE)]) if is_chosen else x
        for x, shape, is_chosen in zip(each, shapes, chosen, strict=True)
    ]
    looped = []
    batched = list(itertools.compress(inputs, chosen))
    batch = vmap(graph, batched, SIZE, looped.append)
    batch.lint()
    found = evaluate(batch, tuple(wide))
    for i in range(SIZE):
        pairs = zip(wide, chosen, strict=True)
        element = [x[i] if is_chosen else x for x, is_chosen in pairs]
        results = evaluate(graph, tuple(element))
        for ours, theirs in zip(found, results, strict=True):
            assert ours.dtype == np.result_type(theirs)
            assert ours[i].shape == np.shape(theirs)
            np.testing.assert_allclose(ours[i], theirs, rtol=1e-12, atol=1e-12)
    return [each.name for each in looped]


def draw(rng, shape, dtype):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 2, shape)
    return np.asarray(rng.normal(size=shape), dtype)[()]
