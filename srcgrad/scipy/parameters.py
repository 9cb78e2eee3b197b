"""What the chapters share in which SciPy calls the user's functions.

SciPy's algorithm runs on ndarrays. Its result is then one node, whose gradient is found
from the user's function at the result; so all that it depends on must be among the
arguments (``args``), where it is seen.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad import autograd
from srcgrad.errors import NoRuleError, located
from srcgrad.modes import enable_grad, is_grad_enabled
from srcgrad.protocols import ArrayProtocol, first_variable, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.operands import joined
from srcgrad.tape.variable import Variable


class Parameters:
    """The Variables among some arguments, and the arguments made anew from others."""

    def __init__(self, args: Any) -> None:
        self._items, self._structure = flatten(_with_same(args))
        self.places = [
            i for i, item in enumerate(self._items) if isinstance(item, ArrayProtocol)
        ]
        self.variables = [self._items[i] for i in self.places]
        self._items = [
            item.container if type(item) is _Same else item for item in self._items
        ]
        self._is_flat = (
            type(args) is tuple
            and len(args) == len(self._items)
            and all(map(operator.is_, args, self._items))
        )

    def filled(self, values: Sequence[Any]) -> Any:
        """The arguments, with other values for the Variables."""
        items = self._items.copy()
        for i, value in zip(self.places, values, strict=True):
            items[i] = value
        if self._is_flat:  # mostly, and at each point that an algorithm goes to
            return tuple(items)
        return unflatten(self._structure, items)

    @property
    def raw(self) -> Any:
        """The arguments as SciPy gets them: ndarrays for Variables."""
        return self.filled([variable.value for variable in self.variables])


class _Same:
    """A container without Variables: who changes it changes the user's own."""

    __slots__ = ("container",)

    def __init__(self, container: Any) -> None:
        self.container = container


def _with_same(item: Any) -> Any:
    if type(item) is tuple:
        return tuple(map(_with_same, item))
    if type(item) not in (list, dict):
        return item
    leaves = flatten(item)[0]
    return (
        item if any(isinstance(each, ArrayProtocol) for each in leaves) else _Same(item)
    )


class Opened:
    """A function that takes the Variables among its last arguments alone.

    A list that it gives is a vector. ``order`` are its first arguments.
    """

    def __init__(
        self, function: Any, parameters: Parameters, order: Sequence[int]
    ) -> None:
        self._function, self._parameters, self._order = function, parameters, order
        # For arguments of its own, where they are among the function's.
        self._places: dict[Any, list[int]] = {}

    def __call__(self, *args: Any) -> Any:
        return as_array(self._function(*self._all(args)))

    def _all(self, args: Sequence[Any]) -> list[Any]:
        count = len(self._order)
        own = self._parameters.filled(args[count:])
        return [*(args[place] for place in self._order), *own]

    def pull(self, args: Any, wanted: Sequence[int], g: Any) -> Any:
        """What it gives, and its VJP, compiled; None if it is not."""
        pull = getattr(self._function, "pull", None)
        if pull is None:
            return None
        wanted = tuple(wanted)
        places = self._places.get(wanted)
        if places is None:
            places = self._places[wanted] = list(map(self._place_of, wanted))
        return pull(self._all(args), places, g)

    def _place_of(self, number: int) -> int:
        count = len(self._order)
        if number < count:
            return self._order.index(number)
        return count + self._parameters.places[number - count]


def separate(value: Any) -> Any:
    """A Variable to differentiate by, on the tape of ``value`` if there is one."""
    if is_grad_enabled() and getattr(value, "requires_grad", False):
        return np.positive(value)
    return Variable(np.array(raw_of(value)), requires_grad=True)


def pulled_back(
    function: Callable[..., Any],
    args: Sequence[Any],
    g: Any,
    wanted: Sequence[int] | None = None,
) -> tuple[Any, list[Any]]:
    """A function's result, and its VJP in each argument: 0 if it does not depend on it.

    Both are on the tape if the arguments are, and gradients are recorded. ``wanted``
    are the numbers of the arguments that it is differentiated by.
    """
    create_graph = is_grad_enabled()
    wanted = range(len(args)) if wanted is None else wanted
    pull = None if create_graph else getattr(function, "pull", None)
    if pull is not None and (found := pull(args, wanted, g)) is not None:
        return found  # type: ignore[no-any-return]
    given = list(args)
    for place in wanted:
        given[place] = separate(given[place])
    places = [given[i] for i in wanted]
    with enable_grad():
        out = function(*given)
    zeros: list[Any] = [np.zeros(place.shape, place.dtype) for place in places]
    if create_graph:  # a gradient that does not move is a Variable too
        zeros = [Variable(zero) for zero in zeros]
    if not getattr(out, "requires_grad", False):
        return out, zeros
    g = g(out) if callable(g) else g
    found = autograd.grad(out, places, g, create_graph=create_graph, allow_unused=True)
    return out, [z if f is None else f for f, z in zip(found, zeros, strict=True)]


def as_array(out: Any) -> Any:
    """What a function has returned, as SciPy reads it: an array for a list."""
    if not isinstance(out, (list, tuple)):
        return out
    return np.asarray(out) if first_variable(out) is None else joined(out)


def refusing(item: Any) -> Any:
    """A function that SciPy is to call: an error if its result has a gradient to lose.

    SciPy would make a number of a Variable that came from elsewhere than ``args``.
    """
    if not callable(item):
        return item

    @functools.wraps(item)
    def call(*args: Any, **kwargs: Any) -> Any:
        out = item(*args, **kwargs)
        if any(getattr(leaf, "requires_grad", False) for leaf in flatten(out)[0]):
            name = getattr(item, "__name__", "the function")
            raise located(
                NoRuleError(
                    f"the result of {name} depends on a Variable that SciPy's "
                    "algorithm does not see"
                ),
                "pass it on in `args`",
            )
        return out

    return call


def refuse(name: str, what: str) -> None:
    """Say which way of calling has no derivative."""
    raise located(NoRuleError(f"srcgrad has no derivative of scipy.{name} {what}"))
