"""In-place operations: write into a Variable's array, and re-point it to the new node.

What ran before and saved the old content fails its version check at backward; what
saved nothing still works.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.calls import (
    apply,
    bind,
    link,
    needed_arguments,
    note_result,
    unwrap,
    variables_in,
)
from srcgrad.errors import describe, here
from srcgrad.function import VOLATILE, has_edge
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.updates import assign

LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
SHARED = (
    "in-place operations can be only used on variables that don't share storage with any "
    "other variables, but detected that there are %d objects sharing it"
)


def update(target: Any, function: Callable[..., Any], *others: Any) -> Any:
    """Run a ufunc with its first operand as destination: ``target += other``."""
    return write(target, function, (target, *others), {})


def into_out(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run a ufunc with ``out=``: ``np.add(a, b, out=v)``."""
    out = kwargs.pop("out")
    (target,) = out if isinstance(out, tuple) else (out,)
    if not isinstance(target, ArrayProtocol) or not isinstance(function, np.ufunc):
        raise TypeError(
            f"{function.__name__}: a result that depends on Variables can only be "
            f"written into a Variable, by a ufunc ({describe(here())}); leave `out` away"
        )
    return write(target, function, args, kwargs)


def setitem(target: Any, index: Any, value: Any) -> None:
    """``target[index] = value``."""
    write(target, assign, (target, index, value), {})


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """``np.copyto`` with a Variable on either side."""
    if not isinstance(dst, ArrayProtocol):
        raise TypeError(
            f"np.copyto cannot copy a Variable into an ndarray ({describe(here())})"
        )
    setitem(dst, ... if where is True else where, src)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {np.copyto: copyto}


def write(target: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run ``function`` on Variables and put the result into the target's array.

    Raises
    ------
    RuntimeError
        If the target is a leaf that requires grad, or shares its storage.
    """
    if state.grad_enabled:
        _check_target(target)
    if type(target.value) is not np.ndarray:
        if target.stands_for_array:
            return apply(function, args, kwargs)
        return _rebind(target, apply(function, args, kwargs))
    if state.recorder is not None:
        state.recorder.writes(target)
        state.recorder.about_to(function, args, kwargs)
    primitive = PRIMITIVES[function]
    variables = [*variables_in(args)]
    bound = bind(primitive, args, kwargs)
    is_volatile = any(v.edge is VOLATILE for v in variables)
    names: tuple[str, ...] = ()
    if state.grad_enabled and not is_volatile:
        names = needed_arguments(primitive, bound, sum(map(has_edge, variables)))
    before = target.value
    symbol = None if state.recorder is None else state.recorder.symbols(args)
    storage = target.own_storage()
    # What the node saves of the operands is what they hold now.
    node = link(primitive, names, bound, before) if names else None
    _run(function, unwrap(args), {k: unwrap(v) for k, v in kwargs.items()}, before)
    storage.written(here())
    if node is not None:
        target.edge = (node, 0)
        note_result(node, target)
    elif is_volatile:
        target.edge = VOLATILE
    if state.recorder is not None:
        state.recorder.saw_written(function, symbol, kwargs, target)
    return target


def _run(function: Callable[..., Any], args: Any, kwargs: Any, out: Any) -> None:
    if function is assign:
        _, index, value = args
        out[index] = value
    else:
        function(*args, out=out, **kwargs)


def _rebind(target: Any, result: Any) -> Any:
    """A NumPy scalar cannot be written into: the Variable gets the new one."""
    target.value, target.edge = result.value, result.edge
    target.storage = result.storage
    return target


def _check_target(target: Any) -> None:
    if target.stands_for_array:
        # NumPy itself allows all of this; the recorder decides what it can follow.
        return
    if target.is_leaf and target.requires_grad:
        raise RuntimeError(f"{LEAF} ({describe(here())}; use no_grad to update it)")
    if target.storage is not None and (count := target.storage.sharing()) > 1:
        raise RuntimeError(SHARED % count + f" ({describe(here())})")
