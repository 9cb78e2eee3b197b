"""Where a function's source is: the right one of several, or none."""

import functools

import pytest

import srcgrad
from tests.tracing.comparing import X, plain, same_through


def closures():
    return [lambda x, k=k: x * k for k in (2.0, 3.0)], [
        functools.partial(lambda k: lambda x: x * k, k)() for k in (2.0, 3.0)
    ]


@pytest.mark.parametrize("kind", [0, 1])
def test_same_code_and_other_closures(kind):
    twice, thrice = map(srcgrad.trace, closures()[kind])
    for _ in range(3):
        assert plain(twice(X)) == plain(X * 2.0)
        assert plain(thrice(X)) == plain(X * 3.0)


def test_two_lambdas_on_one_line():
    f, g = (lambda x: x * 2.0), (lambda x: x * 3.0)
    for function in (f, g):
        same_through(function, *[lambda: (X,)] * 3)


def test_source_that_is_not_there():
    namespace = {}
    exec("def made(x):\n    return x * 2.0", namespace)
    traced = same_through(
        namespace["made"],
        *[lambda: (X,)] * 3,
        refused="the source of made is not ",
    )
    with pytest.raises(RuntimeError, match="the source of made is not "):
        traced.source()
