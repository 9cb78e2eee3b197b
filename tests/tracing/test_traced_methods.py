"""Methods, other callables, copies and pickles; what cannot be traced."""

import asyncio
import copy
import pickle

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, doubled, plain
from tests.tracing.nested import outer
from tests.tracing.objects import Model

# ----- Methods -----


def test_methods_read_their_object_at_each_call():
    one, other = Model(X), Model(X * 10.0)
    for _ in range(3):
        for model in (one, other):
            assert plain(model.reads(X)) == plain(X * model.w)
            assert plain(model.size) == plain(model.w.sum())
            assert plain(model.without(X)) == plain(X * 2.0)
            assert plain(model.static(X)) == plain(X * 2.0)
            assert plain(model.of_class(X)) == plain(X * 2.0)
        one.w = one.w + 1.0
    assert Model.reads.stats.compiled == 5
    assert "def environment(self):\n" in Model.reads.source()
    assert "guard: `self.w` was float64[3]" in Model.reads.explain()
    assert Model.without.stats.compiled == 5
    assert Model.static.stats.compiled == 5


@pytest.mark.parametrize("name", ["__call__", "method"])
def test_bound_methods_and_callables_read_theirs_too(name):
    model = Model(X)
    traced = srcgrad.trace(model if name == "__call__" else model.method)
    for _ in range(3):
        assert plain(traced(X)) == plain(X * model.w)
        model.w = model.w + 1.0


# ----- What can be traced, and what not -----


async def coroutine(x):
    return x


async def async_generator(x):
    yield x


def generator(x):
    yield x


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Model, "not the class Model: trace its methods"),
        (generator, "generator is a generator"),
        (coroutine, "coroutine is a coroutine"),
        (async_generator, "async_generator is a generator"),
        (staticmethod(doubled), "put @trace below @staticmethod"),
        (classmethod(doubled), "put @trace below @classmethod"),
        (property(doubled), "put @trace below @property"),
        (np.tanh, "a function written in Python, but got <ufunc 'tanh'>"),
        (len, "a function written in Python, but got <built-in function len>"),
        (srcgrad.trace(doubled), "<traced doubled> is traced already"),
        (3.0, "a function written in Python, but got 3.0"),
    ],
    ids=lambda item: getattr(item, "__name__", None) or type(item).__name__,
)
def test_what_cannot_be_traced(item, message):
    with pytest.raises(TypeError) as caught:
        srcgrad.trace(item)
    assert message in str(caught.value)


def test_a_coroutine_that_calls_a_traced_function():
    traced = srcgrad.trace(doubled)

    async def main():
        return [traced(X) for _ in range(3)]

    assert [plain(r) for r in asyncio.run(main())] == [plain(X * 2.0)] * 3


# ----- As a function -----


def test_there_is_no_source_before_the_first_call():
    traced = srcgrad.trace(doubled)
    with pytest.raises(
        RuntimeError, match=r"doubled has no .* has not been called yet"
    ):
        traced.source()
    traced(X)
    assert "def forward(x):" in traced.source()


def test_a_copy_is_the_function_itself_or_bound_to_a_copy():
    traced = srcgrad.trace(Model(X).method)
    traced(X)
    model = {"f": outer, "bound": traced}
    for made in (copy.deepcopy(model), copy.copy(model)):
        assert made["f"] is outer
        assert plain(made["bound"](X)) == plain(X * X)
    assert copy.deepcopy(model)["bound"] is not traced


def test_it_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(outer)) is outer


def test_it_looks_like_the_function():
    assert outer.__name__ == "outer"
    assert outer.__wrapped__.__name__ == "outer"
    assert repr(outer) == "<traced outer>"
