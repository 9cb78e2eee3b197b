"""One node as an expression, in the form that a person would write.

>>> import numpy as np
>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> x, y = Value((4, 3), np.dtype(float)), Value((4, 3), np.dtype(float))
>>> scope = Scope()
>>> scope.known[x] = name("x")
>>> text(computed(scope, Node(np.multiply, (2.0, x), out=y)))
'2.0 * x'
>>> text(computed(scope, Node(np.sum, (x, 0), {"keepdims": True}, out=y)))
'np.add.reduce(x, axis=0, keepdims=True)'
"""

import functools
import itertools
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np
from numpy._core import umath

from srcgrad.emit.literals import indexed, python_number, size_of, written
from srcgrad.emit.scope import Scope
from srcgrad.emit.signs import (
    OPPOSITE_SIGNS,
    in_its_own_memory,
    is_negative,
    signed,
    takes_sign,
)
from srcgrad.emit.syntax import (
    LOAD,
    USUB,
    attribute,
    call,
    compare,
    operation,
    unary,
)
from srcgrad.emit.unboxed import FLOAT_EXPRESSIONS as FLOATS
from srcgrad.facts import TABLE, Operation, facts_of
from srcgrad.function_parameters import parameters_of
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS, Operator
from srcgrad.stacking import stacked_list
from srcgrad.steps import Node, Value
from srcgrad.unboxing import number_at
from srcgrad.updates import cast

NO_SCALARS = frozenset({Value, bool, int, float, complex})
BINARY: dict[Operation, gast.operator] = {
    function: getattr(gast, own.syntax)()
    for own in BINARY_OPERATORS
    for function in (own.ufunc, own.python)
}
COMPARING: dict[Operation, gast.cmpop] = {
    function: getattr(gast, own.syntax)()
    for own in COMPARISONS
    for function in (own.ufunc, own.python)
}
UNARY: dict[Operation, gast.unaryop] = {
    function: getattr(gast, own.syntax)()
    for own in UNARY_OPERATORS
    for function in (own.ufunc, own.python)
    if own.syntax
}


# What Python calls where the right operand is asked first: `2.0 > v` asks `v < 2.0`.
TURNED: dict[Operation, tuple[Operator, Operator]] = {
    own.ufunc: (own, other)
    for own, other in itertools.permutations(COMPARISONS, 2)
    if own.turned == other.name
}

# The formula of this writer: methods; these two read better as they are.
REDUCING_METHODS = {f for f, known in TABLE.items() if known.reduces} - {np.all, np.any}
REDUCTION_DEFAULTS = {"dtype": None, "out": None, "keepdims": False, "where": True}

# The formula of this writer: what only calls the array's method, with the keywords that
# both know.
ARRAY_METHODS: dict[Operation, tuple[str, ...]] = {
    np.reshape: ("order",),
    np.ravel: ("order",),
    np.transpose: (),
    np.swapaxes: (),
    np.squeeze: ("axis",),
    np.diagonal: ("offset", "axis1", "axis2"),
    np.repeat: ("axis",),
    np.take: ("axis", "mode"),
    np.cumsum: ("axis",),
    np.clip: (),
    vars(umath)["clip"]: (),  # a ufunc, which only methods call
}


def computed(scope: Scope, node: Node) -> gast.expr:
    """Write down what a node computes."""
    for arg in node.args:
        if type(arg) not in NO_SCALARS and isinstance(arg, np.generic):
            node = _with_python_numbers(node)
            break
    expr = None
    if node.function in EXPRESSIONS:
        expr = EXPRESSIONS[node.function](scope, node)
    return _called(scope, node) if expr is None else expr


def _with_python_numbers(node: Node) -> Node:
    """The node with NumPy scalars as Python numbers, where NumPy computes the same.

    That is where another operand is an array or scalar of NumPy's, and decides.
    """
    if not isinstance(node.function, np.ufunc) or node.kwargs:
        return node
    loop = _loop(node.function, node.args)
    dtypes = loop or itertools.repeat(None)
    plain = list(map(python_number, node.args, dtypes))
    if not any(type(arg) is Value and _is_numpy(arg) for arg in plain):
        return node
    if loop != _loop(node.function, plain):
        return node
    return replace(node, args=tuple(plain))


def _loop(ufunc: np.ufunc, args: Sequence[Any]) -> Any:
    """The dtypes that a ufunc converts operands to, and its result's."""
    types = [
        arg.promoted if type(arg) is Value else getattr(arg, "dtype", type(arg))
        for arg in args
    ]
    return _resolved(ufunc, tuple(types))


@functools.lru_cache(maxsize=1024)
def _resolved(ufunc: np.ufunc, types: tuple[Any, ...]) -> Any:
    try:
        return ufunc.resolve_dtypes((*types, *[None] * ufunc.nout))
    except TypeError:  # of another kind than a number
        return None


def computed_into(scope: Scope, node: Node, array: Value) -> gast.expr:
    """The same for a ufunc that puts it into an array: ``np.add(x, y, out=z)``."""
    args = _with_python_numbers(node).args
    return _called(scope, node.with_call(args, {"out": array}, node.out))


def _called(scope: Scope, node: Node) -> gast.expr:
    args = [written(scope, arg) for arg in node.args]
    return call(scope.reference(node.function), args, _keywords(scope, node.kwargs))


def _keywords(scope: Scope, kwargs: Any) -> dict[str, gast.expr]:
    return {
        key: written(scope, item)
        for key, item in kwargs.items()
        if item is not np._NoValue
    }


def _binary(scope: Scope, node: Node) -> gast.expr | None:
    if not _has_operator(node, 2):
        return None
    first, second = node.args
    left, right = written(scope, first), written(scope, second)
    out = node.results[0]
    if is_negative(right) and takes_sign(node, left):
        left, right = unary(USUB, left), right.operand
    if node.function is np.subtract:
        turned = in_its_own_memory(node, left, right)
        if turned is not None:
            return operation(*turned)
    operator = BINARY[node.function]
    if operator.__class__ in OPPOSITE_SIGNS:
        operator, right = signed(operator, right, out)
    return operation(left, operator, right)


def _power(scope: Scope, node: Node) -> gast.expr | None:
    return _binary(scope, node) if _has_operator(node, 2) and _is_plain(node) else None


def _is_plain(node: Node) -> bool:
    """Whether ``x ** p`` is ``np.power(x, p)``.

    For scalar exponents operators take short cuts, which ufuncs take or not depending
    on NumPy's version: ``-inf ** 0.5`` may be nan or inf. For bool the types differ,
    for complex numbers the last digits.
    """
    base, exponent = node.args
    if type(base) is Value and base.dtype.kind in "bc":
        return False
    if type(exponent) is Value:
        return exponent.shape != ()
    return type(exponent) in (int, float) and exponent != 0.5


def _comparison(scope: Scope, node: Node) -> gast.expr | None:
    if _is_reflected(node):
        function, operands = TURNED[node.function][1].ufunc, node.args[::-1]
        node = replace(node, function=function, args=operands)
    if not _has_operator(node, 2):
        return _called(scope, node)
    left, right = (written(scope, arg) for arg in node.args)
    return compare(left, COMPARING[node.function], right)


def _is_reflected(node: Node) -> bool:
    """Whether the user's line has the comparison the other way round."""
    if node.function not in TURNED or node.kwargs or node.where is None:
        return False
    written = re.findall(r"->|<<|>>|[<>]=?", node.where.text)
    own, other = TURNED[node.function]
    return own.symbol not in written and other.symbol in written


def _unary(scope: Scope, node: Node) -> gast.expr | None:
    if not _has_operator(node, 1):
        return None
    return unary(UNARY[node.function], written(scope, node.args[0]))


def _has_operator(node: Node, count: int) -> bool:
    """Whether the operator means the function: NumPy must get to see an operand."""
    if node.kwargs or len(node.args) != count:
        return False
    if type(node.function) is not np.ufunc:
        return True
    has_numpys = False
    for arg in node.args:
        if arg.kind != "float" if type(arg) is Value else _is_numpy(arg):
            has_numpys = True
        elif type(arg) not in NO_SCALARS and not isinstance(arg, (int, float, complex)):
            return False
    return has_numpys


def _is_numpy(item: Any) -> bool:
    if type(item) is Value:
        return item.kind != "float"
    return isinstance(item, (np.ndarray, np.generic))


def _item(scope: Scope, node: Node) -> gast.expr:
    value, index = node.args
    return indexed(scope, written(scope, value), index)


def _number_at(scope: Scope, node: Node) -> gast.expr:
    array, *place = [written(scope, arg) for arg in node.args]
    return call(attribute(array, "item"), place)


def _absolute(scope: Scope, node: Node) -> gast.expr:
    return call(scope.reference(abs), [written(scope, arg) for arg in node.args])


def _cast(scope: Scope, node: Node) -> gast.expr | None:
    if len(node.args) != 2 or node.kwargs:
        return None
    value, dtype = (written(scope, arg) for arg in node.args)
    if _is_numpy(node.args[0]):
        return call(attribute(value, "astype"), [dtype])
    return call(dtype, [value])


def _of_stacking(scope: Scope, node: Node) -> gast.expr:
    """``np.array([first, *items])``"""
    items, _, *position = node.args
    listed = written(scope, [*items])
    if position and len(items) == 1:
        listed = written(scope, items[0])
    elif position:
        (at,) = position
        listed.elts[at] = gast.Starred(listed.elts[at], LOAD)
    return call(scope.numpy("array"), [listed])


def _full(scope: Scope, node: Node) -> gast.expr | None:
    """``np.full``, or ``np.ones`` and ``np.zeros``."""
    if len(node.args) != 2 or node.kwargs:
        return None
    shape, element = node.args
    size = size_of(scope, shape) if isinstance(shape, tuple) else written(scope, shape)
    if type(element) is Value:
        return call(scope.numpy("full"), [size, written(scope, element)])
    dtype = np.result_type(element)
    for name, number in (("ones", 1.0), ("zeros", 0.0)):
        if repr(python_number(element)) == repr(number):
            kind = {} if dtype == np.float64 else {"dtype": written(scope, dtype)}
            return call(scope.numpy(name), [size], kind)
    is_default = np.result_type(type(plain := python_number(element))) == dtype
    filling = written(scope, plain if is_default else element)
    return call(scope.numpy("full"), [size, filling])


def _method(scope: Scope, node: Node) -> gast.expr | None:
    value, *rest = node.args
    allowed = ARRAY_METHODS[node.function]
    if not _is_numpy(value) or not all(key in allowed for key in node.kwargs):
        return None
    method = attribute(written(scope, value), node.function.__name__)
    args = [written(scope, arg) for arg in rest]
    return call(method, args, _keywords(scope, node.kwargs))


def _transpose(scope: Scope, node: Node) -> gast.expr | None:
    value = node.args[0]
    axes = (*node.args[1:], *node.kwargs.values())
    if _is_matrix(value) and axes in ((), (None,)):
        return attribute(written(scope, value), "T")
    return _method(scope, node)


def _swapaxes(scope: Scope, node: Node) -> gast.expr | None:
    value, *axes = node.args
    if _is_matrix(value) and sorted(axis % 2 for axis in axes) == [0, 1]:
        return attribute(written(scope, value), "T")
    return _method(scope, node)


def _is_matrix(item: Any) -> bool:
    return type(item) is Value and len(item.shape) == 2


def _reshape(scope: Scope, node: Node) -> gast.expr | None:
    """``x[:, None]``, where that is all that a gradient's reshape does."""
    value, shape = node.args[0], node.results[0].shape
    if node.in_backward and type(value) is Value and value.shape:
        index = _new_axes(value.shape, shape)
        if index is not None:
            return indexed(scope, written(scope, value), index)
    # The method would take an order by position for a length.
    return _method(scope, node) if len(node.args) <= 2 else None


def _new_axes(shape: tuple[int, ...], wider: tuple[int, ...]) -> Any:
    """The index that gives an array further axes of length 1; None if more is to do."""
    rest = list(shape)
    index = []
    for length in wider:
        is_there = bool(rest) and rest[0] == length
        index.append(slice(None) if is_there else None)
        if is_there:
            rest.pop(0)
        elif length != 1:
            return None
    while index and index[-1] is not None:
        index.pop()
    return None if rest or not index else tuple(index)


def _expand_dims(scope: Scope, node: Node) -> gast.expr | None:
    """``x[:, None]``; NumPy's function takes longer than most calls that it is for."""
    value, axis = _axis_of(node)
    if axis is None:
        return None
    before = axis % (len(value.shape) + 1)
    last = before == len(value.shape) > 1
    index = (..., None) if last else (*[slice(None)] * before, None)
    return indexed(scope, written(scope, value), index)


def _flip(scope: Scope, node: Node) -> gast.expr | None:
    """``x[:, ::-1]``."""
    value, axis = _axis_of(node)
    if axis is None:
        return None
    before = axis % len(value.shape)
    index = (*[slice(None)] * before, slice(None, None, -1))
    return indexed(scope, written(scope, value), index)


def _axis_of(node: Node) -> tuple[Any, int | None]:
    """The array of a call and its one axis, if there is just that."""
    value, *axes = (*node.args, *node.kwargs.values())
    if type(value) is Value and value.kind != "float" and len(axes) == 1:
        (axis,) = axes
        if type(axis) is int and node.kwargs.keys() <= {"axis"}:
            return value, axis
    return value, None


def _reduction(scope: Scope, node: Node) -> gast.expr | None:
    if not node.args:
        return None
    ufunc: Any = facts_of(node.function).reduces
    _, *parameters = parameters_of(node.function)[0]
    value, *rest = node.args
    given = {"axis": None, **dict(zip(parameters, rest, strict=False)), **node.kwargs}
    kept = {
        key: item
        for key, item in given.items()
        if key not in REDUCTION_DEFAULTS or item is not REDUCTION_DEFAULTS[key]
    }
    axis = kept["axis"]
    if type(axis) is tuple and len(axis) == 1:
        (kept["axis"],) = axis
    elif node.in_backward and type(axis) is tuple and len(axis) == len(value.shape):
        kept["axis"] = None  # all of them, which a person does not count
    # To call the ufunc saves NumPy's wrapper, about a microsecond.
    reduce = attribute(scope.numpy(ufunc.__name__), "reduce")
    return call(reduce, [written(scope, value)], _keywords(scope, kept))


# The formula of this writer: who writes which function.
EXPRESSIONS: dict[Operation, Callable[[Scope, Node], gast.expr | None]] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(COMPARING, _comparison),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(REDUCING_METHODS, _reduction),
    **dict.fromkeys(ARRAY_METHODS, _method),
    np.power: _power,
    np.reshape: _reshape,
    np.transpose: _transpose,
    np.swapaxes: _swapaxes,
    np.expand_dims: _expand_dims,
    np.full: _full,
    np.flip: _flip,
    operator.getitem: _item,
    operator.abs: _absolute,
    cast: _cast,
    stacked_list: _of_stacking,
    number_at: _number_at,
    **FLOATS,
}
