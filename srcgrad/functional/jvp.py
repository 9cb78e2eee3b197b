"""``jvp`` and ``linearize``: forward mode, as the walk back of a walk back.

The way back is linear in the cotangent it starts from, and what it computes is the
transposed derivative. So the way back of that, which starts from tangents, computes the
derivative itself. On the tape that takes the way there and back and there again; of
the generated code only what the tangents need is left.
"""

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.arguments import check_leaf
from srcgrad.functional.differentiated import differentiable_leaves, value_of
from srcgrad.functional.forms import Form
from srcgrad.functional.naming import place_in
from srcgrad.functional.on_tape import (
    Kept,
    Lifted,
    Outer,
    copied,
    is_on_tape,
    placeholder,
    running,
    walked_back,
)
from srcgrad.functional.transform import Found, Transform
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, shown
from srcgrad.tape.leading import span_from_now
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.following.running import run
from srcgrad.tracing.own_traces import remembered
from srcgrad.tracing.report.texts import Source
from srcgrad.tracing.serving.cache import Stats

Callback = Callable[..., Any]
R = TypeVar("R")
Aux = TypeVar("Aux")


@overload
def jvp(
    function: Callable[..., R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp(
    function: Callable[..., tuple[R, Aux]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[True],
) -> tuple[R, R, Aux]: ...
def jvp(
    function: Callback,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Compute a function's value, and its derivative in a direction.

    Parameters
    ----------
    function : callable
        Returns an array, a number, or a container of these.
    primals : tuple
        Its arguments: float arrays, numbers, or containers of these.
    tangents : tuple
        The direction: of the same structure, shapes and dtypes.
    has_aux : bool
        Whether the function returns ``(value, aux)``.

    Returns
    -------
    tuple
        ``(value, tangent)``, and ``aux`` if there is one; the tangent has the structure
        and kinds of the value.

    Raises
    ------
    TypeError
        If the tangents do not fit the primals, or something has no derivative.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.jvp(lambda x: x**3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    with DOOR:
        return remembered(function, Jvp, has_aux)(primals, tangents)


@overload
def linearize(
    function: Callable[..., R], *primals: Any, has_aux: Literal[False] = False
) -> "tuple[R, Pushforward[R]]": ...
@overload
def linearize(
    function: Callable[..., tuple[R, Aux]], *primals: Any, has_aux: Literal[True]
) -> "tuple[R, Pushforward[R], Aux]": ...
def linearize(function: Callback, *primals: Any, has_aux: bool = False) -> Any:
    """Compute a function's value, and its derivative as a linear function.

    Returns ``(value, f_jvp)``, and ``aux`` if ``has_aux``: ``f_jvp(*tangents)`` is the
    tangent that ``jvp`` gives.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> value, f_jvp = srcgrad.linearize(np.sin, 0.0)
    >>> value, f_jvp(1.0), f_jvp(2.0)
    (np.float64(0.0), np.float64(1.0), np.float64(2.0))
    """
    with DOOR:
        return remembered(function, Linearize, has_aux)(*primals)


jvp.is_transform = linearize.is_transform = True  # type: ignore[attr-defined]


class Jvp(Transform[..., Any]):
    """Called with primals and tangents.

    ``numbers`` are the primals that there are tangents of; None: all.
    """

    is_like_function = False

    def __init__(
        self,
        function: Callback,
        has_aux: bool = False,
        numbers: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(function, has_aux, numbers)
        self._has_aux = has_aux
        self._numbers = numbers

    def argument(self, first: int, rest: list[Any]) -> tuple[int, list[Any], str]:
        number, *keys = rest
        if first == 1 and self._numbers is not None:
            number = self._numbers[number]
        found = super().argument(number, keys)
        return (*found[:2], found[2] + "_dot" * first)

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        primals, tangents = args
        numbers = self._numbers
        if numbers is None:
            check_tangents(primals, tangents)
            numbers = tuple(range(len(primals)))
        else:
            check_tangents([primals[number] for number in numbers], tangents)
        lifted = Lifted(primals, kwargs, numbers, tangents)
        given = [leaf for leaf in flatten(tangents)[0] if leaf is not None]
        with running():
            result = run(self._function, lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
            value = value_of(result) if self._has_aux else result
            line = Line(differentiable_leaves(value, "jvp"), lifted.places)
            found = line.tangents(given, lifted.is_nested)
        given_back = lifted.given_back(result)
        form = lifted.form_of(value)

        def pack(result: Any, derived: Sequence[Any]) -> Any:
            tangent = form.filled(derived)
            if self._has_aux:
                return result[0], tangent, result[1]
            return result, tangent

        derived = [lifted.kept(t) for t in found]
        return Found(
            given_back, derived, pack, is_closed_over=lifted.outer.is_closed_over
        )


class Linearize(Transform[..., Any]):
    """Called with primals."""

    is_like_function = False

    def __init__(self, function: Callback, has_aux: bool = False) -> None:
        super().__init__(function, has_aux)
        self._has_aux = has_aux

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        check_tangents(args, args, "linearize")
        args = copied(args)  # the caller may change them later, and the value
        start, _ = span_from_now()
        value, made, *aux = super().__call__(*args, **kwargs)
        f_jvp: Pushforward[Any] = Pushforward(self, start, args, *made)
        f_jvp.made_by = self, args, value
        return (copied(value), f_jvp, *aux)

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        lifted = Lifted(args, kwargs, range(len(args)))
        with running():
            result = run(self._function, lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
            value = value_of(result) if self._has_aux else result
            leaves = differentiable_leaves(value, "linearize")
            line = Line(leaves, lifted.places)
        line.variables = [v for each in lifted.variables for v in each]
        is_closed_over = lifted.outer.is_closed_over
        form = lifted.form_of(value)

        def pack(result: Any, forth: Any) -> Any:
            made = forth, form, is_closed_over
            return (result[0], made, result[1]) if self._has_aux else (result, made)

        return Found(lifted.given_back(result), (), pack, line, is_closed_over)


class Pushforward(Kept, Generic[R]):
    """The derivative of a value as a linear function."""

    def __init__(
        self,
        transform: Linearize,
        start: float,
        args: Any,
        forth: Any,
        form: Form,
        is_closed_over: bool,
    ) -> None:
        super().__init__(start)
        self._transform = transform
        self._primals = args
        self._form = form
        self._forth = forth
        self._is_closed_over = is_closed_over

    def __call__(self, *tangents: Any) -> R:
        with DOOR:
            check_tangents(self._primals, tangents, "linearize")
            primals = flatten(self._primals)[0]
            leaves = [
                fitted(tangent, np.result_type(raw_of(primal)))
                for tangent, primal in zip(flatten(tangents)[0], primals, strict=True)
                if primal is not None
            ]
            outer = Outer([*primals, *leaves], self._is_closed_over, self.own)
            with running():
                found = self._forth(leaves, outer.is_there)
            tangent: R = self._form.filled([outer.kept(t) for t in found])
        return tangent

    @property
    def stats(self) -> Stats:
        """The counters of the function."""
        return self._transform.stats

    def source(self) -> Source:
        """The generated module; ``backward`` is this function."""
        return self._transform.source()

    def explain(self, as_dict: bool = False) -> Any:
        """Say what is compiled, what is not, and why; see ``srcgrad.explain``."""
        return self._transform.explain(as_dict)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows it beside the function; see ``srcgrad.report``."""
        self._transform.report(path)


class Line:
    """The derivative of results by places, as the walk back of a walk back.

    ``variables`` are what is at these places.
    """

    variables: Sequence[Any] = ()

    def __init__(self, results: Sequence[Any], places: Sequence[Any]) -> None:
        self._starts = [
            placeholder(result) if is_on_tape(result) else None for result in results
        ]
        with np.errstate(all="ignore"):  # these cotangents are not the user's
            self._ends = walked_back(
                results, self._starts, places, True, True, is_turning=True
            )

    def tangents(
        self, tangents: Sequence[Any], is_nested: bool, retain_graph: bool = True
    ) -> list[Any]:
        """The tangent of each result, for one at each place; None for zero."""
        given = [
            None if end is None else fitted(tangent, end.dtype)
            for tangent, end in zip(tangents, self._ends, strict=True)
        ]
        edges = [None if start is None else start.edge for start in self._starts]
        return walked_back(self._ends, given, edges, is_nested, retain_graph)


def fitted(tangent: Any, dtype: Any) -> Any:
    """A number as the tape knows it, in the dtype of what it is a tangent of."""
    if hasattr(tangent, "dtype") and tangent.dtype == dtype:
        return tangent
    return np.asarray(tangent, dtype)[()]


def check_tangents(
    primals: Any, tangents: Any, where: str = "jvp", what: str = "tangent"
) -> None:
    """Raise if tangents do not fit.

    Raises
    ------
    TypeError
        Naming the argument.
    """
    for name, given in (("primals", primals), (f"{what}s", tangents)):
        if not isinstance(given, (tuple, list)):
            raise located(
                TypeError(
                    f"{where}: {name} must be a tuple or list of arguments, but got "
                    f"{type(given).__name__}"
                )
            )
    leaves, structure = flatten(tuple(primals))
    others, other = flatten(tuple(tangents))
    if structure != other:
        raise located(
            TypeError(
                f"{where}: primals and {what}s must have one structure, but got "
                f"{shown(structure)} and {shown(other)}"
            )
        )
    for number, (primal, tangent) in enumerate(zip(leaves, others, strict=True)):
        at_primal = functools.partial(place_in, "primals", tuple(primals), number)
        at_tangent = functools.partial(place_in, f"{what}s", tuple(tangents), number)
        check_leaf(primal, f"{where}: primals are", at_primal)
        check_leaf(tangent, f"{where}: {what}s are", at_tangent)
        shape, shape_of_tangent = np.shape(raw_of(primal)), np.shape(raw_of(tangent))
        if shape != shape_of_tangent:
            raise located(
                TypeError(
                    f"{where}: a {what} must have the shape of its primal, but "
                    f"{at_tangent()} has shape {shape_of_tangent} for {shape}"
                )
            )
        _check_dtype(primal, tangent, at_tangent, f"{where}: a {what}")


def _check_dtype(primal: Any, tangent: Any, at: Callable[[], str], what: str) -> None:
    if primal is None and tangent is None:
        return
    dtype, other = (np.result_type(raw_of(each)) for each in (primal, tangent))
    is_number = type(tangent) in (float, complex)
    if dtype != other and not (is_number and np.can_cast(other, dtype, "same_kind")):
        raise located(
            TypeError(
                f"{what} must have the dtype of its primal, but {at()} has {other} "
                f"for {dtype}"
            )
        )
