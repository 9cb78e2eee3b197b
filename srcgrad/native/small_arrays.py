"""Small arrays as numbers: each element is a variable, and no array is made.

Of such an array there is an array of expressions; NumPy itself moves these about.
"""

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcgrad.emit.literals import written
from srcgrad.emit.syntax import (
    ADD,
    MULT,
    assignment,
    call,
    constant,
    name,
    operation,
    target,
)
from srcgrad.native.elements import (
    BOOL,
    FLOAT,
    UnsupportedError,
    is_elementwise,
    reduction_of,
)
from srcgrad.native.numbers import as_kind, by_ufunc, converted, is_said, number
from srcgrad.native.statements import element
from srcgrad.steps import Node, Step, Value, map_values, values_in
from srcgrad.updates import add_at, assign, scatter
from srcgrad.views import is_basic

# With more elements it is an array; a person would write loops from there on, too.
MOST_VARIABLES, LONGEST_ROW = 16, 8
# A product of so few multiplications.
MOST_PRODUCTS = 64

# The formula of this pass: what only moves elements about, as NumPy does with
# expressions; what makes them; what multiplies them.
MOVES: frozenset[Any] = frozenset(
    {
        *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.transpose, np.swapaxes),
        *(np.broadcast_to, np.concatenate, np.stack, np.diag, np.tril, np.triu),
        *(np.flip, np.diagonal, np.moveaxis, np.atleast_1d, np.array, np.vstack),
        *(np.hstack,),
    }
)
MADE: frozenset[Any] = frozenset({np.zeros, np.ones, np.full, np.eye})
PRODUCTS: frozenset[Any] = frozenset({np.matmul, np.dot, np.outer})
ALL_UPDATES = frozenset({assign, add_at, scatter})


def is_small(value: Value) -> bool:
    """Whether a value is an array of few elements."""
    return (
        len(value.shape) > 0
        and value.kind == "array"
        and 0 < math.prod(value.shape) <= MOST_VARIABLES
        and max(value.shape) <= LONGEST_ROW
        and value.dtype in (FLOAT, BOOL)
    )


def is_apart(step: Step) -> bool:
    """Whether a step can be done with the elements of small arrays as numbers."""
    if type(step) is not Node or step.bodies or type(step.out) is not Value:
        return False
    arrays = [value for value in step.inputs if value.shape or value.kind == "list"]
    if step.out.shape and not is_small(step.out):
        return False
    if not step.out.shape and not arrays:
        return False
    if step.function is operator.getitem:
        x, index = step.args
        return type(x) is Value and is_small(x) and _is_fixed(index)
    if not all(map(is_small, arrays)):
        return False
    if any(value.dtype == BOOL for value in (step.out, *arrays)):
        return is_elementwise(step) or reduction_of(step) is not None
    if step.function in ALL_UPDATES:
        return _is_fixed(step.args[1])
    if step.function in PRODUCTS:
        return (
            len(arrays) == 2
            and not step.kwargs
            and max(len(each.shape) for each in arrays) <= 2
            and _multiplications(step) <= MOST_PRODUCTS
        )
    if step.function is np.cross:
        named = {*step.args[2:], *step.kwargs.values()}
        shapes = [each.shape for each in step.args[:2] if type(each) is Value]
        of_one = shapes == [(3,), (3,)]  # axis: there is no other
        are_rows = len(shapes) == 2 and all(shape[-1:] == (3,) for shape in shapes)
        return are_rows and named <= ({-1, 0, None} if of_one else {-1, None})
    if step.function is np.linalg.norm:
        return len(step.args) == 1 and not step.kwargs
    if is_elementwise(step) or reduction_of(step) is not None:
        return not any(isinstance(a, np.ndarray) and a.ndim for a in step.args)
    return step.function in MOVES or (step.function in MADE and not step.kwargs)


def _is_fixed(index: Any) -> bool:
    return is_basic(index) and not values_in(index)


def _multiplications(step: Node) -> int:
    first, second = (value.shape for value in step.inputs[:2])
    if step.function is np.outer:
        return math.prod(first) * math.prod(second)
    return math.prod(first) * (second[-1] if len(second) > 1 else 1)


def write_apart(body: Any, step: Node) -> None:
    """Compute the elements of what a step gives."""
    (out,) = step.results
    if step.function in ALL_UPDATES:
        found = _updated(body, step)
    elif step.function in PRODUCTS:
        found = _product(body, step)
    elif step.function in MADE:
        found = _made(body, step)
    elif (reduction := reduction_of(step)) is not None:
        found = _reduced(body, step, *reduction)
    elif is_elementwise(step):
        found = _elementwise(body, step)
    elif step.function is np.cross:
        found = _cross(*map(body.elements, step.args[:2]))
    elif step.function is np.linalg.norm:
        found = _norm(body, body.elements(step.args[0]).reshape(-1))
    else:
        found = _moved(body, step)
    body.give_elements(step, out, np.reshape(found, out.shape))


def _made(body: Any, step: Node) -> Any:
    """The elements of an array of constants, or of one number."""
    if step.function is np.eye:
        made = np.eye(*step.args)
        return np.vectorize(_as_expression, otypes=[object])(made)
    fill = step.args[1] if step.function is np.full else float(step.function is np.ones)
    if type(fill) is Value and fill.shape:
        raise UnsupportedError("a row to fill with is left to NumPy")
    number = converted(body.scope, fill, FLOAT)
    return np.full(step.results[0].shape, number, object)


def _each(shape: tuple[int, ...]) -> Any:
    return itertools.product(*map(range, shape))


def _filled(shape: tuple[int, ...], find: Callable[[Any], gast.expr]) -> Any:
    found = np.empty(shape, object)
    for place in _each(shape):
        found[place] = find(place)
    return found


def _elementwise(body: Any, step: Node) -> Any:
    (out,) = step.results
    body.check_power(step)
    ufunc = by_ufunc(step)
    function, operands = ufunc.function, ufunc.args
    given = {
        value: np.broadcast_to(body.elements(value), out.shape)
        for value in step.inputs
        if value.shape
    }

    def at(place: Any) -> gast.expr:
        numbers: dict[Value, Value] = {}
        for value, elements in given.items():
            numbers[value] = Value((), value.dtype, kind="scalar")
            body.scope.known[numbers[value]] = elements[place]
        args = tuple(map_values(lambda v: numbers.get(v, v), arg) for arg in operands)
        one = Node(function, args, {}, Value((), out.dtype, kind="scalar"))
        return number(body.scope, one, body.kernel)

    if step.function is np.broadcast_to and step.args[0] in given:
        return given[step.args[0]]
    return _filled(out.shape, at)


def _reduced(
    body: Any, step: Node, ufunc: Any, axes: tuple[int, ...], keeps: bool
) -> Any:
    x = body.elements(step.args[0])
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*rest, *axes).reshape(*(x.shape[a] for a in rest), -1)

    def at(place: Any) -> gast.expr:
        first, *others = rows[place]
        if step.args[0].dtype == BOOL:
            first, *others = (as_kind(each, BOOL, FLOAT) for each in rows[place])
        if ufunc is np.add:  # a sum of negative zeros is zero
            first = operation(constant(0.0), ADD, first)
        for other in others:
            if ufunc is np.add:
                first = operation(first, ADD, other)
            else:
                first = call(body.scope.numpy(ufunc.__name__), [first, other])
        return first

    return _filled(rows.shape[:-1], at)


def _product(body: Any, step: Node) -> Any:
    first, second = (body.elements(value) for value in step.args)
    if step.function is np.outer:
        first, second = first.reshape(-1, 1), second.reshape(1, -1)
    columns = second if second.ndim == 2 else second[:, None]
    rows = first if first.ndim == 2 else first[None]

    def at(place: Any) -> gast.expr:
        i, j = place
        terms = [
            operation(a, MULT, b) for a, b in zip(rows[i], columns[:, j], strict=True)
        ]
        found = terms[0] if step.function is np.outer else constant(0.0)
        for term in terms[1:] if step.function is np.outer else terms:
            found = operation(found, ADD, term)
        return found

    return _filled((len(rows), columns.shape[1]), at)


def _cross(a: Any, b: Any) -> Any:
    """``a x b`` of rows of three numbers."""
    a, b = np.broadcast_arrays(a, b)

    def at(place: Any) -> gast.expr:
        *row, k = place
        i, j = (*row, (k + 1) % 3), (*row, (k + 2) % 3)
        left, right = operation(a[i], MULT, b[j]), operation(a[j], MULT, b[i])
        return operation(left, gast.Sub(), right)

    return _filled(a.shape, at)


def _norm(body: Any, elements: Any) -> Any:
    """The root of the sum of squares."""
    total = operation(elements[0], MULT, elements[0])
    for each in elements[1:]:
        total = operation(total, ADD, operation(each, MULT, each))
    return np.array(call(body.scope.numpy("sqrt"), [total]), object)


def _updated(body: Any, step: Node) -> Any:
    (out,) = step.results
    x, index, g = step.args
    if step.function is scatter:
        g, index, _ = step.args
        found = np.full(out.shape, constant(0.0), object)
    else:
        found = np.array(body.elements(x), object)
    is_array = type(g) is Value and g.shape
    new = body.elements(g) if is_array else converted(body.scope, g, FLOAT)
    if step.function is add_at:
        old = found[index]
        new = np.broadcast_to(np.array(new, object), np.shape(old))
        if np.shape(old):
            new = _filled(
                old.shape, lambda place: operation(old[place], ADD, new[place])
            )
        else:
            new = operation(old, ADD, new[()])
    found[index] = new
    return found


def _moved(body: Any, step: Node) -> Any:
    def elements(item: Any) -> Any:
        if type(item) is Value:
            return body.elements(item) if item.shape else written(body.scope, item)
        if type(item) in (list, tuple) and values_in(item):
            return type(item)(map(elements, item))
        return item

    if step.function is operator.getitem:
        return np.array(body.elements(step.args[0])[step.args[1]], object)
    args, kwargs = map(elements, step.args), step.kwargs
    if step.function is np.array:
        (items,) = args
        return _filled(step.results[0].shape, lambda place: _at(body, items, place))
    moved = step.function(*args, **kwargs)
    return np.vectorize(_as_expression, otypes=[object])(moved)


def _at(body: Any, items: Any, place: Any) -> gast.expr:
    for index in place:
        items = items[index]
    return _as_expression(items)


def _as_expression(item: Any) -> gast.expr:
    return item if isinstance(item, gast.AST) else constant(float(item))


# ----- What the body has of them -----


def elements_of(array: gast.expr, shape: tuple[int, ...], *before: gast.expr) -> Any:
    """The elements of an array in memory, as expressions."""

    def at(place: Any) -> gast.expr:
        return element(array, [*before, *place])

    return _filled(shape, at)


def named(body: Any, hint: str, elements: Any) -> Any:
    """Give all elements names that are no names or constants yet."""

    def at(place: Any) -> gast.expr:
        expr = elements[place]
        if isinstance(expr, (gast.Name, gast.Constant)):
            return expr
        id = body.scope.names.fresh("_".join([hint, *map(str, place)]))
        if is_said(expr, body.kernel.said):
            body.kernel.said.add(id)
        body.emit(None, assignment(target(id), expr))
        return name(id)

    return _filled(elements.shape, at)
