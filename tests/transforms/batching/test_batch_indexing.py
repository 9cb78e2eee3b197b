import operator

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value, values_in
from srcgrad.transforms.batching import vmap
from srcgrad.updates import add_at, assign, scatter

SIZE, SHAPE = 3, (4, 5, 6)

# What stands in an index: an axis, or the shape of an array of places.
ALL = slice(None)
PARTS = [
    ("places", ()),
    ("places", (2,)),
    ("places", (2, 1)),
    (ALL,),
    (slice(1, 4, 2),),
    (None,),
    (Ellipsis,),
    (1,),
    (np.array([2, 0]),),
]


def indices(seed):
    """A random index: each part with whether it is batched."""
    rng = np.random.default_rng(seed)
    parts, axes, has_ellipsis = [], 0, False
    while axes < 3 and (rng.random() < 0.8 or not parts):
        part = PARTS[rng.integers(len(PARTS))]
        if part[0] is Ellipsis:
            if has_ellipsis:
                continue
            has_ellipsis = True
        elif part[0] is not None:
            axes += 1
        parts.append((*part, bool(rng.random() < 0.5)))
    return parts


def place(rng, part):
    """The Value of a part that holds places, and a draw of them."""
    shape = part[1]
    kind = "array" if shape else "scalar"
    value = Value(shape, np.dtype(np.intp), kind=kind)
    return value, lambda: rng.integers(0, 4, shape)


@pytest.mark.parametrize("x_is_batched", [False, True])
@pytest.mark.seeds(30)
def test_reading_and_writing_at_random_indices(seed, x_is_batched):
    rng = np.random.default_rng(seed)
    symbols, draws = [], {}
    batched = set()
    for part in indices(seed):
        if part[0] == "places" if isinstance(part[0], str) else False:
            value, draw = place(rng, part)
            symbols.append(value)
            draws[value] = draw
            if part[-1]:
                batched.add(value)
        else:
            symbols.append(part[0])
    index = tuple(symbols)
    x = Value(SHAPE, np.dtype(float))
    draws[x] = lambda: rng.normal(size=SHAPE)
    if x_is_batched:
        batched.add(x)
    if not batched:
        return
    given = {value: draw() for value, draw in draws.items()}
    concrete = tuple(given[item] if isinstance(item, Value) else item for item in index)
    shape = given[x][concrete].shape
    g = Value(shape, np.dtype(float))
    draws[g] = lambda: rng.normal(size=shape)
    out = Value(shape, np.dtype(float))
    check(Node(operator.getitem, (x, index), out=out), draws, batched)
    for which in ({*batched, g}, batched):
        out = Value(SHAPE, np.dtype(float))
        check(Node(scatter, (g, index, SHAPE), out=out), draws, which)
        out = Value(SHAPE, np.dtype(float))
        check(Node(add_at, (x, index, g), out=out), draws, which)
        if all(np.unique(c).size == np.size(c) for c in concrete if np.ndim(c)):
            out = Value(SHAPE, np.dtype(float))
            check(Node(assign, (x, index, 2.0), out=out), draws, which)


def check(node, draws, batched):
    inputs = tuple(dict.fromkeys(values_in(node.args)))
    batched = [value for value in inputs if value in batched]
    if not batched:
        return
    graph = Graph(inputs, (node,), (node.out,))
    looped = []
    batch = vmap(graph, batched, SIZE, looped.append)
    assert not looped
    wide = tuple(
        np.stack([draws[value]() for _ in range(SIZE)])
        if value in batched
        else draws[value]()
        for value in inputs
    )
    (found,) = evaluate(batch, wide)
    for i in range(SIZE):
        one = tuple(
            w[i] if value in batched else w
            for w, value in zip(wide, inputs, strict=True)
        )
        np.testing.assert_allclose(found[i], evaluate(graph, one)[0], atol=1e-12)


@pytest.mark.parametrize("axis", [None, 0, 1, -1], ids=str)
@pytest.mark.parametrize("shape", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("which", [(0,), (1,), (0, 1)], ids=str)
def test_take(axis, shape, which):
    rng = np.random.default_rng(0)
    x, places = Value((4, 5), np.dtype(float)), Value(shape, np.dtype(np.intp))
    wanted = np.take(np.zeros((4, 5)), np.zeros(shape, int), axis=axis)
    out = Value(wanted.shape, np.dtype(float))
    draws = {
        x: lambda: rng.normal(size=(4, 5)),
        places: lambda: rng.integers(0, 4, shape),
    }
    node = Node(np.take, (x, places), {"axis": axis}, out)
    check(node, draws, {(x, places)[i] for i in which})
