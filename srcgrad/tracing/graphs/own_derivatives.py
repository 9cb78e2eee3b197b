"""Derivatives of the user's own, which a batch of an element's steps does not have.

The steps of the value are batched, and their own derivatives go with them.
"""

from collections.abc import Iterable, Set
from typing import Any

from srcgrad.tape.function import Function


def loses_derivatives(leaves: Iterable[Any], own: Set[Function]) -> bool:
    """Whether results lead to nodes with a derivative of the user's own.

    ``own`` are those that the element has made. Those that have been walked through are
    steps like others, as of ``vmap(grad(f))``; what is computed again on the way back
    may have any of them in it.
    """
    if not own:
        return False
    edges = [getattr(leaf, "edge", None) for leaf in leaves]
    waiting = [edge for edge in edges if edge is not None]
    seen = {*waiting}
    while waiting:
        node, number = waiting.pop()
        is_lost = node in own and not getattr(node, "is_step", False)
        if is_lost or node.runs_again:
            return True
        further = {*node.edges_of(number)} - seen
        seen |= further
        waiting += further
    return False
