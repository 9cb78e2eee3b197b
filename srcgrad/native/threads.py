"""Loops over many elements, whose first axis several threads go along.

Each of them has the flags of its own processor; what one of these says, the kernel has
to say.
"""

from typing import Any

import gast

from srcgrad.emit.syntax import (
    ADD,
    MULT,
    assignment,
    attribute,
    call,
    constant,
    loop,
    name,
    target,
)
from srcgrad.native.elements import BOOL
from srcgrad.native.statements import empty, fails, stored


class Threads:
    """The loop along one axis of so many indices, in a chunk for each thread."""

    def __init__(self, kernel: Any, count: int) -> None:
        self._kernel, self._count = kernel, count
        self._chunks = min(count, kernel.threads)
        fresh = kernel.scope.names.fresh
        names = "first", "last", "chunk", "said"
        self._first, self._last, self._chunk, self._said = map(fresh, names)
        self._own: list[gast.stmt] = []

    def over(self) -> list[gast.expr]:
        """The bounds of a chunk."""
        return [name(self._first), name(self._last)]

    def of_first(self, factor: int) -> gast.expr:
        """So many for each index before a chunk."""
        first = name(self._first)
        return first if factor == 1 else gast.BinOp(first, MULT, constant(factor))

    def own(self, id: str, length: int) -> None:
        """Have an array of its own in each chunk."""
        made = empty(self._kernel.scope, length)
        self._own.append(assignment(target(id), made))

    def shared(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """The statements of a chunk, for all of them."""
        begins = [self._bound(name(self._chunk))]
        begins.append(self._bound(gast.BinOp(name(self._chunk), ADD, constant(1))))
        first, last = map(target, (self._first, self._last))
        body = [
            gast.Expr(self._called("quiet")),
            assignment(first, begins[0]),
            assignment(last, begins[1]),
            *self._own,
            *statements,
            self._hear(name(self._chunk)),
        ]
        over = self._called("prange", constant(self._chunks))
        # A sum would be one variable for several threads.
        made = empty(self._kernel.scope, self._chunks + 1, BOOL)
        heard = call(attribute(name(self._said), "any"), [])
        return [
            assignment(target(self._said), made),
            self._hear(constant(self._chunks)),
            loop(target(self._chunk), over, body),
            fails(heard, "NumPy would warn", "FloatingPointError"),
        ]

    def _hear(self, place: gast.expr) -> gast.stmt:
        return stored(name(self._said), [place], self._called("heard"))

    def _bound(self, chunk: gast.expr) -> gast.expr:
        whole = gast.BinOp(chunk, MULT, constant(self._count))
        return gast.BinOp(whole, gast.FloorDiv(), constant(self._chunks))

    def _called(self, id: str, *args: gast.expr) -> gast.expr:
        return call(name(self._kernel.prelude(id)), [*args])
