"""``source`` and ``explain`` of functions that are not decorated."""

from functools import partial

import numpy as np
import pytest

import srcgrad

X = np.array([1.0, 2.0])


def test_all_transforms_of_a_function():
    def f(x):
        return np.sum(x * x)

    with pytest.raises(RuntimeError, match="it has not been called yet"):
        srcgrad.source(f)
    srcgrad.grad(f)(X)
    with pytest.raises(RuntimeError, match="its first call runs on the tape"):
        srcgrad.source(f)
    for _ in range(2):
        srcgrad.grad(f)(X)
        srcgrad.jvp(f, (X,), (X,))
    assert "dx = 2.0 * x" in srcgrad.source(f) or "return 2.0 * x" in srcgrad.source(f)
    assert "def forward(x, x_dot):" in srcgrad.source(f)
    assert "x_dot" not in srcgrad.grad(f).source()
    assert srcgrad.explain(f).count("trace: f, traced at") == 2
    assert srcgrad.explain(srcgrad.grad(f)).count("trace: f, traced at") == 1


def test_of_what_is_not_written_in_python():
    with pytest.raises(RuntimeError, match="always runs on the tape"):
        srcgrad.source(np.sum)
    with pytest.raises(RuntimeError, match="always runs on the tape"):
        srcgrad.grad(np.sum).source()
    vjp, jvp = srcgrad.vjp(np.sum, X)[1], srcgrad.linearize(np.sum, X)[1]
    own = srcgrad.vmap(np.sum), srcgrad.hessian(np.sum), vjp, jvp
    for explain in (*(each.explain for each in own), partial(srcgrad.explain, np.sum)):
        assert explain().startswith("sum (not written in Python)\n  on the tape: every")
        (why,) = explain(as_dict=True)["on_the_tape"]
        assert "`lambda x: sum(x)`" in why["instead"]
    with pytest.raises(RuntimeError, match="not written in Python"):
        srcgrad.explain(3)


@pytest.mark.parametrize("kind", [srcgrad.checkpoint, srcgrad.custom_vjp])
def test_what_is_not_compiled_by_itself_shows_what_it_is_part_of(kind):
    def f(x):
        return np.sum(np.sin(x) * x)

    made = kind(f)
    if kind is srcgrad.custom_vjp:
        made.defvjp(lambda x: (f(x), x), lambda x, g: (g * np.exp(x),))
    with pytest.raises(RuntimeError, match="has not been called yet"):
        made.source()
    for _ in range(3):
        srcgrad.grad(made)(np.ones(3))
    assert "def forward(x):" in made.source()
    assert "3 calls: 1 compiled" in made.explain()


def test_all_that_explain_themselves_do_so_as_a_dict_too():
    def f(x):
        return x * x

    for _ in range(3):
        f_vjp, f_jvp = srcgrad.vjp(f, 3.0)[1], srcgrad.linearize(f, 3.0)[1]
        srcgrad.grad(f)(3.0)
    shown = srcgrad.grad(f), f_vjp, f_jvp, srcgrad.checkpoint(f)
    for each in shown:
        found = each.explain(as_dict=True)
        assert found["function"] == srcgrad.explain(f, as_dict=True)["function"]
        assert found["calls"] == (0 if each is shown[-1] else 9) == each.stats.calls
    assert srcgrad.grad(np.sum).stats.calls == 0
