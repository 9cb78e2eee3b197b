"""What is done with whole arrays: views, updates, products, linear algebra.

Views are views here, too. What is made lies row by row.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcgrad.emit.expressions import computed
from srcgrad.emit.literals import indexed, written
from srcgrad.emit.syntax import (
    ADD,
    MULT,
    assignment,
    attribute,
    call,
    constant,
    name,
    target,
)
from srcgrad.native.elements import FLOAT, INT, UnsupportedError
from srcgrad.native.numbers import converted
from srcgrad.native.statements import (
    counted,
    element,
    empty,
    out_of_bounds,
    place,
    size,
    stored,
)
from srcgrad.native.taking import is_taking, put_at, write_taken
from srcgrad.steps import Node, Value, values_in
from srcgrad.updates import UPDATES, add_at, scatter
from srcgrad.views import is_basic

# A product of so few multiplications is written out: BLAS takes 200 ns to begin.
MOST_WITHOUT_BLAS = 4096
# Of more numbers a product is added up several at a time.
LEAST_DOTTED = 8


def write_array(body: Any, node: Node) -> None:
    """Add the statements for a step that is not computed number by number.

    Raises
    ------
    UnsupportedError
        If there are none.
    """
    writer = ARRAY_WRITERS.get(node.function)
    if writer is None or type(node.out) is not Value:
        called = getattr(node.function, "__name__", "a function")
        raise UnsupportedError(f"{called} is left to NumPy")
    writer(body, node, node.out)


# ----- Elements and views -----


def _item(body: Any, node: Node, out: Value) -> None:
    x, index = node.args
    if type(x) is Value and not x.shape and index in ((), ...):
        body.define(node, written(body.scope, x))
        return
    if type(x) is Value and x.shape and x.kind != "list" and is_taking(index):
        write_taken(body, node, out)
        return
    if type(x) is not Value or x.kind == "list" or not x.shape or not is_basic(index):
        raise UnsupportedError("such an index is left to NumPy")
    check_index(body, node, x, index)
    body.define(node, indexed(body.scope, body.array(x), index))


def check_index(body: Any, node: Node, x: Value, index: Any) -> None:
    """Have what is no constant among the indices checked: Numba does not.

    An index by a Value of the graph is one of Python's or NumPy's integers.
    """
    parts = index if type(index) is tuple else (index,)
    if any(part is Ellipsis for part in parts) and values_in(index):
        raise UnsupportedError("an index beside an ellipsis is left to NumPy")
    axis = 0
    for part in parts:
        if type(part) is Value and part.dtype == INT:
            read = written(body.scope, part)
            test = out_of_bounds(read, x.shape[axis])
            body.miss(test, "an index is out of bounds", node.where)
        elif values_in(part):
            raise UnsupportedError("a slice of changing bounds is left to NumPy")
        axis += part is not None


def _view(body: Any, node: Node, out: Value) -> None:
    """A reshape where that is a view, of what lies row by row."""
    x = node.args[0]
    has_order = len(node.args) > (1 if node.function is np.ravel else 2)
    if type(x) is not Value or node.kwargs.keys() - {"shape"} or has_order:
        raise UnsupportedError("such a reshape is left to NumPy")
    if not x.shape or not out.shape:
        _to_or_from_number(body, node, x, out)
        return
    found = call(attribute(body.row_by_row(x), "reshape"), [size(out.shape)])
    body.define(node, found, is_contiguous=True)


def _to_or_from_number(body: Any, node: Node, x: Value, out: Value) -> None:
    if x.shape:
        body.define(node, element(body.array(x), [0] * len(x.shape)))
        return
    shape = size(out.shape)
    found = call(body.scope.numpy("full"), [shape, converted(body.scope, x, out.dtype)])
    body.define(node, found, is_contiguous=True)


def _transposed(body: Any, node: Node, out: Value) -> None:
    x = node.args[0]
    if type(x) is not Value:
        raise UnsupportedError("a transpose of a constant")
    body.array(x)  # of elements there may be none yet
    if len(x.shape) == 2:
        expr = computed(body.scope, node)
        if isinstance(expr, gast.Attribute):
            body.define(node, expr)
            if x in body.kernel.contiguous:
                body.kernel.turned.add(out)
            return
    axes = node.args[1] if len(node.args) == 2 else node.kwargs.get("axes")
    if node.function is not np.transpose or not (axes is None or type(axes) is tuple):
        raise UnsupportedError("such a transpose is left to NumPy")
    given = [] if axes is None else [written(body.scope, axes)]
    body.define(node, call(body.scope.numpy("transpose"), [body.array(x), *given]))


def _expanded(body: Any, node: Node, out: Value) -> None:
    x = node.args[0]
    if type(x) is not Value or not x.shape:
        _view(body, node, out)
        return
    body.array(x)
    body.define(node, computed(body.scope, node))


# ----- Updates -----


def _made(body: Any, node: Node, out: Value) -> None:
    """Zeros, and other arrays of one number."""
    has_row = any(getattr(arg, "shape", ()) for arg in node.args)
    if out.dtype != FLOAT or node.kwargs or not out.shape or has_row:
        raise UnsupportedError("an array of that kind is left to NumPy")
    expr = computed(body.scope, node)
    body.define(node, expr, is_contiguous=True)


def _scattered(body: Any, node: Node, out: Value) -> None:
    g, index, _ = node.args
    zeros = call(body.scope.numpy("zeros"), [size(out.shape)])
    body.define(node, zeros, is_contiguous=True)
    _put(body, node, out, index, g, is_added=False)


def _updated(body: Any, node: Node, out: Value) -> None:
    x, index, g = node.args
    if type(x) is Value and body.overwriting.sources.get(out) is x:
        expr = body.array(x)
        body.kernel.holds(out, expr, x in body.kernel.contiguous)
    elif type(x) is Value and x.shape:
        copied = call(attribute(body.array(x), "copy"), [])
        body.define(node, copied, is_contiguous=True)
    else:
        raise UnsupportedError("an update of a number is left to NumPy")
    _put(body, node, out, index, g, is_added=node.function is add_at)


def _put(
    body: Any, node: Node, array: Value, index: Any, g: Any, is_added: bool
) -> None:
    if array.dtype == FLOAT and is_taking(index):
        put_at(body, node, array, index, g)
        return
    if not is_basic(index) or array.dtype != FLOAT:
        raise UnsupportedError("such an index is left to NumPy")
    check_index(body, node, array, index)
    there = indexed(body.scope, body.scope.known[array], index)
    there = place(there.value, [there.slice])
    if not getattr(g, "shape", ()):
        pairs = [(there, converted(body.scope, g, FLOAT))]
    elif type(g) is not Value:
        raise UnsupportedError("an array among the arguments is left to NumPy")
    elif (rows := _by_elements(body, array, index, g)) is not None:
        pairs = rows
    else:
        pairs = [(there, body.array(g))]
    for where, read in pairs:
        put = gast.AugAssign(where, ADD, read) if is_added else assignment(where, read)
        body.emit(node.where, put)


def _by_elements(body: Any, array: Value, index: Any, g: Value) -> Any:
    """Where each element of a small array is put, at integers before its axes."""
    parts = index if type(index) is tuple else (index,)
    are_integers = all(type(p) is int or type(p) is Value for p in parts)
    rest = array.shape[len(parts) :]
    if g in body.scope.known or not are_integers or g.shape != rest:
        return None
    before = [written(body.scope, part) for part in parts]
    elements, known = body.elements(g), body.scope.known[array]
    return [
        (place(known, [*before, *where]), elements[where])
        for where in np.ndindex(g.shape)
    ]


# ----- Products -----


def _product(body: Any, node: Node, out: Value) -> None:
    first, second = node.args
    if not all(type(x) is Value and x.dtype == FLOAT for x in (first, second)):
        raise UnsupportedError("a product with a constant is left to NumPy")
    ranks = len(first.shape), len(second.shape)
    if node.kwargs or max(ranks) > 2 or min(ranks) < 1:
        raise UnsupportedError("a product of stacks is left to NumPy")
    if not math.prod(first.shape) or not math.prod(second.shape):
        raise UnsupportedError("an array without elements is left to NumPy")
    count = math.prod(first.shape) * (second.shape[1] if ranks[1] == 2 else 1)
    if count > MOST_WITHOUT_BLAS:
        given = [body.for_blas(x) for x in (first, second)]
        body.define(node, call(body.scope.numpy("dot"), given), is_contiguous=True)
        return
    _multiplied(body, node, out, first, second)


def _multiplied(body: Any, node: Node, out: Value, first: Value, second: Value) -> None:
    """A small product as loops.

    In order of memory one instruction does several: along the rows of a second matrix,
    along the columns of a first one that is turned, or along both of what is dotted.
    """
    i, k, j = (name(body.scope.names.fresh(each)) for each in "ikj")
    a, b = body.array(first), body.array(second)
    if len(second.shape) == 2:
        rows = [i] if len(first.shape) == 2 else []
        left, right = element(a, [*rows, k]), element(b, [k, j])
        statements = _along(body, node, out, (left, right), (k, j), rows)
    elif first in body.kernel.turned:
        rows = []
        left, right = element(b, [k]), element(a, [i, k])
        statements = _along(body, node, out, (left, right), (k, i), rows)
    else:
        rows = [i] if len(first.shape) == 2 else []
        statements = _dotted(body, node, out, (a, b), k, rows)
    if rows:
        statements = [counted(i.id, first.shape[0], statements)]
    body.emit(node.where, *statements)
    if node.must_run and not out.shape:
        body.must_run(out, [body.scope.known[out]])


def _along(
    body: Any, node: Node, out: Value, factors: Any, indices: Any, rows: list[gast.expr]
) -> list[gast.stmt]:
    """One row of a product: of each number on the left a row is added."""
    left, right = factors
    k, j = indices
    body.define(node, call(body.scope.numpy("zeros"), [size(out.shape)]), True)
    factor = body.scope.names.fresh("factor")
    where = place(body.scope.known[out], [*rows, j])
    added = gast.AugAssign(where, ADD, gast.BinOp(name(factor), MULT, right))
    taken = assignment(target(factor), left)
    middle = node.args[1].shape[0]
    return [counted(k.id, middle, [taken, counted(j.id, out.shape[-1], [added])])]


def _dotted(
    body: Any, node: Node, out: Value, arrays: Any, k: Any, rows: list[gast.expr]
) -> list[gast.stmt]:
    """One number of a product."""
    a, b = arrays
    if rows:
        body.define(node, empty(body.scope, out.shape), is_contiguous=True)
        to: gast.expr = place(body.scope.known[out], rows)
    else:
        to = target(body.fresh(out, node))
        body.kernel.holds(out, name(to.id))
    middle = node.args[1].shape[0]
    if middle >= LEAST_DOTTED:
        row = element(a, rows) if rows else a
        return [assignment(to, call(name(body.kernel.prelude("dotted")), [row, b]))]
    total = body.scope.names.fresh("total")
    product = gast.BinOp(element(a, [*rows, k]), MULT, element(b, [k]))
    return [
        assignment(target(total), constant(0.0)),
        counted(k.id, middle, [gast.AugAssign(target(total), ADD, product)]),
        assignment(to, name(total)),
    ]


def _outer(body: Any, node: Node, out: Value) -> None:
    first, second = node.args
    if not all(type(x) is Value and len(x.shape) == 1 for x in (first, second)):
        raise UnsupportedError("such an outer product is left to NumPy")
    found = call(body.scope.numpy("outer"), [body.array(first), body.array(second)])
    body.define(node, found, is_contiguous=True)


def _as_numba(body: Any, node: Node, out: Value) -> None:
    """What Numba has as NumPy has it, of arrays of floats."""
    given = [body.row_by_row(x) if type(x) is Value else None for x in node.args[:1]]
    is_plain = all(type(x) is int for x in node.args[1:]) and not node.kwargs
    if None in given or not is_plain or out.dtype != FLOAT:
        raise UnsupportedError(f"{node.function.__name__} is left to NumPy")
    rest = [written(body.scope, x) for x in node.args[1:]]
    found = call(body.scope.reference(node.function), [*given, *rest])
    body.define(node, call(body.scope.numpy("ascontiguousarray"), [found]), True)


def _joined(body: Any, node: Node, out: Value) -> None:
    parts, *rest = node.args
    axis = rest[0] if rest else node.kwargs.get("axis", 0)
    is_plain = type(parts) in (tuple, list) and node.kwargs.keys() <= {"axis"}
    if not is_plain or len(rest) > 1 or axis != 0 or out.dtype != FLOAT:
        raise UnsupportedError("such a concatenation is left to NumPy")
    if not all(type(x) is Value and x.dtype == FLOAT for x in parts):
        raise UnsupportedError("a concatenation with a constant is left to NumPy")
    body.define(node, empty(body.scope, out.shape), is_contiguous=True)
    start = 0
    for part in parts:
        end = start + part.shape[0]
        own = gast.Slice(constant(start), constant(end), None)
        put = stored(body.scope.known[out], [own], body.array(part))
        body.emit(node.where, put)
        start = end


def _array(body: Any, node: Node, out: Value) -> None:
    """``np.array([a, b])`` of numbers."""
    (items,) = node.args
    if node.kwargs or out.dtype != FLOAT:
        raise UnsupportedError("such an array is left to NumPy")
    places = [*_places(items, ())]
    body.define(node, empty(body.scope, out.shape), is_contiguous=True)
    for where, item in places:
        read = converted(body.scope, item, FLOAT)
        body.emit(node.where, stored(body.scope.known[out], where, read))


def _places(items: Any, place: tuple[int, ...]) -> Any:
    if type(items) in (list, tuple):
        for number, item in enumerate(items):
            yield from _places(item, (*place, number))
    elif getattr(items, "shape", ()) or not place:
        raise UnsupportedError("an array of arrays is left to NumPy")
    else:
        yield place, items


# The formula of this pass: views of memory; and who writes what is done with arrays.
VIEWS = frozenset(
    {operator.getitem, np.reshape, np.expand_dims, np.transpose, np.swapaxes}
)

# The formula of this pass: who writes which function.
ARRAY_WRITERS: dict[Any, Callable[[Any, Node, Value], None]] = {
    operator.getitem: _item,
    np.reshape: _view,
    np.ravel: _view,
    np.squeeze: _view,
    np.expand_dims: _expanded,
    np.transpose: _transposed,
    np.swapaxes: _transposed,
    np.zeros: _made,
    np.ones: _made,
    np.full: _made,
    np.array: _array,
    scatter: _scattered,
    **dict.fromkeys(UPDATES, _updated),
    np.matmul: _product,
    np.dot: _product,
    np.outer: _outer,
    np.concatenate: _joined,
    np.diag: _as_numba,
    np.tril: _as_numba,
    np.triu: _as_numba,
}
