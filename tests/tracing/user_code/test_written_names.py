"""Which names' arrays a function may write into, by its text."""

import gast
import pytest

from srcgrad.tracing.user_code.syntax_trees import nodes_in
from srcgrad.tracing.user_code.written_names import is_known, kept_calls, written_names

KNOWN = {"np", "len", "sum"}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("h = np.zeros(3); y = h + 1", ""),
        ("h[0] = x", "h"),
        ("h[0][1] = x", "h"),
        ("h.T[1] = x", "h"),
        ("h[0] += x; k *= 2", "h k"),
        ("h.count[0] += x", "h"),
        ("np.add.at(h, i, x); np.copyto(k, x); np.exp(x, out=y)", "h k y"),
        ("np.exp(x, h); np.dot(x, y, k); np.add.reduce(x, 0, None, z)", "h k z"),
        ("h.fill(0.0); k.sort(); l.sum()", "h k"),
        ("f(h); model.step(k, y=z); np.sum(l)", "h k z"),
        ("f([h, (k,)], {'a': y})", "h k y"),
        ("g = h; g[0] = x", "g h"),
        ("g = h[1:]; g[0] = x", "g h"),
        ("g = h.reshape(2, 2); g[0] = x", "g h"),
        ("g = a if c else b; g[0] = x", "a b g"),
        ("rows = [a, b]; rows[0][1] = x", "a b rows"),
        ("for row in rows: row[0] = x", "row rows"),
        ("h[0] = y; y = np.sin(x)", "h"),
        ("g: A = h; g[0] = x", "g h"),
        ("del h[0]", "h"),
        ("a[i], b = b, a[i]", "a b"),
        ("x[0], y[1] = 1.0, 2.0", "x y"),
    ],
)
def test_written_names(source, names):
    assert written_names(nodes_in(gast.parse(source)), KNOWN) == set(names.split())


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("h = np.zeros(3)", 0),
        ("y = np.zeros(3) + x", 0),
        ("hs = [np.zeros(3), np.sin(x)]", 1),
        ("hs = [np.zeros(3) for _ in range(2)]", 1),
        ("d = {'a': np.zeros(3), 'b': x.copy()}", 2),
        ("d = {k: np.ones(k) for k in ks}", 1),
        ("f(np.zeros(3), out=zeros(3))", 2),
        ("np.sum(np.zeros(3))", 0),
        ("np.exp(x, out=np.zeros(3)); np.modf(x, out=(np.empty(3), np.empty(3)))", 3),
        ("self.h = np.zeros(3)", 1),
        ("d['h'] = np.zeros(3)", 1),
    ],
)
def test_kept_calls(source, count):
    assert len(kept_calls(nodes_in(gast.parse(source)), KNOWN)) == count


def test_known_calls():
    calls = [node.value for node in gast.parse("np.linalg.inv(x); f(x); a.b(x)").body]
    assert [is_known(call.func, KNOWN) for call in calls] == [True, False, False]
