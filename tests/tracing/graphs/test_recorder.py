"""What the recorder refuses to write down: such calls stay on the tape."""

import numpy as np
import pytest

import srcgrad
from tests.tape.samplers import PROBS, parameters
from tests.tracing.comparing import plain
from tests.variables import variable, vector


def double(grad):
    return grad * 2


@pytest.mark.parametrize("what", ["variable", "function", "retain"])
def test_registering_inside_a_traced_function_keeps_it_on_the_tape(what):
    @srcgrad.trace
    def f(x):
        y = x * 3
        if what == "variable":
            y.register_hook(double)
        elif what == "retain":
            y.retain_grad()
        else:
            y.grad_fn.register_hook(lambda gi, go: tuple(g * 2 for g in gi))
        return np.sum(y)

    for _ in range(3):
        x = vector(1.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, [3.0 if what == "retain" else 6.0])
    assert f.stats.compiled == 0
    assert f.explain().count("on the tape") > 1


def test_drawing_samples_keeps_a_function_on_the_tape():
    @srcgrad.trace
    def act(p):
        return p.bernoulli(), np.sum(srcgrad.normal(p * 2))

    for _ in range(3):
        p = parameters(PROBS)
        action, _ = act(p)
        action.reinforce(1.0)
        action.backward()
        assert p.grad is not None
    assert act.stats.compiled == 0
    assert "on the tape" in act.explain()


def test_traced_functions_raise_the_tapes_errors():
    def run(x):
        return x.add_(1.0) * 1.0

    messages = []
    for function in (run, traced := srcgrad.trace(run), traced):
        x = variable([1.0, 2.0])
        with pytest.raises(RuntimeError) as error:
            function(x).sum().backward()
        messages.append(str(error.value).split(" (")[0])
    assert messages[0] == messages[1] == messages[2]
    assert traced.stats.compiled == 0


def test_what_is_saved_and_overwritten_is_what_it_was():
    @srcgrad.trace
    def run(x):
        y = np.tanh(x)
        return y.mul_(x) * y

    for _ in range(3):
        x = variable([1.0, 2.0])
        run(x).sum().backward()
        t = np.tanh(x.data)
        expected = 2 * x.data * t**2 + 2 * x.data**2 * t * (1 - t**2)
        np.testing.assert_allclose(x.grad.data, expected)
    assert run.stats.compiled == 2


# ----- The tape's own -----


STATE = {
    "grad": lambda v: v * 1.0 if v.grad is None else v * v.grad,
    "is_leaf": lambda v: v * (2.0 if v.is_leaf else 3.0),
    "grad_fn": lambda v: v * (2.0 if v.grad_fn is None else 3.0),
    "version": lambda v: v * float(v._version),
    "requires_grad": lambda v: v * (2.0 if v.requires_grad else 3.0),
}


@pytest.mark.parametrize("function", STATE.values(), ids=STATE)
def test_the_state_of_a_variable_is_read_at_each_call(function):
    traced = srcgrad.trace(function)
    v = vector(1.0, 2.0)
    for _ in range(3):
        for each in (v, v * 2.0, v.detach()):
            assert plain(traced(each)) == plain(function(each))
        (v * 5.0).sum().backward()
        with srcgrad.no_grad():
            v += 1.0


def test_zero_grad_inside_happens_at_each_call():
    def function(v):
        v.zero_grad()
        return v * 2.0

    traced, v = srcgrad.trace(function), vector(1.0)
    for _ in range(3):
        (v * 5.0).sum().backward()
        traced(v)
        assert plain(v.grad.data) == plain(np.zeros(1))


def test_eigenvalues_that_become_complex_are_another_trace():
    def f(x):
        return np.sum(np.abs(np.linalg.eigvals(x)) ** 3)

    traced = srcgrad.trace(f)
    for corner in (2.0, -2.0, 2.5, -2.5):
        gradients = []
        for function in (f, traced):
            x = variable([[1.0, corner], [3.0, 4.0]])
            function(x).backward()
            gradients.append(x.grad.data)
        np.testing.assert_array_equal(*gradients)
    # From NumPy 2.5 on, they always are complex.
    are_complex = np.linalg.eigvals(np.eye(2)).dtype.kind == "c"
    assert traced.stats.compiled == (3 if are_complex else 2)
