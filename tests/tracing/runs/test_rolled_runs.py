"""Which loops of a run are rolled, and which are written out."""

import numpy as np

import srcgrad
from tests.differences import slope_of

# ----- Elements that arms read -----


def by_layout(x, w, n):
    h = x * 1.0
    part = h.T.reshape(-1)  # a view, or a copy
    h[0] = w
    s = 0.0 * w
    for i in range(n):
        s = np.tanh(s * w + part[0] * i) * w + part[1]
    return s * np.sum(h)


def test_a_loop_of_any_count_behind_a_guard_on_a_layout():
    traced = srcgrad.grad(by_layout, argnums=1)
    rows = np.arange(12.0).reshape(3, 4)
    counts = (8, 8, 9, 7, 12, 5, 4, 2, 1, 0)
    for n, x in [*((n, rows) for n in counts), (6, np.asfortranarray(rows)), (6, rows)]:
        found, w = traced(x, 0.3, n), np.float64(0.3)
        expected = slope_of(lambda w, x=x, n=n: by_layout(x, w, n), w)
        np.testing.assert_allclose(found, expected, 1e-5, 1e-8)
    assert traced.stats.compiled >= 5, traced.explain()
