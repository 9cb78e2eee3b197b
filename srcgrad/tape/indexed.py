"""The nodes of ``x[i]`` and ``x[i] = v``, on the way back through a filled array.

Their gradients are whole arrays, for one element. Where the array's cotangent is the
walk's own, it is changed in place: a loop that fills an array costs as much as its
elements, not as much as an array for each of them.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tape.function import Function, Needed
from srcgrad.tape.rule_function import RuleFunction, node_class_of
from srcgrad.updates import assign
from srcgrad.views import is_basic


class IndexedFunction(RuleFunction):
    """A node whose first gradient is an array that nobody else can see."""

    __slots__ = ()

    def pull_back_in_place(
        self, g: Any, is_own: bool, total: Any
    ) -> Sequence[Any] | None:
        """``pull_back`` without a new array; None where that is not possible.

        Parameters
        ----------
        g : array
            The cotangent.
        is_own : bool
            Whether it may be changed.
        total : array or None
            What there is for the first argument, if that may be added to.
        """
        raise NotImplementedError

    def _saved_for(self, number: int) -> list[Any]:
        """What a rule gets beside the cotangent; an index first."""
        assert self.saved is not None
        return [self.saved[slot] for slot in self.plan.rules[number][1]]


class GetitemFunction(IndexedFunction):
    """``x[i]``."""

    __slots__ = ()

    @property
    def moves(self) -> bool:  # type: ignore[override]
        return self.saved is not None and is_basic(self._saved_for(0)[0])

    def pull_back_in_place(
        self, g: Any, is_own: bool, total: Any
    ) -> Sequence[Any] | None:
        if total is None or self.saved is None:
            return None
        index = self._saved_for(0)[0]
        if not is_basic(index):
            return None
        total[index] += g
        return (None,)


class AssignFunction(IndexedFunction):
    """``x[i] = v``."""

    __slots__ = ()

    def pull_back_in_place(
        self, g: Any, is_own: bool, total: Any
    ) -> Sequence[Any] | None:
        if not is_own or self.saved is None:
            return None
        gradients = [g]
        if len(self.plan.names) > 1:
            value_back = self.plan.rules[1][0]
            gradients.append(np.array(value_back(g, *self._saved_for(1))))
        g[self._saved_for(0)[0]] = 0
        return gradients


def in_place(
    node: IndexedFunction,
    g: Any,
    owned: set[Function],
    pending: Mapping[Function, Any],
    needed: Needed | None,
) -> Sequence[Any] | None:
    """``pull_back`` in a walk that changes only what nobody else can see.

    ``owned`` are the nodes whose cotangents are the walk's own, see the engine.
    """
    edge = node.edges[0]
    if node.plan.names[0] != "x" or edge is None or node.hooks is not None:
        return None
    target = edge[0]
    if target.metas is not None or (needed is not None and target not in needed):
        return None
    total = pending.get(target)
    is_own = node in owned and type(g) is np.ndarray
    is_total_own = target in owned and type(total) is np.ndarray
    if total is None:  # what the node gives comes first, and is its own in any case
        owned.add(target)
    return node.pull_back_in_place(g, is_own, total if is_total_own else None)


for _function, _base in ((operator.getitem, GetitemFunction), (assign, AssignFunction)):
    node_class_of(PRIMITIVES[_function], _base)
