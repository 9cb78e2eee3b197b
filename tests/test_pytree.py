"""Containers, taken apart and put together."""

from collections import namedtuple

import optree
import pytest

from srcgrad.pytree import NAMESPACE, flatten, is_leaf, paths, unflatten

Pair = namedtuple("Pair", "first second")
TREE = {"w": [1.0, None], "b": Pair(2.0, ((), "text"))}


def test_what_is_taken_apart_can_be_put_together():
    leaves, structure = flatten(TREE)
    assert leaves == [1.0, None, 2.0, "text"]
    again = unflatten(structure, leaves)
    assert again == TREE
    assert type(again["b"]) is Pair


def test_the_structure_can_be_a_key():
    structure = flatten(TREE)[1]
    assert {structure: 1}[flatten(TREE)[1]] == 1
    assert structure != flatten(TREE | {"b": (2.0, ((), "text"))})[1]


def test_the_order_of_a_dict_is_kept_and_counts():
    one, other = {"b": 1.0, "a": 2.0}, {"a": 2.0, "b": 1.0}
    assert flatten(one)[0] == [1.0, 2.0]
    assert flatten(other)[0] == [2.0, 1.0]
    assert flatten(one)[1] != flatten(other)[1]
    assert list(unflatten(flatten(one)[1], [3.0, 4.0])) == ["b", "a"]


def test_paths_lead_to_the_leaves():
    assert paths(TREE) == [("w", 0), ("w", 1), ("b", 0), ("b", 1, 1)]


@pytest.mark.parametrize("item", [1.0, None, "text"])
def test_one_leaf_is_no_container(item):
    assert is_leaf(flatten(item)[1])
    assert not is_leaf(flatten([item])[1])


def test_a_class_that_is_registered_is_a_container():
    class Layer:
        def __init__(self, w, b):
            self.w, self.b = w, b

    assert len(flatten(Layer(1.0, 2.0))[0]) == 1
    optree.register_pytree_node(
        Layer,
        lambda layer: ((layer.w, layer.b), None),
        lambda _, children: Layer(*children),
        namespace=NAMESPACE,
    )
    try:
        leaves, structure = flatten([Layer(1.0, 2.0)])
        assert leaves == [1.0, 2.0]
        assert unflatten(structure, [3.0, 4.0])[0].b == 4.0
    finally:
        optree.unregister_pytree_node(Layer, namespace=NAMESPACE)
