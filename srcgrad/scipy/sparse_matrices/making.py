"""``scipy.sparse``: how matrices of Variables are made: of places, of diagonals."""

import functools
import itertools
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.compressed import Pattern
from srcgrad.rules.libraries import LOOKING, RECORDED, REPLACEMENTS
from srcgrad.rules.scipy.sparse_products import ARRAYS, parts
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.sparse_matrices.arrays import SparseArray, is_matrix, placed
from srcgrad.scipy.sparse_matrices.sparsity_patterns import check_not_recorded


def made(original, *args, **kwargs):
    """What SciPy's class makes of the same arguments."""
    found: SparseArray = made_array(original, *args, **kwargs)
    found.is_matrix = issubclass(original, sparse.spmatrix)
    return found


def made_array(original, arg1, shape=None, dtype=None):
    """The same, whether it is an array or a matrix."""
    name = f"sparse.{original.__name__}"
    if dtype is not None:
        refuse(name, "with `dtype`: cast its elements")
    if isinstance(arg1, tuple) and original.__name__.startswith("dia"):
        rows, offsets = arg1
        return numbered(lambda rows: original((rows, offsets), shape=shape), rows)
    if isinstance(arg1, tuple) and original.__name__[:3] in ("dok", "lil"):
        refuse(name, "of a tuple: SciPy takes it for a shape")
    if isinstance(arg1, tuple) and len(arg1) == 2:
        return placed(arg1[0], arg1[1], shape)
    if isinstance(arg1, tuple):
        data, indices, ends = arg1
        if original.__name__.startswith("bsr"):
            return in_blocks(lambda data: original((data, indices, ends), shape), data)
        if original.__name__[:3] not in ARRAYS:
            refuse(name, "of these arguments")
        known = original((raw_of(data), indices, ends), shape=shape)
        arrays = np.array(known.indices), np.array(known.indptr)
        return SparseArray(data, Pattern(*arrays, known.shape, known.format))
    if np.ndim(arg1) != 2:
        refuse(name, "of these arguments")
    check_not_recorded("the pattern")
    places = np.nonzero(raw_of(arg1))
    return placed(arg1[places], places, np.shape(arg1))


def in_blocks(original, data):
    """Blocks of elements: SciPy places their numbers, as it does with diagonals."""
    numbers = np.arange(np.size(raw_of(data))) + 1.0
    which, pattern = parts(original(numbers.reshape(np.shape(data))).tocsr())
    return SparseArray(np.ravel(data)[which.astype(int) - 1], pattern)


def numbered(original, diagonals, *args, **kwargs):
    """Let SciPy place the numbers of the elements, and put the elements there."""
    is_one = not isinstance(diagonals, (list, tuple)) and np.ndim(diagonals) < 2
    rows = [np.ravel(diagonal) for diagonal in ([diagonals] if is_one else diagonals)]
    ends = np.cumsum([0, *map(np.size, rows)])
    numbers = [np.arange(a, b) + 1.0 for a, b in itertools.pairwise(ends)]
    kwargs.pop("dtype", None)
    table = original(numbers[0] if is_one else numbers, *args, **kwargs)
    which, pattern = parts(table.tocsr())
    data = np.concatenate(rows)[which.astype(int) - 1]
    return SparseArray(data, pattern, is_matrix(table))


def diagonals_of(original):
    """``scipy.sparse.diags_array`` or ``diags``."""

    @functools.wraps(original)
    def replaced(diagonals, *args, **kwargs):
        if first_variable(diagonals) is None:
            return original(diagonals, *args, **kwargs)
        return numbered(original, diagonals, *args, **kwargs)

    return replaced


class Made(type(sparse.csr_array)):
    """A class of SciPy's that makes a ``SparseArray`` where there are Variables."""

    original: Any

    def __call__(cls, arg1, *args, **kwargs):
        if isinstance(arg1, SparseArray):
            return arg1
        if first_variable(arg1) is None:
            return cls.original(arg1, *args, **kwargs)
        return made(cls.original, arg1, *args, **kwargs)

    def __instancecheck__(cls, item):
        return isinstance(item, cls.original)


for _format in ("csr", "csc", "coo", "dia", "bsr", "dok", "lil"):
    for _kind in ("array", "matrix"):
        _original = getattr(sparse, f"{_format}_{_kind}")
        _namespace = {"original": _original, "__doc__": _original.__doc__}
        _made = Made(_original.__name__, (_original,), _namespace)
        REPLACEMENTS[_original] = _made
        LOOKING.add(_made)
        RECORDED.add(_original)
RECORDED.update((sparse.eye, sparse.eye_array, sparse.identity))  # of numbers alone
for _original in (sparse.diags_array, sparse.diags):
    REPLACEMENTS[_original] = _replacement = diagonals_of(_original)
    LOOKING.add(_replacement)  # for a SparseArray
    RECORDED.add(_original)
