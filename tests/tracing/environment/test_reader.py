"""The function ``outside``: readable, in the user's order, under the user's lines."""

import types

import numpy as np

import srcgrad
from tests.tracing.comparing import X, plain


class Model:
    def __init__(self):
        self.W = np.ones(3)
        self.n = 2

    def f(self, x):
        for _ in range(self.n):
            x = x * self.W
        return x


def test_it_reads_as_by_hand():
    traced = srcgrad.trace(Model().f)
    traced(X)
    text = traced.source()
    assert (
        "def environment(self):\n"
        "    # test_reader.py:17: for _ in range(self.n):\n"
        "    n = self.n\n"
        "    if type(n) is not int or n != 2:\n"
        '        return "`self.n` was 2"\n'
        "\n"
        "    # test_reader.py:18: x = x * self.W\n"
        "    W = self.W\n"
        "    if type(W) is not ndarray or W.shape != (3,) or W.dtype != float64:\n"
        '        return "`self.W` was float64[3]"\n'
        "    return (W,)\n"
    ) in text
    assert "def forward(x, W):\n" in text


def test_names_that_hide_nothing():
    w = types.SimpleNamespace(
        type=1, np=2.0, is_array=X, float64=X, environment=3, len=4
    )
    function = lambda x: (  # noqa: E731
        x * w.type * w.np * w.is_array * w.float64 * w.environment * w.len
    )
    traced = srcgrad.trace(function)
    for _ in range(3):
        assert plain(traced(X)) == plain(function(X))
    assert traced.stats.compiled == 2


def test_what_is_gone_is_a_miss():
    w = types.SimpleNamespace(a=types.SimpleNamespace(b=2.0))
    traced = srcgrad.trace(lambda x: x * w.a.b if hasattr(w, "a") else x)
    plain_function = lambda x: x * w.a.b if hasattr(w, "a") else x  # noqa: E731
    for _ in range(2):
        assert plain(traced(X)) == plain(plain_function(X))
    del w.a
    assert plain(traced(X)) == plain(plain_function(X))
