"""Elements of arrays, which the arms of a branch do not take, but get.

>>> import numpy as np
>>> x, y, z = (Value(shape, np.dtype(float)) for shape in ((3,), (), ()))
>>> taken = [Node(operator.getitem, (x, 1), out=each) for each in (y, z)]
>>> found, same = once(taken, {})
>>> len(found), same == {z: y}
(1, True)
"""

import operator
from collections.abc import Mapping, Sequence, Set
from typing import Any

from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.algebra.cse import key_of


def without_elements(nodes: Sequence[Step]) -> tuple[list[Step], list[Node]]:
    """Steps without those that take an element out of what is there before; and these.

    That is no work, and arms read no arrays then.
    """
    made = {value for step in nodes for value in step.results}
    found: list[Step] = []
    taken: list[Node] = []
    for step in nodes:
        if (
            isinstance(step, Node)
            and step.function is operator.getitem
            and step.results[0].kind == "scalar"
            and made.isdisjoint(step.inputs)
        ):
            taken.append(step)
        else:
            found.append(step)
    return found, taken


class Line:
    """The ``elements`` that the user's line that runs has taken out of arrays so far.

    In this iteration, for the one before may be none; ``firsts`` are its first steps.
    What branches read is there, whichever arm ran. But for what is ``joined``: it is an
    element in one arm only.
    """

    def __init__(self, joined: Set[Value], firsts: Set[int]) -> None:
        self._joined, self._firsts = joined, firsts
        self._where: Any = None
        self.elements: dict[Any, Value] = {}

    def go_on(self, steps: Sequence[Step]) -> None:
        """Note the elements that some steps take, the next ones."""
        for step in steps:
            if step.where != self._where or id(step) in self._firsts:
                self._where, self.elements = step.where, {}
            if isinstance(step, Node) and step.function is operator.getitem:
                (value,) = step.results
                if value not in self._joined:
                    self.elements.setdefault(key_of(step), value)


def once(
    taken: Sequence[Node], before: Mapping[Any, Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Those that are not there yet; for the results of the others the same ones."""
    found: dict[Any, Node] = {}
    same: dict[Value, Value] = {}
    for step in taken:
        key, (value,) = key_of(step), step.results
        if key in before:
            same[value] = before[key]
        elif found.setdefault(key, step) is not step:
            same[value] = found[key].results[0]
    return [*found.values()], same
