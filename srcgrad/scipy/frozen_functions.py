"""Functions as they are now, whatever their names are bound to later.

>>> def scaled(factor):
...     def function(x):
...         return factor * x
...     before = kept(function)
...     factor = 10.0
...     return before(1.0), function(1.0)
>>> scaled(2.0)
(2.0, 10.0)
"""

import functools
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.scipy.holdings import LIBRARIES, is_empty, is_plain


def kept(item: Any) -> Any:
    """A function with cells of its own, and arrays and containers in these.

    Objects of the user's stay the same ones, and so do globals.
    """
    return _kept(item, {})


def _kept(item: Any, seen: dict[int, Any]) -> Any:
    if id(item) in seen:
        return seen[id(item)]
    kind: Any = type(item)
    if kind is FunctionType:
        return _function(item, seen)
    if kind is MethodType:
        return MethodType(_kept(item.__func__, seen), item.__self__)
    if kind is functools.partial:
        args = [_kept(each, seen) for each in item.args]
        keywords = {key: _kept(each, seen) for key, each in item.keywords.items()}
        return functools.partial(_kept(item.func, seen), *args, **keywords)
    if kind is np.ndarray:
        return item.copy()
    if isinstance(item, ArrayProtocol) and is_plain(item):
        return np.array(raw_of(item))
    if kind is tuple:
        return tuple([_kept(each, seen) for each in item])
    if kind is list:
        seen[id(item)] = new = list[Any]()
        new += [_kept(each, seen) for each in item]
        return new
    if kind is dict:
        seen[id(item)] = copy = dict[Any, Any]()
        copy.update((key, _kept(each, seen)) for key, each in item.items())
        return copy
    return item


def _function(function: FunctionType, seen: dict[int, Any]) -> Any:
    module = (function.__module__ or "").partition(".")[0]
    if not function.__closure__ or module in LIBRARIES:
        return function
    cells = tuple([CellType() for _ in function.__closure__])
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        cells,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    seen[id(function)] = made  # one of them may lead here
    for cell, own in zip(function.__closure__, cells, strict=True):
        if not is_empty(cell):
            own.cell_contents = _kept(cell.cell_contents, seen)
    return functools.wraps(function)(made)
