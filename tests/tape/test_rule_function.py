"""The node of a NumPy function: its name, which rules run, what it saves."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defvjp
from tests.variables import variable, vector


def arrays_saved(out):
    return [item for item in out.grad_fn.saved if type(item) is np.ndarray]


def test_it_is_named_after_the_function():
    x = vector(1.0, 2.0)
    assert (x * x).grad_fn.name() == "MultiplyBackward"
    assert np.take_along_axis(x, np.array([0]), 0).grad_fn.name() == (
        "TakeAlongAxisBackward"
    )
    assert type((x * x).grad_fn) is type((2.0 * x).grad_fn)


def test_only_what_the_rules_ask_for_is_saved():
    x, c = vector(1.0, 2.0), np.array([3.0, 4.0])
    (saved,) = arrays_saved(x * c)
    assert saved is c
    out = np.exp(x)
    (saved,) = arrays_saved(out)
    assert saved is out.data
    assert {id(each) for each in arrays_saved(x * vector(5.0, 6.0))} >= {id(x.data)}
    for out in (x + c, np.sum(x), np.reshape(x, (2, 1)), x[::-1]):
        assert arrays_saved(out) == []


@pytest.mark.usefixtures("rules_are_restored")
def test_a_rule_runs_only_for_what_is_needed():
    ran = []

    @dispatched
    def product(x, y):
        return x * y

    def rule(name, g, other):
        ran.append(name)
        return g * other

    defvjp(
        product,
        x=lambda g, y: rule("x", g, y),
        y=lambda g, x: rule("y", g, x),
    )
    x, y = vector(2.0), vector(3.0)
    product(x, y).backward()
    assert (x.grad.item(), y.grad.item()) == (3.0, 2.0)
    assert sorted(ran) == ["x", "y"]
    ran.clear()
    srcgrad.autograd.grad(product(x, y), y)
    product(np.array([2.0]), y).backward()
    assert ran == ["y", "y"]


@pytest.mark.usefixtures("rules_are_restored")
def test_a_rule_of_a_sequence_gives_one_gradient_for_each():
    @dispatched
    def total(arrays):
        return sum(arrays)

    defvjp(total, arrays=lambda g, arrays: [g * k for k in range(len(arrays))])
    xs = [vector(1.0), Variable(np.ones(1)), vector(2.0)]
    total(xs).backward()
    assert [None if x.grad is None else x.grad.item() for x in xs] == [0.0, None, 2.0]
    defvjp(total, arrays=lambda g: [g])
    out = total([vector(1.0), vector(2.0)])
    with pytest.raises(
        RuntimeError, match=r"TotalBackward returned an invalid number.*expected 2.*1"
    ):
        out.backward()


def test_options_are_no_buffers():
    x = variable([[1.0, 2.0]])
    out = np.sum(np.transpose(x, (1, 0)))
    out.backward()
    out.backward()
    assert x.grad.data.tolist() == [[2.0, 2.0]]
    product = np.sum(x * x)
    product.backward()
    with pytest.raises(RuntimeError, match="second time"):
        product.backward()


def test_what_was_saved_leads_on_in_a_walk_on_the_tape():
    x, c = vector(2.0), np.array([5.0])
    (first,) = srcgrad.autograd.grad(x * x * c, x, create_graph=True)
    (second,) = srcgrad.autograd.grad(first, x)
    assert second.item() == 10.0
    mantissa, _ = np.frexp(x)
    (slope,) = srcgrad.autograd.grad(mantissa, x, create_graph=True)
    assert slope.item() == 0.25
