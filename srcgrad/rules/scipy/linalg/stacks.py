"""``scipy.linalg`` of stacks: functions whose rules are of one matrix, one by one.

>>> import srcgrad
>>> of_last = lambda d: np.sum(linalg.eigvalsh_tridiagonal(d, [0.0])[:, 1])
>>> srcgrad.grad(of_last)(np.array([[1.0, 2.0], [4.0, 3.0]]))
array([[0., 1.],
       [1., 0.]])
"""

import functools
import inspect
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.facts import Operation
from srcgrad.rules.compositions import COMPOSITIONS, as_array, defined_as
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

# How many axes one array of an argument has; of a tuple's arrays, or of a vector or
# matrix of columns.
MATRIX, VECTOR, COLUMNS = 2, 1, "1|2"
Reference = tuple[str, int | None]  # an argument; which of its tuple


def arrays_of(arguments: dict[str, Any], cores: dict[str, Any]) -> dict[Reference, Any]:
    """The arrays among the arguments, with the number of their own axes."""
    found: dict[Reference, Any] = {}
    for name, core in cores.items():
        given: Any = arguments.get(name)
        if isinstance(core, tuple):
            for i, (each, axes) in enumerate(zip(given, core, strict=True)):
                found[name, i] = as_array(each), axes
        elif given is not None:
            found[name, None] = as_array(given), core
    return {
        place: (x, min(max(np.ndim(x), 1), 2) if core == COLUMNS else core)
        for place, (x, core) in found.items()
    }


def each_of(
    given: inspect.BoundArguments, arrays: dict[Reference, Any], shape: tuple[int, ...]
) -> Iterator[inspect.BoundArguments]:
    """The arguments for each place of the stack."""
    whole = {
        place: np.broadcast_to(x, shape + np.shape(x)[np.ndim(x) - core :])
        for place, (x, core) in arrays.items()
    }
    for index in np.ndindex(shape):
        own = dict(given.arguments)
        for (name, i), x in whole.items():
            if i is None:
                own[name] = x[index]
            else:
                own[name] = (*own[name][:i], x[index], *own[name][i + 1 :])
        yield inspect.BoundArguments(given.signature, OrderedDict(own))


def stacked(results: list[Any], shape: tuple[int, ...]) -> Any:
    """Results of one place each as one, a list where SciPy gives a list."""
    if isinstance(results[0], tuple):
        return [as_one(each, shape) for each in zip(*results, strict=True)]
    return as_one(results, shape)


def as_one(parts: Any, shape: tuple[int, ...]) -> Any:
    parts = [np.stack(part) if isinstance(part, tuple) else part for part in parts]
    return np.reshape(np.stack(parts), shape + np.shape(parts[0]))


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
        given = signature.bind(*args, **kwargs)
        arrays = arrays_of(given.arguments, cores)
        stacks = [np.shape(x)[: max(np.ndim(x) - n, 0)] for x, n in arrays.values()]
        if not any(stacks) or not is_apart(given.arguments):
            return NotImplemented if own is None else own(*args, **kwargs)
        shape = np.broadcast_shapes(*stacks)
        if not math.prod(shape):
            name = getattr(function, "__name__", function)
            raise ValueError(f"`{name}` does not support zero-size batches.")
        calls = each_of(given, arrays, shape)
        results = [again(*each.args, **each.kwargs) for each in calls]
        return stacked(results, shape)

    return composed


CORES: dict[str, dict[str, Any]] = {
    "ldl expm_cond orth null_space matrix_balance": {"A": MATRIX},
    "orthogonal_procrustes subspace_angles": {"A": MATRIX, "B": MATRIX},
    "eig_banded eigvals_banded": {"a_band": MATRIX},
    "cholesky_banded": {"ab": MATRIX},
    "solve_banded solveh_banded": {"ab": MATRIX, "b": COLUMNS},
    "cho_solve_banded": {"cb_and_lower": (MATRIX, 0), "b": COLUMNS},
    "cho_solve": {"c_and_lower": (MATRIX, 0), "b": COLUMNS},
    "lu_solve": {"lu_and_piv": (MATRIX, VECTOR), "b": COLUMNS},
    "lstsq": {"a": MATRIX, "b": COLUMNS},
    "polar": {"a": MATRIX},
    "expm_frechet": {"A": MATRIX, "E": MATRIX},
    "qr_multiply": {"a": MATRIX, "c": COLUMNS},
    "diagsvd": {"s": VECTOR},
    "eigh_tridiagonal eigvalsh_tridiagonal": {"d": VECTOR, "e": VECTOR},
    "rsf2csf": {"T": MATRIX, "Z": MATRIX},
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
