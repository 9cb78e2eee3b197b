"""The same done with parts of one array."""

import numpy as np

import srcgrad


def step(z, c):
    z = z * 2.0
    i, f, g = (1.0 / (1.0 + np.exp(-z[k : k + 2])) for k in (0, 2, 4))
    return np.sum(f * c + i * g)


def test_gradients_are_those_of_the_parts():
    args = np.linspace(-1.0, 1.0, 6), np.ones(2)
    gradient = srcgrad.grad(step)
    expected = gradient.untraced(args, {})
    for _ in range(3):
        np.testing.assert_allclose(gradient(*args), expected, rtol=1e-14)
    assert gradient.source().count("= np.exp(") == 1
