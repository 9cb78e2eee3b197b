"""What a trace takes for granted outside: a change there is noticed."""

import types

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.assumptions import MISSING, Assumptions, SameFunction, SameName
from tests.tracing import outside
from tests.tracing.changing import change_item, rebind, set_attribute, steps
from tests.tracing.comparing import X, plain
from tests.tracing.outside import calls_helper, doubled, tripled

REBOUND = {
    "helper": (outside.calls_helper, rebind(vars(outside), "helper", outside.tripled)),
    "helper's helper": (
        outside.calls_helper,
        rebind(vars(outside), "doubled", outside.tripled),
    ),
    "code": (
        outside.calls_helper,
        set_attribute(outside.doubled, "__code__", outside.tripled.__code__),
    ),
    "own code": (
        outside.doubled,
        set_attribute(outside.doubled, "__code__", outside.tripled.__code__),
    ),
    "defaults": (
        outside.calls_default,
        set_attribute(outside.with_default, "__defaults__", (5.0,)),
    ),
    "defaults, equal but another type": (
        outside.calls_default,
        set_attribute(outside.with_default, "__defaults__", (True,)),
    ),
    "keyword defaults": (
        outside.calls_default,
        set_attribute(outside.with_default, "__kwdefaults__", {"m": 7.0}),
    ),
    "keyword defaults, equal but another type": (
        outside.calls_default,
        change_item(outside.with_default.__kwdefaults__, "m", True),
    ),
    "keyword defaults, an array": (
        outside.calls_default,
        change_item(outside.with_default.__kwdefaults__, "m", X),
    ),
    "module function": (
        outside.calls_module,
        set_attribute(outside.module, "f", outside.tripled),
    ),
    "module number": (
        outside.reads_module,
        set_attribute(outside.module, "scale", 5.0),
    ),
    "global": (outside.reads_global, rebind(vars(outside), "scale", 5.0)),
    "global, equal but another type": (
        outside.reads_global,
        rebind(vars(outside), "scale", np.float32(2.0)),
    ),
    "global array": (
        outside.reads_global_array,
        rebind(vars(outside), "weights", X * 7.0),
    ),
    "global array, in place": (
        outside.reads_global_array,
        change_item(outside.weights, 0, 9.0),
    ),
    "global dict": (outside.reads_global_dict, change_item(outside.table, "a", 5.0)),
    "comprehension": (
        outside.reads_global_in_comprehension,
        change_item(outside.numbers, 0, 9.0),
    ),
    "lambda's default": (
        outside.reads_global_in_default_of_lambda,
        rebind(vars(outside), "scale", 9.0),
    ),
    "shadowed builtin": (outside.sums, rebind(vars(outside), "sum", lambda items: X)),
    "class attribute": (
        outside.reads_class_attribute,
        set_attribute(outside.Settings, "scale", 7.0),
    ),
    "np": (outside.uses_np, rebind(vars(outside), "np", outside.other_np)),
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
    change = rebind(vars(outside), "helper", tripled)
    before, after = steps(function, change)
    assert before == [plain(X * 2.0 + 1.0)] * 3
    assert after == [plain(X * 3.0 + 1.0)] * 3


# ----- The guards themselves -----


def holds(*assumptions):
    """Whether some assumptions hold; the one condition of them says the same."""
    together = Assumptions(assumptions)
    assert together.hold() is (together.broken() is None)
    return together.hold()


def test_a_name_is_assumed_to_be_the_same_object():
    namespace = {"k": 1.0}
    assumption = SameName("k", namespace, "k", namespace["k"])
    assert holds(assumption)
    namespace["other"] = 2.0
    assert holds(assumption)
    namespace["k"] = float("1.0")
    assert not holds(assumption)
    assert assumption.broken() == "`k` was rebound"
    del namespace["k"]
    assert not holds(assumption)
    assert str(assumption) == "`k` is what it was"
    assert assumption.mention() == "`k`"


def test_a_module_and_a_builtin_go_without_saying():
    assert SameName("np", {"np": np}, "np", np).mention() == ""
    builtin = SameName("len", {}, "len", MISSING)
    assert holds(builtin)
    assert builtin.mention() == ""
    assert not holds(SameName("len", {"len": None}, "len", MISSING))


def test_a_member_of_a_class_and_a_closures_variable_are_assumed_too():
    class Layer:
        scale = 2.0

    assumption = SameName("Layer.scale", vars(Layer), "scale", Layer.scale)
    assert holds(assumption)
    Layer.scale = 3.0
    assert not holds(assumption)

    cell = types.CellType(1.0)
    assumption = SameName("k", cell, "k", cell.cell_contents)
    assert holds(assumption)
    cell.cell_contents = 2.0
    assert not holds(assumption)
    del cell.cell_contents
    assert not holds(assumption)


def test_the_first_that_is_broken_is_named():
    namespace = {"a": 1, "b": 2}
    first, second = (SameName(k, namespace, k, namespace[k]) for k in "ab")
    together = Assumptions((first, second))
    assert together.hold()
    namespace["b"] = 3
    assert together.broken() == "`b` was rebound"
    namespace["a"] = 3
    assert together.broken() == "`a` was rebound"


def test_nothing_assumed_always_holds():
    assert holds()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("__code__", (lambda x, k=2.0, *, m=1.0: x).__code__),
        ("__defaults__", (5.0,)),
        ("__kwdefaults__", {"m": True}),
        ("__kwdefaults__", {"m": 1.0, "n": 1.0}),
        ("__kwdefaults__", None),
    ],
)
def test_code_and_defaults_are_assumed(name, value):
    def function(x, k=2.0, *, m=1.0):
        return x * k + m

    assumption = SameFunction.of(function)
    assert holds(assumption)
    setattr(function, name, value)
    assert not holds(assumption)
    assert str(assumption) == "the code and defaults of `function` are as they were"
    assert assumption.broken() == "the code and defaults of `function` changed"


def test_keyword_defaults_that_change_in_place_are_noticed():
    def function(*, m=1.0):
        return m

    assumption = SameFunction.of(function)
    function.__kwdefaults__["m"] = 2.0
    assert not holds(assumption)
