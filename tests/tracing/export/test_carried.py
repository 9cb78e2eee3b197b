"""Modules for other processes: are they still what the function computes?"""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.export.carried import Carried, stand_in

scale, count = 2.0, 3
offsets = np.arange(3.0)


def helper(z):
    return np.tanh(z)


class Model:
    rate = 1.5
    is_curved = True

    def loss(self, w, x):
        return self.rate * np.sum((x @ w) ** 2 if self.is_curved else x @ w)


model = Model()


def loss(w, x):
    return scale * np.sum(helper(x @ w)) * count + np.sum(offsets * w) + model.rate


args = np.ones(3), np.ones((40, 3))

CHANGES = {
    "a number": ("scale", 3.0),
    "an integer": ("count", 4),
    "an array": ("offsets", np.ones(3)),
    "a function": ("helper", np.sinh),
    "another kind": ("scale", np.ones(1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_environment_is_noticed(name, monkeypatch):
    carried = Carried(srcgrad.value_and_grad(loss), args)
    assert carried.is_current()
    with monkeypatch.context() as patch:
        patch.setitem(globals(), *CHANGES[name])
        assert not carried.is_current()
    assert carried.is_current()


def test_an_array_that_was_written_into_is_noticed(monkeypatch):
    monkeypatch.setitem(globals(), "offsets", np.arange(3.0))
    carried = Carried(srcgrad.grad(loss), args)
    offsets[1] = np.nan
    assert not carried.is_current()
    again = Carried(srcgrad.grad(loss), args)
    assert again.is_current()  # nan is what it was


def test_the_object_of_a_method():
    own = Model()
    carried = Carried(srcgrad.grad(own.loss), args)
    assert carried.is_current()
    own.rate = 2.0
    assert not carried.is_current()
    own.rate = 1.5
    assert carried.is_current()
    own.is_curved = False
    assert not carried.is_current()


def test_the_module_has_no_example():
    text = Carried(srcgrad.grad(loss), args).exported.text
    assert "def loss_grad(" in text
    assert "def example(" not in text
    assert "__main__" not in text


def test_arguments_are_not_kept():
    kept = stand_in((np.ones((1000, 3)), 2.0, [np.float32(3.0)]))
    assert kept[0].base.nbytes <= 8
    assert kept[1:] == (2.0, [np.float32(3.0)])
