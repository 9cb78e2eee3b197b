"""Where SciPy's code takes a shortcut by a value, no slope is lost without a word."""

import numpy as np
import pytest
from scipy import signal, stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy.scipy_sources import copied
from tests.variables import variable


def by_operator(a, b):
    return b if a == 1.0 else b / a


def by_statement(a, b):
    if a[0] != 1.0:
        b = b / a[0]
    return b


def by_membership(a, b):
    return b if a in (0.0, 1.0) else b / a


def by_chain(a, b):
    return b if 1.0 == a == b else a * b


def by_all(w, x):
    return np.sum(x) if np.all(w == 1.0) else np.sum(w * x)


def by_function(w, x):
    return np.sum(x) if np.all(np.equal(w, 1.0)) else np.sum(w * x)


def by_arrays(w, x):
    return 2.0 * x if np.array_equal(w, np.ones(2)) else w + x


def by_truth(w, x):
    return x if not np.any(w) else w + x


def by_default(scale, x):
    return x * (scale or 1.0)


def by_loop(x, y):
    while x != 0.0:
        x, y = 0.0 * x, y + x
    return y


def by_list(x, y):
    return sum([each * y for each in x if each != 0.0], 0.0)


ONES = np.ones(2)
HIT = {
    by_operator: (np.array(1.0), 3.0),
    by_statement: (ONES, 3.0),
    by_membership: (np.array(1.0), 3.0),
    by_chain: (np.array(1.0), 1.0),
    by_all: (ONES, ONES),
    by_function: (ONES, ONES),
    by_arrays: (ONES, ONES),
    by_truth: (np.zeros(2), ONES),
    by_default: (np.array(0.0), 2.0),
    by_loop: (np.array(0.0), 2.0),
    by_list: (np.array([1.0, 0.0]), 2.0),
}


@pytest.mark.parametrize("function", HIT, ids=lambda function: function.__name__)
def test_a_shortcut_is_refused(function):
    at, other = HIT[function]
    run = copied(function)
    with pytest.raises(
        srcgrad.NoRuleError, match=f"(?s)`{function.__name__}`.*shortcut"
    ):
        run(variable(at), other)
    np.testing.assert_array_equal(run(at, other), function(at, other))
    constant = srcgrad.Variable(at)
    np.testing.assert_array_equal(raw_of(run(constant, other)), function(at, other))


def test_other_values_take_the_usual_way():
    assert copied(by_operator)(variable(2.0), 3.0).item() == 1.5
    assert copied(by_all)(variable([1.0, 2.0]), ONES).item() == 3.0
    assert copied(by_list)(variable([1.0, 2.0]), 2.0).item() == 6.0


def complaining(x):
    if x == 0.0:
        raise ZeroDivisionError("of x")
    if x != 1.0:
        raise ValueError("x must be 1")
    assert x == 1.0
    return np.where(x == 1.0, 2.0 * x, x)


def test_what_only_complains_is_no_way():
    run = copied(complaining)
    assert run(variable(1.0)).requires_grad
    with pytest.raises(ZeroDivisionError):
        run(variable(0.0))
    with pytest.raises(ValueError, match="must be 1"):
        run(variable(2.0))


MATRICES = np.array([[-1.0, 0.3], [0.2, -0.7]]), ONES[:, None], ONES[None], np.eye(1)
TIMES = np.array([0.0, 0.5, 1.0])
POINTS = np.array([0.3, 1.2, 2.2, 4.0])
BOUNDS = np.array([0.0, 0.5, 0.5, 1.0])


def of(module, name):
    return replacement_of(getattr(module, name))


def at_times(scale):
    return of(signal, "lsim")(MATRICES, ONES[:1].repeat(3), scale * TIMES, X0=ONES)[1]


RIGHT = {
    "lfilter": (lambda a: of(signal, "lfilter")(ONES, a, POINTS), [1.0, 0.5]),
    "lfilter_zi": (lambda a: of(signal, "lfilter_zi")(ONES, a), [1.0, 0.5]),
    "lfiltic": (lambda a: of(signal, "lfiltic")(ONES, a, POINTS[:2]), [1.0, 0.5, 0.3]),
    "normalize": (lambda a: of(signal, "normalize")(ONES, a)[0], [1.0, 0.5]),
    "tf2ss": (lambda a: of(signal, "tf2ss")(ONES, a)[2], [1.0, 0.5]),
    "lsim": (lambda u: of(signal, "lsim")(MATRICES, u, TIMES)[1], [0.0, 0.0, 0.0]),
    "lsim of times": (at_times, 2.0),
    "boxcox": (lambda power: of(stats, "boxcox")(POINTS, power), 0.0),
    "pmean": (lambda power: of(stats, "pmean")(POINTS, power), 0.0),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_slope_is_right_at_a_shortcut(name):
    function, at = RIGHT[name]
    assert gradcheck(function, (np.array(at),))


def test_a_slope_that_is_zero_all_around():
    assert of(stats, "binomtest")(3, 6, variable(0.5)).pvalue == 1.0


REFUSED = {
    "firwin2": (lambda f: of(signal, "firwin2")(9, f, [1.0, 1.0, 0.0, 0.0]), BOUNDS),
    "impulse": (lambda a: of(signal, "impulse")((ONES[:1], a)), [1.0, 0.0]),
    "step": (lambda a: of(signal, "step")((ONES[:1], a)), [1.0, 0.0]),
    "boxcox_llf": (lambda power: of(stats, "boxcox_llf")(power, POINTS), 0.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_scipys_shortcuts_are_refused(name):
    function, at = REFUSED[name]
    with pytest.raises(srcgrad.NoRuleError, match="shortcut"):
        function(variable(at))


def test_a_trace_stops_at_a_shortcut_too():
    @srcgrad.trace
    def design(f):
        bounds = np.stack([0.0 * f[0], f[0], f[1], 1.0 + 0.0 * f[0]])
        return np.sum(of(signal, "firwin2")(9, bounds, [1.0, 1.0, 0.0, 0.0]) ** 2)

    slope = srcgrad.grad(design)
    slope(np.array([0.3, 0.5]))
    slope(np.array([0.4, 0.5]))
    with pytest.raises(srcgrad.NoRuleError, match="shortcut"):
        slope(np.array([0.5, 0.5]))
