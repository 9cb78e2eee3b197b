"""Copying and pickling Variables.

A copy has a life of its own, so it can only be made of a leaf: what was computed leads
back to Variables that the copy would have to bring along.
"""

import copy
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import state
from srcgrad.tape.function import Leaf, has_edge
from srcgrad.tape.versions import share

# With the cure in the sentence: between processes there is no more than that.
NOT_COPIED = (
    "only Variables created explicitly by the user (graph leaves) can be {}: this one "
    "was computed, and its history would be lost (use `.detach()` for its data alone)"
)
HOOKS = "a Variable with hooks cannot be {}: hooks are functions of this process"


class Copyable:
    """The methods of a Variable that ``copy`` and ``pickle`` look for."""

    __slots__ = ()

    value: Any
    edge: Any
    storage: Any
    kept: Any
    grad: Any

    def __copy__(self) -> Any:
        """Another Variable on the same data, at the same place of the graph."""
        if _is_inner(self):
            return _array_copied(self)
        other: Any = type(self).__new__(type(self))
        other.value, other.edge, other.kept = self.value, self.edge, self.kept
        other.storage = None
        if type(self.value) is np.ndarray:
            share(self, other)
        _set_attributes(other, _attributes(self))
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if _is_inner(self):
            return _array_copied(self)
        rebuild, (value, *flags, grad), attributes = _parts(self, "deep-copied")
        made = rebuild(value.copy(), *flags, None)
        memo[id(self)] = made
        if grad is not None:
            made.grad = copy.deepcopy(grad, memo)
        _set_attributes(made, copy.deepcopy(attributes, memo))
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _parts(self, "pickled")

    @classmethod
    def _rebuild(
        cls: Any, value: Any, requires_grad: bool, volatile: bool, grad: Any
    ) -> Any:
        """Make a leaf of what a copy or pickle holds."""
        variable = cls.make(value, None)
        variable.requires_grad = requires_grad
        if volatile:
            variable.volatile = True
        if grad is not None:
            variable.grad = grad
        return variable

    def __setstate__(self, attributes: dict[str, Any] | None) -> None:
        _set_attributes(self, attributes)


def _parts(variable: Any, what: str) -> tuple[Any, tuple[Any, ...], Any]:
    """How to make a leaf again, as pickle wants it.

    Raises
    ------
    RuntimeError
        If it is no leaf, or has hooks.
    """
    edge = variable.edge
    is_leaf = not has_edge(variable) or type(edge[0]) is Leaf
    if not is_leaf:
        raise located(RuntimeError(NOT_COPIED.format(what)))
    if edge is not None and has_edge(variable) and any((edge[0].hooks or {}).values()):
        raise located(
            RuntimeError(HOOKS.format(what)),
            "remove them first, with the handles that register_hook returned",
        )
    flags = (has_edge(variable), variable.volatile, variable.grad)
    return type(variable)._rebuild, (variable.value, *flags), _attributes(variable)


def _attributes(variable: Any) -> dict[str, Any] | None:
    """What a subclass has added."""
    return getattr(variable, "__dict__", None) or None


def _set_attributes(variable: Any, attributes: dict[str, Any] | None) -> None:
    if attributes:
        variable.__dict__.update(attributes)


def _is_inner(variable: Any) -> bool:
    """Whether a Variable is a transform's, whose user knows it as an array."""
    edge = variable.edge
    is_leaf = has_edge(variable) and type(edge[0]) is Leaf
    return (
        bool(state.depth) and has_edge(variable) and (not is_leaf or edge[0].is_inner)
    )


def _array_copied(variable: Any) -> Any:
    return np.copy(variable) if type(variable.value) is np.ndarray else variable
