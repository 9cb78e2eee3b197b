"""What a trace takes for granted outside: a change there is noticed."""

import types

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.assumptions import Assumptions
from srcgrad.tracing.environment.conditions import (
    MISSING,
    has_own_member,
    is_global_still_missing,
    is_same,
    is_unchanged,
)
from srcgrad.tracing.environment.references import Cell, Global
from tests.tracing.comparing import X, plain


def doubled(x):
    return x * 2.0


def tripled(x):
    return x * 3.0


def test_a_change_of_a_closures_function_is_noticed_in_compiled_code():
    f = doubled

    def function(x):
        return f(x)  # noqa: F821 (deleted below)

    traced = srcgrad.trace(function)
    assert plain(traced(X)) == plain(traced(X)) == plain(X * 2.0)
    assert traced.stats.compiled == 1
    f = tripled
    assert plain(traced(X)) == plain(X * 3.0)
    del f
    with pytest.raises(NameError):
        traced(X)


helper = doubled


@srcgrad.trace
def calls_helper(x):
    return helper(x)


def test_rebinding_what_an_inner_traced_function_calls_is_noticed(monkeypatch):
    function = srcgrad.trace(lambda x: calls_helper(x) + 1.0)
    for factor, called in ((2.0, doubled), (3.0, tripled)):
        monkeypatch.setitem(globals(), "helper", called)
        for _ in range(3):
            assert plain(function(X)) == plain(X * factor + 1.0)


# ----- The conditions themselves -----


def broken(*found):
    return Assumptions(found).broken()


def test_a_name_is_assumed_to_be_the_same_object():
    namespace = {"k": doubled}
    condition = is_same(Global("k", namespace), doubled)
    assert broken(condition) is None
    namespace["other"] = 2.0
    assert broken(condition) is None
    namespace["k"] = tripled
    assert broken(condition) == "`k` was rebound"
    del namespace["k"]
    assert broken(condition) == "`k` was rebound"
    assert str(condition) == "`k` is what it was"
    assert Assumptions([condition]).mentions() == ["`k`"]


def test_a_module_and_a_builtin_go_without_saying():
    module = is_same(Global("np", {"np": np}), np)
    namespace = {}
    builtin = is_global_still_missing("len", namespace)
    assert broken(module, builtin) is None
    assert Assumptions([module, builtin]).mentions() == []
    namespace["len"] = None
    assert broken(module, builtin) == "`len` was rebound"


def test_a_member_of_a_class_and_a_closures_variable_are_assumed_too():
    class Layer:
        scale = 2.0

    condition = has_own_member(Layer, "scale", Layer.scale)
    assert broken(condition) is None
    Layer.scale = 3.0
    assert broken(condition) == "`Layer.scale` was rebound"
    assert broken(has_own_member(Layer, "apply", MISSING)) is None

    cell = types.CellType(doubled)
    condition = is_same(Cell("k", cell), doubled)
    assert broken(condition) is None
    cell.cell_contents = tripled
    assert broken(condition) == "`k` was rebound"
    del cell.cell_contents
    assert broken(condition) == "`k` was rebound"


def test_the_first_that_is_broken_is_named():
    namespace = {"a": len, "b": max}
    found = [is_same(Global(key, namespace), namespace[key]) for key in "ab"]
    assert broken(*found) is None
    namespace["b"] = min
    assert broken(*found) == "`b` was rebound"
    assert broken() is None


def test_the_code_and_defaults_of_a_function_are_assumed():
    def function(a=1.0, *, m=1.0):
        return m

    condition = is_unchanged(function)
    assert broken(condition) is None
    for change in (
        lambda: function.__kwdefaults__.update(m=True),
        lambda: setattr(function, "__kwdefaults__", None),
        lambda: setattr(function, "__defaults__", (1.0, 2.0)),
        lambda: setattr(function, "__code__", tripled.__code__),
    ):
        condition = is_unchanged(function)
        assert broken(condition) is None
        change()
        assert broken(condition) == "the code and defaults of `function` changed"
