"""NumPy's functions and methods that write into an array, for Variables.

Each is put in terms of ``inplace``: an update by a ufunc, or an assignment at an index.
"""

import math
from typing import Any

import numpy as np
from numpy._core import umath

from srcgrad.errors import located
from srcgrad.facts import Operation
from srcgrad.modes import refuse, state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.apply import apply
from srcgrad.tape.function import has_edge
from srcgrad.tape.inplace import replace, setitem, write
from srcgrad.tape.operands import unwrap, variables_in
from srcgrad.updates import add_at, assign

NO_CAST = "Cannot cast array data from {!r} to {!r} safely enough"
NO_VARIABLE = "np.{} cannot put a Variable into an ndarray"
MAKE_IT_ONE = "make the ndarray a Variable first"


def fixed(item: Any) -> Any:
    """An index or mask as an ndarray; in a graph it would be that of this one call."""
    if variables_in(item):
        refuse("writes at places that depend on values")
    return unwrap(item)


# ----- out= -----


def into_out(function: Operation, args: Any, kwargs: Any) -> Any:
    """Run a function with ``out=``: ``np.add(a, b, out=v)``.

    Raises
    ------
    TypeError
        If the result would have to go into something else than one Variable.
    ValueError
        If it does not have the Variable's shape.
    """
    out = kwargs.pop("out")
    if isinstance(out, tuple) and len(out) > 1:
        return _into_several(function, args, kwargs, out)
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(target, ArrayProtocol):
        raise located(
            TypeError(
                f"{function.__name__}: a result that depends on Variables can only be "
                "written into a Variable"
            ),
            "leave `out` away, or write `a = a + v` for `a += v`",
        )
    if target.stands_for_array and type(target.value) is not np.ndarray:
        raise TypeError("return arrays must be of ArrayType")
    if isinstance(function, np.ufunc):
        where = kwargs.pop("where", True)
        if where is True:
            return write(target, function, args, kwargs)
        where = np.broadcast_to(fixed(where), target.shape)
        setitem(target, where, at_places(function, args, kwargs, where))
        return target
    result = function(*args, **kwargs)
    if result.shape != target.shape:
        raise located(
            ValueError(
                f"{function.__name__}: output array has shape {target.shape}, but the "
                f"result {result.shape}"
            )
        )
    if not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise located(TypeError(NO_CAST.format(result.dtype, target.dtype)))
    given = scratch(target.value)
    taken = function(*unwrap(args), **unwrap(kwargs), out=given)  # or NumPy's own error
    replace(target, result)
    return target if taken is given else result


def scratch(array: Any) -> Any:
    """An array that is to a function what the given one is: some take no strided one.

    >>> scratch(np.zeros((4, 2))[::2, ::2]).flags.forc
    False
    """
    if array.flags.forc:
        return np.array(array)
    out = np.empty((*array.shape, 2), array.dtype)[..., 0]
    out[...] = array
    return out


def _into_several(function: Any, args: Any, kwargs: Any, targets: Any) -> Any:
    """The same for a function with several results; a target may be None."""
    results = function(*args, **kwargs)
    return tuple(
        result if target is None else into_out(np.positive, (result,), {"out": target})
        for target, result in zip(targets, results, strict=True)
    )


def only_where(function: np.ufunc, args: Any, kwargs: Any) -> Any:
    """A ufunc with ``where=`` but no ``out=``: ``np.sqrt(v, where=v > 0)``.

    Elsewhere NumPy leaves in the result what was in memory; here it is zeros.
    """
    where = kwargs.pop("where")
    if where is True:
        return apply(function, args, kwargs)
    where = np.asarray(fixed(where))
    shape = np.broadcast_shapes(where.shape, *map(np.shape, args))
    where = np.broadcast_to(where, shape)
    results = at_places(function, args, kwargs, where)
    if not isinstance(results, tuple):
        return assign(np.zeros(shape, results.dtype), where, results)
    return tuple(assign(np.zeros(shape, r.dtype), where, r) for r in results)


def clip_ufunc(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    **kwargs: Any,
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.clip`` as a call of the ufunc that it is: with ``where=`` it is one in part.

    >>> clip_ufunc(0.5, None, 1.0, where=False)
    (<ufunc 'minimum'>, (0.5, 1.0), {'where': False, 'out': None})
    """
    low = min if a_min is None or a_min is np._NoValue else a_min
    high = max if a_max is None or a_max is np._NoValue else a_max
    kwargs["out"] = out
    if low is None:
        return np.minimum, (a, high), kwargs
    if high is None:
        return np.maximum, (a, low), kwargs
    return vars(umath)["clip"], (a, low, high), kwargs


def at_places(function: np.ufunc, args: Any, kwargs: Any, where: Any) -> Any:
    """The results at some places: elsewhere there may be none."""
    picked = [
        np.broadcast_to(arg, where.shape)[where] if np.ndim(arg) else arg
        for arg in args
    ]
    return function(*picked, **kwargs)


# ----- NumPy's functions -----


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """``np.copyto``."""
    raw = unwrap(src)
    # An integer of Python's takes any kind; what does not fit is an error by itself.
    dtype = dst.dtype if type(raw) in (bool, int) else np.asarray(raw).dtype
    if not np.can_cast(dtype, dst.dtype, casting):
        raise located(TypeError(NO_CAST.format(dtype, dst.dtype)))
    if where is True:
        setitem(dst, ..., src)
        return
    mask = np.broadcast_to(fixed(where), dst.shape)
    setitem(dst, mask, np.broadcast_to(src, dst.shape)[mask] if np.ndim(raw) else src)


def put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    """``np.put``: values at flat indices, over and over again if they are too few."""
    ind = np.ravel(fixed(ind))
    if mode == "raise":
        ind = np.where(ind < 0, ind + a.size, ind)
    index = np.unravel_index(ind, a.shape) if mode == "raise" else _moded(a, ind, mode)
    if ind.size:
        setitem(a, index, _repeated(v, np.arange(ind.size)))


def _moded(a: Any, ind: Any, mode: str) -> Any:
    flat = ind % a.size if mode == "wrap" else np.clip(ind, 0, a.size - 1)
    return np.unravel_index(flat, a.shape)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """``np.place``: the first values go where the mask is true, in order."""
    mask = np.reshape(np.asarray(fixed(mask), bool), arr.shape)
    count = int(np.count_nonzero(mask))
    if count and not np.size(unwrap(vals)):
        raise located(ValueError("Cannot insert from an empty array!"))
    if count:
        setitem(arr, mask, _repeated(vals, np.arange(count)))


def putmask(a: Any, mask: Any, values: Any) -> None:
    """``np.putmask``: where the mask is true, the value at the same flat index."""
    mask = np.reshape(np.asarray(fixed(mask), bool), a.shape)
    if mask.any():
        setitem(a, mask, _repeated(values, np.flatnonzero(mask)))


def _repeated(values: Any, numbers: Any) -> Any:
    """Values by number, counted from the first again after the last."""
    flat = np.ravel(values)
    return flat[numbers % flat.size]


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """``np.fill_diagonal``."""
    marks = np.arange(math.prod(a.shape)).reshape(a.shape)
    on_diagonal = np.zeros(a.shape, bool)
    np.fill_diagonal(on_diagonal, True, wrap)
    put(a, marks[on_diagonal], val)


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> None:
    """``np.put_along_axis``."""
    indices = fixed(indices)
    if axis is None:
        put(arr, indices, values)
        return
    index = list(np.ogrid[tuple(map(slice, indices.shape))])
    index[axis] = indices
    setitem(arr, tuple(index), values)


def at(ufunc: np.ufunc, a: Any, indices: Any, *operands: Any) -> None:
    """``np.add.at`` and its kin: every one of repeated indices counts.

    Raises
    ------
    TypeError
        If the array is no Variable.
    """
    if not isinstance(a, ArrayProtocol):
        name = f"{ufunc.__name__}.at"
        raise located(TypeError(NO_VARIABLE.format(name)), MAKE_IT_ONE)
    if ufunc in (np.add, np.subtract):
        (b,), places = operands, _whole_numbers(indices)
        there = np.shape(a.value[unwrap(places)])
        amount = np.broadcast_to(b, there)
        if not np.can_cast(amount.dtype, a.dtype, "same_kind"):
            raise located(TypeError(NO_CAST.format(amount.dtype, a.dtype)))
        amount = amount if ufunc is np.add else np.negative(amount)
        # One after the other, as NumPy does: sums of their own would be rounded apart.
        replace(a, add_at(a, places, amount))
        return
    there = np.shape(a.value[fixed(indices)])
    # A recorder would take what is computed aside for numbers of the user's.
    if state.recorder is None and not any(map(has_edge, variables_in((a, *operands)))):
        changed = np.array(a.value)
        ufunc.at(changed, *fixed((indices, *operands)))
        setitem(a, ..., changed)
        return
    numbers = np.arange(a.size).reshape(a.shape)[fixed(indices)].reshape(-1)
    operands = tuple(np.ravel(np.broadcast_to(b, there)) for b in operands)
    rounds = _rounds(numbers)
    for number_of_round in range(rounds.max(initial=-1) + 1):
        mine = np.flatnonzero(rounds == number_of_round)
        index = np.unravel_index(numbers[mine], a.shape)
        setitem(a, index, ufunc(a[index], *(b[mine] for b in operands)))


def _whole_numbers(indices: Any) -> Any:
    """Indices that a graph may compute: how many places there are is known."""
    is_known = all(each.dtype.kind in "iu" for each in variables_in(indices))
    return indices if is_known else fixed(indices)


def _rounds(numbers: Any) -> Any:
    """How many equal ones stand before each of some numbers."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    rounds = np.empty_like(order)
    rounds[order] = np.arange(numbers.size) - np.searchsorted(ordered, ordered)
    return rounds


def nan_to_num(x: Any, copy: bool = True, *limits: Any, **named: Any) -> Any:
    """``np.nan_to_num``."""
    if copy:
        return apply(np.nan_to_num, (x, True, *limits), named)
    # The gradient needs the elements as they were.
    return replace(x, apply(np.nan_to_num, (np.copy(x), True, *limits), named))


# The formula of these functions: which of NumPy's each of them is.
WRITERS: dict[Operation, Operation] = {
    np.copyto: copyto,
    np.put: put,
    np.place: place,
    np.putmask: putmask,
    np.fill_diagonal: fill_diagonal,
    np.put_along_axis: put_along_axis,
    np.nan_to_num: nan_to_num,
}


def run(function: Operation, args: Any, kwargs: Any) -> Any:
    """Run one of ``WRITERS``, which take what they write into first.

    Raises
    ------
    TypeError
        If that is no Variable.
    """
    target = args[0] if args else next(iter(kwargs.values()))
    copy = args[1] if len(args) > 1 else kwargs.get("copy", True)
    is_copying = function is np.nan_to_num and copy
    if not (isinstance(target, ArrayProtocol) or is_copying):
        name = function.__name__
        raise located(TypeError(NO_VARIABLE.format(name)), MAKE_IT_ONE)
    return WRITERS[function](*args, **kwargs)
