"""What a trace takes for granted outside: a change there is noticed."""

import types

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.assumptions import Assumptions
from srcgrad.tracing.outside.conditions import (
    MISSING,
    has_own_member,
    is_global_still_missing,
    is_same,
    is_unchanged,
)
from srcgrad.tracing.outside.places import Cell, Global
from tests.tracing import world
from tests.tracing.changing import change_item, rebind, set_attribute, steps
from tests.tracing.comparing import X, plain
from tests.tracing.world import calls_helper, doubled, tripled

REBOUND = {
    "helper": (world.calls_helper, rebind(vars(world), "helper", world.tripled)),
    "helper's helper": (
        world.calls_helper,
        rebind(vars(world), "doubled", world.tripled),
    ),
    "code": (
        world.calls_helper,
        set_attribute(world.doubled, "__code__", world.tripled.__code__),
    ),
    "own code": (
        world.doubled,
        set_attribute(world.doubled, "__code__", world.tripled.__code__),
    ),
    "defaults": (
        world.calls_default,
        set_attribute(world.with_default, "__defaults__", (5.0,)),
    ),
    "defaults, equal but another type": (
        world.calls_default,
        set_attribute(world.with_default, "__defaults__", (True,)),
    ),
    "keyword defaults": (
        world.calls_default,
        set_attribute(world.with_default, "__kwdefaults__", {"m": 7.0}),
    ),
    "keyword defaults, equal but another type": (
        world.calls_default,
        change_item(world.with_default.__kwdefaults__, "m", True),
    ),
    "keyword defaults, an array": (
        world.calls_default,
        change_item(world.with_default.__kwdefaults__, "m", X),
    ),
    "module function": (
        world.calls_module,
        set_attribute(world.module, "f", world.tripled),
    ),
    "module number": (
        world.reads_module,
        set_attribute(world.module, "scale", 5.0),
    ),
    "global": (world.reads_global, rebind(vars(world), "scale", 5.0)),
    "global, equal but another type": (
        world.reads_global,
        rebind(vars(world), "scale", np.float32(2.0)),
    ),
    "global array": (
        world.reads_global_array,
        rebind(vars(world), "weights", X * 7.0),
    ),
    "global array, in place": (
        world.reads_global_array,
        change_item(world.weights, 0, 9.0),
    ),
    "global dict": (world.reads_global_dict, change_item(world.table, "a", 5.0)),
    "comprehension": (
        world.reads_global_in_comprehension,
        change_item(world.numbers, 0, 9.0),
    ),
    "lambda's default": (
        world.reads_global_in_default_of_lambda,
        rebind(vars(world), "scale", 9.0),
    ),
    "shadowed builtin": (world.sums, rebind(vars(world), "sum", lambda items: X)),
    "class attribute": (
        world.reads_class_attribute,
        set_attribute(world.Settings, "scale", 7.0),
    ),
    "np": (world.uses_np, rebind(vars(world), "np", world.other_np)),
}


@pytest.mark.parametrize("name", REBOUND)
def test_a_change_of_what_is_read_outside_is_noticed(name):
    function, change = REBOUND[name]
    expected = steps(function, change)
    assert expected[0] != expected[1] or "another type" in name
    assert steps(srcgrad.trace(function), change) == expected


def test_a_change_of_a_closure_is_noticed():
    def make():
        k, f = 2.0, doubled

        def function(x):
            return f(x) * k

        def set_k(value):
            nonlocal k
            k = value

        def set_f(value):
            nonlocal f
            f = value

        return function, set_k, set_f

    function, set_k, set_f = make()
    traced = srcgrad.trace(function)
    for change in (lambda: None, lambda: set_k(5.0), lambda: set_f(tripled)):
        change()
        for _ in range(3):
            assert plain(traced(X)) == plain(function(X))


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


calls_helper_traced = srcgrad.trace(calls_helper)


def test_rebinding_what_an_inner_traced_function_calls_is_noticed():
    function = srcgrad.trace(lambda x: calls_helper_traced(x) * 1.0)
    change = rebind(vars(world), "helper", tripled)
    before, after = steps(function, change)
    assert before == [plain(X * 2.0 + 1.0)] * 3
    assert after == [plain(X * 3.0 + 1.0)] * 3


def named_alike():
    def helper(x):
        return x * 2.0

    return helper


def test_two_helpers_of_one_name_are_two():
    def other():
        def helper(x):
            return x * 5.0

        return helper

    first, second = named_alike(), other()
    traced = srcgrad.trace(lambda x: first(x) + second(x))
    for _ in range(2):
        assert plain(traced(X)) == plain(X * 7.0)
    assert traced.stats.compiled == 1
    second.__code__ = tripled.__code__
    assert plain(traced(X)) == plain(X * 5.0)


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
