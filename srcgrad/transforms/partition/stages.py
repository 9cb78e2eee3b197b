"""A backward graph in stages, with a look at some cotangents on the way.

If a function returns ``h`` and something computed from ``h``, the cotangent of ``h`` is
complete only inside its backward graph: what came in for it, and what flows back from
the other result. There a hook may see it, and replace it. A node ``mark_complete`` says
where that is.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> names = ("h", "dh", "dl", "t", "sum", "total", "dx")
>>> h, dh, dl, t, sum, total, dx = (Value((3,), f8, name) for name in names)
>>> nodes = (
...     Node(np.multiply, (dl, h), out=t),
...     Node(np.add, (dh, t), out=sum),
...     Node(mark_complete, (sum,), out=total),
...     Node(np.multiply, (total, h), out=dx),
... )
>>> whole = Graph((h, dh, dl), nodes, (dx,))
>>> for stage in in_stages(whole, [h], [total]):
...     print(f"from {', '.join(value.name for value in stage.inputs)}:")
...     print(stage)
from h, dh, dl:
t = multiply(dl, h)
sum = add(dh, t)
return sum
from h, total:
dx = multiply(total, h)
return dx
>>> print(without_marks(whole))
t = multiply(dl, h)
sum = add(dh, t)
dx = multiply(sum, h)
return dx
"""

import functools
from collections.abc import Collection, Sequence

from srcgrad.facts import Operation
from srcgrad.graph import Graph, Program, map_bodies
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.reading import nodes_needed
from srcgrad.updates import mark_complete


def without_marks(
    graph: Program, kept: Collection[Value] = (), mark: Operation = mark_complete
) -> Program:
    """The graph without marks, but for those whose results are kept."""
    if mark not in graph.functions and not graph.has_bodies:
        return graph
    same: dict[Value, Value] = {}
    steps: list[Step] = []
    inside = functools.partial(without_marks, mark=mark)
    for each in graph.nodes:
        step = each.with_values(same) if same else each
        if step.bodies:
            step = map_bodies(inside, step)
        if type(step) is Node and step.function is mark and step.out not in kept:
            same[step.results[0]] = step.args[0]
        else:
            steps.append(step)
    # Steps are equal if they are one object.
    return graph if steps == [*graph.nodes] else graph.with_nodes(steps, same)


def in_stages(
    graph: Graph, saved: Sequence[Value], complete: Sequence[Value]
) -> list[Graph]:
    """Cut a backward graph where some cotangents are complete, in order.

    ``complete`` are results of marks. Each stage has ``saved`` and then what else it
    needs as inputs. One that ends at a mark returns first the cotangent that arrives
    there, and then what it has computed that later stages need; these get the mark's
    result as an input. The last stage returns the graph's outputs.
    """
    held = set(saved)
    given = [value for value in graph.inputs if value not in held]
    rest: Sequence[Step] = graph.nodes
    stages = []
    for after in complete:
        (mark,) = (step for step in rest if after in step.results)
        (before,) = mark.inputs
        part = nodes_needed(rest, [before])
        done = {id(mark), *map(id, part)}
        rest = [step for step in rest if id(step) not in done]
        later = _read(rest, graph.outputs)
        made = [value for step in part for value in step.results]
        passed = [value for value in made if value in later and value is not before]
        inputs = _needed(given, part, [before])
        stages.append(Graph((*saved, *inputs), tuple(part), (before, *passed)))
        given = [*given, *passed, after, *([before] if before in later else ())]
    rest = nodes_needed(rest, graph.outputs)
    inputs = _needed(given, rest, graph.outputs)
    stages.append(Graph((*saved, *inputs), tuple(rest), graph.outputs))
    return [
        Graph(stage.inputs, stage.nodes, stage.outputs, graph.constants)
        for stage in stages
    ]


def _read(steps: Sequence[Step], results: Sequence[Value]) -> set[Value]:
    """All Values that some steps, and then the results, are made of."""
    return {value for step in steps for value in step.inputs}.union(results)


def _needed(
    given: Sequence[Value], steps: Sequence[Step], results: Sequence[Value]
) -> list[Value]:
    read = _read(steps, results)
    return list(dict.fromkeys(value for value in given if value in read))
