"""The bodies of a loop forward and back: what they hand over, and how they add up.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> g, t, a, b = (Value((3,), f8, name) for name in ("g", "t", "a", "b"))
>>> nodes = [Node(scatter, (g, 0, (3,)), out=a)]
>>> for step in summed_inside(nodes, a, t, b):
...     print(step.function.__name__, [value.name for value in step.inputs])
add_at ['t', 'g']
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from srcgrad.graph import Graph, Joint
from srcgrad.loops import Loop
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.reading import may_copy
from srcgrad.unboxing import number_at
from srcgrad.updates import UPDATES, add_at, scatter


def with_consts(
    node: Node,
    left: Sequence[int],
    moved: Mapping[Value, Value],
    numbers: Mapping[tuple[int, int], Value] | None = None,
    body: Graph | None = None,
) -> Node:
    """A loop given the xs ``left`` only, and more consts.

    ``moved`` says what each new parameter is outside. Its indices are ``numbers``, and
    its body is ``body``, where they are others now.
    """
    loop: Loop = node.function  # type: ignore[assignment]
    xs, first, consts = loop.given(node.args)
    indices, items, states, others = loop.parameters()
    if numbers is None:
        numbers = dict(zip(loop.indices, indices, strict=True))
    inputs = (
        *(*numbers.values(), *(items[i] for i in left)),
        *(*states, *others, *moved),
    )
    body = replace(loop.body if body is None else body, inputs=inputs)
    function = replace(loop, body=body, indices=tuple(numbers), xs=len(left))
    args = *(xs[i] for i in left), *first, *consts, *moved.values()
    return replace(node, function=function, args=args)


def read_as_made(joint: Joint) -> tuple[Value, ...]:
    """What the backward graph of a body reads of what the forward graph has made.

    A pass must not let it read what that was made of instead, which may have changed.
    """
    late = {v for step in joint.nodes if _is_late(step) for v in step.inputs}
    # A list holds its items by itself.
    origins = {v: of for v, of in joint.origins().items() if v.kind != "list"}
    read = {base for value in late for base in origins.get(value, {value})}
    copies = (value for value in late if value in origins)
    makers = {v: step for step in joint.nodes for v in step.results}
    read.update(value for value in copies if may_copy(makers[value]))
    return tuple(
        value
        for step in joint.nodes
        if not (_is_late(step) or _is_of_numbers(step))
        for value in step.results
        if value in read
    )


def _is_of_numbers(step: Step) -> bool:
    """Whether it is a number that the loop is given, or that as a float."""
    if type(step) is not Node:
        return False
    is_float = step.function is float and all(value.is_index for value in step.inputs)
    return is_float or step.function is number_at


def copied_views(joint: Joint, states: Sequence[Value]) -> Joint:
    """Keep copies of the parts of an array that goes on being changed.

    Or else each iteration would need an array of its own.
    """
    changing = set(states)
    for step in joint.nodes:
        if type(step) is Node and step.function in UPDATES:
            changing.update(step.results if step.args[0] in changing else ())
    changed = {
        step.args[0]
        for step in joint.nodes
        if type(step) is Node and step.function in UPDATES
    }
    changing &= changed
    late = {v for step in joint.nodes if _is_late(step) for v in step.inputs}
    copies: dict[Value, Value] = {}
    steps: list[Step] = []
    for step in joint.nodes:
        if _is_late(step):
            steps.append(step.with_values(copies))
            continue
        steps.append(step)
        if step.shares_memory and not changing.isdisjoint(step.inputs):
            for value in late.intersection(step.results):
                copies[value] = value.twin()
                copy = Node(np.copy, (value,), out=copies[value], where=step.where)
                steps.append(copy)
    held = (*joint.held, *copies.values())
    return replace(joint, nodes=tuple(steps), held=held) if copies else joint


def summed_inside(
    nodes: Sequence[Step],
    gradient: Value,
    total: Value,
    added: Value,
    others: Collection[Value | None] = (),
) -> list[Step] | None:
    """Let a gradient add itself to a sum, rather than be an array to be added.

    That is so where it is put together at indices, or a sum that a loop inside makes.
    Else None; and where it, or a part of it, is one of the ``others`` too.
    """
    makers = {value: step for step in nodes for value in step.results}
    value = gradient
    while isinstance(maker := makers.get(value), Node):
        uses = sum(step.inputs.count(value) for step in nodes)
        if uses != (value is not gradient) or value in others:
            return None
        if maker.function is not add_at or type(maker.args[0]) is not Value:
            break
        value = maker.args[0]
    if type(maker) is not Node:
        return None
    zeros: object = None
    if maker.function is scatter:
        g, index, _ = maker.args
        begun = replace(maker, function=add_at, args=(total, index, g))
    elif type(maker.function) is Loop:
        position = maker.results.index(value)
        if position >= maker.function.carried or not _is_sum(maker.function, position):
            return None
        first = maker.function.xs + position
        zeros = maker.args[first]
        if not _is_zero(zeros, makers):
            return None
        args = (*maker.args[:first], total, *maker.args[first + 1 :])
        begun = replace(maker, args=args)
    else:
        return None
    steps = [begun if step is maker else step for step in nodes]
    unused = type(zeros) is Value and not any(zeros in s.inputs for s in steps)
    return [
        step.renamed({gradient: added})
        for step in steps
        if not (unused and zeros in step.results)
    ]


def _is_zero(item: object, makers: dict[Value, Step]) -> bool:
    if type(item) is not Value:
        return isinstance(item, np.generic) and bool(item == 0)
    maker = makers.get(item)
    return type(maker) is Node and maker.function is np.zeros


def _is_sum(loop: Loop, position: int) -> bool:
    """Whether something is added to what is carried, and nothing else done to it."""
    state, value = loop.parameters()[2][position], loop.computed()[0][position]
    users = [step for step in loop.body.nodes if state in step.inputs]
    if len(users) != 1 or loop.body.outputs.count(value) != 1:
        return False
    (user,) = users
    if type(user) is not Node or state in loop.body.outputs:
        return False
    if type(user.function) is Loop:
        number = user.results.index(value) if value in user.results else -1
        inner = user.function
        is_first = user.args[inner.xs + number] is state
        return 0 <= number < inner.carried and is_first and _is_sum(inner, number)
    is_sum = user.function in (np.add, add_at) and user.args[0] is state
    return is_sum and user.out is value


def _is_late(step: Step) -> bool:
    return type(step) is Node and step.in_backward


def in_backward(step: Step) -> Step:
    """A step of the forward graph that is done again on the way back."""
    if type(step) is not Node:
        return step
    known = step.out, step.where, True, False, step.checkpoint
    return Node(step.function, step.args, step.kwargs, *known)
