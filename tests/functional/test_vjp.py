"""``vjp``: what it gives, takes and refuses."""

import copy
import pickle

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.own_traces import target_of

X = np.array([1.0, 2.0])


def f(x, y):
    return {"product": x * y, "sum": np.sum(x) + np.sum(y)}


G = {"product": np.array([1.0, 10.0]), "sum": 2.0}


def test_a_gradient_by_each_primal():
    for _ in range(4):
        value, f_vjp = srcgrad.vjp(f, X, 3.0 * X)
        np.testing.assert_array_equal(value["product"], 3.0 * X * X)
        for k in (1.0, 2.0):
            by_x, by_y = f_vjp({"product": k * G["product"], "sum": 2.0})
            np.testing.assert_allclose(by_x, 3.0 * X * k * G["product"] + 2.0)
            np.testing.assert_allclose(by_y, X * k * G["product"] + 2.0)
    assert target_of(f).traced.stats.compiled == 2
    assert "def backward(saved, " in f_vjp.source()
    assert "2 compiled" in f_vjp.explain()


def test_aux_comes_along():
    value, f_vjp, aux = srcgrad.vjp(lambda x: (x * x, "aux"), 3.0, has_aux=True)
    assert (value, f_vjp(1.0), aux) == (9.0, (6.0,), "aux")


def test_gradients_are_the_callers_own():
    _, f_vjp = srcgrad.vjp(lambda x: x * 1.0, X)
    (g,) = f_vjp(X)
    g += 1.0
    np.testing.assert_array_equal(f_vjp(X)[0], X)
    np.testing.assert_array_equal(X, [1.0, 2.0])


def test_what_the_caller_changes_later_changes_nothing():
    for _ in range(4):
        x = X.copy()
        _, f_vjp = srcgrad.vjp(lambda x: x**3, x)
        _, f_jvp = srcgrad.linearize(lambda x: x**3, x)
        x[:] = 0.0
        np.testing.assert_allclose(f_vjp(X)[0], 3.0 * X**3)
        np.testing.assert_allclose(f_jvp(X), 3.0 * X**3)


def test_nor_does_what_becomes_of_the_value():
    for _ in range(4):
        value, f_vjp = srcgrad.vjp(lambda x: np.exp(x), X)
        same, f_jvp = srcgrad.linearize(lambda x: np.exp(x), X)
        value *= 0.0
        same *= 0.0
        np.testing.assert_allclose(f_vjp(X)[0], np.exp(X) * X)
        np.testing.assert_allclose(f_jvp(X), np.exp(X) * X)


def test_nested():
    def along(x, g):
        return np.sum(srcgrad.vjp(lambda x: x**3, x)[1](g)[0])

    for _ in range(4):
        np.testing.assert_allclose(srcgrad.grad(along)(X, X), 6.0 * X * X)
        np.testing.assert_allclose(srcgrad.grad(along, 1)(X, X), 3.0 * X**2)
        by_x = srcgrad.jvp(lambda x: srcgrad.vjp(np.sin, x)[1](1.0), (0.5,), (1.0,))
        np.testing.assert_allclose(by_x, [(np.cos(0.5),), (-np.sin(0.5),)])


def test_a_walk_back_within_another_transform():
    _, f_vjp = srcgrad.vjp(lambda x: x**2, X)
    for _ in range(3):
        found = srcgrad.grad(lambda g: np.sum(f_vjp(g)[0]))(X)
        np.testing.assert_allclose(found, 2.0 * X)


def test_in_a_traced_function():
    @srcgrad.trace
    def g(x):
        value, f_vjp = srcgrad.vjp(f, x, x)
        by_x, by_y = f_vjp(value)
        return by_x + by_y

    expected = 2.0 * (X**3 + 2.0 * np.sum(X))
    for _ in range(3):
        np.testing.assert_allclose(g(X), expected)
        x = Variable(X, requires_grad=True)
        g(x).sum().backward()
        np.testing.assert_allclose(x.grad.data, 6.0 * X**2 + 8.0)
    assert g.stats.compiled > 2


def test_results_that_lead_to_nothing_outside_are_arrays():
    w = Variable(X, requires_grad=True)

    def several(x):
        return x * w, x * 2.0, np.sin(x)

    for _ in range(4):
        value, _ = srcgrad.vjp(several, X)
        assert [isinstance(each, Variable) for each in value] == [True, False, False]


def test_it_is_not_pickled_with_what_the_function_closes_over():
    w = Variable(X, requires_grad=True)
    _, f_vjp = srcgrad.vjp(lambda x: x * w, X)
    with pytest.raises(TypeError, match=r"vjp gives is not pickled.*require grad"):
        pickle.dumps(f_vjp)


drawn = np.random.default_rng(0)


def scaled_by_chance(x):
    return x * drawn.normal()


def test_a_copy_is_the_way_back_itself():
    _, f_vjp = srcgrad.vjp(lambda x: x * 2.0, X)
    assert copy.copy(f_vjp) is copy.deepcopy([f_vjp])[0] is f_vjp


def test_where_it_is_loaded_the_function_must_give_the_same_value():
    _, f_vjp = srcgrad.vjp(scaled_by_chance, X)
    with pytest.raises(RuntimeError, match="is not what it was when it was pickled"):
        pickle.loads(pickle.dumps(f_vjp))


@pytest.mark.parametrize(
    ("cotangent", "message"),
    [
        (X, "the structure of the value"),
        ({"product": X}, "the structure of the value"),
        ({"product": np.ones(3), "sum": 1.0}, r"\['product'\] has shape \(3,\)"),
        ({"product": X, "sum": 1}, r"floats.*got int \(cotangent\['sum'\]"),
        ({"product": X, "sum": None}, "None where the value has it, and nowhere else"),
        ({"product": X, "sum": 1j}, r"cotangent\['sum'\] has complex128 for float64"),
    ],
)
def test_cotangents_that_do_not_fit(cotangent, message):
    _, f_vjp = srcgrad.vjp(f, X, X)
    with pytest.raises(TypeError, match=f"vjp: .*{message}"):
        f_vjp(cotangent)


def test_there_is_one_cotangent():
    _, f_vjp = srcgrad.vjp(f, X, X)
    with pytest.raises(TypeError, match=r"takes one cotangent, .* but got 2\n"):
        f_vjp(X, X)


def test_what_has_no_derivative():
    with pytest.raises(TypeError, match=r"vjp: primals are floats.*got int"):
        srcgrad.vjp(f, 1, 2)
    with pytest.raises(TypeError, match=r"(?s)vjp: .*dtype int64.*has_aux=True"):
        srcgrad.vjp(np.argmax, X)
