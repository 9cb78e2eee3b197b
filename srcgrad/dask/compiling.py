"""``Compiling``: the source of a gradient, made here and run elsewhere.

A block of each kind comes here to be traced. A worker that meets a block of another
kind says so, and that comes here, too: no worker traces.
"""

from collections.abc import Callable, Sequence
from typing import Any

import dask
import numpy as np

from srcgrad.dask.blocks import Blocks, Counting
from srcgrad.dask.modules_there import Checked, digests_of
from srcgrad.dask.programs import Program, prepared, sources_of
from srcgrad.errors import add_note, explained, warn
from srcgrad.functional.naming import name_of
from srcgrad.pytree import flatten
from srcgrad.tracing.export.carried import Carried

# So many modules are tried for a block.
MOST_MODULES = 16
# After so many different lengths a trace is for arrays of any.
MOST_LENGTHS = 3


class Compiling:
    """A gradient of blocks, as what travels.

    Parameters
    ----------
    gradient : Transform or Traced
        Takes what is ``given`` with each call, and the arguments of a block.
    function : callable
        What the user calls it.
    blocks : Blocks
        The data.
    counting : Counting
        How their rows are counted.
    check : callable, optional
        ``check(result, rows)`` raises if the gradient of a block is not what it is to
        be.
    """

    def __init__(
        self,
        gradient: Any,
        function: Any,
        blocks: Blocks,
        counting: Counting,
        check: Callable[[Any, int], None] | None = None,
    ) -> None:
        self._gradient = gradient
        self._name = name_of(function)
        self._blocks = blocks
        self._counting = counting
        self._check = check
        self._carried: list[Carried] = []
        # The kinds of what was given, with numbers of rows, that were traced.
        self._known: set[Any] = set()
        # Whether workers get the function, too, as some blocks have no source.
        self._is_with_function = False

    def prepare(self, given: Sequence[Any], numbers: Sequence[int]) -> Any:
        """Trace what is new; what the gradient gives for the last that was traced."""
        if not all(each.is_current() for each in self._carried):
            self._carried.clear()
            self._known.clear()
        found, rows, kind = None, self._blocks.rows, kind_of(given)
        firsts = {rows[number]: number for number in reversed(numbers)}
        if None in firsts:
            pilots = numbers
        else:
            pilots = sorted(k for count, k in firsts.items() if count)[:MOST_LENGTHS]
        for number in pilots:
            key = kind, rows[number]
            if key not in self._known:
                found = self.learn(given, number, "")
            if found is not None:
                self._known.add(key)
            if rows[number] is None and key in self._known:
                break
        return found

    def learn(self, given: Sequence[Any], number: int, why: str) -> Any:
        """Trace one block; what the gradient gives for it, None if it is empty.

        ``why`` it had to be: that is told if there is no reason to be found here.
        """
        block = dask.compute(*self._blocks.delayed[number])
        args = prepared((*given, *block))
        try:
            rows = self._counting.rows_of(block)
            if not rows:
                return None
            found = self._gradient(*args)
            if self._check is not None:
                self._check(found, rows)
            if self._is_with_function and why:
                raise explained(
                    RuntimeError(f"a worker fails where this process does not: {why}"),
                    "rules, modules and files that are made here are not there: "
                    "client.run makes them on each worker",
                    kind="on-each-worker",
                )
            self._carry(args, why)
        except Exception as error:
            add_note(error, f"in block {number} of {len(self._blocks.delayed)}")
            raise
        return found

    def _carry(self, args: Sequence[Any], why: str) -> None:
        """Make the module for a call, or have workers run the function itself."""
        try:
            carried = Carried(self._gradient, args)
        except RuntimeError as error:
            self._carry_function(str(error))
            return
        if any(carried.trace is each.trace for each in self._carried):
            if why:
                self._carry_function(why)
        elif len(self._carried) < MOST_MODULES:
            self._carried.append(carried)
        else:
            self._carry_function(f"it goes more than {MOST_MODULES} ways")

    def _carry_function(self, why: str) -> None:
        if not self._is_with_function:
            self._is_with_function = True
            warn(
                f"each worker runs {self._name} itself: {why}; modules are as they "
                "are there and then, so what is changed in them here may not be seen",
                kind="on-each-worker",
            )

    def program(self) -> bytes:
        """What travels, as bytes."""
        modules = tuple(each.exported for each in list(self._carried))
        if not self._is_with_function:
            return Program(modules).pickled()
        function = Checked(self._gradient, digests_of(self._gradient))
        return Program(modules, function, sources_of(self._gradient)).pickled()


def kind_of(given: Any) -> Any:
    """What traces are for: the structure, and the shape and dtype of each leaf.

    >>> kind_of(np.ones(2)) == kind_of(np.zeros(2)) != kind_of(np.zeros(3))
    True
    """
    leaves, structure = flatten(given)
    return structure, tuple(
        (type(leaf), np.shape(leaf), getattr(leaf, "dtype", None)) for leaf in leaves
    )
