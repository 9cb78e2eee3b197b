import itertools

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import vmap
from tests.transforms.batching.cases import loops_of

MATMULS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 1, 2, 3), (4, 3, 2)),
]
DOTS = [
    ((), (2, 3)),
    ((2, 3), ()),
    ((4, 2, 3), (3,)),
    ((2, 3), (4, 3, 5)),
    *MATMULS[:4],
]
INNERS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 3), (4, 3)),
    ((), (3,)),
    ((5, 2, 3), (4, 3)),
]


@pytest.mark.parametrize("shapes", MATMULS, ids=str)
def test_matmul(shapes):
    assert not loops_of(np.matmul, *shapes)


@pytest.mark.parametrize("shapes", DOTS, ids=str)
def test_dot(shapes):
    assert not loops_of(np.dot, *shapes)


@pytest.mark.parametrize("shapes", INNERS, ids=str)
def test_inner(shapes):
    assert not loops_of(np.inner, *shapes)


@pytest.mark.parametrize(
    "axes", [0, 1, 2, ([0], [1]), ([0, 1], [1, 0]), (-1, -2)], ids=str
)
def test_tensordot(axes):
    assert not loops_of(np.tensordot, (3, 3), (3, 3, 3), axes=axes)


@pytest.mark.parametrize("dtype", [float, complex])
def test_vdot_and_outer(dtype):
    assert not loops_of(np.vdot, (2, 3), (3, 2), dtype=dtype)
    assert not loops_of(np.outer, (2, 3), (4,), dtype=dtype)


@pytest.mark.parametrize(
    "shapes", [((2,), (3,)), ((2, 3), (4, 1)), ((2, 3), (2,))], ids=str
)
def test_kron(shapes):
    assert not loops_of(np.kron, *shapes)


def test_over_the_last_axes():
    assert not loops_of(np.vecdot, (2, 3), (3,))
    assert not loops_of(np.cross, (2, 3), (4, 1, 3))


EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("i,i", (3,), (3,)),
    ("...j,j", (2, 3), (3,)),
    ("ij,...k->...ik", (2, 3), (5, 4)),
]


@pytest.mark.parametrize(("subscripts", "first", "second"), EINSUMS)
def test_einsum(subscripts, first, second):
    rng = np.random.default_rng(0)
    inputs = [Value(shape, np.dtype(float)) for shape in (first, second)]
    each = [rng.normal(size=shape) for shape in (first, second)]
    out = Value(np.einsum(subscripts, *each).shape, np.dtype(float))
    node = Node(np.einsum, (subscripts, *inputs), out=out)
    graph = Graph(tuple(inputs), (node,), (out,))
    for chosen in itertools.product((False, True), repeat=2):
        if not any(chosen):
            continue
        wide = [
            rng.normal(size=(3, *x.shape)) if is_chosen else x
            for x, is_chosen in zip(each, chosen, strict=True)
        ]
        batch = vmap(graph, list(itertools.compress(inputs, chosen)), 3)
        (found,) = evaluate(batch, tuple(wide))
        for i in range(3):
            one = [w[i] if c else w for w, c in zip(wide, chosen, strict=True)]
            np.testing.assert_allclose(found[i], np.einsum(subscripts, *one))
