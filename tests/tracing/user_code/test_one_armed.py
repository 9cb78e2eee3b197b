"""`explain()` says why a trace has one arm of an `if`, and what to write instead."""

import numpy as np
import pytest

import srcgrad


class Tank:
    level = 0.0


def appends(x):
    levels = [0.0]
    if x > 0.0:
        levels.append(x)
    return x * len(levels)


def sets_an_attribute(x):
    tank = Tank()
    if x > 0.0:
        tank.level = x
    return tank.level + x


def loops_in_an_arm(x):
    if x > 0.0:
        for _ in range(2):
            x = x * x
    return x


def gives_a_large_integer(x):
    y = x * x if x > 0.0 else 2**60
    return y + x


def asks_for_the_integer(x):
    y = x * x if x < 0.0 else 3
    return x * len(str(y))


def gives_an_integer(x):
    y = x * x if x < 0.0 else 0
    return x * (y * 2)


def negates_what_may_be_an_integer(x):
    y = x * x if x > 0.0 else 0
    return -y * x


def keeps_an_array(x):
    t = np.sin(x) * np.ones(3)
    before = t
    if t.max() > 0.5:
        t = np.minimum(t, 0.5)
    t += 1.0
    return np.sum(t * before)


def gives_another_shape(x):
    y = x * np.ones(3)
    if x > 0.0:
        y = np.append(y, 2.0)
    return np.sum(y)


def gives_a_part(x):
    y = x * np.ones(3)
    if x > 0.0:
        y = np.flip(y)
    return np.sum(y)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (gives_another_shape, "`y` is float64[3] or float64[4], by arm"),
        (gives_a_part, "`y` is a part of another array, in one arm"),
        (appends, "calls `levels.append` for what it does; instead: bind a name in"),
        (sets_an_attribute, "sets the attribute `tank.level` in an arm; instead: bind"),
        (loops_in_an_arm, "has a loop in an arm; instead: run the loop before the"),
        (gives_a_large_integer, "a float64 or an int, by arm; write it as a float"),
        (asks_for_the_integer, "and the int itself is asked for; write the int as a"),
        (gives_an_integer, "and the int itself is asked for; write the int as a float"),
        (negates_what_may_be_an_integer, "an int or a float, by arm, which what comes"),
        (keeps_an_array, "`t` is an array that an arm has not made"),
    ],
)
def test_of_each_if_it_says_why(function, reason):
    ours = srcgrad.value_and_grad(function)
    for _ in range(3):
        ours(np.float64(0.3))
    assert reason in ours.explain()
