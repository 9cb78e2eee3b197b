"""Nested containers of arrays: optree's flatten and unflatten, with None as a leaf.

>>> leaves, structure = flatten({"w": 1.0, "b": (2.0, None)})
>>> leaves
[1.0, 2.0, None]
>>> unflatten(structure, leaves)
{'w': 1.0, 'b': (2.0, None)}
"""

from collections.abc import Iterable
from typing import Any

import optree

# Classes that a user registers with optree under this namespace are containers to us.
NAMESPACE = "srcgrad"

# A dict's order is part of its structure, as it is of what a program does with it;
# optree sorts the keys by default.
_ordered = optree.dict_insertion_ordered(True, namespace=NAMESPACE)
_ordered.__enter__()  # and never left; when it is collected, it leaves by itself


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Take a container apart: its leaves in order, and its hashable structure."""
    leaves, structure = optree.tree_flatten(
        tree, none_is_leaf=True, namespace=NAMESPACE
    )
    return leaves, structure


def unflatten(structure: Any, leaves: Any) -> Any:
    """Put leaves back into a structure."""
    return structure.unflatten(leaves)


def children(item: Any) -> Iterable[Any]:
    """What a container holds; nothing, if it is none.

    >>> list(children({"w": 1.0, "b": (2.0, None)})), children(None)
    ([1.0, (2.0, None)], ())
    """
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, (tuple, list)):
        return item
    if optree.tree_is_leaf(item, none_is_leaf=True, namespace=NAMESPACE):
        return ()
    found: Iterable[Any] = optree.tree_flatten_one_level(
        item, none_is_leaf=True, namespace=NAMESPACE
    )[0]
    return found


def shown(structure: Any) -> str:
    """A structure as people write it.

    >>> shown(flatten({"w": 1.0, "b": (2.0, None)})[1])
    "{'w': *, 'b': (*, *)}"
    """
    text = str(structure).removeprefix("PyTreeSpec(")
    return text.rsplit(", NoneIsLeaf", 1)[0]


def is_leaf(structure: Any) -> bool:
    """Whether a structure is that of one leaf, outside any container."""
    return bool(structure.is_leaf())


def paths(tree: Any) -> list[tuple[Any, ...]]:
    """For each leaf the keys, indices and attributes that lead to it."""
    found: list[tuple[Any, ...]] = optree.tree_paths(
        tree, none_is_leaf=True, namespace=NAMESPACE
    )
    return found
