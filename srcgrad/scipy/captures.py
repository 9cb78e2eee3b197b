"""Variables that a user's function takes from around it: passed on in ``args`` as well.

SciPy's algorithms see numbers only, so what a gradient goes to must be an argument.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> optimize.brentq(lambda x: x * x - a, 0.0, 2.0).backward()
>>> round(a.grad.item(), 6)  # half of 1 / sqrt(2)
0.353553
"""

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from srcgrad.rules.algorithms import arguments
from srcgrad.scipy.frozen_functions import kept
from srcgrad.scipy.holdings import Holdings
from srcgrad.scipy.parameters import Parameters
from srcgrad.scipy.refilling import Refilling
from srcgrad.tracebacks import trim

# What SciPy calls with `args` after its own arguments.
TAKE_ARGS = (
    *("fun", "func", "f", "jac", "hess", "hessp", "fprime", "fprime2", "fhess"),
    *("fhess_p", "Dfun", "events", "ranges"),
)


# Whether code of the user's runs again, on the way back: in this thread.
class _Way(threading.local):
    is_back: bool = False


_way = _Way()


def captured(functions: Any) -> list[Any]:
    """The Variables that some functions take from around them, each once."""
    return list(Holdings(functions).variables.values())


def opened(function: Any, variables: Sequence[Any]) -> Any:
    """A function that takes these as further arguments.

    What it changes of the user's objects is changed where SciPy's algorithm calls it.
    Where it runs once more for a gradient it is as it is now.
    """
    numbers = {id(variable): i for i, variable in enumerate(variables)}
    n = len(variables)
    before = kept(Refilling(function, lambda variable: variable).function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        values = args[len(args) - n :]

        def swap(variable: Any) -> Any:
            number = numbers.get(id(variable))
            return variable if number is None else values[number]

        if _way.is_back:
            return Refilling(before, swap).function(*args[: len(args) - n], **kwargs)
        refilling = Refilling(function, swap)
        try:
            return refilling.function(*args[: len(args) - n], **kwargs)
        finally:
            refilling.settle()

    return call


def as_now(item: Any) -> Any:
    """A function that runs on the way back as it is now; the same of those in a list.

    A loop may have bound its names to something else by then.
    """
    if isinstance(item, (tuple, list)):
        return [as_now(each) for each in item]
    if not isinstance(item, (FunctionType, functools.partial)):
        return item
    before = kept(item)

    @functools.wraps(item)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (before if _way.is_back else item)(*args, **kwargs)

    return call


def way_back(backward: Callable[..., Any]) -> Callable[..., Any]:
    """The ``backward`` of a node, in which functions of the user's run once more."""

    @functools.wraps(backward)
    def call(*args: Any) -> Any:
        before, _way.is_back = _way.is_back, True
        try:
            return backward(*args)
        finally:
            _way.is_back = before

    return call


def passing_on(original: Any, replacement: Any, unpacks: bool = False) -> Any:
    """A replacement that gets what its functions take from around them in ``args``."""
    signature = inspect.signature(original)
    if "args" not in signature.parameters:
        return replacement
    others = next(
        (p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), ""
    )

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # SciPy says it better
            return original(*args, **kwargs)
        try:
            given |= given.pop(others, {})
            functions = {name: given[name] for name in TAKE_ARGS if name in given}
            if not (variables := captured(functions)):
                if not Parameters((args, kwargs)).variables:
                    return replacement(*args, **kwargs)
                given |= {name: as_now(item) for name, item in functions.items()}
                return replacement(**given)
            for name, item in functions.items():
                given[name] = opened_all(item, variables)
            own = given.get("args")
            own = () if own is None else arguments(own, unpacks)
            return replacement(**{**given, "args": (*own, *variables)})
        except Exception as error:
            trim(error)
            raise

    return call


def opened_all(item: Any, variables: Sequence[Any]) -> Any:
    """The same of functions in a list; all else stays."""
    if isinstance(item, (tuple, list)):
        return [opened_all(each, variables) for each in item]
    return opened(item, variables) if callable(item) else item
