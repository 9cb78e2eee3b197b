"""``scipy.linalg`` of stacks: functions whose rules are of one matrix, one by one.

>>> import srcgrad
>>> of_last = lambda d: np.sum(linalg.eigvalsh_tridiagonal(d, [0.0])[:, 1])
>>> srcgrad.grad(of_last)(np.array([[1.0, 2.0], [4.0, 3.0]]))
array([[0., 1.],
       [1., 0.]])
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy._lib import _util

from srcgrad.facts import Operation
from srcgrad.rules.compositions import COMPOSITIONS, defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.linalg import (  # noqa: F401 (they define what is wrapped)
    bands,
    factorizations,
    linear_equations,
    matrix_functions,
    other_factors,
    qr_updates,
    schur,
    special_matrices,
)
from srcgrad.rules.scipy.scipy_sources import copied

# How many axes one array of an argument has; of a tuple's arrays, or of a vector or
# matrix of columns.
MATRIX, VECTOR, COLUMNS = 2, 1, "1|2"

# SciPy's own loop over a stack.
over_batch = copied(_util._apply_over_batch)


def in_turn(function: Operation, given: dict[str, Any], cores: dict[str, Any]) -> Any:
    """What it gives for each place of a stack, as one; None if there is no stack."""
    flat: list[Any] = []
    sizes: list[Any] = []
    for name, core in cores.items():
        is_tuple = isinstance(core, tuple)
        flat += given[name] if is_tuple else [given.get(name)]
        sizes += core if is_tuple else [core]
    most = [2 if size == COLUMNS else size for size in sizes]
    if all(np.ndim(x) <= size for x, size in zip(flat, most, strict=True)):
        return None

    def call(*arrays: Any) -> Any:
        left = iter(arrays)
        own = {
            name: tuple(next(left) for _ in core)
            if isinstance(core, tuple)
            else next(left)
            for name, core in cores.items()
        }
        return function(**{**given, **own})

    call.__name__ = getattr(function, "__name__", "")
    names = map(str, range(len(flat)))
    return over_batch(*zip(names, sizes, strict=True))(call)(*flat)


def has_own_counts(arguments: dict[str, Any]) -> bool:
    """Whether each matrix has as many eigenvalues between bounds as it has."""
    return arguments.get("subset_by_value") is not None


def one_by_one(
    function: Operation,
    own: Operation | None,
    cores: Any,
    is_apart: Callable[[dict[str, Any]], bool] = lambda arguments: True,
) -> Operation:
    """``own``, which is of one matrix (without it the function's rule), of stacks."""
    signature = inspect.signature(function)
    again = reaching(function)

    @functools.wraps(function)
    def composed(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        found = in_turn(again, given, cores) if is_apart(given) else None
        if isinstance(found, list) and not hasattr(function, "__wrapped__"):
            return tuple(found)  # SciPy does not loop over a stack itself
        if found is not None:
            return found
        return NotImplemented if own is None else own(*args, **kwargs)

    return composed


CORES: dict[str, dict[str, Any]] = {
    "ldl null_space matrix_balance": {"A": MATRIX},
    "eig_banded eigvals_banded": {"a_band": MATRIX},
    "cholesky_banded": {"ab": MATRIX},
    "solve_banded solveh_banded": {"ab": MATRIX, "b": COLUMNS},
    "cho_solve_banded": {"cb_and_lower": (MATRIX, 0), "b": COLUMNS},
    "cho_solve": {"c_and_lower": (MATRIX, 0), "b": COLUMNS},
    "lu_solve": {"lu_and_piv": (MATRIX, VECTOR), "b": COLUMNS},
    "lstsq": {"a": MATRIX, "b": COLUMNS},
    "expm_frechet": {"A": MATRIX, "E": MATRIX},
    "qr_multiply": {"a": MATRIX, "c": COLUMNS},
    "eigh_tridiagonal eigvalsh_tridiagonal": {"d": VECTOR, "e": VECTOR},
    "qr_insert": {"Q": MATRIX, "R": MATRIX, "u": COLUMNS},
    "qr_delete": {"Q": MATRIX, "R": MATRIX},
    "qr_update": {"Q": MATRIX, "R": MATRIX, "u": COLUMNS, "v": COLUMNS},
}

for _functions, _cores in CORES.items():
    for _function in (getattr(linalg, name) for name in _functions.split()):
        _own = COMPOSITIONS.get(_function)
        defined_as(_function, one_by_one(_function, _own, _cores))

for _function in (linalg.eigh, linalg.eigvalsh):
    _pair = {"a": MATRIX, "b": MATRIX}
    defined_as(_function, one_by_one(_function, None, _pair, has_own_counts))
