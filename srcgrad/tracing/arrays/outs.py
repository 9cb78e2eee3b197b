"""Where results go: ``out=`` arrays that a followed function has made.

>>> from srcgrad import Variable
>>> x = Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> own = FunctionalArray(np.ones(2))
>>> into_own(np.exp, np.exp, (x,), {"out": own, "where": [True, False]}).value
array([2.71828183, 1.        ])
"""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import raw_of
from srcgrad.tape.inplace_functions import at_places, clip_ufunc, fixed, scratch
from srcgrad.tape.operands import unwrap
from srcgrad.tracing.arrays.functional_array import FunctionalArray


def leaves_of(out: Any) -> tuple[Any, ...]:
    """The arrays that are given as ``out``."""
    return out if isinstance(out, tuple) else (out,)


def into_own(function: Operation, run: Operation, args: Any, kwargs: Any) -> Any:
    """A call with ``out=`` arrays of the function's own; ``run`` takes Variables."""
    if function is np.clip and "where" in kwargs:
        function, args, kwargs = clip_ufunc(*args, **kwargs)
        run = function
    out = kwargs.pop("out")
    if isinstance(function, np.ufunc) and kwargs.get("where", True) is not True:
        return _in_part(function, args, kwargs, out)
    result = run(*args, **kwargs)
    pairs = [(out, result)]
    if isinstance(out, tuple):
        results = result if isinstance(result, tuple) else (result,)
        pairs = list(zip(out, results, strict=True))
    is_taken = [own is None or _takes(own, each) for own, each in pairs]
    gives_out = True
    if not (isinstance(function, np.ufunc) and all(is_taken)):  # or NumPy's own error
        given = _as_arrays(out)
        raw = function(*unwrap(args), **unwrap(kwargs), out=given)
        gives_out = raw is given or isinstance(out, tuple)
    for own, each in pairs:
        if own is not None:
            own[...] = each
    found = tuple(own if own is not None and gives_out else each for own, each in pairs)
    return found if len(found) > 1 else found[0]


def _in_part(function: np.ufunc, args: Any, kwargs: Any, out: Any) -> Any:
    """The same with ``where=``: the rest of the arrays stays as it is."""
    where = fixed(kwargs.pop("where"))
    shape = np.broadcast_shapes(*map(np.shape, (*args, where, *leaves_of(out))))
    raw = function(*unwrap(args), **kwargs, out=_as_arrays(out), where=where)
    where = np.broadcast_to(where, shape)
    given, found = at_places(function, args, kwargs, where), []
    for own, each, numpys in zip(
        *(leaves_of(out), leaves_of(given), leaves_of(raw)), strict=True
    ):
        if own is None:
            own = FunctionalArray(np.array(numpys))
        own[where] = each
        found.append(own)
    return tuple(found) if len(found) > 1 else found[0]


def _takes(own: Any, result: Any) -> bool:
    fits = np.can_cast(result.dtype, own.dtype, "same_kind")
    return bool(own.shape == result.shape and fits)


def _as_arrays(out: Any) -> Any:
    """Copies of the arrays, for NumPy to write into."""
    raws = [None if each is None else scratch(raw_of(each)) for each in leaves_of(out)]
    return tuple(raws) if isinstance(out, tuple) else raws[0]
