"""What the tape has saved, and what of it the caller can change."""

import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.tracing.graphs.residuals import raws_in, residuals_of, views_from

F8 = np.dtype(float)
a, b, s, t, r = (Value((2, 3), F8, name) for name in "abstr")
A = np.arange(6.0).reshape(2, 3)
STEPS = (
    Node(np.sin, (a,), out=s),
    Node(np.multiply, (s, b), out=t),
    Node(np.transpose, (b,), out=r),
)
RAWS = {a: A, b: A + 1.0, s: np.sin(A), t: np.sin(A) * (A + 1.0)}


def test_results_are_kept_and_arguments_are_the_callers():
    residuals = residuals_of([s, b, t, s], STEPS, RAWS, [b])
    assert residuals.read == (s, b, t)
    assert residuals.kept == (s, t)


def test_held_is_what_depends_on_an_array_without_a_version():
    assert residuals_of([s, t], STEPS, RAWS, [b]).held == (t,)
    assert residuals_of([s, t], STEPS, RAWS, [a]).held == (s, t)
    assert residuals_of([s, t], STEPS, RAWS, []).held == ()


@pytest.mark.parametrize("is_view", [True, False])
def test_a_view_is_kept_with_what_is_under_it(is_view):
    raws = {**RAWS, r: RAWS[b].T if is_view else RAWS[b].T.copy()}
    makers = {step.out: step for step in STEPS}
    assert views_from(r, makers, raws) == ([r, b] if is_view else [r])
    assert residuals_of([r], STEPS, raws, []).kept == (() if is_view else (r,))


def test_a_view_by_layout_of_an_argument_is_kept_as_what_it_is():
    v = Value((3, 2), F8, "v")
    raws = {**RAWS, r: RAWS[b].T, v: RAWS[b].T.reshape(3, 2)}
    steps = (*STEPS, Node(np.reshape, (r, (3, 2)), out=v))
    assert residuals_of([v], steps, raws, [b]).held == (v,)
    raws[s], steps = RAWS[s], (*STEPS, Node(np.reshape, (s, (3, 2)), out=v))
    raws[v] = raws[s].reshape(3, 2)
    residuals = residuals_of([v], steps, raws, [b])
    assert (residuals.kept, residuals.held) == ((v, s), ())


def test_saved_things_are_found_in_containers():
    arrays = [np.ones(2), np.zeros(3), np.float64(2.0)]
    saved = (arrays[0], (2, 3), [slice(arrays[2], None), "axis"], (arrays[1],), 0.5)
    assert [id(raw) for raw in raws_in(saved)] == [
        *(id(arrays[0]), id(arrays[2]), id(arrays[1]), id(saved[-1]))
    ]
