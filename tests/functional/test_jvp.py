"""``jvp`` and ``linearize``: what they give, take and refuse."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([1.0, 2.0])


def f(x):
    return np.sin(x) * x[0]


def slope(x, t):
    return np.cos(x) * t * x[0] + np.sin(x) * t[0]


T = np.array([0.5, -1.0])


def test_aux_comes_along():
    for _ in range(3):
        value, tangent, aux = srcgrad.jvp(
            lambda x: (f(x), {"n": len(x)}), (X,), (T,), has_aux=True
        )
        np.testing.assert_allclose(value, f(X))
        np.testing.assert_allclose(tangent, slope(X, T))
        assert aux == {"n": 2}
    value, f_jvp, aux = srcgrad.linearize(lambda x: (f(x), "a"), X, has_aux=True)
    np.testing.assert_allclose(f_jvp(T), slope(X, T))
    assert aux == "a"


def test_kinds_are_those_of_the_value():
    for x, t in ((2.0, 1.0), (np.float32(2.0), np.float32(1.0)), (np.array(2.0),) * 2):
        for _ in range(3):
            value, tangent = srcgrad.jvp(lambda x: x * x, (x,), (t,))
            assert type(value) is type(tangent) is type(x * x)
            assert np.result_type(tangent) == np.result_type(x)


def test_zero_where_nothing_flows():
    for _ in range(3):
        value, tangent = srcgrad.jvp(lambda x: (np.sign(x), np.ones(2)), (X,), (T,))
        np.testing.assert_array_equal(value, (np.ones(2), np.ones(2)))
        np.testing.assert_array_equal(tangent, np.zeros((2, 2)))


def test_of_a_complex_function_it_is_the_derivative():
    z, t = np.array([1.0 + 2.0j]), np.array([0.5 - 1.0j])
    for _ in range(3):
        np.testing.assert_allclose(
            srcgrad.jvp(lambda z: z**2, (z,), (t,))[1], 2 * z * t
        )
        np.testing.assert_allclose(
            srcgrad.jvp(lambda z: np.conj(z), (z,), (t,))[1], np.conj(t)
        )


def test_nested_in_a_gradient_by_primals_and_by_tangents():
    def along(x, t):
        return np.sum(srcgrad.jvp(lambda x: x**3, (x,), (t,))[1])

    for _ in range(4):
        np.testing.assert_allclose(srcgrad.grad(along)(X, T), 6.0 * X * T)
        np.testing.assert_allclose(srcgrad.grad(along, 1)(X, T), 3.0 * X**2)


def test_twice():
    def along(x):
        return srcgrad.jvp(lambda x: x**3, (x,), (1.0,))[1]

    for _ in range(4):
        assert srcgrad.jvp(along, (2.0,), (1.0,)) == (12.0, 12.0)


def test_in_a_traced_function():
    @srcgrad.trace
    def g(x, t):
        value, tangent = srcgrad.jvp(f, (x,), (t,))
        _, f_jvp = srcgrad.linearize(f, x)
        return value + tangent + f_jvp(t)

    for _ in range(3):
        np.testing.assert_allclose(g(X, T), f(X) + 2.0 * slope(X, T))
        x = Variable(X, requires_grad=True)
        out = g(x, T)
        out.sum().backward()
        step = 1e-6
        ends = [np.sum(g(X + s * np.eye(2)[0], T)) for s in (step, -step)]
        np.testing.assert_allclose(
            x.grad.data[0], (ends[0] - ends[1]) / (2 * step), 1e-6
        )
    assert g.stats.compiled > 2


def test_what_linearize_gives_is_linear_and_stays():
    value, f_jvp = srcgrad.linearize(f, X)
    np.testing.assert_allclose(value, f(X))
    for k in range(3):
        np.testing.assert_allclose(f_jvp(k * T), k * slope(X, T))
    for _ in range(2):
        np.testing.assert_allclose(
            srcgrad.grad(lambda t: np.sum(f_jvp(t)))(T),
            np.cos(X) * X[0] + np.array([np.sum(np.sin(X)), 0.0]),
        )


@pytest.mark.parametrize(
    ("primals", "tangents", "message"),
    [
        (X, (X,), "primals must be a tuple or list of arguments, but got ndarray"),
        ((X,), X, "tangents must be a tuple or list"),
        ((X,), (X, X), "primals and tangents must have one structure"),
        (({"a": X},), ({"b": X},), "primals and tangents must have one structure"),
        ((X,), (np.ones(3),), r"tangents\[0\] has shape \(3,\) for \(2,\)"),
        ((X,), (X.astype(np.float32),), r"tangents\[0\] has float32 for float64"),
        ((X,), (np.array([1, 2]),), r"floats.*dtype int64 \(tangents\[0\]"),
        ((np.array([1, 2]),), (X,), "primals are floats.*dtype int64"),
    ],
)
def test_what_does_not_fit(primals, tangents, message):
    with pytest.raises(TypeError, match=f"jvp: .*{message}"):
        srcgrad.jvp(f, primals, tangents)


def test_results_without_derivative():
    with pytest.raises(TypeError, match=r"(?s)jvp: .*dtype int64.*has_aux=True"):
        srcgrad.jvp(np.argmax, (X,), (X,))
    with pytest.raises(TypeError, match=r"jvp: .*it returned str"):
        srcgrad.jvp(lambda x: "text", (X,), (X,))
    with pytest.raises(TypeError, match=r"linearize: .*one structure"):
        srcgrad.linearize(f, X)[1](X, X)


def test_linearize_compiles():
    def g(x):
        print("effect")
        return np.tanh(x) * x[0]

    for k in range(4):
        value, f_jvp = srcgrad.linearize(g, X + k)
        expected = srcgrad.jvp(g, (X + k,), (T,))
        for _ in range(2):
            np.testing.assert_allclose(f_jvp(T), expected[1], rtol=1e-12)
        np.testing.assert_allclose(value, expected[0])
    assert "def backward(saved, x_dot):" in f_jvp.source()
    assert "compiled" in f_jvp.explain()
    found = srcgrad.grad(lambda t: np.sum(f_jvp(t)))(T)
    np.testing.assert_allclose(found @ T, np.sum(f_jvp(T)))


def test_linear_functions_that_are_zero_or_constant():
    for _ in range(4):
        value, f_jvp = srcgrad.linearize(lambda x, y: (x * 2.0, np.ones(2), 1.0), X, T)
        first, second, third = f_jvp(T, T)
        np.testing.assert_array_equal(first, 2.0 * T)
        np.testing.assert_array_equal(second, np.zeros(2))
        assert third == 0.0
        assert value[2] == 1.0
        assert srcgrad.linearize(lambda x: x * x, 3.0)[1](2.0) == 12.0


def in_a_loop(x):
    for _ in range(6):
        x = np.tanh(x * T)
    return x


def number(x):
    return np.exp(x[0]) * x[1]


def tree(x):
    return {"a": x * x, "b": np.sum(np.sin(x))}


@pytest.mark.parametrize("function", [f, in_a_loop, number, tree])
def test_a_linear_function_within_a_transform_does_not_run_the_function_again(function):
    """It has its effects, and its draws, once."""
    rng = np.random.default_rng(0)
    log = []

    def noisy(x):
        log.append(rng.normal())
        return function(x * log[-1])

    for count in range(1, 5):  # on the tape, recorded, generated code
        _, f_jvp = srcgrad.linearize(noisy, X)

        def squares(t, f_jvp=f_jvp):
            found = f_jvp(t)
            parts = found.values() if isinstance(found, dict) else [found]
            return sum(np.sum(part**2) for part in parts)

        slopes = [(squares(T + e) - squares(T - e)) / 2e-3 for e in 1e-3 * np.eye(2)]
        np.testing.assert_allclose(srcgrad.grad(squares)(T), slopes, atol=1e-8)
        t = Variable(T, requires_grad=True)
        squares(t).backward()
        np.testing.assert_allclose(t.grad.data, slopes, atol=1e-8)
        twice = srcgrad.hvp(squares, T, X)
        np.testing.assert_allclose(X @ twice / 2, squares(X), atol=1e-8)
        assert len(log) == count
