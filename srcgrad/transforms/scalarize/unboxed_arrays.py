"""Arrays that a loop on floats fills row by row, or takes integers from: NumPy's still.

Of a row that is added to ``dx[i]`` the numbers are floats, and are made an array there:
to add that to another one takes less time than to add number by number.

>>> from srcgrad.graph import Graph
>>> from srcgrad.updates import add_at
>>> dx, out = (Value((9, 2), FLOAT, name) for name in ("dx", "out"))
>>> g, i = Value((2,), FLOAT, "g"), Value((), np.dtype(int), "i", "float")
>>> body = Graph((i, dx, g), (add := Node(add_at, (dx, i, g), out=out),), (out,))
>>> filled(body, dx, out)
True
>>> apart = Apart(body)
>>> _ = as_array(apart, dx)
>>> take_array(apart, add)
True
>>> print(Graph((i, dx, g), tuple(apart.nodes), (apart.arrays[out],)))
g_0, g_1 = elements(g)
t = array([g_0, g_1])
out = add_at(dx, i, t)
return out
"""

import math
import operator
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.policy import MOST_COMPUTED
from srcgrad.steps import Node, Value, values_in
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import FLOAT, NotApartError
from srcgrad.updates import UPDATES
from srcgrad.views import is_basic


def filled(body: Graph, state: Value, carried: Value) -> bool:
    """Whether all that a body does with an array is to put rows into it."""
    if state.kind != "array" or state.dtype != FLOAT or not state.shape:
        return False
    puts = 0
    while state is not carried:
        users = [step for step in body.nodes if state in step.inputs]
        if len(users) != 1 or state in body.outputs or not _puts_row(users[0], state):
            return False
        (state,) = users[0].results
        puts += 1
    return puts > 0 and body.outputs.count(state) == 1


def _puts_row(step: Any, array: Value) -> bool:
    if type(step) is not Node or step.function not in UPDATES:
        return False
    target, index, row = step.args
    is_small = type(row) is Value and 0 < math.prod(row.shape) <= MOST_COMPUTED
    is_once = target is array and [*step.inputs].count(array) == 1
    return is_once and is_small and bool(row.shape) and is_basic(index)


def holds_integers(value: Value) -> bool:
    """Whether it is an array of integers, of which indices are taken."""
    return value.kind == "array" and value.dtype.kind in "iu" and len(value.shape) == 1


def as_array(apart: Apart, old: Value) -> Value:
    """What stands for an array that stays one, where it goes in or comes out."""
    apart.arrays[old] = old.twin()
    return apart.arrays[old]


def array_of(apart: Apart, item: Any) -> Any:
    """The array that goes in for one.

    Raises
    ------
    NotApartError
        If there is none.
    """
    if item in apart.arrays:
        return apart.arrays[item]
    if item in apart.given and item not in apart.rows:
        return item
    if item not in apart.zeros:
        raise NotApartError
    zeros = item.twin()
    apart.add(np.zeros, (item.shape,), zeros)
    return zeros


def take_array(apart: Apart, node: Node) -> bool:
    """Write a step down that is about such an array; False if it is about none."""
    array = node.args[0] if node.args else None
    if type(array) is not Value or array not in apart.arrays:
        return False
    known, index, out = apart.arrays[array], node.args[1], node.results[0]
    if any(value not in apart.given for value in values_in(index)):
        raise NotApartError
    apart.step = node
    if node.function in UPDATES and not node.kwargs:
        row = Value(node.args[2].shape, FLOAT, None, "array", node.args[2].hint)
        apart.add(np.array, (apart.items(node.args[2]),), row)
        apart.add(node.function, (known, index, row), as_array(apart, out))
    elif node.function is operator.getitem and out.kind == "scalar":
        apart.given.add(out)
        apart.add(node.function, (known, index), out)
    else:
        raise NotApartError
    return True
