"""The tape beside generated code: the error where values or gradients differ."""

import numpy as np
import pytest

import srcgrad
from srcgrad import DivergenceError, Variable
from srcgrad.emit import Module
from srcgrad.tracing.serving.verifying import compare


def f(x):
    return x


SAME = [
    (1.0, 1.0 + 1e-9),
    (np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    ({"a": [1, "text", None]}, {"a": [1, "text", None]}),
    (Variable(np.ones(2)), Variable(np.ones(2))),
]
OTHER = [
    (1.0, 1.001),
    (1.0, np.float64(1.0)),
    (np.array([1.0, np.nan]), np.array([1.0, 2.0])),
    (np.ones(2), np.ones((1, 2))),
    ({"a": [1, "text"]}, {"a": [2, "text"]}),
    (Variable(np.ones(2)), np.ones(2)),
    (Variable(np.ones(2)), Variable(np.zeros(2))),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME)
def test_results_that_differ_by_rounding_only_are_the_same(ours, theirs):
    compare(f, ours, theirs)


@pytest.mark.parametrize(("ours", "theirs"), OTHER)
def test_a_divergence_is_an_error_with_both_results(ours, theirs):
    with pytest.raises(DivergenceError, match=r"^f: generated code gave .*, the tape"):
        compare(f, ours, theirs)


def test_verify_compares_generated_code_with_the_tape(monkeypatch):
    traced = srcgrad.trace(lambda x: x * 2.0, verify=True)
    for _ in range(2):
        traced(np.ones(2))
    run = Module.call_forward

    def wrong(self, raws):
        outs, saved = run(self, raws)
        return [out + 1.0 for out in outs], saved

    monkeypatch.setattr(Module, "call_forward", wrong)
    with pytest.raises(DivergenceError, match=r"gave array\(\[3., 3.\]\), the tape"):
        traced(np.ones(2))


def test_verify_compares_gradients(monkeypatch):
    traced = srcgrad.trace(lambda x: np.sum(x * x))
    x = Variable(np.ones(2), requires_grad=True)
    with srcgrad.set_stance("verify"):
        for _ in range(3):
            traced(x).backward()
    run = Module.call_backward
    monkeypatch.setattr(
        Module,
        "call_backward",
        lambda self, saved, g: [each + 1.0 for each in run(self, saved, g)],
    )
    traced(x)
    with (
        srcgrad.set_stance("verify"),
        pytest.raises(DivergenceError, match="as a gradient generated code gave"),
    ):
        traced(x)


def test_verify_compares_what_transforms_give(monkeypatch):
    def f(x):
        return np.sum(x * x)

    x = np.ones(2)
    with srcgrad.set_stance("verify"):
        for _ in range(4):
            srcgrad.value_and_grad(f)(x)
            srcgrad.jvp(f, (x,), (x,))
    run = Module.call_forward
    monkeypatch.setattr(
        Module,
        "call_forward",
        lambda self, raws: ([out + 1.0 for out in run(self, raws)[0]], None),
    )
    with srcgrad.set_stance("verify"), pytest.raises(DivergenceError):
        srcgrad.value_and_grad(f)(x)
