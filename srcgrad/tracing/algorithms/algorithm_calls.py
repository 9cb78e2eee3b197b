"""A call of an algorithm that calls functions of the user's, as one node of the graph.

The algorithm runs live, at each call, on what was recorded of these functions
(``callbacks``). Where they do what was not seen, or it ends in another way, it is a
miss: that is the last of what the node gives, which is looked at.
"""

import contextlib
import inspect
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.rules.algorithms import ALGORITHMS, Spec, solved
from srcgrad.tape.apply import apply
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import has_edge
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.algorithms.algorithm_callbacks import (
    Callback,
    Captured,
    MisfitError,
    key_of,
)
from srcgrad.tracing.arrays.functional_array import contents
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.graphs.joints import edge_of
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up

# A member that not all methods of an algorithm give.
ABSENT = object()

# What may be said to an algorithm beside numbers.
PLAIN_OPTIONS = (type(None), bool, int, float, complex, str, range)


class Found:
    """What an algorithm has found, as far as it is followed: some of its members."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self._name, self._members = name, members

    def member(self, name: str) -> Any:
        """``found.name``"""
        if name not in self._members:
            give_up(f"reads `{name}` of what `{self._name}` gives, which is not known")
        return self._members[name]

    __getitem__ = member


def solve(
    recorder: Recorder,
    function: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    call: Callable[..., Any],
) -> Any:
    """What an algorithm gives, under a recorder: it has a node for it afterwards.

    ``call(function, *args, **kwargs)`` follows a call of a function of the user's.
    """
    name, spec = function.__name__, ALGORITHMS[function]
    if recorder.within:
        give_up(f"calls `{name}` {recorder.within}")
    given = _bound(function, args, kwargs)
    if reason := spec.against(given):
        give_up(f"calls `{name}` {reason}, which is not compiled")
    solving = Solving(function, spec, given, call)
    return solving.result(recorder)


def _bound(function: Any, args: Sequence[Any], kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name."""
    signature = inspect.signature(function)
    given = dict(signature.bind(*args, **kwargs).arguments)
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= given.pop(parameter.name, {})
    return given


class Solving:
    """One call in the user's source: what is called, with what, and how it went.

    Attributes
    ----------
    sought : tuple of bool
        The values that a gradient goes to.
    """

    def __init__(
        self, function: Any, spec: Spec, given: dict[str, Any], call: Any
    ) -> None:
        self._function, self._spec = function, spec
        self.__name__ = function.__name__
        own = spec.further(given.pop("args", None))
        named = given.pop("kwargs", None) or {}
        self._captured = Captured()
        self._callbacks = {
            name: self._callback(given.pop(name), own, named, call)
            for name in spec.functions
            if callable(given.get(name))
        }
        leaves, self._structure = flatten(given)
        self._plain = [None if _is_value(leaf) else leaf for leaf in leaves]
        self._places = [i for i, leaf in enumerate(leaves) if _is_value(leaf)]
        for leaf in self._plain:
            if type(leaf) not in PLAIN_OPTIONS:
                give_up(f"gives `{self.__name__}` a {type(leaf).__name__}")
        self._values: list[Any] | None = [leaves[place] for place in self._places]
        self.sought: tuple[bool, ...] = ()
        self._kinds: list[Any] = []
        self._told: list[Any] = []
        self._first: Any = None
        self._is_live = False

    def _callback(self, function: Any, own: Any, named: Any, call: Any) -> Callback:
        def run(*given: Any) -> Any:
            return call(function, *given, *own, **named)

        name = getattr(function, "__name__", type(function).__name__)
        name = name if name.isidentifier() else "function"
        signature = None
        if not own and not named:  # it takes what it is given alone
            with contextlib.suppress(TypeError, ValueError):
                signature = inspect.signature(function)
        return Callback(name, signature, run, (function, own, named), self._captured)

    # ----- While it is recorded -----

    def result(self, recorder: Recorder) -> Any:
        """What the user's code gets."""
        first = self._values
        assert first is not None
        functions = {
            name: each.recording(recorder) for name, each in self._callbacks.items()
        }
        found = self._function(**self._filled(list(map(raw_of, first))), **functions)
        for each in self._callbacks.values():
            each.close()
        values = (*first, *map(contents, self._captured.items.values()))
        self._values = None
        self.sought = tuple(
            [isinstance(v, ArrayProtocol) and has_edge(v) for v in values]
        )
        self._is_live = any(self.sought) and state.grad_enabled
        leaves = self._leaves(found)
        self._told = self._members_told(found)
        self._kinds = [key_of(leaf) for leaf in leaves]
        leaves = list(map(_as_number, leaves))
        if not variables_in(values):
            values = (*values, TracedArray.make(0.0, None))
        self._first = leaves
        *out, verdict = apply(solved, (self, values), {})
        recorder.name(f"{self.__name__}_as_before", verdict)
        if not int(verdict):
            give_up(f"calls `{self.__name__}`, which finds something else each time")
        return self._as_users(out)

    def _as_users(self, out: Sequence[Any]) -> Any:
        spec = self._spec
        count = self._count_of_results(out)
        plain = [
            kind if type(kind) is int else TracedArray.make(item.value, None)
            for item, kind in zip(out[count:], self._kinds[count:], strict=True)
        ]
        items = [*out[:count], *plain]
        if spec.fields:
            names = (*spec.fields, *spec.plain)
            members = dict(zip(names, items, strict=True))
            told = dict(zip(spec.told, self._told, strict=True))
            told = {name: item for name, item in told.items() if item is not ABSENT}
            return Found(self.__name__, members | told)
        return tuple(items) if spec.items else items[0]

    # ----- At each call -----

    def run(self, values: Sequence[Any]) -> Any:
        """What it gives for some values, and whether that is as it was seen to be."""
        leaves, self._first = self._first, None
        if leaves is None:
            count = len(self._places)
            functions = {
                name: each.bound(values[count:])
                for name, each in self._callbacks.items()
            }
            try:
                found = self._function(**self._filled(values[:count]), **functions)
                leaves = self._leaves(found)
                fits = self._members_told(found) == self._told
            except MisfitError:
                fits = False
            if not fits or list(map(key_of, leaves)) != self._kinds:
                return (*map(_any_of, self._kinds), np.int64(0))
        return (*map(_as_number, leaves), np.int64(1))

    def back(self, g: Any, out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """The gradients of the values that are sought, on Variables as on numbers."""
        is_on_tape = bool(variables_in((g, out, values)))
        with override(recorder=None, grad_enabled=True):
            lifted = [
                _lifted(value, is_on_tape) if is_sought else raw_of(value)
                for value, is_sought in zip(values, self.sought, strict=False)
            ]
            results = self._implemented(lifted, [raw_of(each) for each in out])
        roots: list[Any] = [
            (each.edge, _as_variable(part) if is_on_tape else part)
            for each, part in zip(results, g, strict=False)
            if edge_of(each) is not None
        ]
        targets = [
            value.edge
            for value, is_sought in zip(lifted, self.sought, strict=True)
            if is_sought
        ]
        creates = is_on_tape and state.grad_enabled
        with override(recorder=None, grad_enabled=creates):
            wrap = restore if is_on_tape else None
            engine = ExecutionEngine(True, wrap, creates, is_inner=True)
            found = dict(engine.run_backward(roots, targets))
        raws = [raw_of(v) for v, s in zip(lifted, self.sought, strict=True) if s]
        return [
            np.zeros_like(raw) if (each := found.get(edge)) is None else each
            for edge, raw in zip(targets, raws, strict=True)
        ]

    def _implemented(self, values: Sequence[Any], out: Sequence[Any]) -> Sequence[Any]:
        """What the algorithm is on Variables, where it is known what it gave."""
        count = len(self._places)
        known = self._known(out)
        result = self._spec.implementation(
            lambda *args, **kwargs: known,
            **self._filled(values[:count]),
            **self._callbacks,
            args=tuple(values[count:]),
        )
        if self._spec.fields:
            return [getattr(result, name) for name in self._spec.fields]
        count = self._spec.items
        return [*result[:count]] if count else [result]

    def _known(self, out: Sequence[Any]) -> Any:
        spec = self._spec
        if spec.fields:
            names = (*spec.fields, *spec.plain)
            members = dict(zip(names, out, strict=False))
            return SimpleNamespace(
                **members, **dict(zip(spec.told, self._told, strict=True))
            )
        return tuple(out[: len(self._kinds)]) if spec.items else out[0]

    def _filled(self, values: Sequence[Any]) -> dict[str, Any]:
        items = list(self._plain)
        for place, value in zip(self._places, values, strict=True):
            items[place] = value
        found: dict[str, Any] = unflatten(self._structure, items)
        return found

    def _leaves(self, found: Any) -> list[Any]:
        """What is followed of what it gives; on the tape a number is NumPy's."""
        spec = self._spec
        if spec.fields:
            leaves = [getattr(found, name) for name in (*spec.fields, *spec.plain)]
        else:
            leaves = [*found] if spec.items else [found]
        count = self._count_of_results(leaves)
        if self._is_live:
            leaves[:count] = [
                np.float64(leaf) if type(leaf) is float else leaf
                for leaf in leaves[:count]
            ]
        return leaves

    def _count_of_results(self, leaves: Sequence[Any]) -> int:
        """How many of them have a gradient."""
        return len(self._spec.fields) or self._spec.items or 1

    def _members_told(self, found: Any) -> list[Any]:
        return [getattr(found, name, ABSENT) for name in self._spec.told]


def _is_value(leaf: Any) -> bool:
    return isinstance(leaf, (ArrayProtocol, np.ndarray, np.generic))


def _as_number(leaf: Any) -> Any:
    """What a graph has of it: an int is a part of the path, and a constant there."""
    return np.int64(leaf) if type(leaf) is int else leaf


def _any_of(kind: Any) -> Any:
    """Something of a kind."""
    if type(kind) is int:
        return np.int64(kind)
    return np.zeros(*kind) if isinstance(kind, tuple) else kind(0)


def _lifted(value: Any, is_on_tape: bool) -> Any:
    if is_on_tape and isinstance(value, ArrayProtocol) and has_edge(value):
        return np.positive(value)
    return Variable(np.array(raw_of(value)), requires_grad=True)


def _as_variable(part: Any) -> Any:
    is_one = isinstance(part, ArrayProtocol)
    return part if is_one else Variable.make(part, None)
