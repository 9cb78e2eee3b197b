"""What all transforms have in common: when they run as generated code, and what of."""

import functools
import gc
import multiprocessing
import pickle
import warnings
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad.protocols import raw_of
from srcgrad.tracing.own_traces import target_of

X = np.array([1.0, 2.0])


def stats_of(function):
    return target_of(function).traced.stats


def test_the_second_call_is_recorded_and_the_third_compiled():
    def f(x):
        return np.sum(x * x)

    for calls, compiled in ((1, 0), (2, 0), (3, 1), (4, 2)):
        np.testing.assert_array_equal(srcgrad.grad(f)(X), 2.0 * X)
        assert (stats_of(f).calls, stats_of(f).compiled) == (calls, compiled)
    srcgrad.grad(f)(np.ones(3))
    assert stats_of(f).traces == 1


def test_a_transform_is_a_program_of_its_own():
    def f(x):
        return x**3

    for _ in range(3):
        assert srcgrad.grad(f)(2.0) == 12.0
        assert srcgrad.value_and_grad(f)(2.0) == (8.0, 12.0)
        assert srcgrad.grad(srcgrad.grad(f))(2.0) == 12.0
    assert stats_of(f).compiled == 3


def test_it_follows_its_own_path():
    def f(x):
        total = 0.0
        for k in range(int(x[1])):
            total = total + x[0] ** k
        return total if x[0] > 0 else -total

    for x in ([2.0, 3.0], [2.0, 3.0], [2.0, 4.0], [-1.0, 3.0], [2.0, 3.0], [-1.0, 3.0]):
        a, n = x[0], int(x[1])
        slope = sum(k * a ** (k - 1) for k in range(1, n))
        found = srcgrad.grad(f)(np.array(x))
        np.testing.assert_allclose(found, [slope if a > 0 else -slope, 0.0])


def test_what_it_reads_outside_is_read_at_each_call():
    scale = np.array(2.0)

    def f(x):
        return np.sum(x * scale)

    for factor in (2.0, 3.0, 4.0, 5.0):
        scale = np.array(factor)
        np.testing.assert_array_equal(srcgrad.grad(f)(X), [factor, factor])


class Model:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return np.sum(self.w * x * x)

    def __call__(self, x):
        return self.loss(x)


@pytest.mark.parametrize("of", [lambda m: m.loss, lambda m: m], ids=["method", "call"])
def test_a_method_has_one_cache_for_all_objects(of):
    for w in (1.0, 2.0, 3.0, 4.0):
        model = Model(np.array(w))
        for _ in range(2):
            np.testing.assert_array_equal(srcgrad.grad(of(model))(X), 2.0 * w * X)
        model.w = np.array(2.0 * w)
        np.testing.assert_array_equal(srcgrad.grad(of(model))(X), 4.0 * w * X)


def test_a_gradient_of_a_method_that_is_known_outside():
    model = Model(np.array(3.0))
    gradient = srcgrad.grad(model.loss)

    @srcgrad.trace
    def f(x):
        return np.sum(gradient(x))

    for w in (1.0, 2.0, 3.0, 4.0):
        model.w = np.array(w)
        assert f(X) == 2.0 * w * np.sum(X)
        assert srcgrad.value_and_grad(f)(X)[0] == 2.0 * w * np.sum(X)


@pytest.mark.parametrize("requires_grad", [True, False])
def test_it_closes_over_variables(requires_grad):
    """Where these require grad, the results are on their tape."""
    w = srcgrad.Variable(np.array([3.0, 4.0]), requires_grad)

    def f(x):
        return np.sum(w * x * x)

    for _ in range(4):
        value, g = srcgrad.value_and_grad(f)(X)
        assert type(value) is (srcgrad.Variable if requires_grad else np.float64)
        np.testing.assert_array_equal(raw_of(g), 2.0 * w.data * X)


def test_an_inner_function_closes_over_an_outer_argument():
    def outer(y):
        def inner(x):
            return np.sum(x * x * y)

        for _ in range(4):
            g = srcgrad.grad(inner)(X)
        return np.sum(g)

    for _ in range(4):
        np.testing.assert_array_equal(srcgrad.grad(outer)(X), 2.0 * X)


def test_an_inner_function_that_stays_the_same_closes_over_an_outer_argument():
    held = []

    def inner(x):
        return np.sum(x * x * held[0])

    def outer(y):
        held[:] = [y]
        return np.sum(srcgrad.grad(inner)(X))

    held[:] = [1.0]
    for _ in range(3):
        srcgrad.grad(inner)(X)
    for _ in range(4):
        np.testing.assert_array_equal(srcgrad.grad(outer)(X), 2.0 * X)


def test_derivatives_by_one_argument_of_a_gradient_by_the_other():
    def f(x, y):
        return np.sum(x**2 * y**3)

    def slope(x, y):
        return np.sum(srcgrad.grad(f, 1)(x, y))

    for _ in range(4):
        np.testing.assert_allclose(srcgrad.grad(slope)(X, X), 6.0 * X**3)
        np.testing.assert_allclose(srcgrad.grad(slope, 1)(X, X), 6.0 * X**3)


def test_the_traces_go_with_the_function():
    def f(x):
        return np.sin(x) * x

    for _ in range(3):
        srcgrad.grad(f)(1.0)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_a_wrapper_has_traces_of_its_own():
    def f(x):
        return x * x

    srcgrad.grad(f)(1.0)

    @functools.wraps(f)
    def wrapper(x):
        return 2.0 * f(x)

    for _ in range(3):
        assert srcgrad.grad(wrapper)(1.0) == 4.0
        assert srcgrad.grad(f)(1.0) == 2.0


def test_errors_come_at_every_call():
    def f(x):
        return x

    for _ in range(3):
        with pytest.raises(TypeError, match="must return one real number, but f"):
            srcgrad.grad(f)(X)


def test_what_is_compiled_in_vain_warns_nobody():
    def f(x):
        return x * range(100)[int(x)]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(60):
            assert srcgrad.grad(f)(k + 0.5) == k
    assert "no trace was of use twice" in srcgrad.explain(f)


# ----- Pickling -----


def cube(x):
    return np.sum(x**3)


@srcgrad.grad
def slope(x):
    return np.sum(x**3)


@srcgrad.checkpoint
def kept_cube(x):
    return np.sum(x**3)


@srcgrad.custom_vjp
def own_cube(x):
    return np.sum(x**3)


own_cube.defvjp(lambda x: (np.sum(x**3), x), lambda x, g: (5.0 * g * x,))
other_cube = srcgrad.custom_jvp(cube)
other_cube.defjvp(lambda primals, tangents: (cube(*primals), np.sum(tangents[0])))

MADE = {
    "grad": srcgrad.grad(cube),
    "value_and_grad": srcgrad.value_and_grad(cube, argnums=(0,)),
    "hessian": srcgrad.hessian(cube),
    "jacobian of a gradient": srcgrad.jacobian(srcgrad.grad(cube)),
    "of a method": srcgrad.grad(Model(2.0).loss),
    "of a partial": srcgrad.grad(functools.partial(np.power, 2.0)),
    "a decorated one": slope,
    "checkpoint": srcgrad.checkpoint(cube),
    "a decorated checkpoint": kept_cube,
    "of a checkpoint": srcgrad.grad(kept_cube),
    "custom_vjp": own_cube,
    "of a custom_vjp": srcgrad.grad(own_cube),
    "of a trace": srcgrad.hessian(srcgrad.trace(cube)),
    "f_jvp": srcgrad.linearize(cube, X)[1],
    "f_vjp": srcgrad.vjp(np.tanh, X)[1],
}


@pytest.mark.parametrize("name", MADE)
def test_pickled(name):
    made = MADE[name]
    x = 2.0 if "partial" in name else X
    for _ in range(3):
        copied = pickle.loads(pickle.dumps(made))
        np.testing.assert_equal(copied(x), made(x))


def test_in_other_processes():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(MADE["grad"], [X, 2.0 * X, 3.0 * X])
    np.testing.assert_allclose(found, [3.0 * (k * X) ** 2 for k in (1.0, 2.0, 3.0)])


def test_in_joblib():
    joblib = pytest.importorskip("joblib")
    calls = [joblib.delayed(MADE["hessian"])(k * X) for k in (1.0, 2.0)]
    found = joblib.Parallel(n_jobs=2, backend="threading")(calls)
    np.testing.assert_allclose(found[1], np.diag(12.0 * X))


def test_source_after_the_first_call():
    slope, x = srcgrad.grad(lambda x: np.sum(np.sin(x))), np.ones(3)
    slope(x)
    assert "return np.cos(x)" in slope.source()
    assert (slope.stats.calls, slope.stats.traces) == (1, 1)
    slope(x)
    assert slope.stats.compiled == 1


def test_source_after_a_first_call_whose_arguments_are_gone():
    slope = srcgrad.grad(lambda x: np.sum(np.sin(x)))
    slope(np.ones(3))
    with pytest.raises(RuntimeError, match=r"call it once more, or say `compile"):
        slope.source()
