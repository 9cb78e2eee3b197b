"""Zeros that the engine puts off: in cotangents of what was chosen element by element.

See ``rules.chosen``.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.rules.chosen import Chosen
from srcgrad.tape.function import Function, Needed


class Choices(dict[Function, Chosen]):
    """Of which pending cotangents some elements are zero in truth."""

    def seen(self, node: Function, g: Any) -> Any:
        """A node's cotangent with its zeros."""
        chosen = self.get(node)
        return g if chosen is None else chosen.resolved()

    def keep(self, node: Function, g: Any) -> None:
        """Forget the zeros if a hook has put something else in their place."""
        chosen = self.get(node)
        if chosen is not None:
            beside = Chosen(raw_of(g), raw_of(chosen.condition), not chosen.is_where)
            if np.any(beside.resolved()):
                del self[node]

    def pull_back(
        self, node: Function, g: Any, needed: Needed | None, wrap: Any
    ) -> Sequence[Any]:
        """What a node hands on; with its cotangent moves where it was chosen."""
        chosen = self.pop(node)
        gradients = node.pull_back(g, needed, wrap)
        if not node.moves:
            return [chosen.over(gradient) for gradient in gradients]
        (condition,) = node.pull_back(
            np.broadcast_to(chosen.holds(), node.shape), needed, wrap
        )
        return [Chosen(gradients[0], condition)]

    def put_off(
        self,
        node: Function,
        chosen: Chosen,
        pending: dict[Function, Any],
        stops: Collection[Function],
    ) -> Any:
        """Put a cotangent with the pending ones, without its zeros, if that can be.

        Returns
        -------
        array or None
            The cotangent as it is, if it is still to be added.
        """
        if (
            not (node.by_elements or _moves_all(node))
            or node.metas is not None
            or (node in pending and node not in self)
        ):
            return chosen.resolved()
        found: Any = chosen.fitted(node.shape, node.dtype)
        if node in self:
            found = self.pop(node).plus(found)
        if type(found) is Chosen:
            if node.hooks is not None or node in stops:  # somebody sees it
                found = found.over(found.resolved())
            self[node], found = found, found.g
        pending[node] = found
        return None


def _moves_all(node: Function) -> bool:
    """Whether a node puts all elements of its argument in other places."""
    edge = node.edges[0] if node.moves and len(node.edges) == 1 else None
    if edge is None or edge[0].metas is not None:
        return False
    return math.prod(edge[0].shape) == math.prod(node.shape)
