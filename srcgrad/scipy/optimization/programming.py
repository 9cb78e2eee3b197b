"""``scipy.optimize``: linear programs; what they cost and where they end.

A vertex is where the active constraints meet: the solution of a linear system. By the
costs it does not move, until it jumps.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> b = srcgrad.Variable(np.array([4.0, 3.0]), requires_grad=True)
>>> optimize.linprog([-1.0, -2.0], A_ub=[[1.0, 1.0], [0.0, 1.0]], b_ub=b).fun.backward()
>>> b.grad.data
array([-1., -1.])
"""

import functools
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse

# How near to its limit a constraint is active.
NEAR = 1e-9


def linprog(
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    *args: Any,
    integrality: Any = None,
    **kwargs: Any,
) -> Any:
    """``scipy.optimize.linprog``"""
    system = A_ub, b_ub, A_eq, b_eq
    found = optimize.linprog(
        *map(raw_of, (c, *system)),
        *(raw_of_pairs(bounds), *args),
        integrality=integrality,
        **kwargs,
    )
    if first_variable((c, *system, bounds)) is None or found.x is None:
        return found
    if first_variable((*system, bounds)) is not None:
        rows = active_rows(found.x, system, bounds)
        if integrality is not None:
            rows += fixed_rows(found.x, np.broadcast_to(integrality, found.x.shape))
        found.x = vertex(rows, found.x)
    found.fun = np.sum(c * found.x)
    return found


def raw_of_pairs(bounds: Any) -> Any:
    """Bounds as SciPy takes them."""
    if isinstance(bounds, (list, tuple)):
        return [raw_of_pairs(each) for each in bounds]
    return raw_of(bounds)


def active_rows(x: Any, system: Any, bounds: Any) -> list[Any]:
    """The equations that hold at ``x``: pairs of a row and of what it is equal to."""
    rows = []
    for matrix, right, is_equality in (
        (*system[:2], False),
        (*system[2:], True),
    ):
        if matrix is None:
            continue
        left = raw_of(right) - raw_of(matrix) @ x
        scale = NEAR * (1.0 + np.max(np.abs(raw_of(right))))
        rows += [
            (
                matrix[i]
                if first_variable(matrix) is not None
                else np.array(matrix[i]),
                right[i],
            )
            for i in range(len(left))
            if is_equality or left[i] <= scale
        ]
    unit = np.eye(len(x))
    for i, pair in enumerate(pairs_of(bounds, len(x))):
        rows += [
            (unit[i], end)
            for end in pair
            if end is not None and abs(raw_of(end) - x[i]) <= NEAR * (1.0 + abs(x[i]))
        ]
    return rows


def pairs_of(bounds: Any, n: int) -> list[Any]:
    if bounds is None:
        return [(0, None)] * n
    is_one = not isinstance(bounds[0], (list, tuple)) and np.ndim(bounds[0]) == 0
    return [bounds] * n if is_one and len(bounds) == 2 else list(bounds)


def fixed_rows(x: Any, integrality: Any) -> list[Any]:
    """Whole numbers stay what they are."""
    unit = np.eye(len(x))
    return [(unit[i], np.round(x[i])) for i in np.nonzero(integrality)[0]]


def vertex(rows: list[Any], x: Any) -> Any:
    """Where the equations meet."""
    if len(rows) != len(x):
        refuse(
            "optimize.linprog",
            f"where {len(rows)} constraints are active for {len(x)} variables: "
            "the vertex is degenerate, or not the only solution",
        )
    matrix = np.stack([row for row, _ in rows])
    if np.linalg.matrix_rank(raw_of(matrix)) < len(x):
        refuse("optimize.linprog", "where the active constraints depend on each other")
    right = np.stack(
        [
            np.asarray(end, float) if first_variable(end) is None else end
            for _, end in rows
        ]
    )
    return np.linalg.solve(matrix, right)


def milp(c: Any, **kwargs: Any) -> Any:
    """``scipy.optimize.milp``, by the costs: where it ends does not move with them."""
    found = optimize.milp(raw_of(c), **kwargs)
    if first_variable(c) is not None and found.x is not None:
        found.fun = np.sum(c * found.x)
    return found


def quadratic_assignment(A: Any, B: Any, *args: Any, **kwargs: Any) -> Any:
    """``scipy.optimize.quadratic_assignment``: who goes where is a step."""
    found = optimize.quadratic_assignment(raw_of(A), raw_of(B), *args, **kwargs)
    if first_variable((A, B)) is not None:
        order = found.col_ind
        found.fun = np.sum(A * B[order][:, order])
    return found


for _own in (linprog, milp, quadratic_assignment):
    _original = getattr(optimize, _own.__name__)
    REPLACEMENTS[_original] = functools.wraps(_original)(_own)
