"""``scipy.optimize``: linear programs; what they cost and where they end.

A vertex is where the active constraints meet: the solution of a linear system. By the
costs it does not move, until it jumps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.protocols import raw_of
from srcgrad.scipy.algorithm_results import close, with_slope_of
from srcgrad.scipy.parameters import Parameters, refuse
from srcgrad.scipy.replacing import is_plain, replaces

# How near to its limit a constraint is active.
NEAR = 1e-9


@dataclass(frozen=True)
class Row:
    """An equation ``left @ x == right``, and which of the constraints it is."""

    left: Any
    right: Any
    name: str = ""
    number: int = -1


@replaces(optimize.linprog)
def linprog(found, c, A_ub, b_ub, A_eq, b_eq, bounds, integrality):
    if found.x is None:
        return found
    system = A_ub, b_ub, A_eq, b_eq
    rows = active_rows(found.x, system, bounds)
    if integrality is not None:
        rows += fixed_rows(found.x, np.broadcast_to(integrality, found.x.shape))
    if not is_plain(system, bounds):
        found.x = vertex(rows, found.x)
    found.fun = np.sum(c * found.x)
    with_distances(found, system, bounds)
    if integrality is None and is_vertex(rows, len(found.x)):
        with_prices(found, c, rows)
    variables = Parameters((c, system, bounds)).variables
    return close(found, "what scipy.optimize.linprog gives", variables)


def with_distances(found, system, bounds):
    """How far each constraint is from being active."""
    A_ub, b_ub, A_eq, b_eq = system
    x, n = found.x, len(found.x)
    ends = pairs_of(bounds, n)
    for name, older, matrix, right in (
        ("ineqlin", "slack", A_ub, b_ub),
        ("eqlin", "con", A_eq, b_eq),
    ):
        if matrix is not None:
            put(found[name], "residual", right - matrix @ x)
            put(found, older, found[name]["residual"])
    for name, number, sign in (("lower", 0, 1.0), ("upper", 1, -1.0)):
        places = [i for i in range(n) if is_finite(ends[i][number])]
        if places:
            own = [sign * (x[i] - ends[i][number]) for i in places]
            spread = np.eye(n)[:, places]
            put(found[name], "residual", spread @ joined(own))


def with_prices(found, c, rows):
    """What each constraint costs: the multipliers, where the active ones meet."""
    matrix = np.stack([row.left for row in rows])
    prices = np.linalg.solve(matrix.T, joined(list(c)))
    for name in ("ineqlin", "eqlin", "lower", "upper"):
        places = np.arange(len(found[name]["marginals"]))
        spread = [1.0 * (places == row.number) * (row.name == name) for row in rows]
        put(found[name], "marginals", np.stack(spread, axis=-1) @ prices)


def put(members, name, own):
    """Give SciPy's numbers, if it gives them, the derivative of these."""
    if name in members:
        members[name] = with_slope_of(members[name], own)


def joined(numbers):
    """A vector of numbers, of which some are Variables."""
    if is_plain(numbers):
        return np.array(numbers, float)
    return np.stack([1.0 * number for number in numbers])


def is_finite(end):
    return end is not None and bool(np.isfinite(raw_of(end)))


def active_rows(x, system, bounds):
    """The equations that hold at ``x``."""
    rows = []
    for name, matrix, right, is_equality in (
        ("ineqlin", *system[:2], False),
        ("eqlin", *system[2:], True),
    ):
        if matrix is None:
            continue
        left = raw_of(right) - raw_of(matrix) @ x
        scale = NEAR * (1.0 + np.max(np.abs(raw_of(right))))
        rows += [
            Row(
                np.array(matrix[i]) if is_plain(matrix) else matrix[i],
                *(right[i], name, i),
            )
            for i in range(len(left))
            if is_equality or left[i] <= scale
        ]
    unit = np.eye(len(x))
    for i, pair in enumerate(pairs_of(bounds, len(x))):
        rows += [
            Row(unit[i], end, name, i)
            for name, end in zip(("lower", "upper"), pair, strict=True)
            if end is not None and abs(raw_of(end) - x[i]) <= NEAR * (1.0 + abs(x[i]))
        ]
    return rows


def pairs_of(bounds, n):
    if bounds is None:
        return [(0, None)] * n
    is_one = not isinstance(bounds[0], (list, tuple)) and np.ndim(bounds[0]) == 0
    return [bounds] * n if is_one and len(bounds) == 2 else list(bounds)


def fixed_rows(x, integrality):
    """Whole numbers stay what they are."""
    unit = np.eye(len(x))
    return [Row(unit[i], np.round(x[i])) for i in np.nonzero(integrality)[0]]


def is_vertex(rows, n):
    """Whether the equations meet in one point, each of them needed."""
    if len(rows) != n:
        return False
    return bool(np.linalg.matrix_rank([raw_of(row.left) for row in rows]) == n)


def vertex(rows, x):
    """Where the equations meet."""
    if len(rows) != len(x):
        refuse(
            "optimize.linprog",
            f"where {len(rows)} constraints are active for {len(x)} variables: "
            "the vertex is degenerate, or not the only solution",
        )
    if not is_vertex(rows, len(x)):
        refuse("optimize.linprog", "where the active constraints depend on each other")
    matrix = np.stack([row.left for row in rows])
    return np.linalg.solve(matrix, joined([row.right for row in rows]))


@replaces(optimize.milp)
def milp(found, c):
    """By the costs: where it ends does not move with them."""
    if found.x is not None:
        found.fun = np.sum(c * found.x)
        close(found, "what scipy.optimize.milp gives", [joined(list(c))])
    return found


@replaces(optimize.quadratic_assignment)
def quadratic_assignment(found, A, B):
    """Who goes where is a step."""
    order = found.col_ind
    found.fun = np.sum(A * B[order][:, order])
    return found
