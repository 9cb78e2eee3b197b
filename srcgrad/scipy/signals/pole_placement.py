"""``scipy.signal.place_poles``: gains that give a system its poles.

Of one input there is one gain, by Ackermann's formula; of as many as states it solves
linear equations.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import signal
>>> A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
>>> poles = srcgrad.Variable(np.array([-1.0, -2.0]), requires_grad=True)
>>> signal.place_poles(A, B, poles).gain_matrix[0, 0].backward()
>>> poles.grad.data  # of their product
array([-2., -1.])
"""

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.modes import refuse as refuse_trace
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import refuse


def place_poles(
    A: Any,
    B: Any,
    poles: Any,
    method: str = "YT",
    rtol: float = 1e-3,
    maxiter: int = 30,
) -> Any:
    """``scipy.signal.place_poles``"""
    given = A, B, poles
    raws = [np.asarray(raw_of(item)) for item in given]
    found = signal.place_poles(*raws, method=method, rtol=rtol, maxiter=maxiter)
    if first_variable(given) is None:
        return found
    refuse_trace("calls place_poles, which puts the poles in an order")
    A, B, poles = (
        item if first_variable(item) is not None else raw
        for item, raw in zip(given, raws, strict=True)
    )
    poles = poles[places(found.requested_poles, raws[2])]
    n, inputs = raws[1].shape
    if np.linalg.matrix_rank(raws[1]) == n:
        gain = -np.linalg.lstsq(B, blocks(poles) - A, rcond=-1)[0]
    elif inputs == 1:
        gain = of_one_input(A, B, poles)
    else:
        refuse("signal.place_poles", "of some inputs: it picks one of many gains")
    found.gain_matrix, found.requested_poles = gain, poles
    reached = np.linalg.eigvals(A - B @ gain) + 0j
    found.computed_poles = reached[places(found.computed_poles, raw_of(reached))]
    if inputs == 1 < n:
        del found.X
        found.__class__ = Placed
    return found


class Placed:
    """What SciPy tells of them."""

    def __getattr__(self, name: str) -> Any:
        if name == "X":
            refuse("signal.place_poles", "by its `X`")
        raise AttributeError(name)


def places(ordered: Any, items: Any) -> Any:
    """Where the items are that SciPy has put in order."""
    free, found = list(range(len(items))), []
    for each in ordered:
        found.append(min(free, key=lambda i: abs(items[i] - each)))
        free.remove(found[-1])
    return np.array(found)


def of_one_input(A: Any, B: Any, poles: Any) -> Any:
    """Ackermann's formula: the last row of a polynomial of ``A``."""
    n = np.shape(A)[0]
    columns = [B[:, 0]]
    for _ in range(n - 1):
        columns.append(A @ columns[-1])
    coefficients = np.real(np.poly(poles))
    value = np.eye(n)
    for k in range(1, n + 1):
        value = value @ A + coefficients[k] * np.eye(n)
    return np.linalg.solve(np.stack(columns, axis=1), value)[-1:]


def blocks(poles: Any) -> Any:
    """A real matrix with these eigenvalues: two rows for a pair of complex ones."""
    raw, n = raw_of(poles), np.shape(poles)[0]
    units = np.eye(n)
    real, imaginary = np.real(poles), np.imag(poles)
    out, i = np.zeros((n, n)), 0
    while i < n:
        size = 1 if raw[i].imag == 0 else 2
        for k in range(i, i + size):
            out = out + real[i] * np.outer(units[k], units[k])
        if size == 2:
            turn = np.outer(units[i + 1], units[i])
            out = out + imaginary[i] * (turn - turn.T)
        i += size
    return out


REPLACEMENTS[signal.place_poles] = place_poles
