"""Comprehensions along arrays of any length: one trace, as of the loop that it is."""

import numpy as np

import srcgrad


def test_of_any_count():
    def sines(x, n):
        return sum(np.sin(x * (k + 1)) / (k + 1) for k in range(n))

    gradient = srcgrad.value_and_grad(sines)
    for n in (5, 7, 4, 9, 3, 30, 0, 1):
        found = gradient(0.3, n) if n else None
        with srcgrad.set_stance("tape"):
            expected = gradient(0.3, n) if n else None
        if n:
            np.testing.assert_allclose(found, expected, 1e-12)
    assert gradient.stats.traces == 1
