"""The lighter copy: what is rewritten in it, and what is left."""

import inspect

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.following.follow import FOLLOWER
from srcgrad.tracing.user_code.copies import is_copied
from srcgrad.tracing.user_code.followed_copy import Rewriter, followed_code
from srcgrad.tracing.user_code.sources import Uninstrumentable
from srcgrad.tracing.user_code.written_names import known_names
from tests.tracing.following.test_follow import X


def test_its_code_is_marked_and_has_the_originals_place():
    def f(x):
        return [np.sum(each) for each in x]

    code = followed_code(f.__code__, f.__globals__)
    assert is_copied(code)
    assert not is_copied(f.__code__)
    assert (code.co_filename, code.co_name) == (__file__, "f")
    assert code.co_firstlineno == f.__code__.co_firstlineno
    assert "__srcgrad__" in code.co_freevars


def test_a_copy_is_made_once_where_it_keeps_nothing_alive():
    def simple(x, by=2.0, *, more=0.0):
        return np.sum(x) * by + more

    def holding(x, table=(1.0, [2.0])):
        return np.sum(x) * table[0]

    copy = FOLLOWER.of(simple)
    assert FOLLOWER.of(simple) is copy
    simple.__defaults__ = (3.0,)
    assert FOLLOWER.of(simple)(X, more=1.0) == 3.0 * np.sum(X) + 1.0
    simple.__kwdefaults__ = {"more": 4.0}
    assert FOLLOWER.of(simple)(X) == 3.0 * np.sum(X) + 4.0
    assert FOLLOWER.of(holding) is not FOLLOWER.of(holding)


def test_names_of_libraries_are_known():
    known = known_names({"np": np, "f": test_names_of_libraries_are_known, "len": 1})
    assert {"np", "sum"} <= known
    assert known.isdisjoint({"f", "len"})


def test_without_source_there_is_none():
    namespace = {}
    exec(compile("def f(x): return x", "<no such file>", "exec"), namespace)
    with pytest.raises(Uninstrumentable, match="not available"):
        followed_code(namespace["f"].__code__, namespace)


class Base:
    def __init__(self):
        self.__secret = 2.0

    def value(self, x):
        return np.sum(x) * self.__secret


class Derived(Base):
    def value(self, x):
        __local = super().value(x)
        return __local + super(Derived, self).value(x)  # noqa: UP008


def everything(x):
    """What needs the caller's own frame, scopes, or statements of every kind."""
    total = 0.0

    def add(value):
        nonlocal total
        total += value

    class Local:
        rate = 2.0

        def scaled(self, v):
            return v * self.rate

    try:
        add(np.sum(x))
        raise ValueError("seen")
    except ValueError as error:
        add(len(str(error)))
    finally:
        add(1.0)
    with np.errstate(all="ignore"):
        add(Local().scaled(x[0]))
    here = locals()
    if (square := x[1] * x[1]) is not None:
        add(square)
    first, *rest = x
    add(first * sum(rest))

    async def never():
        return 1

    def generated():
        yield from (v * 2.0 for v in x)

    add(sum(generated()))
    assert "total" in here
    del rest
    return total


def test_super_and_private_names():
    derived = Derived()
    assert srcgrad.grad(derived.value)(X).tolist() == [4.0, 4.0, 4.0]
    assert FOLLOWER.of(derived.value)(X) == derived.value(X)


def test_statements_of_all_kinds():
    gradient = srcgrad.grad(everything)(X)
    np.testing.assert_allclose(gradient, [3 + 2 + 1.8, 3 + 1.4 + 0.3, 3.3])


def test_a_warning_names_the_line_of_the_user():
    def f(x):
        import warnings

        warnings.warn("look", UserWarning, stacklevel=1)
        return np.sum(x)

    with pytest.warns(UserWarning, match="look") as caught:
        srcgrad.grad(f)(X)
    lines, start = inspect.getsourcelines(f)
    assert caught[0].filename == __file__
    assert "warnings.warn" in lines[caught[0].lineno - start]


def test_every_call_goes_through_the_follower():
    tree = gast.parse("f(g(x), *map(h, y), k=l(z).rate)").body[0]
    rewriter = Rewriter(set(), set(), set(), compile("", "", "exec"), {})
    text = gast.dump(rewriter.visit(tree))
    assert text.count("attr='of'") == 4
    assert text.count("attr='member'") == 1
