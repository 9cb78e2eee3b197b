"""Texts that a traced function makes, and tells."""

import numpy as np

import srcgrad
from tests.tracing.comparing import X, same_through


def test_texts_of_what_is_known_are_made_at_once():
    def function(x, n):
        key = f"layer {n:02d}" + " of %d" % 3 + ", {}".format(str(n))  # noqa: UP031, UP032
        return x * len(key)

    same_through(function, *[lambda n=n: (X, n) for n in (1, 1, 10)], compiled=1)


def test_texts_of_what_is_computed_are_told_of_each_call(capsys):
    traced = srcgrad.trace(
        lambda x: print(f"{np.sum(x):.1f}", "%.2f" % x[0])  # noqa: UP031
    )
    for k in (1.0, 2.0, 3.0):
        traced(X * k)
    assert capsys.readouterr().out == "6.0 1.00\n12.0 2.00\n18.0 3.00\n"
    assert traced.stats.compiled == 2


def test_the_text_of_an_array_depends_on_print_options():
    traced = srcgrad.trace(lambda x: x * len(str(np.ones(2))))
    np.testing.assert_equal(traced(X), X * 7)
    assert "print options" in traced.explain()
