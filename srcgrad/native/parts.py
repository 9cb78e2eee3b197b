"""Parts of a graph as kernels, where machine code does not do the whole of it.

Steps go into a part as long as nothing between them is NumPy's that needs them; what is
NumPy's, and a part too small to pay, stays as it is. So the function is generated code
again, which calls kernels among NumPy's functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad.facts import FACTS
from srcgrad.graph import Graph, Partition, walk
from srcgrad.native.calls import kernel_for
from srcgrad.native.elements import UnsupportedError
from srcgrad.native.kernel import Kernel, kernel_of
from srcgrad.policy import NATIVE_STEPS
from srcgrad.steps import Guard, Node, Step, Value


@dataclass(eq=False)
class Part:
    """A kernel as the function of a node; it is run by ``run``, when that is there."""

    kernel: Kernel
    run: Callable[..., Any] | None = None

    __name__ = "part"

    def __call__(self, *given: Any) -> Any:
        assert self.run is not None
        return self.run(*given)


@dataclass(eq=False)
class _Group:
    """Steps that may be a part."""

    steps: list[Step] = field(default_factory=list)

    @property
    def made(self) -> set[Value]:
        return {value for step in self.steps for value in step.results}


@dataclass
class _Found:
    """The kernels, for so many threads, and why there are not more."""

    threads: int
    parts: list[Part] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def parted(partition: Partition, threads: int) -> tuple[Partition, list[Part], str]:
    """A partition whose graphs call kernels, these, and what stands between them.

    Raises
    ------
    UnsupportedError
        If there are none that pay, or something does more than compute.
    """
    found, forward, backward = _Found(threads), partition.forward, partition.backward
    forward = _parted(forward, (*forward.outputs, *partition.saved), found)
    if backward is not None:
        backward = _parted(backward, backward.outputs, found)
    why = found.reasons[0] if found.reasons else ""
    if not found.parts:
        raise UnsupportedError(why or "there is nothing to compile")
    changed = replace(partition, forward=forward, backward=backward, unboxed=None)
    return changed, found.parts, why


def _parted(graph: Graph, wanted: Sequence[Value], found: _Found) -> Graph:
    """A graph with parts as nodes."""
    for step in walk(graph):
        if type(step) is Node and not step.bodies and FACTS[step.function].effect:
            raise UnsupportedError("what does more than compute is left to NumPy")
    items: list[Step | _Group] = []
    group = _Group()
    for step in graph.nodes:
        why = _refused(step)
        if why is None:
            group.steps.append(step)
            continue
        found.reasons.append(why)
        if not group.made.isdisjoint(step.inputs):
            items.append(group)
            group = _Group()
        items.append(step)
    items.append(group)
    nodes: list[Step] = []
    for number, item in enumerate(items):
        if isinstance(item, _Group):
            later = {*wanted, *_read(items[number + 1 :])}
            nodes += _as_nodes(graph, item, later, found)
        else:
            nodes.append(item)
    return replace(graph, nodes=tuple(nodes))


def _read(items: Sequence[Step | _Group]) -> set[Value]:
    """All that some steps read."""
    steps = [s for i in items for s in (i.steps if isinstance(i, _Group) else [i])]
    return {value for step in steps for value in step.inputs}


def _refused(step: Step) -> str | None:
    """Why a step is NumPy's; None: it is not."""
    if type(step) is Guard:  # it says in its own words what does not fit
        return "a guard is left to NumPy"
    inputs = tuple(dict.fromkeys(step.inputs))
    try:
        kernel_of(Graph(inputs, (step,), step.results), "step")
    except UnsupportedError as error:
        return str(error)
    return None


def _as_nodes(
    graph: Graph, group: _Group, later: set[Value], found: _Found
) -> list[Step]:
    """A group as one node, if that pays, with views before and after it."""
    before, steps, after = _without_views(group, later)
    count = sum(NATIVE_STEPS if step.bodies else 1 for step in steps)
    if count < NATIVE_STEPS:
        return group.steps
    later = later.union(*(step.inputs for step in after))
    made = {value for step in steps for value in step.results}
    inputs = dict.fromkeys(v for s in steps for v in s.inputs if v not in made)
    outputs = tuple(value for s in steps for value in s.results if value in later)
    own = {v: graph.constants[v] for v in inputs if v in graph.constants}
    given = tuple(value for value in inputs if value not in own)
    try:
        part = Graph(given, tuple(steps), outputs, own)
        kernel = kernel_for(part, outputs, found.threads)
    except UnsupportedError:
        return group.steps
    found.parts.append(Part(kernel))
    out: Any = outputs[0] if len(outputs) == 1 else outputs
    return [*before, Node(found.parts[-1], given, {}, out, steps[0].where), *after]


def _without_views(
    group: _Group, later: set[Value]
) -> tuple[list[Step], list[Step], list[Step]]:
    """What others want of views is NumPy's: of what is given, and of what is made.

    What a kernel gives shares no memory.
    """
    before: list[Step] = []
    steps: list[Step] = []
    after: list[Step] = []
    made: set[Value] = set()
    for step in group.steps:
        if step.shares_memory and made.isdisjoint(step.inputs):
            before.append(step)
        else:
            steps.append(step)
            made.update(step.results)
    for step in reversed(steps):
        is_last = not any(set(step.results) & set(s.inputs) for s in steps)
        if step.shares_memory and is_last and not later.isdisjoint(step.results):
            after.insert(0, step)
            steps = [each for each in steps if each is not step]
    return before, steps, after


def parted_call(
    function: Callable[..., Any], left: Callable[..., Any]
) -> Callable[..., Any]:
    """What calls such a function; ``left`` says what NumPy would say in between."""

    def native(*given: Any) -> Any:
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                return function(*given)
        except Exception:
            return left(*given)

    return native
