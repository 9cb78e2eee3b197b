"""Steps that the way back of a way back does and undoes."""

import numpy as np
import pytest

import srcgrad
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from tests.transforms.interpret import record, run, text

rng = np.random.default_rng(0)
x = rng.normal(size=(3, 4))
ONES = np.ones(4)
WEIGHTS = np.array([1.0, 2.0, 2.0, 1.0])

CHANGED = {
    "flips": (lambda x: np.flip(np.flip(x, 1), -1), []),
    "a flip and a reversal": (lambda x: np.flip(x, 0)[::-1], []),
    "of all axes": (lambda x: np.flip(np.flip(x))[:, ::-1][:, ::-1], []),
    "weights": (lambda x: x * WEIGHTS / WEIGHTS, []),
    "weights, the other way": (lambda x: WEIGHTS * (x / WEIGHTS), []),
    "ones": (lambda x: ONES * x[0] * ONES, ["getitem(x, 0)"]),
    "ones with an axis": (
        lambda x: ONES[None] * x[0],
        ["getitem(x, 0)", "reshape(t, (1, 4))"],
    ),
    "the middle": (
        lambda x: np.convolve(x[0], x[1])[1:5],
        ["getitem(x, 0)", "getitem(x, 1)", "convolve(t, t_1, 'same')"],
    ),
}
LEFT = (
    lambda x: np.flip(np.flip(x, 1), 0),
    lambda x: np.flip(x)[::-1],
    lambda x: x[::-1, :2][::-1],
    lambda x: x * WEIGHTS / (WEIGHTS + 1.0),
    lambda x: x * x / x,
    lambda x: x[:, :1] * ONES,
    lambda x: x[0] / WEIGHTS,
    lambda x: np.convolve(x[0], x[1])[2:6],
    lambda x: np.convolve(x[0], x[1, :2], "valid")[0:4],
)
JVPS = {
    "sort": (lambda x: np.sort(x, axis=0), "np.take_along_axis("),
    "median": (lambda x: np.median(x, axis=1), "np.take_along_axis("),
    "cumsum": (lambda x: np.cumsum(x, axis=1), "x_dot.cumsum(1)"),
    "convolve": (lambda x: np.convolve(x[0], x[1]), "+ np.convolve("),
    "same": (lambda x: np.convolve(x[0], x[1, :2], "same"), ', part, "same")'),
    "fft": (lambda x: np.fft.fft(x), "np.fft.fft(x_dot, axis=-1"),
    "rfft": (lambda x: np.fft.rfft(x), "out_dot = np.fft.rfft(x_dot)"),
    "irfft": (lambda x: np.fft.irfft(x), "np.fft.irfft(x_dot)"),
    "dot": (lambda x: np.dot(x[0], x[1]), " @ "),
    "vstack": (lambda x: np.vstack([x[0], x[1] * 2.0]), "out_dot = np.stack(["),
    "insert": (lambda x: np.insert(x[0], 1, 3.0), "out_dot[C1] = x_dot[0]"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_undone_is_not_done(name):
    formula, calls = CHANGED[name]
    graph = record(lambda x: [np.exp(formula(x))], [x])
    result = eliminate_dead_code(simplify_redundant_calls(graph))
    assert [line.partition(" = ")[2] for line in text(result)[:-2]] == calls
    np.testing.assert_allclose(run(result, [x])[0][0], run(graph, [x])[0][0], 1e-14)


@pytest.mark.parametrize("formula", LEFT)
def test_the_rest_stays(formula):
    graph = record(lambda x: [np.exp(formula(x))], [x])
    assert simplify_redundant_calls(graph) is graph


@pytest.mark.parametrize("name", JVPS)
def test_a_jvp_takes_no_detour(name):
    function, call = JVPS[name]
    for values in (x, x[::-1] * 2.0, -x):
        found = srcgrad.jvp(function, (values,), (x + 1.0,))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.jvp(function, (values,), (x + 1.0,))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert call in srcgrad.source(function)
