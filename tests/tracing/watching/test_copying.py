"""Copies that a recorded function makes; most are in ``tests/corpus``."""

import copy
import dataclasses

import numpy as np
import pytest

import srcgrad


@dataclasses.dataclass
class Computed:
    a: float
    b: float = dataclasses.field(init=False, default=2.0)


class Own:
    def __deepcopy__(self, memo):
        return self


one, own, loop = Computed(1.0), Own(), []
loop.append(loop)
both = [np.ones(2), np.ones(2)]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: dataclasses.replace(one, a=x[0]).a, "whose `b` is no field"),
        (lambda x: x[0] if copy.deepcopy(own) else x[1], "copies a Own"),
        (lambda x: x[len(copy.deepcopy(loop))], "copies what contains itself"),
        (lambda x: np.sum(copy.deepcopy([both[0], both[1]])[0] * x), "may be one"),
        (lambda x: copy.deepcopy({1: x}, {})[1][0], "with a memo"),
    ],
    ids=["init", "own", "loop", "arrays", "memo"],
)
def test_what_is_refused(function, reason):
    traced = srcgrad.trace(function)
    x = np.array([1.0, 2.0])
    for _ in range(2):
        assert traced(x) == function(x)
    assert not traced.stats.compiled
    assert reason in traced.explain()


def test_in_a_transform_a_copy_is_one_of_an_array():
    def f(x):
        state = copy.deepcopy({"w": x * 2.0, "x": x, "s": np.sum(x)})
        state["w"][0] = 5.0
        shallow = copy.copy(state["x"])
        shallow[1] = 1.0
        return np.sum(state["w"] * state["x"]) * state["s"] + np.sum(shallow)

    x = np.array([1.0, 2.0])
    assert srcgrad.value_and_grad(f)(x)[0] == f(x)
    steps = 1e-6 * np.eye(2)
    expected = [(f(x + step) - f(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(srcgrad.grad(f)(x), expected, rtol=1e-6)
