"""``in_axes`` and ``out_axes``: over which axes ``vmap`` goes, leaf by leaf."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import optree

from srcgrad.errors import located
from srcgrad.functional.naming import Names
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import NAMESPACE, flatten, unflatten
from srcgrad.tape.foreign import is_foreign, what_to_write
from srcgrad.tracing.following.running import run


@dataclass(frozen=True, slots=True)
class Axes:
    """A tree of axes that others begin with: one axis for all leaves below it."""

    leaves: tuple[Any, ...]
    structure: Any
    what: str

    @classmethod
    def of(cls, tree: Any, what: str) -> "Axes":
        """What a user has given as ``in_axes`` or ``out_axes``.

        Raises
        ------
        TypeError
            If there is something else than ints and None in it.
        """
        if isinstance(tree, list):
            tree = tuple(tree)
        leaves, structure = flatten(tree)
        for leaf in leaves:
            if leaf is not None and (isinstance(leaf, bool) or not _is_int(leaf)):
                raise TypeError(
                    f"vmap {what} must be an int, None, or a container of these, but "
                    f"got {tree!r}"
                )
        return cls(tuple(leaves), structure, what)

    @property
    def tree(self) -> Any:
        """As the user has given them."""
        return unflatten(self.structure, self.leaves)

    def over(self, tree: Any) -> list[Any]:
        """The axis for each leaf of a tree.

        Raises
        ------
        ValueError
            If the tree does not begin like these.
        """
        try:
            axes = optree.broadcast_prefix(
                self.tree, tree, none_is_leaf=True, namespace=NAMESPACE
            )
        except ValueError as error:
            target = "the function's result" if self.what == "out_axes" else "args"
            raise located(
                ValueError(
                    f"vmap {self.what} must be an int, None, or a container that "
                    f"{target} begins like, but {self.what}={self.tree!r} does not fit"
                ),
                str(error),
            ) from None
        return list(axes)


def _is_int(item: Any) -> bool:
    return isinstance(item, (int, np.integer))


ARRAY_TYPES = (np.ndarray, np.generic, ArrayProtocol)


@dataclass(frozen=True, slots=True)
class Batch:
    """The arguments of a call of ``vmap``, by leaves.

    ``axes`` has for each leaf the axis to go over, counted from 0, or None.
    """

    leaves: list[Any]
    structure: Any
    axes: list[int | None]
    size: int

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        in_axes: Axes,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> "Batch":
        """Take a call apart. Keyword arguments are gone over along their first axes.

        Raises
        ------
        ValueError
            If the axes do not fit the arguments, or each other.
        """
        given = in_axes.tree
        if isinstance(given, tuple) and len(given) != len(args):
            raise located(
                ValueError(
                    "vmap in_axes must have one entry for each positional argument, "
                    f"but got {len(given)} (in_axes={given!r}) for {len(args)} "
                    "arguments"
                )
            )
        axes = in_axes.over(args) + [0] * len(flatten(kwargs)[0])
        leaves, structure = flatten((args, kwargs))
        names = Names(function, args, kwargs)
        counted = [
            None if leaf is None else _counted(leaf, axis, number, names)
            for number, (leaf, axis) in enumerate(zip(leaves, axes, strict=True))
        ]
        return cls(leaves, structure, counted, _size(leaves, counted, names))

    def fronted(self) -> list[Any]:
        """The leaves to go over, each with that axis first."""
        pairs = zip(self.leaves, self.axes, strict=True)
        return [fronted(leaf, axis) for leaf, axis in pairs if axis is not None]

    def others(self) -> list[Any]:
        """The leaves that are no arrays."""
        return [leaf for leaf in self.leaves if not isinstance(leaf, ARRAY_TYPES)]

    def call(
        self, function: Callable[..., Any], elements: Sequence[Any]
    ) -> tuple[list[Any], Any]:
        """Call a function with one element of each: its result, taken apart."""
        rest = iter(elements)
        pairs = zip(self.leaves, self.axes, strict=True)
        leaves = [leaf if axis is None else next(rest) for leaf, axis in pairs]
        args, kwargs = unflatten(self.structure, leaves)
        return flatten(run(function, args, kwargs))


def fronted(leaf: Any, axis: int) -> Any:
    """An array with one of its axes first."""
    return np.moveaxis(leaf, axis, 0) if axis else leaf


def _counted(leaf: Any, axis: Any, number: int, names: Names) -> int | None:
    """An axis counted from 0."""
    if axis is None:
        return None
    raw = raw_of(leaf)
    if is_foreign(raw):
        raise located(
            TypeError(
                f"vmap was requested to map its {names(number)} along axis {axis}, "
                f"but it is a {type(leaf).__name__}"
            ),
            what_to_write(raw),
        )
    if not isinstance(raw, (np.ndarray, np.generic)):
        raise located(
            ValueError(
                f"vmap was requested to map its {names(number)} along axis {axis}, "
                f"but it is a {type(leaf).__name__} and has no axes"
            ),
            "give it None in in_axes",
        )
    ndim = raw.ndim
    if not -ndim <= axis < ndim:
        least = axis + 1 if axis >= 0 else -axis
        raise located(
            ValueError(
                f"vmap was requested to map its {names(number)} along axis {axis}, "
                f"which implies that its rank should be at least {least}, but is only "
                f"{ndim} (its shape is {raw.shape})"
            )
        )
    return int(axis) % ndim


def _size(leaves: Sequence[Any], axes: Sequence[int | None], names: Names) -> int:
    """The length of all axes that are gone over."""
    sizes = {
        number: np.shape(raw_of(leaf))[axis]
        for number, (leaf, axis) in enumerate(zip(leaves, axes, strict=True))
        if axis is not None
    }
    if not sizes:
        raise located(
            ValueError(
                "vmap must have at least one non-None value in in_axes, over whose "
                "axis it goes"
            )
        )
    if len(set(sizes.values())) > 1:
        lines = "".join(
            f"\n  * {names(number)} of shape {np.shape(raw_of(leaves[number]))} has "
            f"size {size} along axis {axes[number]}"
            for number, size in sizes.items()
        )
        raise located(
            ValueError(
                f"vmap got inconsistent sizes for array axes to be mapped:{lines}"
            )
        )
    size = next(iter(sizes.values()))
    if not size:
        raise located(
            ValueError(
                f"vmap got {names(next(iter(sizes)))} without elements along the axis "
                "to be mapped"
            ),
            "what the function gives is not known",
        )
    return int(size)
