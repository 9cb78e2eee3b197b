"""A Variable among arguments that NumPy does not look through, beside ndarrays."""

import numpy as np
import pytest

import srcgrad

A = np.arange(6.0).reshape(2, 3) + 1.0
PROGRAMS = {
    "sum": lambda c: np.sum(A, initial=c),
    "reduce": lambda c: np.sum(np.logaddexp.reduce(A, axis=0, initial=c)),
    "pad": lambda c: np.sum(np.pad(A, 1, constant_values=c)),
    "ramp": lambda c: np.sum(np.pad(A, 1, "linear_ramp", end_values=c)),
    "some": lambda c: np.sum(np.pad(A, 1, constant_values=(c, 2.0))),
    "nan_to_num": lambda c: np.sum(np.nan_to_num(np.where(A > 1.0, A, np.nan), nan=c)),
    "select": lambda c: np.sum(np.select([A > 2.0], [A], default=c)),
    "select-by-place": lambda c: np.sum(np.select([A > 2.0], [A], c)),
    "piecewise": lambda c: np.sum(np.piecewise(A, [A > 2.0], [c, 0.0])),
    "interp": lambda c: np.sum(np.interp([-1.0, 1.0], [0.0, 2.0], [1.0, 5.0], left=c)),
    "period": lambda c: np.sum(np.interp([-1.0], [0.0, 1.0], [1.0, 5.0], period=3 * c)),
    "unwrap": lambda c: np.sum(np.unwrap(3.0 * A, period=c)),
    "jumps": lambda c: np.sum(np.unwrap(3.0 * A, c)) * c,
}


@pytest.mark.parametrize("wrap", [lambda f: f, srcgrad.trace], ids=["plain", "traced"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_asked(name, wrap):
    c = np.array(1.3)
    slope = srcgrad.grad(wrap(PROGRAMS[name]))(c)
    h = 1e-6
    expected = (PROGRAMS[name](c + h) - PROGRAMS[name](c - h)) / (2 * h)
    np.testing.assert_allclose(slope, expected, rtol=1e-6)
