"""``Compression``: which rows, or columns, of a sparse Jacobian go together."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.tape.function import has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.transforms.sparsity import Pattern, colours_of, crowding, full


@dataclass(frozen=True)
class Compression:
    """Rows of one colour share no column; so their sum tells each of them.

    ``pattern`` has the entries that may be other than zero. ``colours`` are those of
    its rows, or, ``is_forward``, of its columns; ``count`` is their number.
    """

    pattern: Pattern
    colours: Any
    is_forward: bool
    count: int

    @classmethod
    def of(cls, x: Variable, value: Any) -> "Compression":
        """That for a value, as it has been computed from a Variable.

        In a recording the pattern is read off that; else all entries are taken.

        Raises
        ------
        DenseError
            If there are too many.
        """
        height, width = (math.prod(np.shape(raw_of(each))) for each in (value, x))
        recorder = state.recorder
        if not isinstance(value, Variable) or not has_edge(value):
            pattern = Pattern.of([], [], height, width)
        elif isinstance(recorder, Recorder):
            pattern = recorder.sparsity(x, value)
        else:
            pattern = full(height, width)
        columns = pattern.transposed()
        is_forward = crowding(pattern) < crowding(columns)
        both = (columns, pattern) if is_forward else (pattern, columns)
        colours = colours_of(*both)
        count = int(np.max(colours, initial=-1)) + 1 if len(pattern.columns) else 0
        return cls(pattern, colours, is_forward, count)

    def seeds(self, like: Any) -> Any:
        """For each colour the sum of the unit vectors of its rows, or columns.

        ``like`` has the shape and dtype of one.
        """
        seeds = np.zeros((self.count, len(self.colours)), like.dtype)
        if self.count:
            seeds[self.colours, np.arange(len(self.colours))] = 1
        return seeds.reshape(self.count, *like.shape)

    def entries(self, sums: Any) -> Any:
        """The entries, of the sum of the rows, or columns, of each colour."""
        return np.take(sums, self.places)

    @functools.cached_property
    def places(self) -> Any:
        """Where each entry is in all the sums."""
        rows, columns = self.pattern.rows, self.pattern.columns
        own, others = (columns, rows) if self.is_forward else (rows, columns)
        width = self.pattern.height if self.is_forward else self.pattern.width
        return self.colours[own] * width + others
