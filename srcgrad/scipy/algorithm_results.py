"""The members of what SciPy's algorithms give: numbers of SciPy's, with derivatives.

Some stand for a formula, whose derivative they have: the slope at a minimum. Others
only tell which steps an algorithm took. They are numbers too, but a gradient that is
asked for through one of them is an error, never zero.

>>> import srcgrad
>>> a = srcgrad.Variable(3.0, requires_grad=True)
>>> square = standing_for(9.0000001, lambda a: a * a, [a])
>>> square.backward()
>>> square.item(), a.grad.item()
(9.0000001, 6.0)

>>> try:
...     without_slope(2.0, "`step` of a search", [a]).backward()
... except srcgrad.NoRuleError as error:
...     print(str(error).partition(" (")[0])
srcgrad has no derivative of `step` of a search
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import NoRuleError, describe, explained, here
from srcgrad.protocols import ArrayProtocol, first_variable, raw_of
from srcgrad.scipy.captures import way_back
from srcgrad.scipy.parameters import pulled_back
from srcgrad.tape.function import Function, sequence_like


class Standing(Function):
    """A number, or several, with the derivative of ``formula(*variables)``."""

    is_algorithms = True

    @staticmethod
    def forward(ctx: Any, formula: Any, value: Any, *variables: Any) -> Any:
        ctx.formula = formula
        ctx.save_for_backward(*variables)
        return np.array(value)

    @staticmethod
    @way_back
    def backward(ctx: Any, g: Any) -> Any:
        _, gradients = pulled_back(ctx.formula, ctx.saved_tensors, g)
        return (None, None, *gradients)


class Dead(Function):
    """A number that has no way back, though it depends on Variables."""

    is_algorithms = True

    @staticmethod
    def forward(ctx: Any, what: str, value: Any, *_: Any) -> Any:
        ctx.what = what
        return np.array(value)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise explained(NoRuleError(f"srcgrad has no derivative of {ctx.what}"))


def standing_for(
    value: Any, formula: Callable[..., Any], variables: Sequence[Any]
) -> Any:
    """SciPy's number or array, whose derivative is that of a formula."""
    found = Standing.apply(formula, value, *variables)
    return found if type(value) is np.ndarray else found[()]


def with_slope_of(value: Any, own: Any) -> Any:
    """SciPy's number or array, whose derivative is that of one of our own."""
    if first_variable(own) is None:
        return value
    return standing_for(value, np.positive, [own])


def without_slope(item: Any, what: str, variables: Sequence[Any]) -> Any:
    """An item whose numbers are the same, but an error to differentiate.

    ``what`` is its name, and ``variables`` are what it depends on.
    """
    if any(getattr(variable, "requires_grad", False) for variable in variables):
        return _closed(item, f"{what} ({describe(here())})", variables)
    return item


def _closed(item: Any, what: str, variables: Sequence[Any]) -> Any:
    if isinstance(item, ArrayProtocol):
        return item
    if isinstance(item, (np.ndarray, np.generic, float, complex)):
        if np.asarray(item).dtype.kind not in "fc":
            return item
        found = Dead.apply(what, item, *variables)
        return found if type(item) is np.ndarray else found[()]
    if isinstance(item, dict):  # SciPy's results are dicts as well
        for key, member in item.items():
            item[key] = _closed(member, what, variables)
        return item
    if isinstance(item, (tuple, list)):
        return sequence_like(item, [_closed(each, what, variables) for each in item])
    is_plain = item is None or isinstance(item, (int, str, Closed))
    return item if is_plain else Closed(item, what, variables)


class Closed:
    """An object of SciPy's, all of whose numbers are an error to differentiate."""

    def __init__(self, item: Any, what: str, variables: Sequence[Any]) -> None:
        self._item, self._what, self._variables = item, what, list(variables)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _closed(getattr(self._item, name), self._what, self._variables)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self._item(*map(raw_of, args), **kwargs)
        return _closed(found, self._what, self._variables)

    def __matmul__(self, other: Any) -> Any:
        return _closed(self._item @ raw_of(other), self._what, self._variables)

    __mul__ = __matmul__  # as LinearOperator has it

    def __repr__(self) -> str:
        return repr(self._item)


def stand(
    result: Any, key: str, formula: Callable[..., Any], variables: Sequence[Any]
) -> None:
    """Give a member of a result, if there is one, the derivative of a formula."""
    members = members_of(result)
    if key in members and any(each.requires_grad for each in variables):
        members[key] = standing_for(members[key], formula, variables)


def members_of(result: Any) -> Any:
    return result if isinstance(result, dict) else vars(result)


def close(
    result: Any, name: str, variables: Sequence[Any], *, but: Collection[str] = ()
) -> Any:
    """Close the members of a result that nothing has made Variables of.

    ``but`` are those that are plain numbers: how long it took.
    """
    members = members_of(result)
    for key in [key for key in members if key not in but]:
        item = members[key]
        if not isinstance(item, ArrayProtocol):
            members[key] = without_slope(item, f"`{key}` of {name}", variables)
    return result
