"""NumPy's protocols: how plain ``np.*`` code reaches a Variable.

Every way in (ufuncs, array functions, operators, ndarray methods and properties) ends
in one method, ``_call(function, args, kwargs)``.
"""

import functools
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


class ArrayProtocol:
    """The base of everything that stands for an array; see the module."""

    __slots__ = ()

    def _call(self, function: Function, args: Any, kwargs: Any) -> Any:
        raise NotImplementedError


def dispatched(function: Function) -> Function:
    """Make a function of ours one that a Variable can take part in, like NumPy's."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if isinstance(arg, ArrayProtocol):
                return arg._call(public, args, kwargs)
        return function(*args, **kwargs)

    return public
