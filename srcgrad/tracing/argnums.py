"""``Differentiation``: what a gradient transform asks of a call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.errors import describe, here
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.apply import is_plain
from srcgrad.tape.variable import Variable


@dataclass(frozen=True, slots=True)
class Differentiation:
    """By which arguments, and what of the result.

    ``argnums`` are positional arguments as the caller numbers them. ``has_aux``: the
    function returns ``(value, aux)``, and the value is differentiated.
    """

    argnums: tuple[int, ...]
    has_aux: bool = False

    def leaves_of(self, args: Sequence[Any]) -> list[int]:
        """Which leaves of the arguments to differentiate by.

        Raises
        ------
        ValueError
            If ``argnums`` does not fit the arguments.
        TypeError
            If a leaf is neither float nor complex.
        """
        flat = [flatten(arg)[0] for arg in args]
        starts = [sum(map(len, flat[:i])) for i in range(len(flat))]
        found = []
        for i in self._positions(args):
            for k, leaf in enumerate(flat[i]):
                _check_leaf(leaf)
                if leaf is not None:
                    found.append(starts[i] + k)
        return found

    def _positions(self, args: Sequence[Any]) -> list[int]:
        count = len(args)
        for number in self.argnums:
            if not -count <= number < count:
                raise ValueError(
                    f"argnums={number} does not fit a call with {count} positional "
                    f"arguments ({describe(here())})"
                )
        return [number % count for number in self.argnums]

    def value_of(self, result: Any) -> Any:
        """What is differentiated of a function's result.

        Raises
        ------
        TypeError
            If it should be a pair, and is none.
        """
        if not self.has_aux:
            return result
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                "with has_aux=True the function must return (value, aux), but it "
                f"returned {type(raw_of(result)).__name__} ({describe(here())})"
            )
        return result[0]

    def check(self, result: Any, function: Callable[..., Any]) -> None:
        """Raise if the value of a result has no gradient.

        Raises
        ------
        TypeError
            If it is not one real number.
        """
        raw = raw_of(value := self.value_of(result))
        is_number = isinstance(
            value, (float, int, np.ndarray, np.generic, ArrayProtocol)
        )
        if is_number and np.size(raw) == 1 and np.result_type(raw).kind != "c":
            return
        got = type(raw).__name__
        if is_number:
            got = f"shape {np.shape(raw)}, dtype {np.result_type(raw)}"
        name = getattr(function, "__name__", repr(function))
        raise TypeError(
            f"a function to differentiate must return one real number, but {name} "
            f"returned {got} ({describe(here())})"
        )

    def are_arrays(self, args: Sequence[Any]) -> bool:
        """Whether all that it differentiates by are ndarrays with axes.

        Then their gradients are what the arguments are: nothing needs to be packed.
        """
        chosen = [args[number] for number in self.argnums]
        return all(type(arg) is np.ndarray and arg.shape for arg in chosen)

    def packed(self, gradients: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        """The gradient of each argument, from those of its leaves, in its structure."""
        each = iter(gradients)
        trees = []
        for number in self.argnums:
            leaves, structure = flatten(args[number])
            found = [
                None if leaf is None else _like(leaf, next(each)) for leaf in leaves
            ]
            trees.append(unflatten(structure, found))
        return trees


def _check_leaf(leaf: Any) -> None:
    if leaf is None or type(leaf) is float:
        return
    if isinstance(leaf, np.ndarray) and not is_plain(leaf):
        raise TypeError(
            f"gradients are taken by plain ndarrays, but got {type(leaf).__name__}, "
            f"which computes in another way ({describe(here())}): use np.asarray"
        )
    dtype = getattr(leaf, "dtype", None)
    if isinstance(leaf, complex) or (dtype is not None and dtype.kind in "fc"):
        return
    kind = f"dtype {dtype}" if dtype is not None else type(leaf).__name__
    raise TypeError(
        f"gradients are taken by floats, complex numbers and arrays of these, but got "
        f"{kind} ({describe(here())}); convert it to float first"
    )


def _like(leaf: Any, g: Any) -> Any:
    """A gradient of the kind of its argument; zeros where there is none."""
    if isinstance(g, Variable):
        return g
    if type(leaf) is float:
        return 0.0 if g is None else float(g)
    if type(leaf) is complex:
        return 0j if g is None else complex(g)
    if isinstance(leaf, Variable):
        zeros = np.zeros(leaf.shape, leaf.dtype)
        return type(leaf).make(zeros if g is None else np.asarray(g), None)
    if isinstance(leaf, np.generic):
        return leaf.dtype.type(0 if g is None else g)
    return np.zeros(leaf.shape, leaf.dtype) if g is None else np.asarray(g)
