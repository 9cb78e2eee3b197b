"""``jacobian``, ``hessian``, ``hvp``: structures, nesting, refusals."""

import functools

import numpy as np
import pytest
from scipy import integrate

import srcgrad
from srcgrad import Variable
from srcgrad.rules.libraries import about_old_scipy

X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -1.0])
V = np.array([0.5, -1.0, 0.25])


def f(x, y):
    return np.outer(x, y), np.sum(x) * y


def test_structures_are_those_of_value_and_argument():
    for mode in ("reverse", "forward"):
        outer, scaled = srcgrad.jacobian(f, mode=mode)(X, Y)
        assert (outer.shape, scaled.shape) == ((3, 2, 3), (2, 3))
        (a, b), (c, d) = srcgrad.jacobian(f, (0, 1), mode=mode)(X, Y)
        assert [each.shape for each in (a, b, c, d)] == [
            (3, 2, 3),
            (3, 2, 2),
            (2, 3),
            (2, 2),
        ]
        np.testing.assert_allclose(d, np.sum(X) * np.eye(2))
        np.testing.assert_allclose(
            srcgrad.jacobian(f, argnames="y", mode=mode)(X, y=Y)[1], d
        )


def test_numbers_give_numbers():
    for mode in ("reverse", "forward"):
        assert srcgrad.jacobian(lambda x: x**3, mode=mode)(2.0) == 12.0
        assert type(srcgrad.jacobian(lambda x: x**3, mode=mode)(2.0)) is float
    assert srcgrad.hessian(lambda x: x**3)(2.0) == 12.0
    assert srcgrad.hvp(lambda x: x**3, 2.0, 0.5) == 6.0


def test_empty_arrays():
    for mode in ("reverse", "forward"):
        found = srcgrad.jacobian(lambda x: x[:0], mode=mode)(X)
        assert found.shape == (0, 3)
        found = srcgrad.jacobian(lambda x: X + np.sum(x), mode=mode)(np.zeros(0))
        assert found.shape == (3, 0)


def test_aux_comes_along():
    found, aux = srcgrad.jacobian(lambda x: (x * x, "aux"), has_aux=True)(X)
    np.testing.assert_allclose(found, np.diag(2.0 * X))
    assert aux == "aux"
    found, aux = srcgrad.hessian(lambda x: (np.sum(x**3), "aux"), has_aux=True)(X)
    np.testing.assert_allclose(found, np.diag(6.0 * X))
    assert aux == "aux"


def test_blocks_of_a_hessian():
    def g(p):
        return np.sum(p["x"] ** 2) * p["y"] ** 3

    for _ in range(3):
        h = srcgrad.hessian(g)({"x": X, "y": 2.0})
        np.testing.assert_allclose(h["x"]["x"], 16.0 * np.eye(3))
        np.testing.assert_allclose(h["x"]["y"], 24.0 * X)
        np.testing.assert_allclose(h["y"]["x"], 24.0 * X)
        np.testing.assert_allclose(h["y"]["y"], 12.0 * np.sum(X**2))


def test_derivatives_by_two_arguments():
    def g(x, y):
        return np.sum(x**2) * np.sum(y**3)

    for _ in range(4):
        cross = srcgrad.jacobian(srcgrad.grad(g), 1)(X, Y)
        np.testing.assert_allclose(cross, np.outer(2.0 * X, 3.0 * Y**2))
        (xx, xy), (yx, _) = srcgrad.hessian(g, (0, 1))(X, Y)
        np.testing.assert_allclose(xx, 2.0 * np.sum(Y**3) * np.eye(3))
        np.testing.assert_allclose(xy, cross)
        np.testing.assert_allclose(yx, cross.T)


def test_a_hessian_of_several_numbers():
    for _ in range(4):
        found = srcgrad.hessian(lambda x: x**3)(X)
        expected = np.zeros((3, 3, 3))
        expected[range(3), range(3), range(3)] = 6.0 * X
        np.testing.assert_allclose(found, expected, atol=1e-14)
        assert srcgrad.hessian(lambda x: np.sum(x**3, keepdims=True))(X).shape == (
            1,
            3,
            3,
        )


def test_third_derivatives():
    third = srcgrad.jacobian(srcgrad.hessian(lambda x: np.sum(x**3) * x[0]))
    for _ in range(3):
        found = third(X)
        np.testing.assert_allclose(found, np.transpose(found, (1, 2, 0)), atol=1e-12)
        np.testing.assert_allclose(found[0, 0, 0], 24.0 * X[0])


def test_nested_in_a_gradient():
    def g(x):
        return np.sum(srcgrad.jacobian(lambda x: x**3)(x))

    def h(x):
        return np.sum(srcgrad.hvp(lambda x: np.sum(x**4), x, x))

    for _ in range(4):
        np.testing.assert_allclose(srcgrad.grad(g)(X), 6.0 * X)
        np.testing.assert_allclose(srcgrad.grad(h)(X), 36.0 * X**2)


def test_in_a_traced_function():
    @srcgrad.trace
    def g(x):
        jac = srcgrad.jacobian(lambda x: x**2)(x)
        hess = srcgrad.hessian(lambda x: np.sum(x**3))(x)
        return jac @ hess @ srcgrad.hvp(lambda x: np.sum(x**2), x, x)

    for _ in range(3):
        np.testing.assert_allclose(g(X), 24.0 * X**3)
        x = Variable(X, requires_grad=True)
        g(x).sum().backward()
        np.testing.assert_allclose(x.grad.data, 72.0 * X**2)
    assert g.stats.compiled > 2


def test_the_product_goes_into_an_optimizer():
    """``minimize`` calls ``hessp(x, p)``."""
    hessp = functools.partial(srcgrad.hvp, lambda x: np.sum(x**3))
    for _ in range(3):
        np.testing.assert_allclose(hessp(X, X), 6.0 * X * X)


def test_a_product_takes_further_arguments_as_they_are():
    def f(x, data, factor=2.0):
        return factor * np.sum((x - data) ** 4)

    hess = srcgrad.hessian(f)(X, V, 3.0)
    for _ in range(3):
        product = srcgrad.hvp(f, X, V, V, 3.0)
        np.testing.assert_allclose(product, hess @ V)
        (product,) = srcgrad.hvp(f, (X,), (V,), V, 3.0)
        np.testing.assert_allclose(product, hess @ V)
    of_all = srcgrad.hvp(f, (X, V), (X, X), 3.0)
    np.testing.assert_allclose(of_all[0] + of_all[1], 0.0)
    by_data = srcgrad.grad(lambda data: np.sum(srcgrad.hvp(f, X, X, data)))(V)
    np.testing.assert_allclose(by_data, -48.0 * (X - V) * X)
    with pytest.raises(TypeError, match="primals and vectors must have one structure"):
        srcgrad.hvp(f, (X, V), (X,), 3.0)


def test_a_vector_of_integers_is_one_of_floats():
    for x in (X, X.astype(np.float32)):
        product = srcgrad.hvp(lambda x: np.sum(x**3), x, np.array([1, 0, 2], np.int8))
        np.testing.assert_allclose(product, 6.0 * x * [1.0, 0.0, 2.0])
        assert product.dtype == x.dtype


def test_complex_derivatives():
    z = np.array([1.0 + 2.0j, 3.0j])
    for mode in ("reverse", "forward"):
        found = srcgrad.jacobian(lambda z: z**2, holomorphic=True, mode=mode)(z)
        np.testing.assert_allclose(found, np.diag(2.0 * z))
    with pytest.raises(TypeError, match=r"jacobian: .*only with holomorphic=True"):
        srcgrad.jacobian(lambda z: z**2)(z)
    with pytest.raises(TypeError, match="jacobian: with holomorphic=True"):
        srcgrad.jacobian(lambda z: np.abs(z), holomorphic=True)(z)


def test_refusals():
    with pytest.raises(ValueError, match="mode is"):
        srcgrad.jacobian(f, mode="sideways")
    with pytest.raises(TypeError, match=r"(?s)jacobian: .*dtype int64.*has_aux"):
        srcgrad.jacobian(np.argmax)(X)
    with pytest.raises(TypeError, match="but got dtype int64"):
        srcgrad.jacobian(np.sin)(np.arange(3))
    with pytest.raises(TypeError, match="hvp: a vector must have the shape"):
        srcgrad.hvp(np.sum, X, Y)
    with pytest.raises(TypeError, match="must return one real number"):
        srcgrad.hvp(np.sin, X, X)


@pytest.mark.skipif(bool(about_old_scipy()), reason="this SciPy is without rules")
def test_through_an_algorithm_it_goes_row_by_row():
    def states(rate):
        span, times = (0.0, 1.0), [0.5, 1.0]
        found = integrate.solve_ivp(lambda t, y: -rate * y, span, [1.0], t_eval=times)
        return found.y[0]

    of_states = srcgrad.jacobian(states)
    for rate in (1.0, 1.1, 1.2):
        expected = -np.array([0.5, 1.0]) * np.exp(-rate * np.array([0.5, 1.0]))
        np.testing.assert_allclose(of_states(rate), expected, rtol=1e-2)
    assert of_states.stats.compiled
    assert "goes row by row" in of_states.explain()
