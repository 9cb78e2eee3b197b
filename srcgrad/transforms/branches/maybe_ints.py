"""Numbers that are integers if one arm ran, and floats if the other one did.

``y = 0`` in one arm and ``y = 2.0 * x`` in the other one: what both give is a float of
the graph. Whatever is done with it must be the same for the integer: a sum, a product
or a quotient with what is a float for certain, or a comparison. ``-y`` is not (there is
no ``-0`` among integers), ``2 * y`` is an integer again, and so is a result.

>>> from srcgrad.graph import Graph
>>> x, y, z = (Value((), np.dtype(float), name, "scalar") for name in "xyz")
>>> check_ints(Graph((x, y), (Node(np.add, (x, y), out=z),), (z,)), {y})
>>> check_ints(Graph((x, y), (Node(np.negative, (y,), out=z),), (z,)), {y})
Traceback (most recent call last):
srcgrad.transforms.branches.mixed_kinds.UnfitError
"""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Program
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.branches.mixed_kinds import (
    ARRAYS,
    FLOAT,
    NUMPYS,
    TESTS,
    UnfitError,
)
from srcgrad.updates import assign

# What with a float is the same for an integer.
WITH_FLOATS = frozenset({np.add, np.subtract, np.multiply, np.divide, assign}) | ARRAYS


def check_ints(
    graph: Program,
    ints: Collection[Value],
    wholes: Collection[Value] = (),
    asked: Collection[Value] = (),
) -> None:
    """See that nobody can tell whether some Values are integers.

    Parameters
    ----------
    graph : Graph or Joint
        The user's calls, with the branches.
    ints : set of Value
        What is an integer if one of two arms ran.
    wholes : set of Value
        Inputs that stand for integers, which are none for the graph.
    asked : set of Value
        Of what something else has been asked: an attribute, its type.

    Raises
    ------
    UnfitError
        If somebody may.
    """
    if not ints:
        return
    found = _Ints(ints)
    found.floats.update(value for value in graph.inputs if value not in wholes)
    found.take(graph.nodes)
    if not found.ints.isdisjoint((*graph.results, *asked)):
        raise UnfitError


class _Ints:
    """``floats`` are certain to be; ``numbers`` are constants that are written so."""

    def __init__(self, ints: Iterable[Value]) -> None:
        self.ints = set(ints)
        self.floats: set[Value] = set()
        self.numbers: set[Value] = set()

    def take(self, steps: Iterable[Step]) -> None:
        """Look at the steps of a graph, or of an arm, of whose inputs is known."""
        for step in steps:
            is_met = not self.ints.isdisjoint(step.inputs)
            if type(step) is Guard:
                if is_met and step.convert is not bool:
                    raise UnfitError
            elif type(step.function) is Branch:
                self._take_branch(step.function, step)
            elif is_met:
                self._take_met(step)
            elif self._makes_float(step):
                self.floats.update(step.results)

    def is_float(self, item: Any) -> bool:
        """Whether something is certain to be a float, or an array of floats."""
        if type(item) is Value:
            is_known = item.kind in ("scalar", "array") or item in self.floats
            return is_known and item.dtype == FLOAT and item not in self.ints
        return False

    def _is_partner(self, item: Any) -> bool:
        if type(item) is not Value:
            return type(item) is float
        return item in self.numbers or self.is_float(item)

    def _makes_float(self, node: Node) -> bool:
        """Whether it is certain to make a float, of whatever it is given."""
        if node.function is np.divide or any(map(self.is_float, node.inputs)):
            return True
        return node.function is float and _is_fraction(node.args[0])

    def _take_met(self, node: Node) -> None:
        """A step with some that may be integers."""
        function = NUMPYS.get(node.function, node.function)
        if function is float:  # another object of the same kind
            self.ints.update(node.results)
            return
        if node.kwargs or node.bodies:
            raise UnfitError
        if function in TESTS:
            if not all(map(_is_exact, node.args)):
                raise UnfitError
            return
        args = node.args[0] if function in ARRAYS else node.args
        if function not in WITH_FLOATS or not any(map(self._is_partner, args)):
            raise UnfitError
        self.floats.update(node.results)

    def _take_branch(self, branch: Branch, node: Node) -> None:
        test, *args = node.args
        if type(test) is Value and test in self.ints:
            raise UnfitError
        for arm in branch.bodies:
            for item, value in zip(args, arm.inputs, strict=True):
                if type(item) is Value and item in self.ints:
                    self.ints.add(value)
                elif self.is_float(item):
                    self.floats.add(value)
                elif self._is_partner(item):
                    self.numbers.add(value)
            self.take(arm.nodes)
        for number, value in enumerate(node.results):
            outputs = [arm.outputs[number] for arm in branch.bodies]
            if not self.ints.isdisjoint(outputs):
                self.ints.add(value)
            elif all(map(self.is_float, outputs)):
                self.floats.add(value)


def _is_fraction(item: Any) -> bool:
    """Whether a constant cannot stand for an integer."""
    return type(item) is float and not item.is_integer()


def _is_exact(item: Any) -> bool:
    """Whether an integer compares with it as the same float does."""
    if type(item) is Value:
        return item.dtype == FLOAT
    return type(item) is float or (type(item) is int and abs(item) <= 2**53)
