"""Guards in generated code, and the reasons that they give."""

from textwrap import dedent

import numpy as np
import pytest

import srcgrad
from srcgrad.emit.checks import reason
from srcgrad.graph import Graph, Partition
from srcgrad.steps import Guard
from tests.emit.graphs import (
    array,
    body,
    build,
    guard,
    line,
    node,
    number,
    scalar,
    source,
)

x = array(3, name="x")
n, s = number("n"), scalar("s")
flag = array(3, name="flag", dtype=bool)


@pytest.mark.parametrize(
    ("value", "convert", "observed", "test"),
    [
        (s, bool, True, "not s"),
        (s, bool, False, "s"),
        (s, int, 3, "int(s) != 3"),
        (s, float, 2.5, "float(s) != 2.5"),
        (n, float, 2.5, "n != 2.5"),
        (s, float, -0.0, 'repr(float(s)) != "-0.0"'),
        (s, float, float("nan"), "not np.isnan(float(s))"),
        (s, complex, 1 + 2j, "complex(s) != complex(1.0, 2.0)"),
        (s, complex, 0j, 'repr(complex(s)) != "0j"'),
        (x, np.shape, (3,), "x.shape != (3,)"),
        (n, np.shape, (), "np.shape(n) != ()"),
        (flag, np.ndarray.tobytes, b"\x00\x01", 'flag.tobytes() != b"\\x00\\x01"'),
    ],
)
def test_guards(value, convert, observed, test):
    where = line(12, "if something:")
    text = body([guard(value, convert, observed, where=where)], [value], [value])
    assert f"\nif {test}:\n    return " in text
    graph = Graph((value,), (guard(value, convert, observed),), (value,))
    forward = build("guard", Partition(graph)).forward
    like = {np.shape: np.zeros(3), np.ndarray.tobytes: np.array([False, True])}
    hit = like.get(convert, observed)
    if value is n:
        hit = 2.5
    elif value is x:
        hit = np.zeros(3)
    elif value is s:
        hit = np.array(observed)[()]
    assert type(forward(hit)) is not str
    miss = np.ones(2, bool) if value.shape else 7.25 if observed != 7.25 else 1.0
    if convert is bool:
        miss = not observed
    if (value, convert) != (n, np.shape):
        assert type(forward(np.asarray(miss)[()])) is str


@pytest.mark.parametrize(
    ("observed", "test"),
    [(True, "not np.iscomplexobj(x)"), (False, "np.iscomplexobj(x)")],
)
def test_guards_on_what_is_real_or_complex(observed, test):
    steps = [guard(x, np.iscomplexobj, observed)]
    assert f"if {test}:\n    return " in body(steps, [x], [x])
    forward = build("guard", Partition(Graph((x,), tuple(steps), (x,)))).forward
    for argument in (np.zeros(3), np.zeros(3, complex)):
        missed = np.iscomplexobj(argument) is not observed
        assert (type(forward(argument)) is str) is missed


def test_guards_with_conditions_in_place():
    where = line(12, "if x.sum() > 0:")
    total, positive, equal = scalar(), scalar(dtype=bool), scalar(dtype=bool)
    text = body(
        [
            node(np.sum, x, out=total, where=where),
            node(np.greater, total, 0, out=positive, where=where),
            guard(positive, bool, True, where=where),
            node(np.equal, s, 2, out=equal, where=where),
            guard(equal, bool, True, where=where),
        ],
        [x, s],
        [x],
    )
    assert text == dedent("""\
        # loss.py:12: if x.sum() > 0:
        if not np.add.reduce(x, axis=None) > 0:
            return "loss.py:12: bool of `x.sum() > 0` was True"
        if s != 2:
            return "loss.py:12: bool of `x.sum() > 0` was True"
        return x
        """)


def test_a_condition_on_floats_reads_as_one():
    equal, greater = scalar(dtype=bool), scalar(dtype=bool)
    nodes = [
        node(np.equal, n, 2, out=equal),
        guard(equal, bool, True),
        node(np.greater, n, 0, out=greater),
        guard(greater, bool, True),
    ]
    text = body(nodes, [n], [n])
    assert "if n != 2:\n" in text
    assert "if not n > 0:\n" in text


@pytest.mark.parametrize(
    ("value", "where", "text"),
    [
        (s, None, "float of `s` was 2.5"),
        (s, line(3, "y = f(s)"), "loss.py:3: float of `s` was 2.5"),
        (scalar(), line(3, "y = f(s)"), "loss.py:3: float of `y = f(s)` was 2.5"),
        (scalar(), line(3), "loss.py:3: float of a value was 2.5"),
        (
            scalar(),
            line(3, f"y = {'f' * 90}"),
            f"loss.py:3: float of `y = {'f' * 34}...` was 2.5",
        ),
    ],
)
def test_reasons_fit_on_a_line(value, where, text):
    printed = source([guard(value, float, 2.5, where=where)], [value], [value])
    assert f'        return "{text}"\n' in printed
    assert max(map(len, printed.splitlines())) <= 88


# ----- Arrays of one element -----


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("kind", [float, complex, int])
def test_the_element_of_an_array_is_taken_out_whatever_its_axes(shape, kind):
    def scaled(x, y):
        return np.sum(x * y.item())

    x, y = np.ones(3), np.full(shape, 2, kind)
    traced = srcgrad.trace(scaled)
    for factor in (y, y, np.full(shape, 4, kind), y):
        assert traced(x, factor) == scaled(x, factor)
    # A float stays in the graph; an integer may be an index, and is guarded.
    assert traced.stats.compiled == (2 if kind is int else 3)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("if s > 1.0:", "s > 1.0"),
        ("if s > 1.0: total = total + s", "s > 1.0"),
        ("elif x[0:2].any(): return x", "x[0:2].any()"),
        ("while {1: s}[1]: s -= 1", "{1: s}[1]"),
        ("if (lambda a: a)(s):  # why: so", "(lambda a: a)(s)"),
        ("if (s >", "if (s >"),
        ("total = 1.0 if s else 2.0", "total = 1.0 if s else 2.0"),
    ],
)
def test_a_condition_is_told_without_what_depends_on_it(text, subject):
    found = reason(Guard(scalar(), bool, True, line(3, text)))
    assert f"bool of `{subject}` was True" in found
