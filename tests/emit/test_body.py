"""The statements of a function: which values get one, in which order, and names."""

import operator
from textwrap import dedent

import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.updates import add_at, assign, scatter
from tests.emit.graphs import (
    array,
    body,
    line,
    node,
    number,
    scalar,
    source,
)

x, y, m = array(3, name="x"), array(3, name="y"), array(4, 3, name="m")
n, s = number("n"), scalar("s")
i = array(2, name="i", dtype=int)


# ----- Where values are written -----


def test_a_value_is_written_in_place_only_if_that_is_where_it_belongs():
    here, there = line(1), line(2)
    named, twice, elsewhere, t = array(3, name="t"), array(3), array(3), array(3)
    out = array(3, name="out")
    text = body(
        [
            node(np.exp, x, out=named, where=here),
            node(np.sin, named, out=twice, where=here),
            node(np.cos, x, out=elsewhere, where=there),
            node(np.multiply, twice, twice, out=t, where=here),
            node(np.add, t, elsewhere, out=out, where=here),
        ],
        [x],
        [out, out],
    )
    assert text == dedent("""\
        # loss.py:1
        t = np.exp(x)
        sin = np.sin(t)

        # loss.py:2
        cos = np.cos(x)

        # loss.py:1
        out = sin * sin + cos
        return out, out
        """)


def test_calls_that_may_not_be_pure_keep_their_order():
    draw = np.random.default_rng(0).normal
    a, b, t = array(3), array(3), array(3)
    text = body(
        [
            node(draw, out=a),
            node(np.random.normal, out=b),
            node(np.exp, a, out=t),
            node(np.subtract, b, t, out=y),
        ],
        [x],
        [y],
    )
    assert text == dedent("""\
        normal_1 = normal()
        normal_2 = np.random.normal()
        return normal_2 - np.exp(normal_1)
        """)


def test_what_reads_an_array_does_not_move_past_what_changes_it():
    t, u = array(3), array(3)
    nodes = [
        node(np.negative, x, out=t),
        Node(np.exp, (y,), {"out": x}, u),
        node(np.add, t, u, out=m),
    ]
    text = body(nodes, [x, y], [m])
    assert text == "negative = -x\nreturn negative + np.exp(y, out=x)\n"


def test_long_expressions_are_taken_apart():
    total, nodes = x, []
    for _ in range(2000):
        following = array(3)
        nodes.append(node(np.add, total, y, out=following))
        total = following
    text = source(nodes, [x, y], [total])
    assert 80 < max(map(len, text.splitlines())) <= 88
    assert text.count(" + ") == 2000


# ----- Names -----


def test_results_that_nobody_needs_have_no_name():
    sign, logdet, q, r = scalar(), scalar(), array(3, 3), array(3, 3)
    text = body(
        [
            node(np.linalg.slogdet, m, out=(sign, logdet)),
            node(np.linalg.qr, m, out=(q, r)),
            node(np.exp, x, out=array(3)),
            node(np.matmul, q, r, out=y),
        ],
        [m, x],
        [logdet, y],
    )
    assert text == dedent("""\
        _, out = np.linalg.slogdet(m)
        qr, qr_1 = np.linalg.qr(m)
        np.exp(x)
        y = qr @ qr_1
        return out, y
        """)


def test_an_underscore_that_is_used_gets_a_name():
    used, unused, last = scalar("_"), scalar("_"), scalar()
    nodes = [
        node(np.linalg.slogdet, m, out=(used, scalar())),
        node(np.linalg.slogdet, m, out=(unused, last)),
    ]
    assert body(nodes, [m], [used, last]) == dedent("""\
        out, _ = np.linalg.slogdet(m)
        _, out_1 = np.linalg.slogdet(m)
        return out, out_1
        """)


def test_a_name_is_never_assigned_twice():
    h = [array(3, name="h") for _ in range(3)]
    nodes = [node(np.exp, h[0], out=h[1]), node(np.exp, h[1], out=h[2])]
    text = body(nodes, h[:1], h[1:])
    assert text == "h_1 = np.exp(h)\nh_2 = np.exp(h_1)\nreturn h_1, h_2\n"


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (0, "m_0"),
        ((2, 1), "m_2_1"),
        ((1, -1), "m_1_last"),
        (-2, "part"),
        (slice(2), "part"),
        ((0, slice(2)), "part"),
        (i, "part"),
        ((), "part"),
        (True, "part"),
    ],
)
def test_an_element_is_called_after_its_array(index, name):
    t = array(3)
    nodes = [node(operator.getitem, m, index, out=t), node(np.multiply, t, t, out=y)]
    assert f"return {name} * {name}\n" in source(nodes, [m, i], [y])


def test_an_element_of_what_has_no_name_is_a_part():
    t, u = array(4, 3), array(3)
    nodes = [
        node(np.exp, m, out=t),
        node(operator.getitem, t, 0, out=u),
        node(np.multiply, u, u, out=y),
    ]
    assert "part = np.exp(m)[0]\n    return part * part\n" in source(nodes, [m], [y])


def test_a_temporary_hides_no_builtin():
    t = scalar()
    text = source([node(np.sum, x, out=t), node(np.multiply, t, t, out=s)], [x], [s])
    assert "    sum_1 = np.add.reduce(x, axis=None)\n    return sum_1 * sum_1\n" in text


def test_a_builtin_is_called_by_its_name():
    t = number()
    text = body([node(operator.abs, n, out=t), node(pow, t, t, out=s)], [n], [s])
    assert text == "abs_1 = abs(n)\nreturn pow(abs_1, abs_1)\n"


# ----- Results -----


def test_a_constant_is_returned_as_a_copy():
    held = array(2)
    text = source([], [x], [held], {held: np.array([1.0, 2.0])})
    assert text.endswith("def forward(x):\n    return C1.copy()\n")


# ----- Updates -----


def test_updates_are_statements():
    out, dx, added, small = array(3, name="out"), array(4, 3), array(4, 3), array(4)
    small = Value((4,), np.dtype(np.float32))
    text = body(
        [
            node(assign, x, slice(1, None), 5.0, out=out),
            node(scatter, x, (0, slice(None)), (4, 3), out=dx),
            node(scatter, x, (i, slice(1)), (4, 3), out=added),
            node(scatter, s, np.int64(2), (4,), out=small),
        ],
        [x, i, s],
        [out, dx, added, small],
    )
    assert text == dedent("""\
        out = x.copy()
        out[1:] = 5.0
        out_1 = np.zeros((4, 3))
        out_1[0, :] = x
        out_2 = np.zeros((4, 3))
        np.add.at(out_2, (i, slice(None, 1, None)), x)
        out_3 = np.zeros(4, dtype=np.float32)
        out_3[2] = s
        return out, out_1, out_2, out_3
        """)


def test_a_negative_addition_is_a_subtraction():
    a, term = array(3), array()
    nodes = [
        node(np.multiply, -2.0, s, out=term),
        node(add_at, x, 0, term, out=a),
    ]
    assert body(nodes, [x, s], [a]) == "out = x.copy()\nout[0] -= 2.0 * s\nreturn out\n"


def test_a_transpose_needs_no_name():
    t, a, b = array(3, 4), array(4, 4), array(3, 3)
    nodes = [
        node(np.transpose, m, out=t, where=line(1)),
        node(np.matmul, m, t, out=a, where=line(2)),
        node(np.matmul, t, m, out=b, where=line(3)),
    ]
    text = body(nodes, [m], [a, b])
    assert "out = m @ m.T\n" in text
    assert "out_1 = m.T @ m\n" in text


def test_an_update_of_a_scalar_makes_an_array():
    for given, text in ((s, "s"), (np.float64(2.0), "np.float64(2.0)")):
        assert f"y = np.array({text})\n    y[()] = 1.0\n" in source(
            [node(assign, given, (), 1.0, out=y)], [s], [y, y]
        )
