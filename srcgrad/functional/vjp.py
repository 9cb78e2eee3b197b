"""``vjp``: a function's value, and the way back from it."""

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.arguments import check_leaf
from srcgrad.functional.differentiated import differentiable_leaves, value_of
from srcgrad.functional.forms import Form, split
from srcgrad.functional.jvp import fitted
from srcgrad.functional.naming import place_in
from srcgrad.functional.on_tape import Kept, Lifted, Outer, copied, running, walked_back
from srcgrad.functional.transform import Transform
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, shown
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.own_traces import remembered
from srcgrad.tracing.report.texts import Source
from srcgrad.tracing.serving.cache import Stats

Callback = Callable[..., Any]
R = TypeVar("R")
Aux = TypeVar("Aux")


@overload
def vjp(
    function: Callable[..., R], *primals: Any, has_aux: Literal[False] = False
) -> "tuple[R, Pullback]": ...
@overload
def vjp(
    function: Callable[..., tuple[R, Aux]], *primals: Any, has_aux: Literal[True]
) -> "tuple[R, Pullback, Aux]": ...
def vjp(function: Callback, *primals: Any, has_aux: bool = False) -> Any:
    """Compute a function's value, and its transposed derivative as a function.

    Parameters
    ----------
    function : callable
        Returns an array, a number, or a container of these.
    *primals
        Its arguments: float arrays, numbers, or containers of these.
    has_aux : bool
        Whether the function returns ``(value, aux)``.

    Returns
    -------
    tuple
        ``(value, f_vjp)``, and ``aux`` if there is one. ``f_vjp(cotangent)`` takes a
        cotangent of the value's structure, and returns a tuple: the gradient by each
        primal. It may be called again. Of complex arguments these are PyTorch's: for
        the cotangent 1 of a real value the direction of steepest ascent.

    Raises
    ------
    TypeError
        If something has no derivative.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> value, f_vjp = srcgrad.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, f_vjp(1.0), f_vjp(10.0)
    (6.0, (3.0, 2.0), (30.0, 20.0))
    """
    with DOOR:
        return remembered(function, Vjp, has_aux)(*primals)


vjp.is_transform = True  # type: ignore[attr-defined]


class Vjp(Transform[..., Any]):
    """Called with primals."""

    is_like_function = False
    # It runs the function itself, on Variables.
    shows_function = True

    def __init__(self, function: Callback, has_aux: bool = False) -> None:
        super().__init__(function, has_aux)
        self._has_aux = has_aux

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for number, leaf in enumerate(flatten(args)[0]):
            at = functools.partial(place_in, "primals", args, number)
            check_leaf(leaf, "vjp: primals are", at)
        lifted = Lifted(args, kwargs, range(len(args)), is_kept=True)
        with running():
            result = self.call(lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
        value = value_of(result) if self._has_aux else result
        forms = [Form.of(arg) for arg in args]
        pullback = Pullback(self, value, lifted, forms)
        given_back = lifted.given_back(result)
        own, *aux = given_back if self._has_aux else (given_back,)
        pullback.made_by = self, lifted.given, own
        return (copied(own), pullback, *map(copied, aux))


class Pullback(Kept):
    """The way back from a value, which may be walked more than once."""

    def __init__(
        self, transform: Vjp, value: Any, lifted: Lifted, forms: Sequence[Form]
    ) -> None:
        super().__init__(lifted.outer.spans[0][0])
        self._transform = transform
        self._lifted = lifted
        self._leaves = differentiable_leaves(value, "vjp")
        leaves, self._structure = flatten(value)
        self._is_none = [leaf is None for leaf in leaves]
        self._forms = forms

    def __call__(self, *cotangents: Any) -> tuple[Any, ...]:
        if len(cotangents) != 1:
            raise located(
                TypeError(
                    "vjp: the way back takes one cotangent, of the structure of the "
                    f"value, but got {len(cotangents)}"
                )
            )
        with DOOR:
            given = self._checked(*cotangents)
            is_closed_over = self._lifted.outer.is_closed_over
            outer = Outer([*self._lifted.leaves, *given], is_closed_over, self.own)
            with running():
                found = walked_back(
                    self._leaves,
                    given,
                    self._lifted.places,
                    outer.is_there,
                    retain_graph=True,
                )
            kept = [outer.kept(g) for g in found]
            return tuple(split(kept, self._forms))

    @property
    def stats(self) -> Stats:
        """The counters of the function."""
        return self._transform.stats

    def source(self) -> Source:
        """The function's generated modules; ``backward`` is this way back."""
        return self._transform.source()

    def explain(self, as_dict: bool = False) -> Any:
        """Say what is compiled, what is not, and why; see ``srcgrad.explain``."""
        return self._transform.explain(as_dict)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows it beside the function; see ``srcgrad.report``."""
        self._transform.report(path)

    def _checked(self, cotangent: Any) -> list[Any]:
        """The leaves of a cotangent.

        Raises
        ------
        TypeError
            If they do not fit the value.
        """
        leaves, structure = flatten(cotangent)
        if structure != self._structure:
            raise located(
                TypeError(
                    "vjp: the cotangent must have the structure of the value, "
                    f"{shown(self._structure)}, but got {shown(structure)}"
                )
            )
        if [leaf is None for leaf in leaves] != self._is_none:
            raise located(
                TypeError(
                    "vjp: the cotangent must have None where the value has it, and "
                    "nowhere else"
                )
            )
        places = [number for number, leaf in enumerate(leaves) if leaf is not None]
        leaves = [leaves[number] for number in places]
        for number, g, result in zip(places, leaves, self._leaves, strict=True):
            at = functools.partial(place_in, "cotangent", cotangent, number)
            check_leaf(g, "vjp: cotangents are", at)
            shape, other = np.shape(raw_of(g)), np.shape(raw_of(result))
            if shape != other:
                raise located(
                    TypeError(
                        "vjp: a cotangent must have the shape of its result, but "
                        f"{at()} has shape {shape} for {other}"
                    )
                )
            kind, own = (np.result_type(raw_of(each)) for each in (g, result))
            if kind.kind == "c" and own.kind != "c":
                raise located(
                    TypeError(
                        "vjp: the cotangent of a real result must be real, but "
                        f"{at()} has {kind} for {own}"
                    )
                )
        return [
            fitted(g, result.dtype) if hasattr(result, "dtype") else g
            for g, result in zip(leaves, self._leaves, strict=True)
        ]
