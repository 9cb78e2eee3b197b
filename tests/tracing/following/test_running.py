"""Functions run as followed copies, which change with them."""

import math

import srcgrad
from srcgrad.tracing.following.running import Followed, run

X = srcgrad.Variable(0.5, requires_grad=True)


def scaled(x, by=2.0, *, more=0.0):
    return math.sin(x) * by + more


def other(x, by=2.0, *, more=0.0):
    return math.cos(x) * by + more


def test_a_copy_is_run():
    assert run(scaled, (X,), {"by": 1.0}).value == math.sin(0.5)


def test_a_function_that_changes_has_another_copy():
    def f(x, by=2.0, *, more=0.0):
        return math.sin(x) * by + more

    followed = Followed(f)
    assert followed.run((X,), {}).value == 2.0 * math.sin(0.5)
    f.__defaults__ = (3.0,)
    assert followed.run((X,), {}).value == 3.0 * math.sin(0.5)
    f.__kwdefaults__ = {"more": 1.0}
    assert followed.run((X,), {}).value == 3.0 * math.sin(0.5) + 1.0
    f.__code__ = other.__code__
    assert followed.run((X,), {}).value == 3.0 * math.cos(0.5) + 1.0
