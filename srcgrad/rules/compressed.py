"""``Pattern``: where the elements of a sparse matrix stand, row by row or by columns.

>>> pattern = Pattern(np.array([0, 1, 1]), np.array([0, 2, 3]), (2, 2), "csr")
>>> pattern.places
(array([0, 0, 1]), array([0, 1, 1]))
>>> pattern.transposed.format
'csc'
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

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
        counts = np.diff(self.ends)
        major = np.repeat(np.arange(len(counts)), counts)
        return (major, self.indices)[:: 1 if self.format == "csr" else -1]


def transposed(shape: tuple[int, int], format: str) -> tuple[tuple[int, int], str]:
    """The form of the transposed matrix."""
    return shape[::-1], TRANSPOSED[format]
