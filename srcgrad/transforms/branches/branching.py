"""Where the user's ``if`` stood becomes one ``Branch``, with both arms.

The tracer runs the arm that the user's test asks for like all else, and tells where
that begins and ends. The other arm it has run speculatively beside that
(``Speculation``). Here the guard on the test and the steps of the arm that ran become
one node.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, y, z = (Value((), f8, name, "scalar") for name in "xyz")
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> steps = (
...     Node(np.less, (x, 0.0), out=t),
...     Guard(t, bool, True),
...     Node(np.negative, (x,), out=y),
... )
>>> other = Node(np.sqrt, (x,), out=z)
>>> speculation = Speculation(1, 3, True, (other,), (), ((y, y, z),))
>>> print(branched(Graph((x,), steps, (y,)), [speculation], {})[0])
t = less(x, 0.0)
y = branch(t, x, x)
    body(x_1, x_2):
        y_1 = negative(x_1)
        return y_1
    body(x_3, x_4):
        z = sqrt(x_4)
        return z
return y
"""

import bisect
from collections.abc import (
    Callable,
    Mapping,
    MutableMapping,
    MutableSet,
    Sequence,
    Set,
)
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.branches import Branch, with_constants_inside
from srcgrad.graph import Graph, Program, map_bodies
from srcgrad.steps import Guard, Node, Step, Value, map_values
from srcgrad.transforms.branches.arm_elements import read_once, without_elements
from srcgrad.transforms.branches.mixed_kinds import are_mixed
from srcgrad.transforms.loops.iterations import (
    INDEXED,
    MARKS,
    is_factor,
    map_leaves,
)
from srcgrad.transforms.loops.regions import Region

# Up to here an integer is the same as a float, beside numbers of less precision, too.
LARGEST_AS_FLOAT = 2**11


@dataclass(slots=True)
class Speculation:
    """Where an ``if`` ran: its guard, and behind it the arm that ran, up to ``end``.

    ``other`` are the steps of the other arm, ``speculations`` those in it. ``results``
    has what comes of it: the Value that it has from then on, that in the arm that ran,
    and that in the other one.
    """

    guard: int
    end: int
    taken: bool
    other: Sequence[Step]
    speculations: "Sequence[Speculation]"
    results: Sequence[tuple[Value, Value, Value]]

    def shifted(self, by: int) -> "Speculation":
        """The same, where so many steps fewer come before."""
        return replace(self, guard=self.guard - by, end=self.end - by)

    def rename(self, values: Mapping[Value, Any]) -> None:
        """Put others in the place of some Values."""
        self.other = [step.with_values(values) for step in self.other]
        self.results = [tuple(values.get(v, v) for v in each) for each in self.results]
        for each in self.speculations:
            each.rename(values)

    @property
    def is_mixed(self) -> bool:
        """Whether a number is Python's in one arm, and NumPy's in the other one."""
        return any(are_mixed(mine, other) for _, mine, other in self.results) or any(
            speculation.is_mixed for speculation in self.speculations
        )

    def gives(self, values: Set[Value]) -> bool:
        """Whether one of some comes of it, or of those in it."""
        return any(new in values for new, _, _ in self.results) or any(
            speculation.gives(values) for speculation in self.speculations
        )

    def is_in(self, region: Region) -> bool:
        """Whether a loop ran it."""
        return region.starts[0] <= self.guard < region.end


def branched(
    graph: Program,
    speculations: Sequence[Speculation],
    raws: MutableMapping[Value, Any],
    *noted: MutableSet[Value],
) -> tuple[Program, Callable[[int], int]]:
    """The graph with branches for speculations, and to which place each step has come.

    ``raws`` has what some Values stood for in the run; those of arms are added. And so
    they are to sets of Values of which something is ``noted``.
    """
    if not speculations:
        return graph, lambda position: position
    folder = _Folder(raws, _last_uses(graph), noted)
    steps = folder.folded(graph.nodes, 0, speculations)
    gone = folder.gone
    starts = [each.start for each in gone]

    def to(position: int) -> int:
        number = bisect.bisect_right(starts, position) - 1
        if number < 0:
            return position
        each = gone[number]
        if position == each.start:
            return each.first
        return each.after + max(position - each.end, 0)

    return graph.with_nodes(steps, {}), to


def settled(graph: Program) -> Program:
    """The graph with constants in the arms of branches, not among their arguments.

    What arms take out of arrays is taken once.
    """
    if not graph.has_bodies:
        return graph
    graph = read_once(graph)
    nodes: list[Step] = []
    for step in graph.nodes:
        if type(step) is Node and type(step.function) is Branch:
            nodes.append(with_constants_inside(step))
        else:
            nodes.append(map_bodies(settled, step) if step.bodies else step)
    if nodes == [*graph.nodes]:  # steps are equal if they are one object
        return graph
    return graph.with_nodes(nodes, {})


def _last_uses(graph: Graph) -> dict[Value, int]:
    last: dict[Value, int] = {}
    for position, step in enumerate(graph.nodes):
        last.update(dict.fromkeys(step.inputs, position))
    last.update(dict.fromkeys(graph.results, len(graph.nodes)))
    last.update(dict.fromkeys(getattr(graph, "residuals", ()), len(graph.nodes)))
    return last


class _UnfitError(Exception):
    """An arm that does more than compute."""


class _Gone(NamedTuple):
    """Where steps were, and from where to where there is now what stands for them."""

    start: int
    end: int
    first: int
    after: int


@dataclass(slots=True)
class _Folder:
    """Makes branches; ``gone`` are the places of the steps that they stand for."""

    raws: MutableMapping[Value, Any]
    last: Mapping[Value, int]
    noted: Sequence[MutableSet[Value]]
    gone: list[_Gone] = field(default_factory=list)

    def folded(
        self,
        steps: Sequence[Step],
        start: int,
        speculations: Sequence[Speculation],
        depth: int = 0,
    ) -> list[Step]:
        """Steps that begin at some place, with branches among them."""
        found: list[Step] = []
        done = 0
        # The outer ones end after the inner ones.
        speculations = sorted(
            speculations, key=lambda speculation: (speculation.guard, -speculation.end)
        )
        guards = [speculation.guard for speculation in speculations]
        for speculation in speculations:
            first, end = speculation.guard - start, speculation.end - start
            if first < done or end > len(steps):
                continue
            behind, beyond = (
                bisect.bisect(guards, n) for n in (speculation.guard, speculation.end)
            )
            inner = [f for f in speculations[behind:beyond] if f.end <= speculation.end]
            try:
                nodes = self._branch(speculation, steps[first:end], inner)
            except _UnfitError:
                continue  # those inside may do
            found += steps[done:first]
            if not depth:
                position = len(found)
                after = position + len(nodes)
                self.gone.append(
                    _Gone(speculation.guard, speculation.end, position, after)
                )
            found += nodes
            done = end
        return [*found, *steps[done:]]

    def _branch(
        self,
        speculation: Speculation,
        steps: Sequence[Step],
        inner: Sequence[Speculation],
    ) -> list[Step]:
        """The branch, after what its arms take out of arrays."""
        guard, *own = steps
        if type(guard) is not Guard or guard.convert is not bool:
            raise _UnfitError
        phis = {new for new, _, _ in speculation.results}
        made = {value for step in own for value in step.results}
        for value in made:
            if self.last.get(value, -1) >= speculation.end and value not in phis:
                raise _UnfitError
        if not speculation.results or len(phis) < len(speculation.results):
            raise _UnfitError
        ran = self.folded(own, speculation.guard + 1, inner, 1)
        # A number under another name has been copied; here it need not be.
        copies = phis.difference(value for _, value, _ in speculation.results)
        ran = [step for step in ran if copies.isdisjoint(step.results)]
        speculated = self.folded(speculation.other, 0, speculation.speculations, 1)
        # An element that is a result is one thing outside, and another one after.
        elements = {step.results[0] for step in without_elements(ran)[1]}
        twins = {value: self._twin(value) for value in phis & elements}
        ran, mine = without_elements([step.renamed(twins) for step in ran])
        speculated, others = without_elements(speculated)
        taken = [*mine, *others] if speculation.taken else [*others, *mine]
        arms = [
            (ran, [twins.get(value, value) for _, value, _ in speculation.results]),
            (speculated, [value for _, _, value in speculation.results]),
        ]
        # In the same order whichever ran, so that iterations are seen to do the same.
        arms = arms if speculation.taken else arms[::-1]
        given: dict[Value, Any] = {}
        arms = [self._lifted(*arm, given) for arm in arms]
        bodies = [self._arm([*given], *arm) for arm in arms]
        for value, like, _ in speculation.results:
            self.raws.setdefault(value, self.raws.get(like))
        out = tuple(value for value, _, _ in speculation.results)
        args = (guard.value, *given.values())
        return [*taken, Node(Branch(*bodies), args, out=out, where=guard.where)]

    def _arm(
        self,
        parameters: Sequence[Value],
        nodes: Sequence[Step],
        outputs: Sequence[Value],
    ) -> Graph:
        """An arm, with Values of its own."""
        made = [value for step in nodes for value in step.results]
        fresh = {value: self._twin(value) for value in (*parameters, *made)}
        return Graph(
            tuple(fresh[value] for value in parameters),
            tuple(step.renamed(fresh) for step in nodes),
            tuple(fresh[value] for value in outputs),
        )

    def _lifted(
        self,
        nodes: Sequence[Step],
        outputs: Sequence[Value],
        given: MutableMapping[Value, Any],
    ) -> tuple[list[Step], list[Value]]:
        """An arm with a Value wherever there may be something else in each iteration.

        That is what it does not compute, floats, factors, and integers in an index.
        Two that are the same in this iteration need not be in others. ``given`` gets
        what each stands for.
        """
        made: set[Value] = set()

        def value_for(item: Value) -> Value:
            if item in made:
                return item
            parameter = self._twin(item)
            given[parameter] = item
            return parameter

        def lifted(item: Any) -> Any:
            if type(item) is Value:
                return value_for(item)
            if type(item) is float:
                value = Value((), np.dtype(float), None, "float", "number")
            elif type(item) is int:
                value = Value((), np.dtype(np.int64), None, "float", "i")
            else:
                return item
            given[value] = self.raws[value] = item
            return value

        def kept(item: Any) -> Any:
            return item if type(item) is int else lifted(item)

        def as_factor(item: Any) -> Any:
            is_exact = type(item) is int and abs(item) <= LARGEST_AS_FLOAT
            return lifted(float(item)) if is_exact else kept(item)

        found: list[Step] = []
        for step in nodes:
            if type(step) is Guard or step.has_effect or step.function in MARKS:
                raise _UnfitError
            positions = _places_of_integers(step)
            lift = as_factor if is_factor(step) else kept
            args = tuple(
                map_leaves(lifted if number in positions else lift, arg)
                for number, arg in enumerate(step.args)
            )
            kwargs = {name: map_values(value_for, v) for name, v in step.kwargs.items()}
            found.append(replace(step, args=args, kwargs=kwargs))
            made.update(step.results)
        return found, [value_for(value) for value in outputs]

    def _twin(self, value: Value) -> Value:
        """Another Value of which the same is known."""
        twin = value.twin()
        if value in self.raws:
            self.raws[twin] = self.raws[value]
        for values in self.noted:
            values |= {twin} if value in values else set()
        return twin


def _places_of_integers(step: Node) -> Sequence[int]:
    """Of which arguments the integers are indices, or what is made a float."""
    if type(step.function) is Branch:
        return range(len(step.args))
    if step.function is float:
        return (0,)
    return (1,) if step.function in INDEXED else ()
