"""Numbers that SciPy gives have their derivative, or are an error to differentiate."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import integrate, interpolate, optimize, spatial, stats
from srcgrad.scipy.algorithm_results import without_slope
from tests.variables import variable

PLACE, STEP = 1.3, 1e-4
X = np.linspace(0.0, 1.0, 12)
PLACES = np.arange(6.0)
CENTRE, START = np.array([1.0, 2.0]), np.array([0.5, 0.5])
RNG = np.random.default_rng(0)
SAMPLE, OTHER = RNG.normal(size=(2, 12))
POINTS = RNG.uniform(size=(12, 2))

# What is no function of the parameters, but of how far an algorithm has gone: the mesh,
# and by how much the numbers may be off.
TOLD = {
    *("t", "ts", "t_min", "t_max", "x_mesh", "rms_residuals", "execution_time"),
    *("abserr", "error"),
}


def bowl(x, a):
    return np.sum((x - CENTRE * a) ** 2 * CENTRE) + 0.1 * (x[0] * x[1]) ** 2


def slope(x, a):
    return 2.0 * (x - CENTRE * a) * CENTRE + 0.2 * x[0] * x[1] * x[::-1]


def curvature(x, a):
    cross = 2.0 * x[0] * x[1]
    rows = np.stack([x[1] ** 2, cross]), np.stack([cross, x[0] ** 2])
    return np.diag(2.0 * CENTRE) + 0.2 * np.stack(rows)


def least(method, **options):
    if method.startswith("trust"):
        options["hess"] = curvature
    return lambda a: optimize.minimize(
        bowl, START, (a,), method=method, tol=1e-9, **options
    )


def fit(**options):
    return lambda a: optimize.least_squares(
        lambda p: p[0] * np.exp(p[1] * X) - a * (1.0 + X**2),
        np.array([0.8, 0.3]),
        **{"xtol": 1e-13, "ftol": 1e-13, "gtol": 1e-13, **options},
    )


def curve(x, p, q):
    return p * np.exp(q * x)


def program(a):
    return optimize.linprog(
        np.stack([-1.0 * a, -2.0 + 0.0 * a, 0.5 * a]),
        A_ub=np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]) + 0.1 * a,
        b_ub=np.stack([4.0 * a, 5.0 * a]),
        A_eq=np.ones((1, 3)) * a,
        b_eq=np.stack([4.5 * a]),
        bounds=[(0.1 * a, None), (0.0, 2.0 * a), (0.1, 9.0 * a)],
    )


def flow(method):
    return lambda a: integrate.solve_ivp(
        lambda t, y: -a * y,
        *((0.0, 1.0), CENTRE, method, [0.0, 0.5, 1.0], True),
        lambda t, y: y[0] - 0.6,
        rtol=1e-9,
        atol=1e-11,
    )


def root(method, **options):
    def residual(x, a):
        return CENTRE * a - x - 0.1 * x**2

    return lambda a: optimize.root(residual, CENTRE, (a,), method, **options)


def line(a):
    return integrate.solve_bvp(
        lambda x, y: np.stack([y[1], -a * y[0]]),
        lambda left, right: np.stack([left[0], right[0] - a]),
        *(np.linspace(0.0, 1.0, 5), np.ones((2, 5))),
        tol=1e-8,
    )


TIGHT = {"ftol": 1e-13, "xtol": 1e-13}
CASES = {
    **{f"minimize {way}": least(way) for way in ("Nelder-Mead", "BFGS", "L-BFGS-B")},
    **{
        f"minimize {way} by its slope": least(way, jac=slope)
        for way in ("BFGS", "trust-exact", "trust-constr", "L-BFGS-B", "SLSQP")
    },
    "a bound": least("L-BFGS-B", jac=slope, bounds=[(0.0, 0.5), (0.0, 5.0)]),
    "a constraint": least(
        "SLSQP",
        jac=slope,
        constraints={"type": "eq", "fun": lambda x: x[0] + x[1] - 2.0},
    ),
    "minimize_scalar": lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2 + a),
    "basinhopping": lambda a: optimize.basinhopping(
        *(bowl, START, 2), minimizer_kwargs={"args": (a,)}, rng=1
    ),
    "shgo": lambda a: optimize.shgo(bowl, [(0.0, 3.0)] * 2, (a,)),
    "brute on its grid": lambda a: optimize.brute(
        lambda x: (x[0] - a) ** 2, ((0.0, 5.0),), full_output=True, finish=None
    ),
    "fmin_bfgs": lambda a: optimize.fmin_bfgs(
        bowl, START, slope, (a,), gtol=1e-9, full_output=True, disp=False
    ),
    "retall": lambda a: optimize.fmin_bfgs(
        bowl, START, slope, (a,), gtol=1e-9, retall=True, disp=False
    ),
    "root hybr": root("hybr", tol=1e-13),
    "root lm": root("lm", tol=1e-13),
    "root broyden1": root("broyden1", tol=1e-10),
    "brentq": lambda a: optimize.brentq(lambda x: x * x - a, 0, 5, full_output=True),
    "fsolve": lambda a: optimize.fsolve(
        lambda x: x * x + 0.1 * x - a * CENTRE, CENTRE, xtol=1e-13, full_output=True
    ),
    "least_squares": fit(),
    "least_squares lm": fit(method="lm"),
    "least_squares bounds": fit(bounds=([0.0, 0.0], [9.0, 0.5])),
    "least_squares cauchy": fit(loss="cauchy", f_scale=0.1),
    "leastsq": lambda a: optimize.leastsq(
        lambda p: curve(X, *p) - a * (1.0 + X**2), (1.0, 1.0), full_output=True, **TIGHT
    ),
    "curve_fit": lambda a: optimize.curve_fit(
        curve, X, a * (1.0 + X**2), full_output=True, **TIGHT
    ),
    "linprog": program,
    "lsq_linear": lambda a: optimize.lsq_linear(POINTS * a + 1.0, X),
    **{f"solve_ivp {way}": flow(way) for way in ("RK45", "DOP853")},
    "odeint": lambda a: integrate.odeint(
        lambda y, t: -a * y, CENTRE, [0.0, 1.0], full_output=True
    ),
    "quad_vec": lambda a: integrate.quad_vec(
        lambda x: np.exp(-a * x) * CENTRE, 0.0, 1.0, full_output=True
    )[::2],
    "solve_bvp": line,
    "pearsonr": lambda a: stats.pearsonr(SAMPLE * a + OTHER**2, OTHER),
    "linregress": lambda a: stats.linregress(SAMPLE * a + OTHER**2, OTHER),
    "ttest_ind": lambda a: stats.ttest_ind(SAMPLE * a, OTHER, equal_var=False),
    "ConvexHull": lambda a: spatial.ConvexHull(POINTS * a),
    "Voronoi": lambda a: spatial.Voronoi(POINTS * a),
    "KDTree": lambda a: spatial.KDTree(POINTS * a),
    "HalfspaceIntersection": lambda a: spatial.HalfspaceIntersection(
        np.array([[-1.0, 0, 0], [0, -1.0, 0], [1.0, 1.0, -2.0]]) * a, START
    ),
    "RegularGridInterpolator": lambda a: interpolate.RegularGridInterpolator(
        (PLACES * a, PLACES), np.outer(PLACES, PLACES) * a
    ),
    "RBFInterpolator": lambda a: interpolate.RBFInterpolator(POINTS, SAMPLE * a),
    "Rbf": lambda a: interpolate.Rbf(*POINTS.T, SAMPLE * a),
    "RectBivariateSpline": lambda a: interpolate.RectBivariateSpline(
        PLACES, PLACES, np.outer(PLACES, PLACES**2) * a
    ),
    "LinearND": lambda a: interpolate.LinearNDInterpolator(POINTS * a, SAMPLE * a),
    "CloughTocher": lambda a: interpolate.CloughTocher2DInterpolator(
        POINTS, SAMPLE * a, tol=1e-12
    ),
    **{
        f"{name} {by}": lambda a, name=name, by=by: getattr(interpolate, name)(
            PLACES * (a if by == "places" else 1.0),
            np.sin(PLACES) * (a if by == "values" else 1.0),
        )
        for name in (
            *("CubicSpline", "PchipInterpolator", "interp1d", "KroghInterpolator"),
            *("BarycentricInterpolator", "FloaterHormannInterpolator", "splrep"),
        )
        for by in ("places", "values")
    },
}


# Attributes of our own classes, which SciPy's have not.
OURS = {"places", "held", "own", "support", "table", "axes", "outside"}


def numbers(item, path=""):
    """The arrays and numbers in a result, by where they are."""
    if isinstance(item, (srcgrad.Variable, np.ndarray, float)):
        yield path, item
    elif isinstance(item, dict):
        for key in item:
            yield from numbers(item[key], f"{path}.{key}")
    elif isinstance(item, (tuple, list)):
        for i, each in enumerate(item):
            yield from numbers(each, f"{path}.{i}")
    elif not isinstance(item, (int, str)) and item is not None and path.count(".") < 1:
        for name in dir(item):
            is_scipys = not name.startswith("_") and name not in OURS
            if is_scipys and not callable(member := seen(item, name)):
                yield from numbers(member, f"{path}.{name}")


def seen(item, name):
    """An attribute; that it has no derivative is said when it is asked for."""
    try:
        return getattr(item, name)
    except srcgrad.NoRuleError:
        return None


def weighted(value):
    weights = np.cos(np.arange(value.size)).reshape(value.shape)
    return np.sum(np.where(np.isfinite(value), value, 0.0) * weights)


@pytest.mark.parametrize("name", CASES)
def test_every_number_has_a_derivative_or_none_is_given(name):
    case = CASES[name]
    place = variable(PLACE)
    plain, up, down = (
        dict(numbers(case(a))) for a in (PLACE, PLACE + STEP, PLACE - STEP)
    )
    own = dict(numbers(case(place)))
    for path, value in plain.items():
        value, above, below = (np.asarray(d.get(path)) for d in (plain, up, down))
        is_told = path.rpartition(".")[2] in TOLD
        if value.dtype.kind != "f" or np.array_equal(above, below, True) or is_told:
            continue
        if path not in own or above.shape != value.shape:
            continue  # it was refused; or it is of the steps
        found = own[path]
        assert isinstance(found, srcgrad.Variable), path
        np.testing.assert_allclose(found.data, value, 1e-7, 1e-9, err_msg=path)
        place.grad = None
        try:
            weighted(found).backward(retain_graph=True)
        except srcgrad.NoRuleError:
            continue
        expected = (weighted(above) - weighted(below)) / (2.0 * STEP)
        got = 0.0 if place.grad is None else place.grad.item()
        assert abs(got - expected) <= 2e-3 * max(1.0, abs(expected)), path


def test_objects_give_numbers_without_a_derivative():
    found = least("L-BFGS-B")(variable(PLACE)).hess_inv
    assert repr(found).startswith("<2x2 LbfgsInvHessProduct")
    for number in (found.todense(), found @ CENTRE, found.dot(CENTRE), found(CENTRE)):
        with pytest.raises(srcgrad.NoRuleError, match="compute it from `x`"):
            np.sum(number).backward()
    assert without_slope(CENTRE, "", [srcgrad.Variable(1.0)]) is CENTRE


def test_results_of_scipys_are_left_in_what_is_outside():
    left = {}

    def kept(a):
        left["test"] = scipy.stats.ttest_ind(SAMPLE * a, OTHER, equal_var=False)
        return left["test"].statistic

    srcgrad.grad(kept)(PLACE)
    plain = scipy.stats.ttest_ind(SAMPLE * PLACE, OTHER, equal_var=False)
    assert type(left["test"].df) is type(plain.df)
    np.testing.assert_allclose(left["test"].df, plain.df)
