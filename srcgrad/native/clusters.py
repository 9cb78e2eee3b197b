"""Clusters: the steps that share one loop over the elements of arrays.

In order, a step joins the open cluster of its shape, if there is one that has all that
it takes; what others take of a cluster closes it first. So no array is made of what is
read in the same iteration alone.

>>> import numpy as np
>>> x, t, y, s = (Value(shape, np.dtype(float)) for shape in ((99,), (99,), (99,), ()))
>>> steps = [
...     Node(np.exp, (x,), out=t),
...     Node(np.multiply, (t, x), out=y),
...     Node(np.sum, (y,), out=s),
... ]
>>> [[step.function.__name__ for step in each.steps] for each in clusters(steps, ())]
[['exp', 'multiply', 'sum']]
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from srcgrad.native.elements import is_elementwise, reduction_of
from srcgrad.native.small_arrays import is_apart
from srcgrad.steps import Node, Step, Value


@dataclass(eq=False)
class Cluster:
    """Steps over the elements of one ``shape``; ``reduced`` are known in the end."""

    shape: tuple[int, ...]
    steps: list[Node] = field(default_factory=list)
    reduced: set[Value] = field(default_factory=set)


def shape_of(step: Step) -> tuple[int, ...] | None:
    """The shape that a step goes over element by element; None, if it does not."""
    if type(step) is not Node:
        return None
    if is_apart(step):
        return None
    if reduction_of(step) is not None:
        return step.inputs[0].shape
    if is_elementwise(step) and step.results[0].shape:
        return step.results[0].shape
    return None


def clusters(steps: Iterable[Step], writing: Collection[Value]) -> list[Step | Cluster]:
    """The steps of a straight line, as clusters and what is none.

    ``writing`` are results that lie in the memory of an array that was there.
    """
    found: list[Step | Cluster] = []
    open_now: dict[tuple[int, ...], Cluster] = {}
    made_in: dict[Value, Cluster] = {}

    def close(cluster: Cluster) -> None:
        if open_now.get(cluster.shape) is cluster:
            found.append(open_now.pop(cluster.shape))

    for step in steps:
        shape = shape_of(step)
        for value in step.inputs:
            cluster = made_in.get(value)
            is_there = cluster is not None and value not in cluster.reduced
            if cluster is not None and not (is_there and cluster.shape == shape):
                close(cluster)
        if shape is None or type(step) is not Node:
            if step.bodies or any(value in writing for value in step.results):
                for cluster in [*open_now.values()]:
                    close(cluster)
            found.append(step)
            continue
        cluster = open_now.setdefault(shape, Cluster(shape))
        cluster.steps.append(step)
        made_in.update(dict.fromkeys(step.results, cluster))
        if reduction_of(step) is not None:
            cluster.reduced.update(step.results)
    return [*found, *open_now.values()]
