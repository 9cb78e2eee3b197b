"""Writes in traced functions: followed where the array is the function's own."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.errors import InplaceError
from tests.inplace_programs import (
    FUNCTIONS,
    STATEMENTS,
    A,
    B,
    copy_some_to,
    set_mask,
    sort_columns,
    where_out,
)
from tests.tracing.comparing import X
from tests.variables import variable


@pytest.mark.parametrize(
    "program", [*STATEMENTS, *FUNCTIONS], ids=lambda program: program.__name__
)
def test_traced_equals_untraced(program):
    def run(x, v):
        return program(x * 1.0, v)

    traced = srcgrad.trace(run)
    results = []
    for function in (run, traced, traced, traced):
        x, v = variable(A), variable(B)
        out = function(x, v)
        out.backward(np.ones(out.shape))
        results.append([out, x.grad, v.grad])
    for result in results[1:]:
        for found, expected in zip(result, results[0], strict=True):
            if expected is None:
                assert found is None
            else:
                assert np.array_equal(found.data, expected.data)


@pytest.mark.parametrize("program", [set_mask, where_out, copy_some_to, sort_columns])
def test_traced_writes_follow_the_values(program):
    def run(x, v):
        return program(x * 1.0, v)

    traced = srcgrad.trace(run)
    for sign in (1.0, 1.0, -1.0, 2.0, -1.0, 1.0):
        x, v = variable(sign * A), variable(sign * B)
        assert np.array_equal(traced(x, v).data, run(x, v).data)


@pytest.mark.parametrize(
    "program", [*STATEMENTS, *FUNCTIONS], ids=lambda program: program.__name__
)
def test_a_variable_in_an_ndarray_loses_no_gradient(program):
    """It is an error as it is untraced, or the gradient is that of a Variable."""

    def run(x, v):
        return program(x * 1.0, v)

    x, v = variable(A), variable(B)
    out = run(x, v)
    out.backward(np.ones(out.shape))
    expected, traced = v.grad, srcgrad.trace(run)
    for _ in range(3):
        v = variable(B)
        try:
            out = traced(A.copy(), v)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                run(A.copy(), v)
            continue
        if expected is None:
            assert not isinstance(out, Variable) or not out.requires_grad
        else:
            out.backward(np.ones(out.shape))
            assert np.array_equal(v.grad.data, expected.data)


# ----- Arrays that were found outside -----

BUFFER = np.zeros(3)


class Filter:
    def __init__(self):
        self.state = np.zeros(3)

    def in_place(self, x):
        self.state *= 0.5
        self.state[1] = 2.0
        return np.sum(x * self.state)

    def in_its_place(self, x):
        state = 0.5 * self.state
        state[1] = 2.0
        self.state = state
        return np.sum(x * self.state)


def test_what_is_found_outside_is_written_into_when_the_run_is_over():
    def into_a_global(x):
        np.copyto(BUFFER, x)
        return np.sum(x * x)

    f = srcgrad.trace(Filter().in_place)
    g = srcgrad.trace(into_a_global)
    for function, place in ((f, "self.state"), (g, "BUFFER")):
        for _ in range(3):
            function(X)
        text = function.explain()
        assert f"guard: `{place}` could be written into" in text
        assert f"guard: `{place}` shared no memory with others" in text
        assert function.stats.compiled == 2
    np.testing.assert_array_equal(BUFFER, X)


def test_what_a_gradient_may_need_later_is_written_into_on_the_tape():
    model = Filter()

    @srcgrad.trace
    def f(x):
        y = np.sum(x * model.state)
        model.state[0] = 5.0
        return y

    for _ in range(3):
        model.state[0] = 1.0
        y = f(Variable(X, requires_grad=True))
        with pytest.raises(InplaceError):
            y.backward()
    assert "writes into `model.state`, of which a result is made" in f.explain()


def test_a_gradient_is_not_lost_in_an_array_from_outside():
    model = Filter()

    @srcgrad.trace
    def f(x):
        model.state[:] = x
        return np.sum(model.state)

    with pytest.raises(TypeError, match="its gradient would be lost"):
        srcgrad.grad(f)(X)
    with pytest.raises(TypeError, match="its gradient would be lost"):
        f(Variable(X, requires_grad=True))
