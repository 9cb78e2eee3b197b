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
>>> found = clusters(steps, Overwriting())
>>> [[step.function.__name__ for step in each.steps] for each in found]
[['exp', 'multiply', 'sum']]
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcgrad.emit.overwriting import Overwriting
from srcgrad.native.elements import is_elementwise, reduction_of
from srcgrad.native.small_arrays import is_apart
from srcgrad.steps import Node, Step, Value


@dataclass(eq=False)
class Cluster:
    """Steps over the elements of one ``shape``; ``reduced`` are known in the end."""

    shape: tuple[int, ...]
    steps: list[Node] = field(default_factory=list)
    reduced: set[Value] = field(default_factory=set)

    def reads(self, results: Iterable[Value], writing: Overwriting) -> bool:
        """Whether it reads what some results are written over."""
        arrays = [writing.sources[out] for out in results if out in writing.sources]
        return any(
            writing.is_in(value, array)
            for array in arrays
            for step in self.steps
            for value in step.inputs
        )


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


def clusters(steps: Iterable[Step], writing: Overwriting) -> list[Step | Cluster]:
    """The steps of a straight line, as clusters and what is none.

    ``writing`` tells of results that lie in the memory of an array that was there: what
    reads that has to be done before.
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
            for cluster in [*open_now.values()]:
                if step.bodies or cluster.reads(step.results, writing):
                    close(cluster)
            found.append(step)
            continue
        cluster = open_now.setdefault(shape, Cluster(shape))
        cluster.steps.append(step)
        made_in.update(dict.fromkeys(step.results, cluster))
        if reduction_of(step) is not None:
            cluster.reduced.update(step.results)
    return [*found, *open_now.values()]
