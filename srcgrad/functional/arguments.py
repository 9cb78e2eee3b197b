"""``Arguments``: by which arguments a transform differentiates, by number or name."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.naming import Names
from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten
from srcgrad.tape.apply import is_plain
from srcgrad.tape.foreign import is_foreign, what_to_write


@dataclass(frozen=True, slots=True)
class Arguments:
    """The choice, as the caller numbers the positional arguments.

    ``names`` are parameters, each with its position if it may be passed by that.
    """

    numbers: tuple[int, ...]
    names: tuple[tuple[str, int | None], ...] = ()
    is_single: bool = False

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        argnums: int | Sequence[int] | None,
        argnames: str | Sequence[str] | None,
    ) -> "Arguments":
        """What a user has asked for; the first argument, if nothing.

        Raises
        ------
        TypeError
            If these are no numbers, or no names.
        ValueError
            If the function has no such parameter.
        """
        if argnums is None:
            argnums = () if argnames is not None else 0
        numbers = _several(argnums)
        if not all(isinstance(number, int) for number in numbers):
            raise TypeError(
                f"argnums is an int or a sequence of ints, but got {argnums!r} (an "
                "argument to differentiate by name goes into argnames)"
            )
        if argnames is None:
            return cls(numbers, is_single=isinstance(argnums, int))
        names = _several(argnames)
        if not all(isinstance(name, str) for name in names):
            raise TypeError(
                f"argnames is a str or a sequence of strs, but got {argnames!r}"
            )
        pairs = tuple((name, _position(function, name)) for name in names)
        return cls(numbers, pairs, not numbers and isinstance(argnames, str))

    def chosen(
        self, args: Sequence[Any], kwargs: dict[str, Any], function: Any = None
    ) -> list[int]:
        """Their places in ``(*args, *kwargs.values())``.

        ``function`` has the names of its parameters, for messages.

        Raises
        ------
        ValueError
            If they do not fit a call.
        TypeError
            If a leaf of them is neither float nor complex.
        """
        count, found = len(args), []
        for number in self.numbers:
            if not -count <= number < count:
                given = "1 argument" if count == 1 else f"{count} arguments"
                raise located(
                    ValueError(
                        f"argnums={number} does not fit a call with {given} by position"
                    ),
                    "argnames is for arguments that are given by name",
                )
            found.append(number % count)
        for name, position in self.names:
            if name in kwargs:
                found.append(count + list(kwargs).index(name))
            elif position is not None and position < count:
                found.append(position)
            else:
                raise located(
                    ValueError(f"argnames={name!r} does not fit a call without it")
                )
        trees = [*args, *kwargs.values()]
        for place in found:
            tree = trees[place]
            if type(tree) is np.ndarray and tree.dtype.kind in "fc":
                continue
            start = sum(len(flatten(before)[0]) for before in trees[:place])
            names = Names(function, args, kwargs)
            for number, leaf in enumerate(flatten(tree)[0], start):
                check_leaf(leaf, name=functools.partial(names, number))
        return found

    def packed(self, trees: Sequence[Any]) -> Any:
        """What there is one of for each argument: alone, or in a tuple."""
        return trees[0] if self.is_single else tuple(trees)


def _several(given: Any) -> tuple[Any, ...]:
    """One item, or a sequence of them, as a tuple."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return (given,) if is_one else tuple(given)


def _position(function: Callable[..., Any], name: str) -> int | None:
    """Where a parameter may be passed by position."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    for position, (own, parameter) in enumerate(parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            return None
        if own == name:
            is_keyword = parameter.kind is parameter.KEYWORD_ONLY
            return None if is_keyword else position
    raise ValueError(
        f"argnames={name!r}: {getattr(function, '__name__', function)} has no such "
        "parameter"
    )


REGISTERED = (
    "other containers than tuples, lists and dicts are registered with optree, under "
    'the namespace "srcgrad"'
)


def check_leaf(
    leaf: Any,
    what: str = "gradients are taken by",
    name: Callable[[], str] | None = None,
) -> None:
    """Raise if something cannot be differentiated by; ``name()`` says which it is.

    Raises
    ------
    TypeError
        Saying what it is.
    """
    if leaf is None or type(leaf) is float:
        return
    dtype = getattr(leaf, "dtype", None)
    is_odd = isinstance(leaf, np.ndarray) and not is_plain(leaf)
    is_foreigner = is_foreign(leaf) and not is_odd
    if is_foreigner or not isinstance(dtype, np.dtype):
        has_derivative = isinstance(leaf, complex)
    else:
        has_derivative = dtype.kind in "fc"
    if has_derivative and not is_odd:
        return
    at = "" if name is None else f" ({name()})"
    if is_odd:
        raise located(
            TypeError(
                f"{what} plain ndarrays, but got {type(leaf).__name__}{at}, which "
                "computes in another way"
            ),
            "use np.asarray",
            kind="not-differentiable",
        )
    got, is_number = type(leaf).__name__, dtype is not None or isinstance(leaf, int)
    if dtype is not None and not is_foreigner:
        got = f"dtype {dtype}"
    hint = "convert it to float first" if is_number else REGISTERED
    raise located(
        TypeError(
            f"{what} floats, complex numbers and arrays of these, but got {got}{at}"
        ),
        what_to_write(leaf) if is_foreigner else hint,
        kind="not-differentiable",
    )


def check_value(value: Any, raw: Any, name: str) -> None:
    """Raise if a value has no gradient.

    Raises
    ------
    TypeError
        If it is not one real number, as floats have them.
    """
    is_number = isinstance(value, (float, int, np.ndarray, np.generic, ArrayProtocol))
    if is_number and np.size(raw) == 1 and np.result_type(raw).kind == "f":
        return
    got = type(raw).__name__
    if is_number:
        got = f"shape {np.shape(raw)}, dtype {np.result_type(raw)}"
    raise located(
        TypeError(
            f"a function to differentiate must return one real number, but {name} "
            f"returned {got}"
        ),
        _what_to_ask_for(raw, is_number),
        kind="not-a-number",
    )


def _what_to_ask_for(raw: Any, is_number: bool) -> str:
    """Whoever has a value that is not one real number; nothing if we cannot tell."""
    if is_foreign(raw):
        return what_to_write(raw)
    if is_number and np.size(raw) != 1:
        return "srcgrad.jacobian takes functions that return arrays"
    if isinstance(raw, complex) or (is_number and np.iscomplexobj(raw)):
        return "take np.real or np.abs of it"
    if isinstance(raw, tuple):
        return "has_aux=True is for a value and other results beside it"
    return "does it end without `return`?" if raw is None else ""
