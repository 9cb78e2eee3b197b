"""Gradients through `if`: those of the arm that ran, and nothing of the other."""

import numpy as np
import pytest

import srcgrad


def root_of_what_is_positive(x, y):
    r = np.sqrt(x)
    if y > 0.0:  # noqa: SIM108
        z = r * y
    else:
        z = y * y
    return z + x


def both_names(x, y):
    s = x * y
    if s > 0.0:
        s = x
    else:
        x = s * 2.0
    return s * x * y


def nested(x, y):
    c = x * y
    s = c + y
    if s > 1.0:
        s = s * c
    elif s > 0.0:
        if x > y:
            s = np.sin(s)
        t = s * 3.0
        s = t * t
    return s * x


@pytest.mark.parametrize("f", [root_of_what_is_positive, both_names, nested])
def test_gradients_in_every_arm(f):
    traced = srcgrad.trace(f)
    ours = srcgrad.value_and_grad(traced, argnums=(0, 1))
    # Of the first one, a zero that flowed to the root would come out as NaN.
    points = [(0.0, -1.0), (0.0, 1.5), (2.0, 0.3), (0.4, 0.5), (1.0, np.nan)]
    for x, y in (*points, *points[1:]):
        with np.errstate(all="ignore"):
            value, found = ours(np.float64(x), np.float64(y))
            variables = [
                srcgrad.Variable(np.float64(v), requires_grad=True) for v in (x, y)
            ]
            out = f(*variables)
            out.backward()
        expected = [0.0 if v.grad is None else v.grad.data for v in variables]
        assert np.allclose([value, *found], [out.data, *expected], equal_nan=True)
    assert traced.stats.traces == 1
    assert "    if " in srcgrad.source(ours)


def test_whether_there_is_a_gradient_does_not_depend_on_the_trace():
    def f(x, y):
        if x > 0.0:  # noqa: SIM108
            z = x * 2.0
        else:
            z = y * 3.0
        return z

    traced = srcgrad.trace(f)
    for x in (1.0, -1.0, 1.0, -1.0):
        variables = [srcgrad.Variable(v, requires_grad=True) for v in (x, 2.0)]
        traced(*variables).backward()
        assert [v.grad is None for v in variables] == [x < 0, x > 0]
