"""Interpolators that SciPy has made before have slopes where they are asked."""

import warnings

import numpy as np
import pytest
from scipy import interpolate, spatial

import srcgrad

X = np.linspace(0.0, 5.0, 9)
Y = np.sin(X)
ROWS = np.stack([Y, Y**2])
NODES = np.array([0.0, 1.0, 2.5, 4.0])
AT = np.array([1.3, 2.1])


def smooth():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return interpolate.SmoothBivariateSpline(
            *np.random.default_rng(0).random((3, 40))
        )


TABLES = {
    "linear": interpolate.interp1d(X[::-1], Y[::-1]),
    "of a kind": interpolate.interp1d(X, ROWS, "quadratic"),
    "steps": interpolate.interp1d(X, Y, "previous"),
    "beyond": interpolate.interp1d(X[:4], Y[:4], fill_value="extrapolate"),
    "filled": interpolate.interp1d(
        X[:4], Y[:4], bounds_error=False, fill_value=(0.0, 5.0)
    ),
    "cubic": interpolate.CubicSpline(X, ROWS, axis=1),
    "derivative": interpolate.CubicSpline(X, Y).derivative(),
    "monotone": interpolate.PchipInterpolator(X, Y),
    "Akima": interpolate.Akima1DInterpolator(X, Y),
    "Bernstein": interpolate.BPoly([[1.0, 2.0], [3.0, 1.0]], [0.0, 2.0, 5.0]),
    "knots": interpolate.make_interp_spline(X, ROWS.T, 3),
    "smoothing": interpolate.UnivariateSpline(X, Y, s=0.01, ext=3),
    "barycentric": interpolate.BarycentricInterpolator(NODES, NODES**2),
    "Krogh": interpolate.KroghInterpolator(NODES, np.stack([NODES, NODES**3]), axis=1),
}
FIELDS = {
    "grid": interpolate.RegularGridInterpolator((X, X[::-1]), np.outer(Y, Y)),
    "radial": interpolate.RBFInterpolator(
        np.stack([X, Y], 1), ROWS.T, smoothing=0.1, kernel="cubic", degree=1
    ),
}
SITES = np.random.default_rng(1).random((12, 2)) * 3.0
TREES = {"KDTree": spatial.KDTree(SITES), "cKDTree": spatial.cKDTree(SITES)}
SCATTERED = {
    "triangles": interpolate.LinearNDInterpolator(SITES, SITES**2),
    "smooth triangles": interpolate.CloughTocher2DInterpolator(SITES, SITES**2),
}
SURFACES = {
    "rectangle": interpolate.RectBivariateSpline(X, X, np.outer(Y, Y), kx=2),
    "scattered": smooth(),
}


def sides(function, x):
    steps = 1e-6 * np.eye(len(x))
    return [(function(x + h) - function(x - h)) / 2e-6 for h in steps]


def is_right(function, x):
    value, slope = srcgrad.value_and_grad(function)(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-9)
    np.testing.assert_allclose(slope, sides(function, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_of_one_variable(table):
    is_right(lambda x: np.sum(table(x) ** 2), AT)
    is_right(lambda x: np.sum(table(x[0] * 1.1)), AT)
    assert srcgrad.trace(lambda x: table(x))(AT).tolist() == table(AT).tolist()


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_of_points(field):
    is_right(lambda x: np.sum(field(np.stack([x, x**2 / 2.0], axis=-1))), AT)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_of_two_variables(surface):
    is_right(lambda x: np.sum(surface(x / 5.0, x[:1] / 6.0) ** 2), AT)
    is_right(lambda x: np.sum(surface(x[0] / 5.0, x[1] / 5.0, grid=False)), AT)


@pytest.mark.parametrize("field", SCATTERED.values(), ids=SCATTERED)
def test_over_triangles(field):
    is_right(lambda x: np.sum(field(np.stack([x, 2.5 - x], axis=-1))), AT / 1.5)


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_distances_to_the_points_of_a_tree(tree):
    is_right(lambda x: np.sum(tree.query(x, k=3)[0] * np.arange(1.0, 4.0)), AT)
    is_right(lambda x: np.sum(tree.query(np.stack([x, x**2]), p=1)[0]), AT)


def test_the_nearest_of_scattered_values_is_a_step():
    field = interpolate.NearestNDInterpolator(SITES, np.arange(12.0))
    is_right(lambda x: np.sum(x * field(x)), AT)
    traced = srcgrad.trace(lambda x: x * field(x))
    for k in range(3):
        x = AT - 0.6 * k
        found = traced(srcgrad.Variable(x, requires_grad=True))
        np.testing.assert_array_equal(found.data, x * field(x))


def test_what_it_holds_is_read_at_each_call():
    class Model:
        table = interpolate.interp1d(X, Y)

        def loss(self, x):
            return np.sum(self.table(x))

    model = Model()
    gradient = srcgrad.grad(model.loss)
    for k in range(1, 4):
        model.table = interpolate.interp1d(X, k * X)
        np.testing.assert_allclose(gradient(AT), [k, k])


def test_outside_of_a_traced_function_it_is_the_error_of_an_ndarray():
    with pytest.raises(TypeError, match=r"srcgrad\.scipy"):
        TABLES["cubic"](srcgrad.Variable(1.0, requires_grad=True))
