"""In-place operations: write into a Variable's array, and re-point it to the new node.

What ran before and saved the old content still works: what is overwritten is copied
first, where a node needs it. Under ``no_grad`` it is not, and such a node fails its
version check at backward.

A write that another live Variable sees too is refused, since its place in the graph
would be out of date. Two forms that NumPy's users write are no such case, and work:
operands that are views of the target (``x[0] = x[1]``), and ``x[i] += v``, which Python
runs as an in-place operation on a view of ``x`` that is then stored into ``x``.
"""

import weakref
from typing import Any

import numpy as np

from srcgrad.errors import (
    Where,
    describe,
    explained,
    here,
    is_item_update,
    located,
    warn,
)
from srcgrad.facts import Operation
from srcgrad.modes import Recorder, state
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tape.anomalies import Content, check_result
from srcgrad.tape.apply import (
    apply,
    bind,
    fingerprint,
    link,
    needed_arguments,
    put_on_tape,
)
from srcgrad.tape.function import VOLATILE, Function, has_edge, is_differentiated_by
from srcgrad.tape.operands import joined, take, unwrap, variables_in
from srcgrad.tape.overwritten import Overwritten
from srcgrad.tape.versions import LEAF, SHARED, Storage
from srcgrad.updates import assign


def update(target: Any, function: Operation, *others: Any) -> Any:
    """Run a function with its first operand as destination: ``target += other``."""
    if function is np.matmul:
        check_matmul(target, *others)
    return write(target, function, (target, *others), {})


def check_matmul(target: Any, other: Any) -> None:
    """``x @= y`` takes no vector ``y``; ``np.matmul(x, y, out=x)`` would broadcast."""
    raw = unwrap(other)
    if np.ndim(raw) == 1:
        room: Any = np.zeros_like(target.value)
        room @= raw  # NumPy's own error


def setitem(target: Any, index: Any, value: Any) -> None:
    """``target[index] = value``."""
    value = joined(value)
    if not _ends_item_update(target, index, value):
        write(target, assign, (target, index, value), {})


def replace(target: Any, result: Any) -> Any:
    """Put a result into the whole of the target, whose old content plays no part."""
    # Recorded as an assignment into zeros: the old content gets no gradient.
    nothing = np.zeros(target.shape, target.dtype)
    return write(target, assign, (nothing, ..., result), {})


def write(target: Any, function: Operation, args: Any, kwargs: Any) -> Any:
    """Run ``function`` on Variables and put the result into the target's array.

    Raises
    ------
    RuntimeError
        If the target is a leaf that requires grad, or shares its storage; if a gradient
        would have to flow through integers.
    """
    outdated: list[Any] = []
    if state.recorder is not None:
        state.recorder.writes_in_place(target)
    # NumPy itself allows all of this; the recorder decides what it can follow.
    if state.grad_enabled and not target.stands_for_array:
        outdated = _check_target(target, args, here())
        args = tuple(_detangled(arg, outdated) for arg in args)
    if type(target.value) is not np.ndarray:
        if target.stands_for_array:
            return apply(function, args, kwargs)
        return _rebind(target, apply(function, args, kwargs))
    if not target.value.flags.writeable:
        raise located(
            ValueError("assignment destination is read-only"),
            "it is a copy, or a view that shows one element in several places",
        )
    if function not in PRIMITIVES:
        return replace(target, apply(function, args, kwargs))
    if state.recorder is None:
        return _write(target, function, args, kwargs, outdated)
    return _write_recorded(state.recorder, target, function, args, kwargs, outdated)


def _write_recorded(
    recorder: Recorder,
    target: Any,
    function: Operation,
    args: Any,
    kwargs: Any,
    outdated: list[Any],
) -> Any:
    """The same, with a recorder that takes note of it."""
    result = None
    if function is not assign:
        # NumPy broadcasts and converts what it writes; a graph's node does not. So the
        # result is made before it is known whether the target can have it as it is.
        variables: list[Any] = []
        raw_args = [take(arg, variables) for arg in args]
        result = function(*raw_args, **{k: unwrap(v) for k, v in kwargs.items()})
        if not can_hold(target, result):  # an error of NumPy's
            function(*raw_args, out=np.empty_like(target.value))
        if not _fits(target, result):
            call = recorder.before(function, args, kwargs)
            out = put_on_tape(function, call.args, call.kwargs, variables, result)
            recorder.after(call, out)
            return replace(target, out)
    call = recorder.before(function, args, kwargs, target)
    _write(target, function, call.args, call.kwargs, outdated, result)
    recorder.after(call, target)
    return target


def _write(
    target: Any,
    function: Operation,
    args: Any,
    kwargs: Any,
    outdated: list[Any],
    result: Any = None,
) -> Any:
    """Write into an ndarray, and put the Variable where its new content comes from.

    ``result`` is what comes of the function, if that is known already.
    """
    names = _needed(target, function, args, kwargs)
    raw = written = target.value
    if names or state.recorder is not None:
        # An array is known by its identity: after the write it is another one.
        written = raw.view()
    node = None
    if names:
        bound = _bound(function, args, kwargs)
        node = link(PRIMITIVES[function], names, bound, written)
    raw_args = unwrap(args)
    index = raw_args[1] if function is assign and result is None else ...
    storage = target.own_storage()
    is_refused = not state.grad_enabled or state.inplace == "error"
    overwritten = _kept(storage, raw, index, is_refused)
    checks = state.checks_results and function is not assign
    given = Content.of(raw_args, kwargs) if checks else None
    try:
        if result is not None:
            np.copyto(raw, result, casting="same_kind")
        elif function is assign:
            raw[index] = raw_args[2]
        else:
            function(*raw_args, out=raw, **{k: unwrap(v) for k, v in kwargs.items()})
    except BaseException:
        if overwritten is not None:  # some of it may have been written
            storage.written(here(), overwritten, is_refused)
        raise
    storage.written(here(), overwritten, is_refused)
    if given is not None:
        check_result(function, given, raw)
    if state.recorder is not None:
        target.value = written
    if node is not None:
        if node.plan.saves_out:
            node.versions += (storage.entry(written),)
        fingerprint(node)
    if state.grad_enabled:
        _repoint(target, node, any(v.edge is VOLATILE for v in variables_in(args)))
        for other in outdated:
            _interrupt(other, target)
    return target


def _kept(
    storage: Storage, raw: Any, index: Any, is_refused: bool
) -> Overwritten | None:
    """What a write is going to overwrite, if a node needs it: see ``set_inplace``.

    If the write is one that nodes refuse, only compiled calls may need it.
    """
    if not storage.is_saved() or (is_refused and not storage.is_replayed):
        return None
    try:
        overwritten = storage.overwritten_by(raw, index)
    except (IndexError, TypeError, ValueError):
        return None  # the write raises it as well
    if state.inplace == "warn" and not is_refused:
        warn(
            f"{overwritten.before.nbytes} bytes are copied before they are overwritten "
            f"({describe(here())}): a node has saved them for the backward pass"
        )
    return overwritten


def can_hold(target: Any, result: Any) -> bool:
    """Whether an array has room for a result, as the ``out`` of a ufunc."""
    lengths = zip(reversed(result.shape), reversed(target.shape), strict=False)
    return len(result.shape) <= len(target.shape) and all(
        length in (1, room) for length, room in lengths
    )


def _fits(target: Any, result: Any) -> bool:
    """Whether a result is the target's new content as it is, or an error of NumPy's."""
    return bool(result.shape == target.shape and result.dtype == target.dtype) or (
        not np.can_cast(result.dtype, target.dtype, "same_kind")
    )


def _bound(function: Operation, args: Any, kwargs: Any) -> dict[str, Any]:
    return bind(PRIMITIVES[function], args, kwargs)


def _needed(
    target: Any, function: Operation, args: Any, kwargs: Any
) -> tuple[str, ...]:
    """The arguments that need a gradient."""
    variables = variables_in(args)
    if not state.grad_enabled or any(v.edge is VOLATILE for v in variables):
        return ()
    names = needed_arguments(
        PRIMITIVES[function],
        _bound(function, args, kwargs),
        sum(map(has_edge, variables)),
    )
    if names:
        refuse_integers(target)
    return names


def refuse_integers(target: Any) -> None:
    """Refuse to put a value that requires grad where no gradient flows."""
    if target.dtype.kind not in "fc":
        raise located(
            RuntimeError(
                f"a Variable of dtype {target.dtype} cannot take a value that "
                "requires grad"
            ),
            "its gradient would be lost: convert it first, with .astype(float)",
            kind="lost-gradient",
        )


def _repoint(target: Any, node: Function | None, is_volatile: bool) -> None:
    """Put the target where its new content comes from."""
    if is_volatile:
        target.edge = VOLATILE
    else:
        target.edge = None if node is None else (node, 0)


def _rebind(target: Any, result: Any) -> Any:
    """A NumPy scalar cannot be written into: the Variable gets the new one."""
    if np.shape(result.value) != target.shape:
        raise located(
            ValueError(
                f"non-broadcastable output operand with shape {target.shape} doesn't "
                f"match the broadcast shape {np.shape(result.value)}"
            )
        )
    target.value = result.value
    if state.grad_enabled:
        target.edge = result.edge
    target.own_storage().written(here())
    return target


# ----- Who else sees the write -----


class Interrupted(Function):
    """The place of a Variable whose content was changed through another one.

    What is computed from it has no gradient; ``edges[0]`` is where it was before. If
    the write was the first half of ``x[i] += v``, the second half puts it right.
    """

    __slots__ = ("cause",)

    cause: weakref.ref[Any]

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Any:
        """Refuse."""
        raise explained(
            RuntimeError(SHARED % 2),
            f"it was changed at {describe(self.where)} through a Variable that shares "
            "its storage",
        )


def _check_target(target: Any, args: Any, where: Where | None) -> list[Any]:
    """The Variables that the write makes out of date, and may.

    Raises
    ------
    RuntimeError
        If there is any that it may not.
    """
    _refuse_leaf(target, where)
    if target.storage is None or (count := target.storage.sharing()) == 1:
        return []
    others = [v for v in target.storage.live() if v is not target]
    operands = {id(arg) for arg in args}
    origins = [
        v.edge for v in (target, *others) if id(v) not in operands or v is target
    ]
    rest = [v for v in others if id(v) not in operands or not _is_view_of(v, origins)]
    if len(rest) == 1 and where is not None and is_item_update(*where):
        _refuse_leaf(rest[0], where)
    elif rest:
        raise explained(RuntimeError(SHARED % count), f"at {describe(where)}")
    return others


def _refuse_leaf(target: Any, where: Where | None) -> None:
    if is_differentiated_by(target):
        place = f"at {describe(where)}"
        raise explained(RuntimeError(LEAF), place, "use no_grad to update it")


def _is_view_of(operand: Any, origins: list[Any]) -> bool:
    """Whether an operand was made as a view of one of these, as in ``x[0] = x[1]``."""
    if not has_edge(operand):
        return operand.edge in origins
    return any(edge in origins for edge in operand.edge[0].edges)


def _detangled(arg: Any, outdated: list[Any]) -> Any:
    """An operand that the write does not change: of a view of the target a copy."""
    return np.copy(arg) if any(arg is other for other in outdated) else arg


def _interrupt(other: Any, target: Any) -> None:
    """Note that a Variable's content was changed through the target."""
    if other.edge is VOLATILE or (other.edge is None and target.edge is None):
        return
    edges = (other.edge, target.edge if has_edge(target) else None)
    node: Interrupted = Interrupted.link(edges, other.value)
    node.cause = weakref.ref(target)
    other.edge = (node, 0)


def _ends_item_update(target: Any, index: Any, value: Any) -> bool:
    """Do the second half of ``target[index] += v``: what it stores is there already."""
    node = None if target.edge is None else target.edge[0]
    if type(node) is not Interrupted:
        return False
    cause: Any = node.cause()
    if cause is None or cause is not value:
        return False
    there = target.value[unwrap(index)]
    if type(there) is not np.ndarray or not _are_same(there, value.value):
        return False
    target.edge = node.edges[0]
    if value.edge is VOLATILE:
        target.edge = VOLATILE
    elif names := _needed(target, assign, (target, index, value), {}):
        bound = _bound(assign, (target, index, value), {})
        target.edge = (link(PRIMITIVES[assign], names, bound, target.value), 0)
    return True


def _are_same(view: Any, other: Any) -> bool:
    """Whether two views show the same elements."""
    return bool(
        view.ctypes.data == other.ctypes.data
        and (view.shape, view.strides) == (other.shape, other.strides)
    )
