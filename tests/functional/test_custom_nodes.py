"""What a way back of the user's must give, and the errors if it does not."""

import numpy as np
import pytest

import srcgrad

X = np.array([1.0, 2.0, 3.0])


def weighted(w, params):
    return np.sum(w * params["a"])


@pytest.mark.parametrize(
    ("back", "message"),
    [
        (lambda g: (g * np.ones(2), None), r"for `w` a gradient of its shape, \(3,\)"),
        (
            lambda g: (None, {"a": g}),
            r"for `params` .* \(3,\), but returned one of \(\)",
        ),
        (lambda g: (None, {"b": g * X}), "for `params` a gradient in its structure"),
        (lambda g: (g * X,), "a tuple of 2 gradients, but returned 1\n"),
        (lambda g: [g * X, None], "a tuple of 2 gradients, but returned list"),
    ],
)
def test_a_gradient_that_does_not_fit(back, message):
    function = srcgrad.custom_vjp(weighted)
    function.defvjp(lambda w, params: (weighted(w, params), None), lambda _, g: back(g))
    where = r"the way back of weighted \(.*test_custom_nodes.py:\d+\) must return .*"
    for transform in (srcgrad.grad, srcgrad.grad, srcgrad.grad, srcgrad.hessian):
        with pytest.raises(TypeError, match=f"(?s){where}{message}.*test_custom_nodes"):
            transform(lambda w, p: 2.0 * function(w, p), (0, 1))(X, {"a": X})


def test_none_is_zero():
    function = srcgrad.custom_vjp(weighted)
    function.defvjp(
        lambda w, params: (weighted(w, params), None), lambda _, g: (None,) * 2
    )
    np.testing.assert_array_equal(srcgrad.grad(function)(X, {"a": X}), np.zeros(3))
