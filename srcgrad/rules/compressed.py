"""``Pattern``: where the elements of a sparse matrix stand, row by row or by columns.

>>> pattern = Pattern(np.array([0, 1, 1]), np.array([0, 2, 3]), (2, 2), "csr")
>>> pattern.places
(array([0, 0, 1]), array([0, 1, 1]))
>>> pattern.transposed.format
'csc'
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, dispatched


class Compressed:
    """What stands for a sparse matrix: it has ``data`` and a ``pattern``.

    ``followed`` are the members that may be read while a function is recorded.
    """

    holds_variables = True
    is_matrix: bool | None = False
    followed = frozenset("T dot dtype ndim shape tocsc tocsr transpose".split())


@dispatched
def majors(indices, ends):
    """The row of each element, or its column, in a matrix stored by columns."""
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


def picked(x: Any, places: Any) -> Any:
    """``x[places]``, where ``x`` may be an ndarray and only the places be recorded."""
    if isinstance(places, ArrayProtocol) and not isinstance(x, ArrayProtocol):
        return places._call(operator.getitem, (x, places), {})
    return x[places]


TRANSPOSED = {"csr": "csc", "csc": "csr"}


@dataclass(frozen=True, eq=False)
class Pattern:
    """SciPy's ``indices`` and ``indptr`` (the ``ends``) of a matrix, and its form."""

    indices: Any
    ends: Any
    shape: tuple[int, int]
    format: str

    @property
    def form(self) -> tuple[tuple[int, int], str]:
        """Its shape and format."""
        return self.shape, self.format

    @property
    def transposed(self) -> "Pattern":
        """That of the transposed matrix, which has the same elements."""
        return Pattern(self.indices, self.ends, *transposed(*self.form))

    @property
    def places(self) -> Any:
        """The row and the column of each element."""
        major = majors(self.indices, self.ends)
        return (major, self.indices)[:: 1 if self.format == "csr" else -1]


def transposed(shape: tuple[int, int], format: str) -> tuple[tuple[int, int], str]:
    """The form of the transposed matrix."""
    return shape[::-1], TRANSPOSED[format]
