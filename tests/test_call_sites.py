"""What is called, by its bytecode; and that no number is taken from behind it."""

import dis
import functools
import math
import types

import numpy as np
import pytest

import srcgrad
from srcgrad.call_sites import path_called
from srcgrad.errors import here
from tests.variables import variable

CALLS = ("CALL", "CALL_KW", "CALL_METHOD", "CALL_FUNCTION")
CALLS += ("CALL_FUNCTION_KW", "CALL_FUNCTION_EX")


class Counter:
    """Notes by which path each of its calls is made."""

    def __init__(self):
        self.paths = []

    def __call__(self, *args, **kwargs):
        self.paths.append(path_called(*here(2)))

    fill = __call__


def test_the_path_of_what_is_called():
    call = Counter()
    calls = {"key": call}
    space = types.SimpleNamespace(call=call)
    call(call.fill(1), (1, call.fill), key=[0])
    call.fill(*[1])
    keywords = {"key": 2}
    space.call.fill(1, *[1], **keywords)
    calls["key"](1)
    assert call.paths == [
        ("call", "fill"),
        ("call",),
        ("call", "fill"),
        ("space", "call", "fill"),
        (),
    ]


NESTED_CALLS = {
    "outer(map(log, g(a)), b)": [("g",), ("map",), ("outer",)],
    "g.h(map(log, g(a)), b)": [("g",), ("map",), ("g", "h")],
    "outer(g(a)(b), log(b))": [("g",), (), ("log",), ("outer",)],
    "log(b, g(a), *a, k=g(b))": [("g",), ("g",), ("log",)],
    "log(b, k=g(b), l=g(log(a)))": [("g",), ("log",), ("g",), ("log",)],
    "outer(log(a), [g(b), log(g(a))], k=b)": [
        *[("log",), ("g",), ("g",), ("log",), ("outer",)]
    ],
}


@pytest.mark.parametrize("text", NESTED_CALLS)
def test_the_path_of_each_of_nested_calls(text):
    space = {}
    exec(f"def f(a, b, log, g):\n    y = {text}\n    return y", space)
    code = space["f"].__code__
    found = [
        path_called(code, instruction.offset)
        for instruction in dis.get_instructions(code)
        if instruction.opname in CALLS
    ]
    assert found == NESTED_CALLS[text]


class Model:
    """Has methods of ufuncs as attributes, of its own and of its class."""

    total = np.add.reduce

    def __init__(self):
        self.product = np.multiply.reduce

    @property
    def hidden(self):
        return np.add.reduce


model = Model()
reduce = np.add.reduce
functions = {"sum": np.add.reduce}
a = np.ones(2)


def call(r, *args, **kwargs):
    return r(*args, **kwargs)


def keywords(initial):
    return {"initial": initial}


SPELLINGS = {
    "as it is": lambda v: np.add.reduce(a, initial=v),
    "by another name": lambda v: reduce(a, initial=v),
    "a local name": lambda v: call(np.multiply.reduce, a, initial=v),
    "by position": lambda v: reduce(a, 0, None, None, False, v),
    "with a dict": lambda v: reduce(a, **keywords(v)),
    "with a list": lambda v: reduce(*[a, 0, None, None, False, v]),
    "from a dict": lambda v: functions["sum"](a, initial=v),
    "an attribute": lambda v: model.product(a, initial=v),
    "of the class": lambda v: model.total(a, initial=v),
    "a property": lambda v: model.hidden(a, initial=v),
    "got": lambda v: np.add.__getattribute__("reduce")(a, initial=v),
    "unbound": lambda v: np.ufunc.reduce(np.add, a, initial=v),
    "a partial": lambda v: functools.partial(reduce, initial=v)(a),
    "a named partial": lambda v: call(functools.partial(reduce, initial=v), a),
    "a method": lambda v: a.max(initial=v),
    "a named method": lambda v: call(a.sum, initial=v),
    "descriptor": lambda v: np.ndarray.sum(a, initial=v),
    "fill": lambda v: call(a.copy().fill, v),
    "fromiter": lambda v: call(np.fromiter, [v, v], float),
    "item": lambda v: call(a.copy().__setitem__, 0, v),
    "full": lambda v: call(np.full, 3, v),
    "interp": lambda v: call(np.interp, a, a, a, left=v),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_however_it_is_spelled_no_gradient_is_lost(name):
    with pytest.raises((TypeError, ValueError)) as error:
        SPELLINGS[name](variable(2.0))
    told = f"{error.value} {error.value.__cause__}"
    assert "a Variable that requires grad" in told
    SPELLINGS[name](variable(2.0).detach())


# C functions of which it is not known how they call a Variable.
FOLLOWED = SPELLINGS.keys() - set(
    "unbound descriptor fill fromiter item full interp".split()
)


@pytest.mark.parametrize("name", sorted(FOLLOWED))
def test_in_a_followed_function_the_gradient_is_right(name):
    def function(v):
        return SPELLINGS[name](v) * 1.0

    assert srcgrad.grad(function)(2.0) == 1.0
    traced = srcgrad.trace(function)
    for _ in range(3):
        v = variable(2.0)
        traced(v).backward()
        assert v.grad.data == 1.0


def taking(x):
    total = 0.0
    for k in range(int(x[1])):
        total = total + x[0] * math.floor(x[1]) * k
    return total


def test_a_followed_function_may_take_whole_numbers():
    assert srcgrad.grad(taking)(np.array([2.0, 3.0])).tolist() == [9.0, 0.0]


@pytest.mark.parametrize("take", [float, complex, math.sin, np.float64])
def test_a_number_that_the_user_takes_is_warned_of(take):
    own = types.SimpleNamespace(take=take)
    for ask in (lambda v: take(v), lambda v: own.take(v)):
        with pytest.warns(RuntimeWarning, match="its gradient is lost"):
            ask(variable(2.5))


def test_a_call_with_a_jump_among_its_arguments_is_none_or_the_right_one():
    def f(a, b, log, g):
        return log(a if b else g(a))

    paths = [
        path_called(f.__code__, instruction.offset)
        for instruction in dis.get_instructions(f)
        if instruction.opname in CALLS
    ]
    paths.remove(("g",))  # the inner one; of the outer one there may be a copy a way
    assert set(paths) <= {(), ("log",)}
