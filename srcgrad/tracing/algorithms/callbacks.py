"""``Callback``: a function of the user's that an algorithm calls, as graphs.

It is recorded where the algorithm calls it for the first time, and taken out of the
recording again; what it reads of the numbers around it are arguments of its own then,
after those that the algorithm gives. Where a guard fails, or what it is given is of
another kind, it is recorded again, as long as a recording runs: another ``Path``.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.steps import Node, Value, bodies_of
from srcgrad.tape.function import Leaf
from srcgrad.tape.variable import Variable
from srcgrad.tracing.algorithms.callback_paths import Path
from srcgrad.tracing.arrays.leftovers import state_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.graphs.joints import edge_of
from srcgrad.tracing.graphs.layouts import layout_guards
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.same_numbers import anew
from srcgrad.tracing.refusal import give_up
from srcgrad.updates import moved

# What a function may give that is no number of the graph.
STATIC = (type(None), bool, int, float, complex)


# A function that goes more ways than these is no graph.
MOST_PATHS = 12


class MisfitError(RuntimeError):
    """A function would do what it has not been seen to do."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} goes a way that it did not go in the call: run the function on "
            "the tape, `srcgrad.set_stance('tape')`"
        )


class Captured:
    """The numbers that the functions of one call read around them, each once."""

    def __init__(self) -> None:
        self.items: dict[Value, Any] = {}

    def place_of(self, value: Value, item: Any) -> int:
        """The number of a Value among these."""
        self.items.setdefault(value, item)
        return [*self.items].index(value)


class Callback:
    """One function; ``run`` calls what is followed of it, as long as one may record."""

    def __init__(
        self,
        name: str,
        signature: inspect.Signature | None,
        run: Callable[..., Any],
        reached: Any,
        captured: Captured,
    ) -> None:
        self.__name__, self.__signature__ = name, signature
        self._run: Callable[..., Any] | None = run
        # What code of it might change.
        self.reached = reached
        self._captured = captured
        self._count = 0
        self._paths: dict[Any, list[Path]] = {}

    def close(self) -> None:
        """The recording is over: no more is recorded."""
        self._run = self.reached = None
        self._count = len(self._captured.items)

    def recording(self, recorder: Recorder) -> Callable[..., Any]:
        """What an algorithm calls while the call is recorded."""

        def call(*given: Any) -> Any:
            raws = [raw_of(item) for item in self._captured.items.values()]
            try:
                path, outputs = self._found(given, raws)
            except MisfitError:
                return self._record(recorder, given)
            return path.packed(outputs)

        return self._as_users(call)

    def bound(self, captured: Sequence[Any]) -> Callable[..., Any]:
        """What an algorithm calls, with numbers for those around the function."""

        def call(*given: Any) -> Any:
            path, outputs = self._found(given, captured)
            return path.packed(outputs)

        return self._as_users(call)

    def _as_users(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same with the name and the parameters of the user's function."""
        call.__name__ = self.__name__
        if self.__signature__ is not None:
            call.__signature__ = self.__signature__  # type: ignore[attr-defined]
        return call

    def __call__(self, *args: Any) -> Any:
        """The same of Variables; what is around it comes last."""
        place = len(args) - self._count
        raws = [raw_of(arg) for arg in args]
        for given, path in self._fitting(raws[:place]):
            outputs = path.outputs(given, raws[place:])
            if outputs is not None:
                break
        else:
            raise MisfitError(self.__name__)
        if state.grad_enabled and any(map(edge_of, args)):
            outputs = path.on_tape(place, args, outputs)
        return path.packed(outputs)

    def pull(self, args: Sequence[Any], wanted: Sequence[int], g: Any) -> Any:
        """What it gives for numbers, and the gradients of some of its arguments.

        ``g`` is the cotangent of that as an array, or makes one of it.
        """
        place = len(args) - self._count
        raws = [raw_of(arg) for arg in args]
        for given, path in self._fitting(raws[:place]):
            found = path.pulled(place, (*given, *raws[place:]), tuple(wanted), g)
            if found is not None:
                return found
        raise MisfitError(self.__name__)

    def _found(
        self, given: Sequence[Any], captured: Sequence[Any]
    ) -> "tuple[Path, Sequence[Any]]":
        for path in self._paths.get(tuple(map(key_of, given)), ()):
            outputs = path.outputs(given, captured)
            if outputs is not None:
                return path, outputs
        raise MisfitError(self.__name__)

    def _fitting(self, given: list[Any]) -> "Iterator[tuple[list[Any], Path]]":
        """The paths for some numbers, which may be of other kinds than it gets."""
        kinds = tuple(map(key_of, given))
        for path in self._paths.get(kinds, ()):
            yield given, path
        shapes = list(map(np.shape, given))
        for known, paths in self._paths.items():
            own = [kind[0] if type(kind) is tuple else () for kind in known]
            if own == shapes and known != kinds and not any(map(_is_of_ints, known)):
                converted = list(map(_of_kind, given, known))
                for path in paths:
                    yield converted, path

    def _record(self, recorder: Recorder, given: Sequence[Any]) -> Any:
        if sum(map(len, self._paths.values())) >= MOST_PATHS:
            give_up(
                f"has an algorithm that calls `{self.__name__}`, which goes many ways"
            )
        segment = Segment(recorder, self, given)
        if not segment.has_rules:  # on the tape it is made of functions that have some
            segment = Segment(recorder, self, given, is_on_tape=True)
        if not segment.has_rules:
            give_up(f"calls in `{self.__name__}` what has no derivative there")
        kinds = tuple(map(key_of, given))
        places = [self._captured.place_of(*pair) for pair in segment.outer.items()]
        path = Path(self.__name__, segment, places)
        captured = [raw_of(item) for item in self._captured.items.values()]
        outputs = path.outputs(given, captured)
        if outputs is None or not all(map(is_like, outputs, segment.raws_of_outputs)):
            give_up(f"calls `{self.__name__}` in a way that is not told apart")
        self._paths.setdefault(kinds, []).append(path)
        return path.packed(outputs)

    def run(self, *given: Any) -> Any:
        """What is followed of it."""
        assert self._run is not None
        return self._run(*given)


class Segment:
    """One run of a function, taken out of the recording around it.

    ``is_on_tape``: what it is given has a gradient, as what it takes from around may
    have. ``has_rules``: all that it calls has rules for what it calls it with.
    """

    def __init__(
        self,
        recorder: Recorder,
        callback: Callback,
        given: Sequence[Any],
        is_on_tape: bool = False,
    ) -> None:
        writer = recorder.writer
        start = writer.mark()
        stand_ins = [_stand_in(item) for item in given]
        if is_on_tape:
            stand_ins = list(map(_with_edge, stand_ins))
        # An int is a number of the code: what stands for it is not used.
        places = [
            TracedArray.make(0.0, None) if type(s) is int else s for s in stand_ins
        ]
        self.inputs = [writer.define(each.value) for each in places]
        begun = writer.mark()
        forks, walks = len(writer.forks), len(recorder.walks)
        before = state_of(callback.reached)
        around, recorder.within = recorder.within, "in a function that is called back"
        try:
            with writer.seeing() as seen:
                result = left(callback.run(*stand_ins))
        finally:
            recorder.within = around
        name = callback.__name__
        if state_of(callback.reached) != before:
            give_up(f"leaves something behind in `{name}`, which an algorithm calls")
        if len(recorder.walks) > walks:
            give_up(f"differentiates in `{name}`, which an algorithm calls")
        if writer.leaves_out_from(begun[0]):
            give_up(f"has a long loop in `{name}`, which an algorithm calls")
        leaves, self.structure = flatten(result)
        self.fixed = [leaf if _is_static(leaf, name) else None for leaf in leaves]
        self.is_output = [not _is_static(leaf, name) for leaf in leaves]
        computed = [leaf for leaf in leaves if not _is_static(leaf, name)]
        outputs = [writer.value_of(leaf) for leaf in computed]
        self.raws_of_outputs = [raw_of(leaf) for leaf in computed]
        steps, writes, _ = writer.cut(begun)
        writer.cut(start)
        del writer.forks[forks:]
        own = {value for step in steps for value in step.results}
        if any(value not in own for value, _ in writes):
            give_up(f"changes an array in `{name}`, which an algorithm calls")
        if any(type(step) is Node and step.function is moved for step in steps):
            give_up(f"stops gradients in `{name}`, which an algorithm calls")
        seen.update(zip(outputs, computed, strict=True))
        around_it = {
            value: item
            for value, item in seen.items()
            if value not in own and value not in self.inputs
        }
        constants = writer.constants
        self.outer = {v: item for v, item in around_it.items() if v not in constants}
        named = {value: writer.names.named(value) for value in own}
        inputs = (*self.inputs, *self.outer)
        raws = {**constants, **writer.raws}
        if any(layout_guards(steps, writes, inputs, writer.raws)):
            give_up(f"writes by views in `{name}`, which an algorithm calls")
        self.graph = Graph(
            inputs,
            tuple(step.renamed(named) for step in steps),
            tuple(named.get(value, value) for value in outputs),
            {value: constants[value] for value in around_it if value in constants},
        )
        functions = {step.function for step in steps if type(step) is Node}
        self.has_rules = all(map(_has_rules, functions))
        of_own = {named.get(value, value): raws[value] for value in own}
        self.raws = of_own | {value: raws[value] for value in self.graph.given}


def kind_of(item: Any) -> Any:
    """What decides which path is for an argument."""
    kind = type(item)
    return (item.shape, item.dtype) if kind is np.ndarray else kind


def key_of(item: Any) -> Any:
    """The same for what an algorithm gives: an int, such as an end, is itself."""
    return item if type(item) is int else kind_of(item)


def _is_of_ints(key: Any) -> bool:
    kind = key[1] if type(key) is tuple else key
    return type(key) is int or np.dtype(kind).kind in "iub"


def _of_kind(item: Any, kind: Any) -> Any:
    return np.asarray(item, kind[1]) if type(kind) is tuple else kind(item)


def is_like(one: Any, other: Any) -> bool:
    """Whether two numbers or arrays are of one kind, and the same but for rounding."""
    if kind_of(one) != kind_of(other):
        return False
    return np.allclose(one, other, rtol=1e-10, atol=1e-10, equal_nan=True)


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


def _is_static(leaf: Any, name: str) -> bool:
    if isinstance(leaf, (Variable, np.ndarray, np.generic)):
        return False
    if type(leaf) not in STATIC:
        give_up(f"gives a {type(leaf).__name__} in `{name}`, which an algorithm calls")
    return True
