"""What a function does beside computing happens once a call, in the same order."""

from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.capture.effects import Action, Effects, as_told
from srcgrad.tracing.environment.objects import Twins
from srcgrad.tracing.refusal import Refusal

X = np.array([0.1, 0.2, 0.3])


class Model:
    """What a user's model is like."""

    def __init__(self):
        self.W = np.array([1.0, 2.0, 3.0])
        self.last, self.best, self.history = None, np.inf, []
        self.settings = {"rate": 0.5}


def keeps_state(m, x):
    m.last = np.tanh(m.W * x)
    m.history.append(float(np.sum(m.last)))
    m.settings["seen"] = m.last[0]
    return np.sum(m.last * x)


def test_gradient_transforms_have_the_effects_too():
    traced = srcgrad.value_and_grad(srcgrad.trace(keeps_state), argnums=1)
    model = Model()
    for count in range(1, 4):
        traced(model, X)
        assert len(model.history) == count
        assert type(model.history[-1]) is float
        assert type(model.last) is np.ndarray


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


class Counts:
    def __init__(self):
        self.n, self.log = 0, []

    def step(self, x):
        self.n += 1
        self.log.append(float(np.sum(x)))
        pair = Pair(x * 2.0, [x[0], self.n])
        return pair, self, self.log, f"step {self.n}: {np.sum(x):.2f}", self.n


def test_objects_and_texts_are_given_back():
    counts = Counts()
    traced = srcgrad.trace(counts.step)
    for k in range(1, 5):
        pair, itself, log, text, n = traced(X * k)
        assert type(pair) is Pair
        np.testing.assert_array_equal(pair.first, 2.0 * X * k)
        assert pair.second == [X[0] * k, k]
        assert itself is counts
        assert log is counts.log
        assert len(log) == n == k
        assert text == f"step {k}: {np.sum(X * k):.2f}"
    assert traced.stats.compiled == 3
    v = Variable(X.copy(), requires_grad=True)
    for k in range(1, 4):
        traced(v)[0].second[0].backward()
        np.testing.assert_array_equal(v.grad.data, [k, 0.0, 0.0])


def test_errors_of_an_effect_are_the_users_and_come_once():
    class Full(list):
        pass

    class Picky:
        def __str__(self):
            raise RuntimeError("no text")

    picky, log = Picky(), []

    def tells(x):
        log.append(x[0])
        print(picky)
        log.append(x[1])
        return np.sum(x)

    traced = srcgrad.trace(tells)
    for count in range(1, 4):
        with pytest.raises(RuntimeError, match="no text"):
            traced(X)
        assert len(log) == count


def test_the_source_tells_what_is_done():
    traced = srcgrad.trace(keeps_state)
    traced(Model(), X)
    head = traced.source().split('"""')[1]
    assert "When forward is done, in this order:" in head
    assert "m.history.append(float(np.sum(m.last)))" in head


def test_what_is_told_is_a_copy():
    array = np.zeros(2)
    kept = as_told(([array], {"a": array}))
    array[0] = 1.0
    assert kept[0][0][0] == kept[1]["a"][0] == 0.0
    with pytest.raises(Refusal):
        as_told([Variable(array)])


def test_objects_are_found_again():
    effects, place = Effects(), object()
    held = []
    effects.add(Action(setattr, ((place, None),), ""), ("x", [1, (2.5,)]), {})
    effects.close(
        lambda item: None, lambda where, item: held.append(where) or 0, Twins(None)
    )
    for number in range(2):
        target = SimpleNamespace()
        effects.perform([float(number)], [target])
        assert target.x == [1, (2.5,)]
    assert held == [place]
