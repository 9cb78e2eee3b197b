"""Where ``.grad`` is None and is computed with, the error says why."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

RATE = 0.1


class Settings:
    rate = 0.1
    rates = (0.1,)


def step(x):
    x.data -= RATE * x.grad


def step_the_other_way(x):
    x.data = x.data - x.grad * RATE


def step_of_arrays(x):
    x.data -= Settings.rate * x.grad.data


def step_of_many(x):
    for each in [x]:
        each.data -= RATE * each.grad


def step_in_place(x):
    with srcgrad.no_grad():
        x -= RATE * x.grad


def summed(x):
    total = np.zeros(2)
    total += x.grad
    return total


COMPUTING = {
    f.__name__: f
    for f in (step, step_the_other_way, step_of_arrays, step_of_many, summed)
} | {
    "in place": step_in_place,
    "negative": lambda x: -x.grad,
    "an element": lambda x: x.grad[0],
    "a power": lambda x: x.grad**2,
    "a ratio": lambda x: x.grad / Settings.rates[0],
    "a method": lambda x: x.grad.zero_(),
    "a product": lambda x: x.grad @ x.data,
    "of a Variable": lambda x: x - x.grad,
    "in a list": lambda x: [0.1 * each.grad for each in (x,)],
}


@pytest.mark.parametrize("name", COMPUTING)
def test_the_error_says_that_backward_has_not_been_called(name):
    x = Variable(np.ones(2), requires_grad=True)
    for _ in range(2):
        with pytest.raises((TypeError, AttributeError), match="backward\\(\\) has not"):
            COMPUTING[name](x)


def test_it_says_why_none_is_kept():
    x = Variable(np.ones(2), requires_grad=True)
    y = x * 2.0
    y.sum().backward()
    with pytest.raises(TypeError, match=r"only leaves keep .* retain_grad\(\)"):
        0.1 * y.grad
    with pytest.raises(AttributeError, match="does not require grad"):
        x.detach().grad.data  # noqa: B018


LOOKING = {
    "is None": lambda x: x.grad is None,
    "equal": lambda x: x.grad == None,  # noqa: E711
    "or": lambda x: x.grad or True,
    "not": lambda x: not x.grad,
    "a text": lambda x: "%s" % x.grad == "None",  # noqa: UP031
    "a format": lambda x: f"{x.grad}" == "None",
    "an index": lambda x: x.data[x.grad].shape == (1, 2),
    "kept": lambda x: [x.grad] * 2 == [None, None],
    "getattr": lambda x: getattr(x.grad, "data", True),
    "a choice": lambda x: (x.grad if x.grad is not None else 1) * 2 == 2,
    "an argument": lambda x: isinstance(x.grad, type(None)),
}


@pytest.mark.parametrize("name", LOOKING)
def test_who_only_looks_finds_none(name):
    assert LOOKING[name](Variable(np.ones(2), requires_grad=True))


@pytest.mark.parametrize("function", [np.subtract, np.add, lambda a, b: a / b])
def test_none_beside_a_variable_is_told(function):
    x = Variable(np.ones(2), requires_grad=True)
    for pair in ((x, None), (None, x)):
        with pytest.raises(TypeError, match=r"until backward\(\) has been called"):
            function(*pair)
