"""``CallbackRecording``: one run of a function that an algorithm calls, as a graph.

It is recorded where the algorithm calls it, and taken out of the recording again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from srcgrad.graph import Graph
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.steps import Node, Step, Value, bodies_of
from srcgrad.tape.function import Leaf
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.escapes import state_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.graphs.layouts import Write, layout_guards
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.same_numbers import anew
from srcgrad.tracing.refusal import give_up
from srcgrad.updates import moved

# What a function may give that is no number of the graph.
STATIC = (type(None), bool, int, float, complex)


class CallbackRecording:
    """One run of a function, taken out of the recording around it.

    Attributes
    ----------
    inputs : list of Value
        What the algorithm has given; then come those of ``outer``.
    outer : dict
        What the function reads of the numbers around it, and what stands for these.
    graph : Graph
        From both to the numbers that it gives.
    structure : PyTreeSpec
        Of its result, whose leaves are ``fixed``, or outputs where ``is_output``.
    has_rules : bool
        Whether all that it calls has rules for what it is called with.
    raws, raws_of_outputs : dict, list
        The numbers of this run.
    """

    def __init__(
        self,
        recorder: Recorder,
        name: str,
        run: Callable[..., Any],
        reached: Any,
        given: Sequence[Any],
        is_on_tape: bool = False,
    ) -> None:
        """``is_on_tape``: what it is given has a gradient."""
        self.name = name
        self._recorder, self._writer = recorder, recorder.writer
        start = self._writer.mark()
        stand_ins = list(map(_stand_in, given))
        if is_on_tape:
            stand_ins = list(map(_with_edge, stand_ins))
        # An int is a number of the code: what stands for it is not used.
        places = [
            TracedArray.make(0.0, None) if type(s) is int else s for s in stand_ins
        ]
        self.inputs = [self._writer.define(each.value) for each in places]
        begun, speculations = self._writer.mark(), len(self._writer.speculations)
        result, seen = self._run(run, reached, stand_ins)
        outputs, computed = self._opened(result)
        steps, writes, _ = self._writer.cut(begun)
        self._writer.cut(start)
        del self._writer.speculations[speculations:]
        seen.update(zip(outputs, computed, strict=True))
        self._check(steps, writes)
        self._close(steps, writes, outputs, seen)

    def _refuse(self, does: str) -> NoReturn:
        give_up(f"{does} in `{self.name}`, which an algorithm calls")

    def _run(
        self, run: Callable[..., Any], reached: Any, stand_ins: list[Any]
    ) -> tuple[Any, dict[Value, Any]]:
        """What it gives, and what it has seen."""
        recorder = self._recorder
        walks, before = len(recorder.walks), state_of(reached)
        around, recorder.within = recorder.within, "in a function that is called back"
        try:
            with self._writer.seeing() as seen:
                result = left(run(*stand_ins))
        finally:
            recorder.within = around
        if state_of(reached) != before:
            self._refuse("leaves something behind")
        if len(recorder.walks) > walks:
            self._refuse("differentiates")
        return result, seen

    def _opened(self, result: Any) -> tuple[list[Value], list[Any]]:
        """The Values that it gives, and what stands for them."""
        leaves, self.structure = flatten(result)
        self.is_output = [not self._is_static(leaf) for leaf in leaves]
        pairs = list(zip(leaves, self.is_output, strict=True))
        self.fixed = [None if is_output else leaf for leaf, is_output in pairs]
        computed = [leaf for leaf, is_output in pairs if is_output]
        self.raws_of_outputs = [raw_of(leaf) for leaf in computed]
        return [self._writer.value_of(leaf) for leaf in computed], computed

    def _is_static(self, leaf: Any) -> bool:
        if isinstance(leaf, (Variable, np.ndarray, np.generic)):
            return False
        if type(leaf) not in STATIC:
            self._refuse(f"gives a {type(leaf).__name__}")
        return True

    def _check(self, steps: Sequence[Step], writes: Sequence[Write]) -> None:
        own = {value for step in steps for value in step.results}
        if any(value not in own for value, _ in writes):
            self._refuse("changes an array")
        if any(type(step) is Node and step.function is moved for step in steps):
            self._refuse("stops gradients")

    def _close(
        self,
        steps: Sequence[Step],
        writes: Sequence[Write],
        outputs: Sequence[Value],
        seen: Mapping[Value, Any],
    ) -> None:
        """Make a graph of the steps, whose arguments are all that is not their own."""
        writer, constants = self._writer, self._writer.constants
        own = {value for step in steps for value in step.results}
        around = {
            value: item
            for value, item in seen.items()
            if value not in own and value not in self.inputs
        }
        self.outer = {v: item for v, item in around.items() if v not in constants}
        inputs = (*self.inputs, *self.outer)
        if any(layout_guards(steps, writes, inputs, writer.raws)):
            self._refuse("writes by views")
        named = {value: writer.names.named(value) for value in own}
        self.graph = Graph(
            inputs,
            tuple(step.renamed(named) for step in steps),
            tuple(named.get(value, value) for value in outputs),
            {value: constants[value] for value in around if value in constants},
        )
        functions = {step.function for step in steps if type(step) is Node}
        self.has_rules = all(map(_has_rules, functions))
        raws = {**constants, **writer.raws}
        of_own = {named.get(value, value): raws[value] for value in own}
        self.raws = of_own | {value: raws[value] for value in self.graph.given}


def _stand_in(item: Any) -> Any:
    """What a function sees of something that an algorithm gives it."""
    if type(item) is np.ndarray and item.dtype.kind in "fciub":
        return TracedArray.make(item.copy(), None)
    if isinstance(item, (float, complex, np.number)):
        return TracedArray.make(anew(item), None)
    if type(item) is int:
        return item
    return give_up(f"has an algorithm that calls a function with a {type(item)}")


def _with_edge(stand_in: Any) -> Any:
    if type(stand_in) is int or np.result_type(stand_in.value).kind not in "fc":
        return stand_in
    return TracedArray.make(stand_in.value, (Leaf.inside(stand_in.value), 0))


def _has_rules(function: Any) -> bool:
    """Whether a node of the graph tells what its derivative is, if it has one."""
    known = function in PRIMITIVES or bool(bodies_of(function))
    return known and function not in COMPOSITIONS
