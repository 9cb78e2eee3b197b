"""What is found out of an arm as it runs: `explain()` names it."""

import numpy as np
import pytest

import srcgrad


class Table:
    def __getitem__(self, index):
        return 2.0 * index


TABLE = Table()


def shown(x):
    print(x)
    return x


def calls_what_does_more(x):
    y = x
    if x > 0.0:
        y = shown(x) * 2.0
    return y


def asks_an_object_for_an_item(x):
    y = x
    if x > 0.0:
        y = x * TABLE[1]
    return y


def calls_itself(x):
    return calls_itself(x - 1.0) * 2.0 if x > 0.0 else x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (calls_what_does_more, "calls `shown`, which may do more than compute"),
        (asks_an_object_for_an_item, "takes an item of a Table"),
        (calls_itself, "which is running"),
    ],
)
def test_why_there_is_one_arm(function, reason, capsys):
    ours = srcgrad.value_and_grad(function)
    for x in (0.5, 0.5, -0.5, 1.5):
        with srcgrad.set_stance("tape"):
            expected = ours(np.float64(x))
        assert ours(np.float64(x)) == expected
    assert reason in ours.explain()
    capsys.readouterr()
