"""A rule of the user's takes the place of another one, everywhere and at once."""

import numpy as np
import pytest
import scipy.special

import srcgrad
from srcgrad import Variable
from srcgrad.function_parameters import parameters_of
from srcgrad.modes import REDEFINED

X = np.array([0.5, 2.0])
DOUBLE = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
FUNCTIONS = {
    "of the user's": (DOUBLE, lambda x: DOUBLE(x)),
    "tanh": (np.tanh, lambda x: np.tanh(x)),
    "exp": (np.exp, lambda x: np.exp(x)),
    "negative": (np.negative, lambda x: -x),
    "absolute": (np.abs, lambda x: abs(x)),
    "square": (np.square, lambda x: np.square(x)),
    "cumsum": (np.cumsum, lambda x: x.cumsum()),
    "sinc": (np.sinc, lambda x: np.sinc(x)),
    "erf": (scipy.special.erf, lambda x: scipy.special.erf(x)),
}


def times(slope):
    return lambda g: slope * g


def by_tape(f):
    x = Variable(X, requires_grad=True)
    f(x).backward()
    return x.grad.data


def ways(f):
    """Its slope in every way; what is traced lasts from one rule to the next."""
    traced, gradient = srcgrad.trace(f), srcgrad.grad(f)
    return {
        "tape": lambda: by_tape(f),
        "trace": lambda: by_tape(traced),
        "grad": lambda: gradient(X),
        "jvp": lambda: [srcgrad.jvp(f, (X,), (each,))[1] for each in np.eye(2)],
        "jacobian": lambda: srcgrad.jacobian(f)(X),
        "vmap": lambda: srcgrad.vmap(gradient)(X[None])[0],
    }


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("rules_are_restored")
def test_the_last_rule_holds(name):
    function, call = FUNCTIONS[name]
    argument = next(iter(parameters_of(function)[0]))
    found = ways(lambda x: np.sum(call(x)))
    for slope in (3.0, 5.0, 5.0):
        srcgrad.defvjp(function, **{argument: times(slope)})
        for _ in range(3):
            for way, derivative in found.items():
                np.testing.assert_allclose(derivative(), [slope] * 2, err_msg=way)


@pytest.mark.usefixtures("rules_are_restored")
def test_an_operator_has_the_rule_of_its_function():
    srcgrad.defvjp(np.subtract, x1=lambda g: 10.0 * g, x2=lambda g: 20.0 * g)
    for f, slope in ((lambda x: x - 2.0, 10.0), (lambda x: 2.0 - x, 20.0)):
        for way, derivative in ways(lambda x, f=f: np.sum(f(x))).items():
            np.testing.assert_allclose(derivative(), [slope] * 2, err_msg=way)


@pytest.mark.usefixtures("rules_are_restored")
def test_a_new_function_leaves_fast_paths_alone():
    own = np.frompyfunc(lambda x: x, 1, 1)
    for _ in range(2):
        srcgrad.defvjp(own, x=lambda g: g)
        assert not REDEFINED
    with pytest.raises(TypeError, match="'y' is not an argument"):
        srcgrad.defvjp(np.tanh, y=lambda g: g)
    assert not REDEFINED


@pytest.mark.parametrize("kind", [srcgrad.custom_vjp, srcgrad.custom_jvp])
def test_a_custom_derivative_may_be_defined_again(kind):
    f = kind(lambda x: 2.0 * x)
    found = ways(lambda x: np.sum(f(x)))
    for slope in (3.0, 5.0, 5.0):
        if kind is srcgrad.custom_vjp:
            f.defvjp(lambda x: (2.0 * x, None), lambda _, g, slope=slope: (slope * g,))
        else:
            f.defjvp(lambda x, t, slope=slope: (2.0 * x[0], slope * t[0]))
        for _ in range(3):
            for way, derivative in found.items():
                np.testing.assert_allclose(derivative(), [slope] * 2, err_msg=way)
