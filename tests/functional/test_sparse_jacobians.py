import importlib

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import least_squares

import srcgrad
from srcgrad import Variable, hessian, jacobian, sparse_hessian, sparse_jacobian
from tests.functional.problems import PROBLEMS, draw

rows = pytest.mark.parametrize(
    ("function", "shapes"),
    [row[1:] for row in PROBLEMS],
    ids=[row[0] for row in PROBLEMS],
)


def broyden(x):
    """Broyden's tridiagonal function."""
    wide = np.concatenate([np.zeros(1), x, np.zeros(1)])
    return (3.0 - 2.0 * x) * x - wide[:-2] - 2.0 * wide[2:] + 1.0


def chained(x):
    """Rosenbrock's function of many variables."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def laplacian(u):
    """The five-point stencil, with a reaction."""
    h = np.zeros_like(u)
    h[1:] += u[:-1]
    h[:-1] += u[1:]
    h[:, 1:] += u[:, :-1]
    h[:, :-1] += u[:, 1:]
    return h - 4.0 * u + np.exp(u)


def flat(array, *args):
    return np.reshape(array, (-1, int(np.prod(np.shape(args[0])))))


# ----- What there is -----
@rows
def test_it_is_the_dense_jacobian(function, shapes):
    found_by, dense = sparse_jacobian(lambda *args: function(*args)), jacobian(function)
    for seed in (0, 0, 1, 2):
        args = draw(shapes, seed)
        found = found_by(*args)
        expected = flat(dense(*args), *args)
        assert type(found) is sparse.csr_array
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-9, atol=1e-10)
    assert found_by.target.traced.stats.compiled


@rows
def test_it_is_the_dense_hessian(function, shapes):
    def value(*args):
        return np.sum(np.sin(function(*args)))

    found_by, dense = sparse_hessian(value), hessian(value)
    for seed in (0, 0, 1):
        args = draw(shapes, seed)
        found, expected = found_by(*args).toarray(), flat(dense(*args), *args)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def random_program(seed):
    """A program of shifts, picks, sums over windows and elementwise functions."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 7, size=5)
    places = rng.integers(0, 8, size=8)
    weights = rng.normal(size=8)

    def program(x):
        h = x
        for step in steps:
            if step == 0:
                h = np.tanh(h) * weights
            elif step == 1:
                h = h + np.roll(h, 1)
            elif step == 2:
                h = h[places] * x
            elif step == 3:
                h = np.cumsum(h.reshape(2, 4), axis=1).reshape(-1)
            elif step == 4:
                h = np.where(weights > 0.0, h, np.flip(x))
            elif step == 5:
                top = np.zeros(8)
                top[2:6] = h[:4] * h[1:5]
                h = top + x
            else:
                h = np.repeat(np.max(h.reshape(4, 2), axis=1), 2) - h
        return h

    return program


@pytest.mark.seeds(12)
def test_random_programs(seed):
    program = random_program(seed)
    found_by, dense = sparse_jacobian(program), jacobian(program, mode="reverse")
    curved = sparse_hessian(lambda x: np.sum(program(x) ** 2))
    full = hessian(lambda x: np.sum(program(x) ** 2))
    for other in range(3):
        x = np.random.default_rng(other).normal(size=8)
        np.testing.assert_allclose(found_by(x).toarray(), dense(x), atol=1e-10)
        np.testing.assert_allclose(curved(x).toarray(), full(x), atol=1e-9)


@pytest.mark.parametrize("function", [np.tanh, np.arcsin, np.arctan, np.arcsinh])
def test_what_is_differentiated_as_another_formula_is_as_sparse(function):
    """Their slopes are values from one formula, with the gradients of another."""
    found = sparse_hessian(lambda x: np.sum(function(x) * x))(np.linspace(0.1, 0.9, 6))
    assert found.nnz == 6


# ----- And how little -----
def test_a_band():
    found_by = sparse_jacobian(broyden)
    x = np.linspace(-1.0, 1.0, 50)
    for _ in range(3):
        found = found_by(x)
        assert found.nnz == 3 * 50 - 2
        np.testing.assert_allclose(found.toarray(), jacobian(broyden)(x), atol=1e-12)
    assert "[3, 50]" in found_by.target.traced.source()


def test_a_stencil():
    found_by = sparse_jacobian(laplacian)
    u = np.random.default_rng(0).normal(size=(6, 7))
    for _ in range(3):
        found = found_by(u)
        assert found.nnz == 5 * 42 - 2 * (6 + 7)
        expected = jacobian(laplacian)(u).reshape(42, 42)
        np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)


def test_one_full_row_or_column_costs_one_walk_more():
    def with_row(x):
        return np.concatenate([x**2, np.sum(np.sin(x))[None]])

    def with_column(x):
        return x**2 * x[0]

    x = np.linspace(0.5, 1.5, 30)
    for function, nnz in ((with_row, 60), (with_column, 59)):
        found_by = sparse_jacobian(function)
        for _ in range(3):
            found = found_by(x)
            assert found.nnz == nnz
            np.testing.assert_allclose(found.toarray(), jacobian(function)(x))


def test_a_curvature_in_chains():
    found_by = sparse_hessian(chained)
    x = np.linspace(-1.0, 1.0, 40)
    for _ in range(3):
        found = found_by(x)
        assert found.nnz == 3 * 40 - 2
        np.testing.assert_allclose(found.toarray(), hessian(chained)(x), atol=1e-9)


def test_a_hundred_thousand_unknowns():
    found_by = sparse_jacobian(broyden)
    x = np.linspace(-1.0, 1.0, 10**5)
    for _ in range(2):
        found = found_by(x)
    np.testing.assert_allclose(found.diagonal(), 3.0 - 4.0 * x)
    np.testing.assert_array_equal(found.diagonal(-1), -1.0)
    np.testing.assert_array_equal(found.diagonal(1), -2.0)


# ----- When it holds -----
def test_places_that_change_are_another_pattern():
    def picked(x, places):
        return x[places] ** 2

    found_by = sparse_jacobian(picked)
    x = np.arange(1.0, 5.0)
    for places in ([0, 1], [0, 1], [3, 2], [0, 1], [3, 3]):
        found = found_by(x, np.array(places))
        expected = np.zeros((2, 4))
        expected[[0, 1], places] = 2.0 * x[places]
        np.testing.assert_array_equal(found.toarray(), expected)


def test_places_that_are_computed_are_looked_at():
    def top(x):
        return x[np.argsort(x)[:2]] ** 2

    found_by = sparse_jacobian(top)
    for seed in range(6):
        x = np.random.default_rng(seed % 3).normal(size=5)
        np.testing.assert_allclose(found_by(x).toarray(), jacobian(top)(x))


def test_branches():
    def branching(x):
        return x**2 if x[0] > 0.0 else np.cumsum(x)

    found_by = sparse_jacobian(branching)
    for sign in (1.0, 1.0, -1.0, 1.0, -1.0):
        x = sign * np.arange(1.0, 4.0)
        expected = np.diag(2.0 * x) if sign > 0 else np.tril(np.ones((3, 3)))
        np.testing.assert_allclose(found_by(x).toarray(), expected)


def test_what_cannot_be_recorded_goes_row_by_row():
    history = []

    def noted(x):
        history.append(1)
        return x**2

    found_by = sparse_jacobian(noted)
    for count in range(1, 4):
        found = found_by(np.arange(1.0, 4.0))
        np.testing.assert_array_equal(found.toarray(), np.diag([2.0, 4.0, 6.0]))
        assert len(history) == count


def test_a_result_is_the_callers():
    found_by = sparse_jacobian(lambda x: np.roll(x, 1) * x)
    x = np.arange(1.0, 4.0)
    expected = found_by(x).toarray()
    for _ in range(3):
        found = found_by(x)
        np.testing.assert_array_equal(found.toarray(), expected)
        found.data[:] = 0.0
        found.indices[:] = 0
        found.eliminate_zeros()


# ----- Kinds -----
def test_aux_other_arguments_and_names():
    def f(x, *, scale):
        return scale * x**2, {"scale": scale}

    found_by = sparse_jacobian(f, has_aux=True, argnames="scale")
    for _ in range(3):
        found, aux = found_by(np.ones(3), scale=np.array([1.0, 2.0, 3.0]))
        np.testing.assert_array_equal(found.toarray(), np.eye(3))
        np.testing.assert_array_equal(aux["scale"], [1.0, 2.0, 3.0])


def test_single_precision():
    found_by = sparse_jacobian(lambda x: x**2)
    for _ in range(3):
        assert found_by(np.ones(3, np.float32)).dtype == np.float32


def test_what_does_not_depend_on_the_argument():
    for function in (lambda x: np.ones(2), lambda x: x[:0], lambda x: (x > 0.0) * 1.0):
        for _ in range(3):
            found = sparse_jacobian(function)(np.ones(3))
            assert (found.nnz, found.shape[1]) == (0, 3)


def test_in_a_traced_function():
    @srcgrad.trace
    def newton(x):
        return x - sparse_jacobian(broyden)(x) @ broyden(x)

    x = np.linspace(0.0, 1.0, 5)
    expected = x - jacobian(broyden)(x) @ broyden(x)
    for _ in range(3):
        np.testing.assert_allclose(newton(x), expected)


def test_into_an_optimizer():
    found = least_squares(broyden, -np.ones(20), jac=sparse_jacobian(broyden))
    np.testing.assert_allclose(broyden(found.x), 0.0, atol=1e-8)


# ----- Errors -----
def test_what_does_not_fit_is_said():
    for bad, what in ((1, "int"), ([np.ones(2)], "list"), (np.arange(3), "int64")):
        with pytest.raises(TypeError, match=what):
            sparse_jacobian(lambda x: x)(bad)
    with pytest.raises(TypeError, match="Variable"):
        sparse_jacobian(lambda x: x)(Variable(np.ones(3), requires_grad=True))
    with pytest.raises(TypeError, match=r"value must be one array of floats.*tuple"):
        sparse_jacobian(lambda x: (x, x))(np.ones(3))
    with pytest.raises(TypeError, match="complex"):
        sparse_jacobian(lambda x: x * 1j)(np.ones(3))
    with pytest.raises(TypeError, match="by one argument"):
        sparse_jacobian(lambda x, y: x, argnums=(0, 1))


def test_a_derivative_by_a_variable_of_a_closure_is_not_lost():
    w = Variable(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    transforms = {
        sparse_jacobian: lambda x: w * x**2,
        sparse_hessian: lambda x: np.sum(w * x**3) / 3.0,
    }
    x = np.array([1.0, 2.0, 3.0])
    for transform, f in transforms.items():
        for _ in range(3):
            with pytest.raises(TypeError, match=r"closes over a Variable.*no_grad\(\)"):
                transform(f)(x)
            with srcgrad.no_grad():
                found = transform(f)(x)
            assert found.nnz == 3
            np.testing.assert_allclose(found.toarray(), np.diag(2.0 * w.data * x))
    # What the derivative does not depend on is no loss.
    found = [sparse_jacobian(lambda x: w + x**2)(x) for _ in range(3)]
    np.testing.assert_allclose(found[-1].toarray(), np.diag(2.0 * x))


def test_without_scipy(monkeypatch):
    def missing(name, *args):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match="pip install"):
        sparse_jacobian(np.sin)


def test_there_is_a_pattern_for_every_size():
    jacobian = srcgrad.sparse_jacobian(lambda x: x[1:] ** 2 - np.sin(x[:-1]))
    for n in (100_000, 100_001, 100_002, 100_003, 100_004, 100_005):
        assert jacobian(np.ones(n)).nnz == 2 * (n - 1)
