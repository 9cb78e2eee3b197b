"""Constants as expressions that give back the same object, type and sign of zero.

>>> import numpy as np
>>> from srcgrad.emit.one_line import text
>>> text(written(Scope(), (np.float32(0.1), np.dtype(int), -np.inf, -0.0, "a", None)))
'(np.float32(0.1), np.int64, -np.inf, -0.0, "a", None)'
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import gast
import numpy as np

from srcgrad.emit.scope import Scope
from srcgrad.emit.stacked_lists import runs
from srcgrad.emit.syntax import (
    DIV,
    LOAD,
    USUB,
    call,
    constant,
    operation,
    sequence,
    subscript,
    unary,
)
from srcgrad.steps import Value

# What is larger becomes a constant that the module is given: it fills a line or more.
MOST_ITEMS_OF_ARRAY = 16
MOST_BYTES = 16
MOST_BITS = 256

# A float with more digits is written as a fraction, if it is one of small numbers.
MOST_DIGITS, MOST_DENOMINATOR = 12, 4096

# What `np.array` makes of Python numbers.
DEFAULT_DTYPES = (np.bool_, np.int64, np.float64, np.complex128)
LONG_DTYPES = (np.longdouble, np.clongdouble)


def written(scope: Scope, item: Any) -> gast.expr:
    """Write down an argument of a call: a value of the graph, or a constant."""
    kind = type(item)
    if kind is Value and item in scope.known:  # as most are
        return scope.known[item]
    if kind in LITERAL_WRITERS:
        return LITERAL_WRITERS[kind](scope, item)
    kinds = (writer for kind, writer in BY_KIND.items() if isinstance(item, kind))
    return next(kinds, _reference)(scope, item)


def indexed(scope: Scope, value: gast.expr, index: Any) -> gast.Subscript:
    """Write down ``value[index]``.

    >>> from srcgrad.emit.one_line import text
    >>> text(indexed(Scope(), constant("text"), (slice(3), None, ..., np.int64(-1))))
    '"text"[:3, None, ..., -1]'
    """
    if type(index) is tuple and len(index) == 1 and type(index[0]) is not tuple:
        index = index[0]  # the same to NumPy
    if type(index) is tuple:
        return subscript(value, sequence(_index(scope, part) for part in index))
    return subscript(value, _index(scope, index))


def _index(scope: Scope, part: Any) -> gast.expr:
    if isinstance(part, slice):
        bounds = (part.start, part.stop, part.step)
        return gast.Slice(
            *(None if bound is None else _index(scope, bound) for bound in bounds)
        )
    return written(scope, int(part) if isinstance(part, np.integer) else part)


def size_of(scope: Scope, shape: tuple[int, ...]) -> gast.expr:
    """Write down a shape, as a number if there is one axis."""
    return written(scope, shape[0] if len(shape) == 1 else shape)


def _value(scope: Scope, value: Value) -> gast.expr:
    if value not in scope.known:
        hint = None if value.name is None else value.name.upper()
        scope.known[value] = _array(scope, scope.arrays[value], hint)
    return scope.known[value]


def _reference(scope: Scope, item: Any) -> gast.expr:
    return scope.reference(item)


def _constant(scope: Scope, item: Any) -> gast.expr:
    return constant(item)


def _bytes(scope: Scope, item: bytes) -> gast.expr:
    return constant(item) if len(item) <= MOST_BYTES else scope.hold(item)


def _int(scope: Scope, item: int) -> gast.expr:
    return (
        scope.hold(item) if item.bit_length() > MOST_BITS else _signed(item, item < 0)
    )


def _float(scope: Scope, item: float) -> gast.expr:
    if math.isfinite(item):
        if len(repr(item)) > MOST_DIGITS and (ratio := _ratio(item)) is not None:
            return ratio
        return _signed(item, math.copysign(1.0, item) < 0)
    expr = scope.numpy("nan" if math.isnan(item) else "inf")
    return unary(USUB, expr) if item < 0 else expr


def _ratio(item: float) -> gast.expr | None:
    """A fraction of small numbers: ``2 / 7``, which Python computes once."""
    near = Fraction(item).limit_denominator(MOST_DENOMINATOR)
    numerator, denominator = near.as_integer_ratio()
    if numerator / denominator != item or abs(numerator) > MOST_DENOMINATOR:
        return None
    left = _signed(numerator, numerator < 0)
    return operation(left, DIV, constant(denominator))


def _complex(scope: Scope, item: complex) -> gast.expr:
    real, imag = item.real, item.imag
    if repr(real) == "0.0" and repr(abs(imag)) == repr(imag) and math.isfinite(imag):
        return constant(item)
    # Not `1 - 0j`, which loses signs of zeros.
    return call(scope.reference(complex), (_float(scope, real), _float(scope, imag)))


def _tuple(scope: Scope, item: tuple[Any, ...]) -> gast.expr:
    return _whole(found := _items(scope, item)) or sequence(found)


def _list(scope: Scope, item: list[Any]) -> gast.expr:
    return _whole(found := _items(scope, item)) or gast.List(found, LOAD)


def _items(scope: Scope, items: Sequence[Any]) -> list[gast.expr]:
    """What is in a sequence; of what is in a list a part of that, with a star."""
    if not scope.stacked:
        return [written(scope, item) for item in items]
    rest, found = iter(items), list[gast.expr]()
    for count, part in runs(scope.stacked, items):
        several = [next(rest) for _ in range(count)]
        found.append(
            written(scope, several[0]) if part is None else gast.Starred(part, LOAD)
        )
    return found


def _whole(items: Sequence[gast.expr]) -> gast.expr | None:
    """The list that is all that there is, if there is one."""
    if len(items) == 1 and isinstance(items[0], gast.Starred):
        part: gast.expr = items[0].value
        return part
    return None


def _dict(scope: Scope, item: dict[Any, Any]) -> gast.expr:
    keys = [written(scope, key) for key in item]
    return gast.Dict(keys, [written(scope, value) for value in item.values()])


def _slice(scope: Scope, item: slice) -> gast.expr:
    bounds = (item.start, item.stop, item.step)
    return call(scope.reference(slice), (written(scope, bound) for bound in bounds))


def _dtype(scope: Scope, item: np.dtype[Any]) -> gast.expr:
    if item == np.dtype(item.type):
        return scope.reference(item.type)
    if item.names is None and item == np.dtype(item.str):
        return call(scope.numpy("dtype"), [constant(item.str)])
    return scope.hold(item)


def _scalar(scope: Scope, item: np.generic) -> gast.expr:
    if isinstance(item, np.bool_):
        return scope.numpy("True_" if item else "False_")
    if item.dtype.kind not in "iufc" or isinstance(item, np.clongdouble):
        return scope.hold(item)
    return call(scope.reference(type(item)), [written(scope, _python(item))])


def _array(
    scope: Scope, item: np.ndarray[Any, Any], hint: str | None = None
) -> gast.expr:
    return scope.hold(item, hint, lambda: definition(scope, item))


def definition(scope: Scope, item: np.ndarray[Any, Any]) -> gast.expr | None:
    """How an array is made, if that is short to say."""
    dtype = item.dtype
    if type(item) is not np.ndarray or (
        dtype.kind not in "biufc" or dtype.type in LONG_DTYPES
    ):
        return None
    plain = dtype.isnative and dtype.type in DEFAULT_DTYPES
    keywords = {} if plain else {"dtype": _dtype(scope, dtype)}
    if item.size not in (1, 2):
        shape = size_of(scope, item.shape)
        counts = dtype == np.int64 and np.array_equal(item, np.arange(item.size))
        if counts and item.size:
            return call(scope.numpy("arange"), [shape])
        first = item.flat[0] if item.size else dtype.type(0)
        if item.tobytes() == first.tobytes() * item.size:  # the signs of zeros too
            return _filled(scope, shape, first, keywords)
        if _is_unit_matrix(item):
            if dtype != np.float64:
                keywords = {"dtype": _dtype(scope, dtype)}
            return call(scope.numpy("eye"), [constant(len(item))], keywords)
    if item.size > MOST_ITEMS_OF_ARRAY:
        return None
    elements = np.array([_python(element) for element in item.flat], object)
    nested = written(scope, elements.reshape(item.shape).tolist())
    return call(scope.numpy("array"), [nested], keywords)


def _is_unit_matrix(item: np.ndarray[Any, Any]) -> bool:
    if item.ndim != 2 or item.shape[0] != item.shape[1] or item[0, 0] != 1:
        return False
    return item.tobytes() == np.eye(len(item), dtype=item.dtype).tobytes()


def _filled(
    scope: Scope, shape: gast.expr, element: np.generic, keywords: dict[str, gast.expr]
) -> gast.expr:
    if not any(element.tobytes()) or element == 1:
        if type(element) is not np.float64:
            keywords = {"dtype": _dtype(scope, element.dtype)} | keywords
        return call(scope.numpy("ones" if element else "zeros"), [shape], keywords)
    value = written(scope, _python(element))
    return call(scope.numpy("full"), [shape, value], keywords)


def python_number(item: Any, dtype: Any = None) -> Any:
    """A NumPy scalar as the Python number of the same value; all else as it is.

    With few digits where ``dtype``, which it is converted to, is its own: in another
    one ``np.float32(0.1)`` is not ``0.1``.
    """
    is_number = isinstance(item, np.generic) and item.dtype.kind in "iuf"
    if not is_number or isinstance(item, np.longdouble):
        return item
    return _python(item) if item.dtype == dtype else item.item()


def _python(item: Any) -> Any:
    """The Python number, or text, that gives a NumPy scalar back, with few digits."""
    if isinstance(item, np.longdouble):
        return str(item)
    if isinstance(item, (np.float16, np.float32)):
        short = float(str(item))
        if type(item)(short) == item:
            return short
    return item.item()


def _signed(item: Any, negative: bool) -> gast.expr:
    return unary(USUB, constant(-item)) if negative else constant(item)


Writer = Callable[[Scope, Any], gast.expr]

LITERAL_WRITERS: dict[type, Writer] = {
    Value: _value,
    type(None): _constant,
    type(...): _constant,
    bool: _constant,
    str: _constant,
    bytes: _bytes,
    int: _int,
    float: _float,
    complex: _complex,
    tuple: _tuple,
    list: _list,
    dict: _dict,
    slice: _slice,
}

BY_KIND: dict[type, Writer] = {
    np.ndarray: _array,
    np.generic: _scalar,
    np.dtype: _dtype,
    # Their subclasses too: NumPy's functions tell no difference.
    tuple: _tuple,
    list: _list,
    dict: _dict,
}
