"""Views and copies, by how the arguments lie in memory."""

import numpy as np
import pytest

import srcgrad
from srcgrad.steps import Guard, Node, Value
from srcgrad.tracing.graphs.layouts import layout_guards
from srcgrad.views import layout_of
from tests.variables import variable

ROWS = np.arange(1.0, 7.0).reshape(2, 3)
LAYOUTS = {
    "rows": ROWS,
    "columns": np.asfortranarray(ROWS),
    "part": np.arange(1.0, 13.0).reshape(2, 6)[:, ::2],
    "part of columns": np.asfortranarray(np.arange(1.0, 13.0).reshape(4, 3))[::2],
    "reversed": ROWS[::-1, ::-1],
}


def writes_into_ravel(x):
    h = x * 2.0
    r = h.ravel()
    r[0] = 5.0
    return np.sum(h * h) + np.sum(r)


def writes_under_reshape(x):
    h = x * 2.0
    r = h.T.reshape(-1)
    h[0, 1] = 5.0
    return np.sum(h * h) + np.sum(r)


def writes_into_contiguous(x):
    h = x * 2.0
    r = np.ascontiguousarray(h)
    r[0] = 5.0
    return np.sum(h * h) + np.sum(r)


def writes_into_swapped(x):
    h = x.copy()
    r = h.swapaxes(0, 1).reshape(2, 3)
    r += 1.0
    return np.sum(h * h) + np.sum(r)


def writes_into_squeezed(x):
    h = x * 2.0
    r = np.squeeze(h[None])
    r[0] = 5.0
    return np.sum(h * h) + np.sum(r)


def writes_elsewhere(x):
    h = x * 2.0
    h[0] = 5.0
    return np.sum(h) + np.sum(x.ravel())


WRITING = (writes_into_ravel, writes_under_reshape, writes_into_contiguous)
WRITING += (writes_into_swapped, writes_into_squeezed, writes_elsewhere)


@pytest.mark.parametrize("function", WRITING)
@pytest.mark.parametrize("first", LAYOUTS)
def test_a_write_changes_what_it_changes_untraced(function, first):
    traced = srcgrad.trace(function)
    for name in (first, first, *LAYOUTS, first):
        array = LAYOUTS[name]
        assert traced(array) == function(array), name


def test_layouts_are_guarded_where_a_write_depends_on_them():
    traced = srcgrad.trace(writes_into_ravel)
    traced(LAYOUTS["columns"])
    assert "if not x.flags.fnc:" in traced.source()
    traced(LAYOUTS["part of columns"])
    assert "if x.strides != (16, 32):" in traced.source()
    untouched = srcgrad.trace(writes_elsewhere)
    untouched(ROWS)
    assert "flags" not in untouched.source()


COPIES = {
    "ravel": lambda w, b: np.sum(w * w * b.ravel()),
    "ravel of T": lambda w, b: np.sum(w * w * b.T.ravel()),
    "swapped": lambda w, b: np.sum(w * w * b.swapaxes(0, 1).reshape(6)),
    "reshaped": lambda w, b: np.sum(w * w * b.reshape(-1).reshape(6)),
    "there and back": lambda w, b: np.sum(w * w * b.reshape(6).reshape(2, 3).ravel()),
    "in columns": lambda w, b: np.sum(w * w * b.reshape(-1, order="F")),
    "contiguous": lambda w, b: np.sum(w * w * np.ascontiguousarray(b).ravel()),
    "part": lambda w, b: np.sum(w[:3] * w[:3] * b[0].ravel()),
    "conj": lambda w, b: np.sum(w * w * b.conj().ravel()),
    "np.conj": lambda w, b: np.sum(w * w * np.conj(b).ravel()),
    "to float": lambda w, b: np.sum(w * w * b.astype(float, copy=False).ravel()),
    "copied": lambda w, b: np.sum(w * w * b.copy().ravel()),
    "flat": lambda w, b: np.sum(w * w * b.flatten()),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_is_saved_is_a_view_or_a_copy_as_untraced(function, first, create_graph):
    traced = srcgrad.trace(function)
    for name in (first, first, *LAYOUTS):
        found = []
        for each in (function, traced):
            w, b = variable(np.arange(1.0, 7.0)), LAYOUTS[name].copy(order="K")
            b = np.lib.stride_tricks.as_strided(b)  # its strides are what they were
            out = each(w, b)
            b[:] = 0.0
            (g,) = srcgrad.autograd.grad(out, w, create_graph=create_graph)
            found.append(g.data.tolist())
        assert found[0] == found[1], name
    assert traced.stats.compiled >= 3, traced.explain()


BY_MEMORY = {
    "ravel": lambda x: x.ravel("K"),
    "np.ravel": lambda x: np.ravel(x, order="A"),
    "reshape": lambda x: np.reshape(x * 2.0, (3, 2), order="A"),
    "flatten": lambda x: x.flatten("K"),
}


@pytest.mark.parametrize("function", BY_MEMORY.values(), ids=BY_MEMORY)
def test_the_order_in_memory_is_left_to_the_tape(function):
    traced = srcgrad.trace(function)
    for array in LAYOUTS.values():
        assert traced(array).tolist() == function(array).tolist()
    assert "reads elements as they lie in memory" in traced.explain()


def test_only_what_may_be_in_one_memory_with_a_write_is_guarded():
    f8 = np.dtype(float)
    x, h, r, s, t = (Value((2, 3), f8, name) for name in "xhrst")
    steps = (
        Node(np.exp, (x,), out=h),
        Node(np.ravel, (h,), out=r),
        Node(np.ravel, (x,), out=s),
    )
    raws = {x: ROWS}
    assert layout_guards(steps, [], [x], raws) == []
    (guard,) = layout_guards(steps, [(r, t)], [x], raws)
    assert (guard.value, guard.convert, guard.observed) == (x, layout_of, "C")
    (guard,) = layout_guards(steps, [(h, t)], [x], {x: ROWS.T})
    assert guard.observed == "F"
    assert layout_guards(steps[:1], [(h, t)], [x], raws) == []
    assert isinstance(guard, Guard)
