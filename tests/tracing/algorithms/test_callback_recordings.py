"""One run of a function that an algorithm calls: what it reads, what it may not do."""

import numpy as np
import pytest
from scipy import optimize

import srcgrad

DATA = np.array([1.0, 2.0, 3.0])


def root_of(function, **options):
    return optimize.brentq(function, 0.0, 4.0, **options)


def leaves_something(a):
    seen = []

    def residual(x):
        seen.append(1)
        return x * x - a

    return root_of(residual)


def differentiates(a):
    return root_of(lambda x: srcgrad.grad(lambda y: y**3)(x) - a)


@pytest.mark.parametrize(
    ("function", "does"),
    [
        (leaves_something, "leaves something behind"),
        (differentiates, "differentiates"),
    ],
)
def test_what_is_no_graph_is_refused_by_name(function, does):
    traced = srcgrad.trace(function)
    for a in (1.5, 1.6):
        np.testing.assert_allclose(traced(a), function(a), rtol=1e-13)
    assert does in str(traced.explain())


def test_what_is_read_around_it_is_an_argument():
    @srcgrad.trace
    def root(a, scale):
        shift = a * 2.0
        return root_of(lambda x: x**2 * scale - shift + np.mean(DATA) * 0.0)

    for a, scale in [(1.5, 1.0), (1.6, 2.0), (1.7, 3.0)]:
        value, slope = srcgrad.value_and_grad(root)(a, scale)
        np.testing.assert_allclose(value, np.sqrt(2.0 * a / scale), rtol=1e-9)
        np.testing.assert_allclose(slope, 1.0 / np.sqrt(2.0 * a * scale), rtol=1e-7)
    assert len(root.explain(as_dict=True)["traces"]) == 1
