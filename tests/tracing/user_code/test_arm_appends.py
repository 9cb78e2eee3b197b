"""A list to which both arms append is as long whichever ran: one trace."""

import numpy as np
import pytest

from tests.branch_programs import compared_with_the_tape


def by_three(x, n):
    found = []
    for v in x:
        if v > n:
            found.append(v * n)
        elif v < -n:
            w = v * v
            found.append(w)
            n = n * 0.9
        else:
            found.append(0.0)
    return np.sum(np.array(found) ** 2)


def in_two_lists(x, n):
    levels, flows = [n], []
    for v in x:
        if levels[-1] > 0.5:
            flows.append(levels[-1] - 0.5)
            levels.append(0.5 + v)
        else:
            flows.append(0.0)
            levels.append(levels[-1] + v)
    return np.sum(np.array(levels) * n) + sum(flows)


def reads_it_in_an_arm(x, n):
    found = [n]
    for v in x:
        if v > n:
            found.append(v)
            n = n + found[-1]
        else:
            found.append(0.5 * v)
    return sum(found) * n


def has_two_names(x, n):
    found = [n]
    last = found
    for v in x:
        if v > n:
            found.append(v)
            n = n + last[-1] * len(last)
        else:
            found.append(0.5 * v)
    return sum(found) * n


def is_in_a_closure(x, n):
    found = [n]

    def last():
        return found[-1]

    for v in x:
        if v > n:
            found.append(v)
            n = n + last()
        else:
            found.append(0.5 * v)
    return sum(found) * n


def catches_an_error(x, n):
    found = []
    try:
        if x[0] > n:
            found.append(n)
            n = x[10]
        else:
            found.append(x[1])
            found.append(x[2])
    except IndexError:
        n = n * 2.0
    return sum(found) * n + len(found)


def appends_in_one_arm(x, n):
    found = []
    for v in x:
        if v > n:
            found.append(v)
    return sum(found) + len(found) * n


ONE_TRACE = by_three, in_two_lists
OTHERS = (
    *(reads_it_in_an_arm, has_two_names, is_in_a_closure, catches_an_error),
    appends_in_one_arm,
)


@pytest.mark.parametrize("function", [*ONE_TRACE, *OTHERS])
def test_it_has_what_python_appends(function):
    ours = compared_with_the_tape(function)
    if function in ONE_TRACE:
        assert ours.stats.traces == 1
