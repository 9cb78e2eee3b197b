"""``of_length``: what a call makes of an array whose length is open, or of the length.

``np.zeros(len(x))`` is an array of that length in the graph, whatever it is; a mean is
a sum that is divided by it, for it may be another number at the next call.
"""

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.loop_counts import LoopCount, computed_int

MAKERS: frozenset[Any] = frozenset({np.zeros, np.ones, np.empty, np.full})
LIKE: dict[Any, Any] = {
    np.zeros_like: np.zeros,
    np.ones_like: np.ones,
    np.empty_like: np.empty,
    np.full_like: np.full,
}
MEANS: frozenset[Any] = frozenset({np.mean, np.var})


def of_length(
    recorder: Any, function: Any, args: Any, kwargs: Any, call: Callable[..., Any]
) -> Any:
    """The result of a call, where a length that is open matters; else None."""
    if type(function) is functools.partial and function.func in MEANS:
        args, function = (*function.args, *args), function.func
    if not args or type(function) not in OF_NUMPY:
        return None
    if function in MAKERS:
        return _made(recorder, function, args, kwargs)
    if function in LIKE and recorder.lengths.of(args[0]) is not None:
        like = args[0]
        if recorder.lengths.spans(like):
            return None
        shape = (recorder.lengths.of(like), *like.shape[1:])
        is_told = kwargs.get("dtype") is not None
        given = kwargs if is_told else {**kwargs, "dtype": like.dtype}
        # Beside a Variable it is one.
        kind = TracedArray if like.stands_for_array else Variable
        return _made(recorder, LIKE[function], (shape, *args[1:]), given, kind)
    if function in MEANS and len(args) == 1:
        return _mean(recorder, function, args[0], kwargs, call)
    return None


# The types of the functions above.
OF_NUMPY = frozenset(map(type, (*MAKERS, *LIKE, *MEANS)))


def _made(
    recorder: Any,
    function: Any,
    args: Any,
    kwargs: Mapping[str, Any],
    kind: type[Variable] = TracedArray,
) -> Any:
    """An array of zeros, or of one number."""
    shape, *fill = args
    lengths, writer = recorder.lengths, recorder.writer
    parts = lengths.shape(shape)
    is_plain = kwargs.keys() <= {"dtype"} and len(fill) == (function is np.full)
    if parts is None or not is_plain or any(map(_is_in_graph, fill)):
        return None
    if function is np.empty:
        function = np.zeros  # any content will do, but the same at each call
    usual = np.asarray(fill[0]).dtype if function is np.full else np.dtype(float)
    told = kwargs.get("dtype")
    dtype = usual if told is None else np.dtype(told)
    if dtype.kind not in "fciub":
        return None
    numbers = [part if type(part) is int else _number(writer, *part) for part in parts]
    raw = function(tuple(map(int, numbers)), *fill, dtype=dtype)
    out = kind.make(raw, None)
    symbols = tuple(map(writer.symbols, numbers))
    given = {} if dtype == usual else {"dtype": dtype}
    writer.write(function, (symbols, *fill), given, out)
    return out


def _number(writer: Any, array: Any, more: int) -> Any:
    """The length of an input, and so much more, as a number of the graph."""
    whole = writer.write_index(len, (array,), array.shape[0])
    if not more:
        return whole
    function = operator.add if more > 0 else operator.sub
    args = writer.symbols(whole), abs(more)
    return writer.write_index(function, args, array.shape[0] + more)


def _is_in_graph(item: Any) -> bool:
    return isinstance(item, ArrayProtocol) or type(item) not in (int, float, complex)


def _mean(
    recorder: Any, function: Any, x: Any, kwargs: Mapping[str, Any], call: Any
) -> Any:
    """A mean or a variance, as NumPy computes it."""
    length = _count(recorder, x)
    axis, ddof = kwargs.get("axis"), kwargs.get("ddof", 0)
    is_known = kwargs.keys() <= ({"axis"} if function is np.mean else {"axis", "ddof"})
    if length is None or not is_known or x.dtype != np.dtype(float):
        return None
    if axis not in (None, 0) or type(ddof) is not int or ddof not in (0, 1):
        return None
    is_whole = axis is None and x.ndim > 1
    if is_whole and recorder.lengths.spans(x):
        return None  # more than one number tells how many elements there are
    count = length * math.prod(x.shape[1:]) if is_whole else length
    mean = call(np.sum, x, axis=axis) / _in_graph(count)
    if function is np.mean:
        return mean
    off = x - mean
    # Its root has a derivative at zero: `np.std` is for the length that it was.
    return call(np.sum, off * off, axis=axis) / _in_graph(count - ddof)


def _count(recorder: Any, x: Any) -> Any:
    """How long an array of any length is; of a selection a number in the graph."""
    selection = recorder.lengths.selection(x)
    if selection is None:
        return recorder.lengths.of(x)
    return TracedArray.make(_number(recorder.writer, selection, 0), None)


def _in_graph(count: Any) -> Any:
    return count if isinstance(count, ArrayProtocol) else count.as_float()


def selected_length(recorder: Any, arrays: Sequence[Any]) -> LoopCount | None:
    """How long some arrays are that are as long as what a mask selects, at any call."""
    selection = recorder.lengths.selected_by(arrays)
    if selection is None:
        return None
    count = computed_int(recorder, len, arrays[:1], len(raw_of(arrays[0])))
    count.of = selection, 0
    return count


def selected_shape(recorder: Any, item: Any, name: str) -> Any:
    """``item.size`` or ``item.shape`` of what is as long as what a mask selects."""
    if name not in ("size", "shape") or (name == "size" and item.ndim > 1):
        return None
    length = selected_length(recorder, (item,))
    if length is None or (name == "shape" and recorder.lengths.spans(item)):
        return None
    return length if name == "size" else (length, *raw_of(item).shape[1:])
