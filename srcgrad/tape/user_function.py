"""``UserFunction``, the node of a call of a user's Function; and ``run``, the call."""

import itertools
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from srcgrad.errors import describe
from srcgrad.modes import Recorder, override, refuse, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.anomalies import Content, check_result
from srcgrad.tape.forward_escapes import ForwardEscapes
from srcgrad.tape.function import (
    VOLATILE,
    Edge,
    Function,
    Needed,
    already_freed,
    has_edge,
    meta_of,
    next_order,
    sequence_like,
)
from srcgrad.tape.kept_on_context import (
    Kept,
    KeptElsewhere,
    OnTape,
    computes_with,
    has_constants,
    kept_by,
)
from srcgrad.tape.rule_function import Turning
from srcgrad.tape.user_call import Call, is_on_arrays, is_static
from srcgrad.tape.versions import Storage, check, fingerprints, join_views


class UserFunction(Function):
    """The node of one call of a user's subclass; ``context`` is the object of that.

    ``positions`` are the arguments that are Variables, of ``count``. What was saved are
    (array, edge or number of the result, storage).
    """

    __slots__ = ("context", "count", "kept", "materializes", "positions")

    context: Any
    count: int
    kept: Kept | None
    materializes: bool
    positions: tuple[int, ...]

    def name(self) -> str:
        """The name of the user's class; in the newer style with ``Backward``."""
        cls = type(self.context)
        return cls.__name__ + ("Backward" if is_static(cls, "forward") else "")

    def _calling(self, name: str) -> Call:
        call: Call = self.context._call
        return call

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in Function.__slots__:
            raise AttributeError(name)
        return getattr(self.context, name)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``forward`` has saved, as ``backward`` gets it."""
        if self.saved is None:
            raise already_freed()
        check(self.versions, self.where, self.name())
        if is_on_arrays(type(self.context)):
            return tuple(_read_only(raw) for raw, _, _ in self.saved)
        return tuple(self._variable(*saved) for saved in self.saved)

    saved_variables = saved_tensors

    def _variable(self, raw: Any, place: Any, own: Storage | None) -> Any:
        if raw is None:
            return None
        edge = (self, place) if isinstance(place, int) else place
        return self.variable_class.make(raw, edge, own)

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        cls = type(self.context)
        grads = [g] if self.metas is None else list(g)
        if wrap is not None and not is_on_arrays(cls):
            grads = [_as_variable(each, self.variable_class) for each in grads]
            if not state.grad_enabled:
                return self._on_tape(grads)
            return self._differentiable(grads, type(wrap) is Turning)
        # An array that comes in may flow elsewhere too.
        arrays = [_read_only(raw_of(each)) for each in grads]
        if not is_on_arrays(cls):
            arrays = [_as_variable(each, self.variable_class) for each in arrays]
        with override(grad_enabled=False):
            found = self._checked(cls.backward(self.context, *arrays), is_on_tape=False)
        if wrap is None:
            return found
        return self._undifferentiable(found, grads)

    def _on_tape(self, grads: list[Any]) -> list[Any]:
        """What ``backward`` gives of Variables."""
        if state.recorder is not None:
            return self._recorded(state.recorder, grads)
        backward = type(self.context).backward
        return self._checked(backward(self.context, *grads), is_on_tape=True)

    def _differentiable(self, grads: list[Any], only_by_grads: bool) -> list[Any]:
        """The same, to be differentiated again: by the arguments, or by ``grads``.

        Where that would go wrong by the arguments, it leads to an error.
        """
        kept, start = self.kept, next_order()
        if kept is None:
            return self._on_tape(grads)
        is_on_tape = bool(kept.places) and not only_by_grads
        given = [raw_of(g) for g in grads]
        given += [raw for raw, place, _ in self.saved or () if place is None]
        with ExitStack() as stack:
            if is_on_tape:
                check(kept.versions, self.where, self.name())
                stack.enter_context(OnTape(self.context, kept, self._variable))
            found = self._on_tape(grads)
        beside = computes_with(kept, is_on_tape)
        if beside is None:
            return found
        backward = type(self.context).backward
        return [
            self._without_derivative(g, beside)
            if g is not None and has_constants(g, start, backward, given)
            else g
            for g in found
        ]

    def _without_derivative(self, gradient: Any, kept: str) -> Any:
        message = (
            f"{self.name()} has no second derivative ({describe(self.where)}): its "
            f"backward may compute with {kept}, which forward has set to numbers of "
            "its own. Keep arguments and results by ctx.save_for_backward(...) and "
            "compute the rest in backward of ctx.saved_tensors"
        )
        return KeptElsewhere.of(gradient, self.edges, message)

    def _recorded(self, recorder: Recorder, grads: list[Any]) -> list[Any]:
        """Let the recorder run ``backward``, in the copy that it has of it."""
        make = self.variable_class.make
        returned = recorder.backward(
            self, [None if g is None else make(g.value, g.edge) for g in grads]
        )
        if not state.grad_enabled and isinstance(returned, (tuple, list)):
            returned = [_constant(each, make) for each in returned]
        elif not state.grad_enabled:
            returned = _constant(returned, make)
        return self._checked(returned, is_on_tape=True)

    def _checked(self, returned: Any, is_on_tape: bool) -> list[Any]:
        """What ``backward`` returned, one gradient for each Variable.

        Raises
        ------
        RuntimeError
            If there are too many or too few, or one does not fit.
        TypeError
            If one is no array, or would lose its derivative.
        """
        given = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        while len(given) > self.count and given[-1] is None:
            given.pop()
        if len(given) != self.count:
            raise RuntimeError(
                f"{self.name()} returned an invalid number of gradients - expected "
                f"{self.count}, but got {len(given)}"
            )
        for position, gradient in enumerate(given):
            if gradient is not None and position not in self.positions:
                raise RuntimeError(
                    f"{self.name()} returned a gradient different than None at "
                    f"position {position}, but the corresponding forward input was not "
                    "a Variable"
                )
        pairs = zip(self.positions, self.edges, strict=True)
        return [self._fitted(given[i], i, edge, is_on_tape) for i, edge in pairs]

    def _fitted(
        self, gradient: Any, position: int, edge: Edge | None, is_on_tape: bool
    ) -> Any:
        if gradient is None or edge is None:
            return None
        is_variable = isinstance(gradient, ArrayProtocol)
        if not is_variable and is_on_tape:
            raise TypeError(
                f"{self.name()} returned {type(gradient).__name__} as gradient of "
                f"input {position} under create_graph: its own derivative would be "
                "lost. Compute it from the Variables that backward gets and from "
                "ctx.saved_tensors, or mark backward with @once_differentiable"
            )
        if not is_variable:
            gradient = np.asarray(gradient)[()]
        if gradient.dtype.kind not in "fciub":
            raise TypeError(
                f"{self.name()} returned {type(gradient).__name__} as gradient of "
                f"input {position}: expected an array of numbers or None"
            )
        shape, _ = meta_of(edge)
        if not _is_broadcast(shape, gradient.shape):
            raise RuntimeError(
                f"{self.name()} returned an invalid gradient at index {position} - "
                f"expected shape {shape} but got {gradient.shape}"
            )
        return gradient if is_on_tape else raw_of(gradient)

    def _undifferentiable(self, found: list[Any], grads: list[Any]) -> list[Any]:
        """Gradients as Variables that lead to an error, if they are differentiated."""
        edges = [*self.edges, *(getattr(each, "edge", None) for each in grads)]
        node: Undifferentiable = Undifferentiable.link(
            tuple(None if edge is VOLATILE else edge for edge in edges),
            [g for g in found if g is not None],
        )
        node.source = self.name()
        numbers = itertools.count()
        make = self.variable_class.make
        return [
            None
            if g is None
            else make(g, (node, next(numbers)) if state.grad_enabled else None)
            for g in found
        ]


class Undifferentiable(Function):
    """Where the gradients of a ``backward`` on ndarrays come from."""

    __slots__ = ("source",)

    source: str

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with "
            f"@once_differentiable: the backward of {self.source} computes on "
            "ndarrays. It has a derivative as @staticmethod backward(ctx, ...) that "
            "computes with what forward(ctx, ...) keeps by ctx.save_for_backward(...)"
        )


def run(context: Any, forward: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Run a user's ``forward``, and put the call on the tape."""
    name = type(context).__name__
    refuse(f"calls {name}, a Function of the user's own")
    call = context._call = Call(name, args)
    escapes = ForwardEscapes(
        type(context).forward if any(call.needs_input_grad) else None
    )
    given = Content.of(call.arrays) if state.checks_results else None
    with override(grad_enabled=False):
        returned = forward(*call.arrays)
    if given is not None:
        check_result(name, given, returned)
    arrays = [raw for raw in call.arrays if isinstance(raw, np.ndarray)]
    kept = escapes.kept(arrays)
    return on_tape(context, call, returned, call.variables, kept)[0]


def on_tape(
    context: Any,
    call: Call,
    returned: Any,
    tensors: Sequence[Any],
    kept: str | None = None,
) -> tuple[Any, UserFunction | None]:
    """What the caller gets for what ``forward`` returned, and the node, if any.

    ``tensors`` are the arguments in whose memory the results may be; ``kept`` tells
    where outside ``forward`` keeps numbers.
    """
    raws = call.results(returned)
    written, without_grad = call.written(raws), call.without_grad(raws)
    volatile = VOLATILE if call.is_volatile else None
    node = None
    if any(call.needs_input_grad) and not all(without_grad):
        node = _linked(context, call, raws if isinstance(returned, tuple) else raws[0])
    results: list[Any] = []
    for number, raw in enumerate(raws):
        edge = volatile
        if node is not None and not without_grad[number]:
            edge = (node, number)
        position = call.argument_of(raw)
        if position in written:
            result = _repointed(written[position], raw, edge)
        else:
            result = _result(call, raw, position, edge)
        results.append(result)
    if call.variables:
        join_views(tensors, results)
    if node is not None:
        _save(node, call, raws, results)
        node.kept = kept_by(context, call, raws, results, kept)
    call.forget(node)
    if isinstance(returned, tuple):
        return sequence_like(returned, results), node
    return results[0], node


def _linked(context: Any, call: Call, raw: Any) -> UserFunction:
    """The node of a call, without what it saves."""
    edges = tuple(variable.edge for variable in call.variables)
    node: UserFunction = UserFunction.link(edges, raw)
    node.context = context
    node.count = len(call.args)
    node.materializes = call.materializes
    node.positions = tuple(
        i for i, arg in enumerate(call.args) if isinstance(arg, ArrayProtocol)
    )
    return node


def _repointed(variable: Any, raw: Any, edge: Edge | None) -> Any:
    """An argument that was changed in place: the same Variable, at its new place."""
    if type(variable.value) is not np.ndarray:
        variable.value = raw[()]  # a scalar cannot be written into
    if state.grad_enabled:
        variable.edge = edge
    return variable


def _result(call: Call, raw: Any, position: int | None, edge: Edge | None) -> Any:
    """What the caller gets for one array that ``forward`` returned."""
    variables = call.variables
    if not variables:
        return raw
    make = type(variables[0]).make
    if position is None or not isinstance(call.args[position], ArrayProtocol):
        return make(raw, edge)
    # An argument as it is: a new Variable on the same data.
    return make(call.args[position].value, edge)


def _save(
    node: UserFunction, call: Call, raws: Sequence[Any], results: Sequence[Any]
) -> None:
    """Keep what ``forward`` asks for, with its place in the graph and its version."""
    saved: list[tuple[Any, Any, Storage | None]] = []
    versions = []
    for position, number in call.places(raws):
        source: Any = None if position is None else call.args[position]
        place: Any = getattr(source, "edge", None)
        if number is not None and (position is None or source is results[number]):
            source = results[number]
            place = number if has_edge(source) else None
        raw = raw_of(source)
        own = None
        if source is not None and raw is not source and type(raw) is np.ndarray:
            own = source.own_storage()
            versions.append(own.entry(raw))
        saved.append((raw, place, own))
    node.saved, node.versions = tuple(saved), tuple(versions)
    if state.anomaly:
        contents = fingerprints([raw for raw, _, _ in saved])
        node.versions = contents + node.versions


def _as_variable(g: Any, variable_class: Any) -> Any:
    if g is None or isinstance(g, ArrayProtocol):
        return g
    return variable_class.make(g, None)


def _constant(gradient: Any, make: Any) -> Any:
    """A gradient that depends on nothing, as a Variable all the same."""
    if gradient is None or isinstance(gradient, ArrayProtocol):
        return gradient
    return make(np.asarray(gradient)[()], None)


def _read_only(raw: Any) -> Any:
    """An array that its receiver cannot change: others have it too."""
    if isinstance(raw, np.ndarray):
        raw = raw.view()
        raw.flags.writeable = False
    return raw


def _is_broadcast(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    """Whether an array of a shape may have been broadcast to another."""
    missing = len(wide) - len(shape)
    return missing >= 0 and all(
        n in (1, m) for n, m in zip(shape, wide[missing:], strict=True)
    )
