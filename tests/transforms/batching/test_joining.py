import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import vmap
from tests.transforms.batching.cases import loops_of

# A list as an argument stands in a graph as it is.
CALLS = [
    (np.concatenate, ((2, 3), (4, 3)), {"axis": 0}),
    (np.concatenate, ((2, 3), (2, 1)), {"axis": -1}),
    (np.concatenate, ((2, 3), (4,)), {"axis": None}),
    (np.stack, ((2, 3), (2, 3)), {"axis": 1}),
    (np.stack, ((2, 3), (2, 3)), {"axis": -1}),
    (np.stack, ((), ()), {}),
    (np.hstack, ((2,), (3,)), {}),
    (np.hstack, ((2, 2), (2, 3)), {}),
    (np.vstack, ((3,), (2, 3)), {}),
    (np.dstack, ((3,), (3,)), {}),
    (np.dstack, ((2, 3), (2, 3)), {}),
    (np.column_stack, ((3,), (3, 2)), {}),
]


@pytest.mark.parametrize(
    ("function", "shapes", "options"),
    CALLS,
    ids=lambda item: getattr(item, "__name__", str(item)),
)
def test_joined_as_alone(function, shapes, options):
    assert not loops_of_joined(function, shapes, options)


def loops_of_joined(function, shapes, options):
    """The same for a function of one list."""
    rng = np.random.default_rng(0)
    inputs = [Value(shape, np.dtype(float)) for shape in shapes]
    each = [rng.normal(size=shape) for shape in shapes]
    out = Value(function(each, **options).shape, np.dtype(float))
    node = Node(function, (inputs,), options, out)
    graph = Graph(tuple(inputs), (node,), (out,))
    looped = []
    for chosen in range(len(shapes)):
        wide = list(each)
        wide[chosen] = rng.normal(size=(3, *shapes[chosen]))
        batch = vmap(graph, [inputs[chosen]], 3, looped.append)
        (found,) = evaluate(batch, tuple(wide))
        for i in range(3):
            one = [x[i] if k == chosen else x for k, x in enumerate(wide)]
            np.testing.assert_array_equal(found[i], function(one, **options))
    return looped


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": -1}], ids=str)
def test_appended(options):
    assert not loops_of(np.append, (2, 3), (2, 3), **options)


SPLITS = [
    (np.split, (4, 3), {"indices_or_sections": 2}),
    (np.split, (3, 4), {"indices_or_sections": (1, 3), "axis": -1}),
    (np.array_split, (3, 4), {"indices_or_sections": 3, "axis": 1}),
    (np.hsplit, (4,), {"indices_or_sections": 2}),
    (np.hsplit, (3, 4), {"indices_or_sections": 2}),
    (np.vsplit, (4, 3), {"indices_or_sections": 2}),
    (np.dsplit, (2, 2, 4), {"indices_or_sections": 2}),
]


@pytest.mark.parametrize(("function", "shape", "options"), SPLITS)
def test_split_as_alone(function, shape, options):
    assert not loops_of(function, shape, **options)


def test_deleted():
    assert not loops_of(np.delete, (3, 4), obj=1)
    assert not loops_of(np.delete, (3, 4), obj=[0, 2], axis=-1)


@pytest.mark.parametrize("shapes", [((), ()), ((3,), ()), ((2, 1), (3,))], ids=str)
@pytest.mark.parametrize("axis", [0, -1])
def test_numbers_between(shapes, axis):
    assert not loops_of(np.linspace, *shapes, num=4, axis=axis)
