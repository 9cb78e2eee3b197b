"""What ``explain()`` says."""

import numpy as np

import srcgrad


def test_explain_says_each_thing_once():
    @srcgrad.trace
    def halved(x):
        while np.sum(x) > 1.0:
            x = x / 2.0
        return np.sum(x)

    halved(np.full(3, 10.0))
    assert halved.explain().count("bool is True") == 1
    assert "(5 times)" in halved.explain()

    @srcgrad.trace
    def printing(x):
        print("", end="")
        return x

    for length in range(1, 5):
        printing(np.ones(length))
    assert printing.explain().count("on the tape:") == 1
