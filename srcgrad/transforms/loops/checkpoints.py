"""What ran in a checkpoint the way back computes again, in loops too.

Each step knows the call of a checkpoint that it ran in. What the way back reads of such
a call it computes once more, of what the call was given; that is marked by ``again``,
or else equal calls would become one.

>>> import numpy as np
>>> f8, call = np.dtype(float), object()
>>> x, s, y, dy, dx = (Value((3,), f8, name) for name in ("x", "s", "y", "dy", "dx"))
>>> nodes = (
...     Node(np.sin, (x,), out=s, checkpoint=call),
...     Node(np.exp, (s,), out=y, checkpoint=call),
...     Node(np.multiply, (dy, s), out=dx),
... )
>>> joint = Joint((x,), nodes, (y,), cotangents=(dy,), gradients=(dx,))
>>> print(computed_again(joint, 2))
s = sin(x)
y = exp(s)
x_1 = again(x)
s_1 = sin(x_1)
dx = multiply(dy, s_1)
return y; dx
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from srcgrad.graph import Joint
from srcgrad.steps import Node, Step, Value
from srcgrad.updates import again


def computed_again(joint: Joint, count: int) -> Joint:
    """Repeat on the way back what it reads of checkpoints among the first steps."""
    calls = _calls(joint.nodes[:count])
    if not calls:
        return joint
    given = {value for steps in calls.values() for value in _given(steps)}
    marked = {v: v.twin() for v in given if v.kind in ("array", "scalar")}
    anew, repeated = dict(marked), [_mark(*pair) for pair in marked.items()]
    for steps in calls.values():
        known = dict(marked)
        for step in steps:
            made = {value: value.twin() for value in step.results}
            step = replace(step, in_backward=True, must_run=False, checkpoint=None)
            repeated.append(step.with_values(known).renamed(made))
            known |= made
        anew = known | anew
    later = [step.with_values(anew) for step in joint.nodes[count:]]
    nodes = (*joint.nodes[:count], *_in_time(repeated, later))
    return replace(joint, nodes=nodes)


def checkpointed(loop: Node, *iterations: Sequence[Step]) -> Node:
    """The node of a loop, as a step of the call that all of it ran in, if it is one."""
    calls = {getattr(step, "checkpoint", None) for each in iterations for step in each}
    return replace(loop, checkpoint=calls.pop()) if len(calls) == 1 else loop


def _calls(steps: Sequence[Step]) -> dict[object, list[Node]]:
    """The steps of each call of a checkpoint, but for those that run only once."""
    calls: dict[object, list[Node]] = {}
    for step in steps:
        if type(step) is not Node or step.has_effect:
            continue
        if step.checkpoint is not None:
            calls.setdefault(step.checkpoint, []).append(step)
    return calls


def _given(steps: Sequence[Node]) -> Iterator[Value]:
    """What a call reads that it has not made."""
    made: set[Value] = set()
    for step in steps:
        yield from (value for value in step.inputs if value not in made)
        made.update(step.results)


def _mark(value: Value, other: Value) -> Node:
    return Node(again, (value,), out=other, in_backward=True)


def _in_time(repeated: Sequence[Node], later: Sequence[Step]) -> Iterator[Step]:
    """The steps of the way back; those that it needs for it come just before."""
    waiting = {v: number for number, step in enumerate(repeated) for v in step.results}
    for step in later:
        wanted, values = set[int](), [*step.inputs]
        while values:
            number = waiting.get(values.pop())
            if number is not None and number not in wanted:
                wanted.add(number)
                values += repeated[number].inputs
        for number in sorted(wanted):
            yield repeated[number]
            for value in repeated[number].results:
                del waiting[value]
        yield step
