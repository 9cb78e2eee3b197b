"""Elements by arrays of integers, and what is added at such: loops that check places.

``x[i]``, ``x[i, j]`` and ``x[i, 2]``: arrays stand first, and other axes are whole.
"""

import math
from typing import Any, NamedTuple

import gast
import numpy as np

from srcgrad.emit.literals import written
from srcgrad.emit.syntax import ADD, assignment, constant, name, target
from srcgrad.native.elements import FLOAT, INT, UnsupportedError
from srcgrad.native.numbers import converted
from srcgrad.native.statements import (
    counted,
    element,
    empty,
    fails,
    out_of_bounds,
    place,
    stored,
)
from srcgrad.steps import Node, Value
from srcgrad.updates import add_at, scatter


class Places(NamedTuple):
    """Loops over places: their statements before the last, and what each is."""

    numbers: list[str]
    shape: tuple[int, ...]
    checks: list[gast.stmt]
    at: list[gast.expr]

    def around(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """The loops, with statements inside."""
        statements = [*self.checks, *statements]
        for id, length in reversed([*zip(self.numbers, self.shape, strict=True)]):
            statements = [counted(id, length, statements)]
        return statements


def is_taking(index: Any) -> bool:
    """Whether an index has arrays of integers, and nothing but integers beside."""
    parts = index if type(index) is tuple else (index,)
    return any(map(_is_array, parts)) and all(
        _is_array(part) or type(part) is int or _is_number(part) for part in parts
    )


def _is_array(part: Any) -> bool:
    is_there = isinstance(part, (Value, np.ndarray)) and bool(part.shape)
    return is_there and part.dtype.kind in "iu"


def _is_number(part: Any) -> bool:
    return type(part) is Value and not part.shape and part.dtype == INT


def places(body: Any, index: Any, shape: tuple[int, ...]) -> Places:
    """The loops over an index into an array of a shape."""
    parts = index if type(index) is tuple else (index,)
    wide = np.broadcast_shapes(*(p.shape for p in parts if _is_array(p)))
    names = body.scope.names
    numbers = [names.fresh(each) for each in "nmlk"[: len(wide)]]
    if len(numbers) < len(wide) or not math.prod(wide):
        raise UnsupportedError("such an index is left to NumPy")
    checks: list[gast.stmt] = []
    found: list[gast.expr] = []
    for part, length in zip(parts, shape, strict=False):
        if type(part) is int:
            found.append(constant(part % length))
            continue
        read = _read(body, part, numbers)
        id = names.fresh("at")
        checks.append(assignment(target(id), read))
        checks.append(
            fails(out_of_bounds(name(id), length), "an index is out of bounds")
        )
        found.append(name(id))
    return Places(numbers, wide, checks, found)


def _read(body: Any, part: Any, numbers: list[str]) -> gast.expr:
    """One integer of an index, in an iteration."""
    if _is_number(part):
        return written(body.scope, part)
    if isinstance(part, np.ndarray):
        expr = body.kernel.constant(part.astype(np.int64))
    elif part.dtype == INT:
        expr = body.array(part)
    else:
        raise UnsupportedError(f"an index of {part.dtype} is left to NumPy")
    own = numbers[len(numbers) - len(part.shape) :]
    pairs = zip(own, part.shape, strict=True)
    return element(expr, [0 if length == 1 else name(id) for id, length in pairs])


def write_taken(body: Any, node: Node, out: Value) -> None:
    """``out = x[i, j]``"""
    x, index = node.args
    if x.dtype != FLOAT:
        raise UnsupportedError(f"elements of {x.dtype} are left to NumPy")
    array = body.array(x)
    found = places(body, index, x.shape)
    body.define(node, empty(body.scope, out.shape), is_contiguous=True)
    own, read = [*map(name, found.numbers)], element(array, found.at)
    body.emit(node.where, *found.around([stored(body.scope.known[out], own, read)]))


def put_at(body: Any, node: Node, array: Value, index: Any, g: Any) -> None:
    """``array[i, j] += g``, or ``=``, for one that is written into."""
    found = places(body, index, array.shape)
    rest = array.shape[len(found.at) :]
    read = _given(body, g, found, rest)
    where = place(body.scope.known[array], found.at)
    is_added = node.function in (add_at, scatter)
    put = gast.AugAssign(where, ADD, read) if is_added else assignment(where, read)
    body.emit(node.where, *found.around([put]))


def _given(body: Any, g: Any, found: Places, rest: tuple[int, ...]) -> gast.expr:
    """What is put at one place."""
    shape = getattr(g, "shape", ())
    if not shape:
        return converted(body.scope, g, FLOAT)
    if type(g) is not Value or shape != (*found.shape, *rest):
        raise UnsupportedError("what is put there is broadcast: left to NumPy")
    return element(body.array(g), [*map(name, found.numbers)])
