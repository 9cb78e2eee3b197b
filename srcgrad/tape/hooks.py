"""Hooks: the user's functions that see, and may replace, gradients on their way back.

A node keeps those of its outputs by number, and under ``FUNCTION`` its own, which see
what comes in and what goes out. The engine runs them.
"""

import itertools
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from srcgrad.modes import override
from srcgrad.protocols import ArrayProtocol, raw_of

Hook = Callable[..., Any]

# Where a node keeps the hooks on itself, among those on its outputs.
FUNCTION = -1

NO_SECOND = "Trying to register a second hook with name {}"
NONE_THERE = "Trying to remove an inexistent hook with name {}"

# Handles are told apart by a number that is never used again.
_next_key = itertools.count().__next__


class Hooks(dict[Any, Hook]):
    """The hooks of one output, or of one Function, in the order of registration.

    ``kept`` is the ``Leaf`` that takes the gradient of a Variable after
    ``retain_grad()``: what is left of it when all hooks have run.
    """

    __slots__ = ("__weakref__", "kept")

    def __init__(self) -> None:
        super().__init__()
        self.kept: Any = None


class Handle:
    """Takes a hook away again: by ``remove()``, or at the end of a ``with``."""

    __slots__ = ("_hooks", "_key")

    def __init__(self, hooks: Hooks, key: Any) -> None:
        # A hook may well know its handle, so the handle must not know the hook.
        self._hooks = weakref.ref(hooks)
        self._key = key

    def remove(self) -> None:
        """Take the hook away; nothing if that was done before."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self._key, None)

    def __enter__(self) -> "Handle":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()


def register(hooks: Hooks, hook_or_name: Any, hook: Hook | None) -> Handle:
    """Add a hook, or (the old spelling) one with a name.

    Raises
    ------
    AssertionError
        If there is one with this name, as in PyTorch.
    TypeError
        If the hook cannot be called.
    """
    key: Any = _next_key()
    if hook is None:
        hook = hook_or_name
    else:
        key = ("name", hook_or_name)
        if key in hooks:
            raise AssertionError(NO_SECOND.format(hook_or_name))
    if not callable(hook):
        raise TypeError(f"a hook is a function, but got {hook!r}")
    hooks[key] = hook
    return Handle(hooks, key)


def remove(hooks: Hooks | None, name: Any) -> None:
    """Take away the hook with a name.

    Raises
    ------
    AssertionError
        If there is none, as in PyTorch.
    """
    if hooks is None or ("name", name) not in hooks:
        raise AssertionError(NONE_THERE.format(name))
    del hooks[("name", name)]


def run_on_gradient(hooks: Hooks, g: Any, variable_class: Any, on_tape: bool) -> Any:
    """Show a gradient to the hooks of an output; return what they make of it.

    ``on_tape``: the walk can be differentiated itself, and so can what hooks do.
    """
    for hook in list(hooks.values()):
        variable = _shown(g, variable_class, on_tape)
        after = _call(hook, on_tape, variable)
        g = _replaced(hook, g, variable if after is None else after, on_tape)
    return g


def run_on_function(
    hooks: Hooks,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    variable_class: Any,
    on_tape: bool,
) -> Sequence[Any]:
    """Show the gradients that a node gives, and those it got, to its own hooks."""
    for hook in list(hooks.values()):
        grad_inputs = tuple(_shown(g, variable_class, on_tape) for g in inputs)
        grad_outputs = tuple(_shown(g, variable_class, on_tape) for g in outputs)
        after = _call(hook, on_tape, grad_inputs, grad_outputs)
        if after is None:
            after = grad_inputs
        elif not isinstance(after, (tuple, list)):
            after = (after,)
        if len(after) != len(inputs):
            raise RuntimeError(
                f"hook {_name(hook)!r} has returned an incorrect number of values "
                f"(got {len(after)}, but expected {len(inputs)})"
            )
        inputs = [
            _replaced(hook, g, replacement, on_tape)
            for g, replacement in zip(inputs, after, strict=True)
        ]
    return inputs


def _call(hook: Hook, on_tape: bool, *args: Any) -> Any:
    if on_tape:
        return hook(*args)
    with override(grad_enabled=False):
        return hook(*args)


def _shown(g: Any, variable_class: Any, on_tape: bool) -> Any:
    """A gradient as the Variable that a hook gets."""
    if g is None or isinstance(g, ArrayProtocol):
        return g
    # A copy: the same array may flow elsewhere too. It goes on as the hook leaves it,
    # so a change in place does what it does in PyTorch.
    copy = g.copy() if isinstance(g, np.ndarray) and not on_tape else g
    return variable_class.make(copy, None)


def _replaced(hook: Hook, before: Any, after: Any, on_tape: bool) -> Any:
    """What a hook has put in the place of a gradient.

    Raises
    ------
    RuntimeError
        If it does not fit.
    TypeError
        If it is no array, or would lose its derivative.
    """
    if before is None and after is not None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if after is None:
        return None
    is_variable = isinstance(after, ArrayProtocol)
    if on_tape and not is_variable:
        raise TypeError(
            f"hook {_name(hook)!r} returned {type(after).__name__} under create_graph: "
            "its own derivative would be lost. Return a Variable"
        )
    if not is_variable and not isinstance(after, (np.ndarray, np.generic)):
        raise TypeError(
            f"expected Variable, but hook {_name(hook)!r} returned "
            f"{type(after).__name__!r}"
        )
    if after.shape != before.shape:
        raise RuntimeError(
            f"hook {_name(hook)!r} has changed the size of value (was {before.shape} "
            f"got {after.shape})"
        )
    kind = after.dtype.kind
    if kind not in "fc" or (kind == "c" and before.dtype.kind != "c"):
        raise RuntimeError(
            f"hook {_name(hook)!r} has changed the type of value (was {before.dtype} "
            f"got {after.dtype})"
        )
    return after if on_tape else raw_of(after)


def _name(hook: Hook) -> str:
    return getattr(hook, "__qualname__", None) or type(hook).__name__
