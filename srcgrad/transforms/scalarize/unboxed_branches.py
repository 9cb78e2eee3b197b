"""Branches on Python's floats: what a test decides, and what the arms give, are these.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, r, s, a, b, y = (Value((), f8, name, "scalar") for name in "xrsaby")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> then = Graph((r,), (Node(np.multiply, (r, r), out=a),), (a,))
>>> orelse = Graph((s,), (Node(np.absolute, (s,), out=b),), (b,))
>>> steps = (
...     Node(np.less, (x, 1.0), out=t),
...     Node(Branch(then, orelse), (t, x), out=(y,)),
... )
>>> apart = Apart(Graph((x,), steps, (y,)))
>>> apart.take(steps[0])
>>> take_branch(apart, steps[1], Apart.take)
>>> y = apart.give(y)
>>> print(Graph((x,), tuple(map(apart.named, apart.nodes)), (y,)))
x_1 = float(x)
t = lt(x_1, 1.0)
y = branch(t, x_1)
    body(r):
        a = mul(r, r)
        return a
    body(s):
        b = abs(s)
        return b
y_1 = float64(y)
return y_1
"""

from collections.abc import Callable
from typing import Any

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.scalarize.unboxed_bodies import (
    argument,
    inner_of,
    jumps_inside,
    looking,
    number_of,
    parameter,
    result,
)
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import BOOL, NotApartError
from srcgrad.transforms.scalarize.unseen import unseen
from srcgrad.unboxing import Form

TakeStep = Callable[[Apart, Step], None]


def take_branch(apart: Apart, node: Node, take_step: TakeStep) -> None:
    """Write a branch down for floats; ``take_step`` does so with a step of an arm.

    Raises
    ------
    NotApartError
        If something that it does is not done with floats.
    """
    branch: Any = node.function
    if any(value.shape for value in node.results):
        raise NotApartError
    test, *given = node.args
    like = branch.then.inputs
    args = tuple(argument(apart, item, p) for item, p in zip(given, like, strict=True))
    args = (number_of(apart, test, BOOL), *args)
    is_exact = not set(node.results).isdisjoint(apart.exact) or jumps_inside(node)
    inner = [inner_of(apart, arm, is_exact) for arm in branch.bodies]
    arms = [_arm(each, take_step) for each in inner]
    results = tuple(result(apart, value) for value in node.results)
    if all(each.is_quiet for each in inner):
        for value in results:
            apart.forms.pop(value, None)
    function = Branch(*(arm for arm, _ in arms))
    # What is inf or nan is seen behind it if it is behind both arms.
    hidden = [n for n, _ in enumerate(given) if not all(n in seen for _, seen in arms)]
    absorbs = (0, *(number + 1 for number in hidden))
    apart.forms[results] = Form(function, absorbs=absorbs)
    apart.step = node
    apart.add(function, args, results)


def _arm(inner: Apart, take_step: TakeStep) -> tuple[Graph, set[int]]:
    """An arm, and the numbers of its inputs that are seen in what it gives."""
    arm = inner.graph
    inputs = [parameter(inner, old) for old in arm.inputs]
    for step in arm.nodes:
        take_step(inner, step)
    outputs = [_output(inner, old) for old in arm.outputs]
    checked, seen = unseen(inner, inner.nodes, outputs)
    shown = {number for number, value in enumerate(inputs) if value in seen}
    return looking(inner, checked, inputs, outputs), shown


def _output(inner: Apart, old: Value) -> Value:
    number = number_of(inner, old, old.dtype)
    if type(number) is Value:
        return number
    out = Value((), old.dtype, old.name, "float", old.hint)
    inner.add(type(number), (number,), out)
    return out
