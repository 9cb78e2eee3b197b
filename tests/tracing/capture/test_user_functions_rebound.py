"""A user's Function that is changed after it was compiled: noticed, or an error."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function
from tests.variables import vector


def doubled(g):
    return 2.0 * g


def tripled(g):
    return 3.0 * g


def helper(g):
    return doubled(g)


def make_helped():
    class Helped(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return doubled(g)

    return Helped


def gradient(f):
    x = vector(1.0, 2.0)
    f(x).backward()
    return x.grad.data.tolist()


def rebind_backward(cls, monkeypatch):
    cls.backward = staticmethod(lambda ctx, g: 3.0 * g)


def rebind_code(cls, monkeypatch):
    def backward(ctx, g):
        return tripled(g)

    monkeypatch.setattr(cls.backward, "__code__", backward.__code__)


def rebind_global(cls, monkeypatch):
    monkeypatch.setitem(globals(), "doubled", tripled)


REBINDINGS = [rebind_backward, rebind_code, rebind_global]


@pytest.mark.parametrize("rebind", REBINDINGS)
def test_rebinding_is_noticed(rebind, monkeypatch):
    cls = make_helped()
    traced = srcgrad.trace(lambda x: np.sum(cls.apply(x)))
    assert [gradient(traced) for _ in range(2)] == [[2.0, 2.0]] * 2
    assert traced.stats.compiled == 1
    rebind(cls, monkeypatch)
    assert [gradient(traced) for _ in range(2)] == [[3.0, 3.0]] * 2


@pytest.mark.parametrize("rebind", REBINDINGS)
def test_rebinding_before_backward_is_an_error(rebind, monkeypatch):
    cls = make_helped()
    traced = srcgrad.trace(lambda x: np.sum(cls.apply(x)))
    x = vector(1.0, 2.0)
    traced(x)
    out = traced(x)
    assert traced.stats.compiled == 1
    rebind(cls, monkeypatch)
    with pytest.raises(
        RuntimeError, match=r"between a call and its backward pass\nthe call was at "
    ):
        out.backward()


def test_an_apply_of_its_own_is_noticed():
    cls = make_helped()
    traced = srcgrad.trace(lambda x: np.sum(cls.apply(x)))
    assert [gradient(traced) for _ in range(2)] == [[2.0, 2.0]] * 2
    cls.apply = staticmethod(lambda x: x * 9.0)
    assert [gradient(traced) for _ in range(2)] == [[9.0, 9.0]] * 2
