"""A part of a recording that is one element of a batch's: batched, and put back.

The function runs on the first element, and what it does is written down as ever. Then
these steps are taken out again, batched, and run for the whole batch: what that does is
written down instead.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.errors import full_name
from srcgrad.graph import Graph
from srcgrad.late import LateNames
from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Guard, Location, Node, Value, map_values
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.escapes import state_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.graphs.own_derivatives import loses_derivatives
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.updates import moved

# Most programs batch nothing.
if TYPE_CHECKING:
    from srcgrad.transforms.batching import BatchingError, Looped, own_outputs, vmap

_late = LateNames(
    globals(), {"srcgrad.transforms.batching": "BatchingError Looped own_outputs vmap"}
)

# What else is said of what an element does.
ELEMENT = "for each element of a batch"


def recorded_batch(
    recorder: Recorder,
    function: Callable[[list[Any]], list[Any]],
    batches: Sequence[Any],
    name: str,
    reached: Any = None,
    is_own: bool = False,
) -> list[Any]:
    """What a function gives for each element of a batch, stacked, under a recorder.

    Parameters
    ----------
    recorder : Recorder
        It has the steps for the whole batch afterwards.
    function : callable
        From the leaves of one element to those of its result.
    batches : sequence of ndarray or Variable
        For each leaf all elements, along the first axis.
    name : str
        What to call it, if it cannot be batched.
    reached
        What code of the user's might change in it: function, objects.
    is_own : bool
        Whether the user may get the results as they are.

    Returns
    -------
    list
        For each leaf of the result all elements, along the first axis; None for None.

    Raises
    ------
    Refusal
        If the elements may go different ways.
    """
    _late.load()
    before, recorder.within = recorder.within, ELEMENT
    known = {*recorder.user_backwards}
    try:
        segment = _Segment(recorder.writer, function, batches, reached)
    finally:
        recorder.within = before
    if loses_derivatives(segment.leaves, recorder.user_backwards - known):
        give_up(f"{name}: differentiates what has a derivative of the user's own")
    size = batches[0].shape[0]

    def note(looped: Looped) -> None:
        recorder.notes.append(
            f"{name}: {looped.name} has no batching rule, and runs once for each of "
            f"{size} elements{_at(looped.where)}"
        )

    begins: list[int] = []
    try:
        batch = vmap(segment.graph, segment.inputs, size, note, begins)
    except BatchingError as error:
        give_up(f"{name}: {error}{_at(error.where)}")
    batch = own_outputs(batch) if is_own else batch
    wide = dict(zip(batch.inputs, map(_followed, batches), strict=False))
    given = {**segment.outer, **wide}
    outputs, positions = _written(recorder, batch, given)

    def to(position: int) -> int:
        # What was there before the element was has stayed.
        return segment.start + position if position < 0 else positions[begins[position]]

    # Where the loops of the element were, there are those of the batch.
    recorder.writer.add_loops(region.moved(to) for region in segment.loops)
    found = iter(outputs)
    return [
        _like(next(found), leaf)
        if isinstance(leaf, Variable)
        else leaf
        if leaf is None
        else np.stack([leaf] * size)
        for leaf in segment.leaves
    ]


def _like(found: Any, leaf: Variable) -> Variable:
    """A result of a batch as what one of an element is: the user's kind of it."""
    if type(found) is type(leaf):
        return found
    if isinstance(found, Variable):
        made: Variable = type(leaf).make(found.value, found.edge, found.storage)
    else:
        made = type(leaf).make(found, None)
    return made


def _at(where: Location | None) -> str:
    return "" if where is None else f" ({full_name(where.filename)}:{where.line})"


class _Segment:
    """What is recorded of the first element, taken out of the recording.

    Attributes
    ----------
    leaves : list
        Those of the element's result.
    inputs : list of Value
        The leaves of the element.
    graph : Graph
        From these, and from what else it reads, to the leaves that are Variables.
    outer : dict
        What stands for the Values that were there before.
    start : int
        How many steps there were before.
    loops : list of Region
        The loops among its steps.
    """

    def __init__(
        self,
        writer: GraphWriter,
        function: Callable[[list[Any]], list[Any]],
        batches: Sequence[Any],
        reached: Any,
    ) -> None:
        start = writer.mark()
        elements = [_first(writer, batch) for batch in batches]
        # What gives back an element as it is gives it another Value.
        self.inputs = [writer.value_of(element) for element in elements]
        begun = writer.mark()
        before = state_of(reached)
        with writer.seeing() as seen:
            self.leaves = function(elements)
        if state_of(reached) != before:
            give_up("each element of a batch leaves something behind")
        computed = [leaf for leaf in self.leaves if isinstance(leaf, Variable)]
        outputs = [writer.value_of(leaf) for leaf in computed]
        self.start = begun[0]
        steps, writes, self.loops = writer.cut(begun)
        writer.cut(start)
        own = {value for step in steps for value in step.results}
        if any(before not in own for before, _ in writes):
            give_up("an element of a batch changes an array that is not its own")
        seen.update(zip(outputs, computed, strict=True))
        self.outer = {value: item for value, item in seen.items() if value not in own}
        for value in self.outer.keys() - set(self.inputs):
            if value in writer.constants:
                self.outer[value] = _followed(writer.constant_again(value))
        named = {value: writer.names.named(value) for value in own}
        self.graph = Graph(
            (*self.inputs, *(self.outer.keys() - set(self.inputs))),
            tuple(step.renamed(named) for step in steps),
            tuple(named.get(value, value) for value in outputs),
        )


def _followed(item: Any) -> Any:
    """An array of data as something that the recorder follows, like the other data."""
    if isinstance(item, (np.ndarray, np.generic)) and item.dtype.kind in "fc":
        return TracedArray.make(item, None)
    return item


def _first(writer: GraphWriter, batch: Any) -> Any:
    """The first element of a batch, as a Variable that the recorder knows."""
    if isinstance(batch, ArrayProtocol):
        return batch[0]
    element = TracedArray.make(writer.distinct(batch[0]), None)
    writer.define(element.value)
    return element


def _written(
    recorder: Recorder, graph: Graph, given: dict[Value, Any]
) -> tuple[Iterable[Any], list[int]]:
    """Run a graph on the tape, and so have it written down.

    Its outputs; and how much was written before each of its steps, and then in all.
    """
    writer = recorder.writer
    held, positions = given, []
    before = writer.where, writer.in_walk
    try:
        for step in graph.nodes:
            positions.append(writer.count())
            writer.where = step.where
            if type(step) is Guard:
                known = map_values(
                    lambda value: (
                        writer.value_of(held[value]) if value in held else value
                    ),
                    step.value,
                )
                writer.add_step(replace(step, value=known))
                continue
            writer.in_walk = step.in_backward
            for value, result in run_node(step, held):
                held[value] = result
                if value.name is not None:
                    recorder.name(value.name, result)
    finally:
        writer.where, writer.in_walk = before
    return [held[value] for value in graph.outputs], [*positions, writer.count()]


def run_node(node: Node, held: dict[Value, Any]) -> list[tuple[Value, Any]]:
    """One node on the tape: what stands for its results."""
    args = map_values(held.__getitem__, node.args)
    kwargs = map_values(held.__getitem__, dict(node.kwargs))
    if node.function is moved:
        result: Any = _moved(*args)
    elif hasattr(node.function, "of_batch"):
        result = node.function(*args)
    else:
        # Python's functions do not ask their arguments, as NumPy's do.
        variables = variables_in((*args, *kwargs.values()))
        result = (
            variables[0]._call(node.function, args, kwargs)
            if variables
            else node.function(*args, **kwargs)
        )
    if isinstance(node.out, tuple):
        return list(zip(node.out, result, strict=True))
    return [(node.out, result)]


def _moved(item: Any, position: Any = None) -> Any:
    """The same at another place on the tape, or at none."""
    if not isinstance(item, Variable):
        return item
    edge = position.edge if isinstance(position, Variable) else None
    return type(item).make(item.value, edge, item.storage)
