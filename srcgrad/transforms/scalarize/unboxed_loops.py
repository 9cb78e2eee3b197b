"""Loops on Python's floats: what is carried is a float, what is indexed is a list.

>>> x, h, t = (Value((), FLOAT, name, "scalar") for name in "xht")
>>> body = Graph((h, x), (Node(np.multiply, (h, x), out=t),), (t,))
>>> power = Node(Loop(body, count=3, carried=1), (1.0, x), out=(h,))
>>> apart = Apart(Graph((x,), (power,), (h,)))
>>> take_step(apart, power)
>>> h = apart.give(h)
>>> print(Graph((x,), tuple(apart.nodes), (h,)))
x_1 = float(x)
h = loop(1.0, x_1)
    body(h_1, x_2):
        t = mul(h_1, x_2)
        return t
h_2 = float64(h)
return h_2
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.scalarize.unboxed_arrays import (
    array_of,
    as_array,
    filled,
    holds_integers,
    take_array,
)
from srcgrad.transforms.scalarize.unboxed_bodies import (
    argument,
    exact_inside,
    inner_of,
    looking,
    number_of,
    parameter,
    result,
)
from srcgrad.transforms.scalarize.unboxed_branches import take_branch
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import FLOAT, NotApartError, Number
from srcgrad.transforms.scalarize.unseen import unseen
from srcgrad.unboxing import Form
from srcgrad.updates import UPDATES, add_at
from srcgrad.views import is_basic


def take_loop(apart: Apart, node: Node) -> None:
    """Write a loop down for floats.

    Raises
    ------
    NotApartError
        If something that it does is not done with floats.
    """
    _OneLoop(apart, node).write()


class _OneLoop:
    """One loop on its way into floats: ``inner`` is its body on that way."""

    def __init__(self, apart: Apart, node: Node) -> None:
        self.outer, self.node = apart, node
        function: Any = node.function
        self.function = function
        is_exact = not set(node.results).isdisjoint(apart.exact)
        self.inner = inner_of(apart, function.body, is_exact)
        if not is_exact:
            self.inner.exact = exact_inside(function).union(apart.exact)

    def write(self) -> None:
        function, outer, inner = self.function, self.outer, self.inner
        indices, items, states, consts = function.parameters()
        xs, first, rest = function.given(self.node.args)
        self.arrays = self._arrays(states, consts)
        old = (*items, *states)
        inputs = [*indices, *map(self._parameter, old)]
        late = [*map(self._parameter, consts)]
        for step in function.body.nodes:
            take_step(inner, step)
        outputs = tuple(map(self._output, function.body.outputs))
        read = {value for step in inner.nodes for value in step.inputs}.union(outputs)
        args = [
            *map(self._sequence, xs, items),
            *map(self._argument, first, states),
        ]
        for item, like, new in zip(rest, consts, late, strict=True):
            if new in read:  # else no list of it need be made
                args.append(self._argument(item, like))
                inputs.append(new)
        body = self._checked(inputs, outputs)
        results = tuple(self._results())
        outer.nodes.append(
            Node(
                replace(function, body=body),
                tuple(args),
                {},
                results,
                self.node.where,
                self.node.in_backward,
            )
        )

    # ----- What comes in -----
    def _arrays(self, states: Sequence[Value], consts: Sequence[Value]) -> set[Value]:
        """What goes in as an array, and stays one."""
        body, carried = self.function.body, self.function.computed()[0]
        pairs = zip(states, carried, strict=True)
        found = {state for state, value in pairs if filled(body, state, value)}
        return found.union(filter(holds_integers, consts))

    def _parameter(self, old: Value) -> Value:
        return (as_array if old in self.arrays else parameter)(self.inner, old)

    def _argument(self, item: Any, like: Value) -> Any:
        if like in self.arrays:
            return array_of(self.outer, item)
        return argument(self.outer, item, like)

    def _sequence(self, sequence: Any, like: Value) -> Any:
        """The items of a sequence, one for each iteration, as floats."""
        outer = self.outer
        if type(sequence) is not Value:
            return tuple(number_of(outer, item, like.dtype) for item in sequence)
        if sequence in outer.sequences:
            return outer.sequences[sequence]
        return outer.row(sequence)

    # ----- What comes out -----
    def _output(self, value: Value) -> Value:
        for known in (self.inner.arrays, self.inner.rows):
            if value in known:
                return known[value]
        item = number_of(self.inner, value, value.dtype)
        if type(item) is not Value:
            raise NotApartError
        return item

    def _results(self) -> Iterator[Value]:
        """The node's results, noted as what stands for the old ones."""
        outer, function = self.outer, self.function
        carried, last, ys, lists = function.results(self.node.results)
        states = function.parameters()[2]
        for number, old in enumerate((*carried, *last, *ys)):
            is_array = number < len(states) and states[number] in self.arrays
            new = (as_array if is_array else result)(outer, old)
            if number == function.countdown or self.inner.is_quiet:
                outer.forms.pop(new, None)  # it is a number, or no matter
            yield new
        for old in lists:
            new = Value((), old.dtype, old.name, "list", old.hint)
            outer.sequences[old] = new
            yield new

    def _checked(self, inputs: Sequence[Value], outputs: Sequence[Value]) -> Graph:
        """The body, with a look at what is not seen in what is carried to the end."""
        inner = self.inner
        indices, items, old, _ = self.function.parameters()
        first = len(indices) + len(items)
        pairs = list(zip(inputs[first : first + len(old)], outputs, strict=False))
        shown = {value for _, value in pairs}
        while True:
            checked, seen = unseen(inner, inner.nodes, shown)
            lost = {v for s, v in pairs if s is not v and s not in seen} & shown
            if not lost:
                break
            shown -= lost
        return looking(inner, checked, inputs, outputs)


def take_step(apart: Apart, step: Step) -> None:
    """A step of a graph or a body; what has to do with loops and lists is done here."""
    if type(step) is Node and type(step.function) is Loop:
        take_loop(apart, step)
        return
    if type(step) is Node and type(step.function) is Branch:
        take_branch(apart, step, take_step)
        return
    if type(step) is Node and take_array(apart, step):
        return
    if type(step) is Node and step.args and type(step.args[0]) is Value:
        array = step.args[0]
        is_whole = array in apart.rows and array not in apart.held
        if _is_of_element(step, is_whole) and array not in apart.held:
            _of_row(apart, step, apart.row(array))
            return
    apart.take(step)


def _is_of_element(step: Node, is_whole: bool) -> bool:
    """Whether it is about one element of an array, by an index of a loop.

    Of what is a list anyway also by any other.
    """
    if step.function not in {operator.getitem, *UPDATES} or step.kwargs:
        return False
    positions = _places(step.args[1])
    has_number = any(type(position) is Value for position in positions)
    return has_number or (
        is_whole and all(type(position) is int for position in positions)
    )


def _places(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _of_row(inner: Apart, step: Node, row: Value) -> None:
    """``x[i]``, ``x[i] = v`` and ``x[i] += v`` of a list; ``x[i, j]`` of several."""
    index = step.args[1] if len(step.args) > 1 else None
    positions = _places(index)
    are_numbers = all(type(p) is Value or type(p) is int for p in positions)
    if not are_numbers or not is_basic(index):
        raise NotApartError
    inner.step = step
    old = step.results[0]
    if step.function is operator.getitem:
        out = row
        for position in positions:
            source, shape = out, out.shape[1:]
            out = Value(shape, FLOAT, None, "floats" if shape else "float", old.hint)
            if shape == old.shape:
                out = replace(out, name=old.name)
            inner.add(step.function, (source, position), out)
        if out.shape:
            inner.rows[old] = out
        else:
            inner.held[old] = np.array(Number(inner, out), object)
    elif step.function in UPDATES and len(row.shape) == 1:
        (index,) = positions
        out = Value(row.shape, FLOAT, old.name, "floats", old.hint)
        inner.add(step.function, (row, index, number_of(inner, step.args[2])), out)
        inner.rows[old] = out
        if step.function is add_at:
            inner.forms[out] = Form(add_at, absorbs=(1,))
    else:
        raise NotApartError
