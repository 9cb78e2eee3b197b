"""Graphs made by hand, and the text that comes of them."""

import operator
from textwrap import dedent

import numpy as np
import pytest
import scipy.special
from numpy._core import umath

from srcgrad.emit.lower import lower
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Graph, Halves, Node, Value
from srcgrad.updates import assign, cast, scatter
from tests.emit.graphs import (
    array,
    build,
    expression,
    guard,
    line,
    network,
    node,
    number,
    scalar,
    source,
)

x, y, m = array(3, name="x"), array(3, name="y"), array(4, 3, name="m")
n, s = number("n"), scalar("s")
i, flag = array(2, name="i", dtype=int), array(3, name="flag", dtype=bool)


def test_a_network():
    tree = lower(network(), "srcgrad: loss").tree
    assert unparse(tree) == dedent('''\
        """srcgrad: loss"""

        import numpy as np


        def forward(W, b, x, y):
            # loss.py:6: h = np.tanh(x @ W + b)
            h = np.tanh(x @ W + b)

            # loss.py:7: return np.mean((h - y) ** 2)
            subtract = h - y
            out = np.add.reduce(subtract * subtract, axis=None) / 96
            return out, (x, h, subtract)


        def backward(saved, dout):
            x, h, subtract = saved

            # loss.py:7: return np.mean((h - y) ** 2)
            dr = dout * 2.0 / 96 * subtract

            # loss.py:6: h = np.tanh(x @ W + b)
            dz = dr * (1.0 - h * h)
            dW = x.T @ dz
            db = np.add.reduce(dz, axis=0)
            return dW, db
        ''')


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ((np.add, x, y), "x + y"),
        ((np.multiply, 2.0, x), "2.0 * x"),
        ((np.matmul, m, x), "m @ x"),
        ((np.floor_divide, x, 2), "x // 2"),
        ((np.remainder, x, y), "x % y"),
        ((np.bitwise_and, flag, flag), "flag & flag"),
        ((np.invert, flag), "~flag"),
        ((np.negative, x), "-x"),
        ((np.less_equal, x, 0.0), "x <= 0.0"),
        ((operator.add, n, 1.0), "n + 1.0"),
        ((operator.neg, n), "-n"),
        ((operator.lt, n, n), "n < n"),
        # NumPy must get to see an operand.
        ((np.add, n, 1.0), "np.add(n, 1.0)"),
        ((np.negative, n), "np.negative(n)"),
        ((np.add, n, s), "n + s"),
        ((np.add, n, np.float64(1.0)), "n + np.float64(1.0)"),
        ((np.add, x, [1.0, 2.0, 3.0]), "np.add(x, [1.0, 2.0, 3.0])"),
        ((np.add, x, None), "np.add(x, None)"),
        # Operators take short cuts for some powers.
        ((np.power, x, 2), "x**2"),
        ((np.power, x, -1.5), "x**-1.5"),
        ((np.power, x, y), "x**y"),
        ((np.power, x, 0.5), "np.power(x, 0.5)"),
        ((np.power, x, n), "np.power(x, n)"),
        ((np.power, x, s), "np.power(x, s)"),
        ((np.power, flag, 2), "np.power(flag, 2)"),
        ((operator.pow, n, 0.5), "n**0.5"),
        ((np.tanh, x), "np.tanh(x)"),
        ((np.absolute, x), "np.abs(x)"),
        ((np.conjugate, x), "np.conjugate(x)"),
        ((np.where, flag, x, 0.0), "np.where(flag, x, 0.0)"),
        ((np.linalg.inv, m), "np.linalg.inv(m)"),
        ((np.fft.fft, x), "np.fft.fft(x)"),
        ((np.add.reduce, x), "np.add.reduce(x)"),
        ((np.lib.stride_tricks.sliding_window_view, x, 2),
         "np.lib.stride_tricks.sliding_window_view(x, 2)"),
        ((scipy.special.erf, x), "scipy.special.erf(x)"),
        ((scipy.special.logsumexp, x), "scipy.special.logsumexp(x)"),
        ((abs, n), "abs(n)"),
        ((np.concatenate, [x, y]), "np.concatenate([x, y])"),
        ((np.einsum, "ij,j->i", m, x), 'np.einsum("ij,j->i", m, x)'),
        ((np.transpose, m), "m.T"),
        ((np.transpose, m, None), "m.T"),
        ((np.transpose, m, (1, 0)), "m.transpose((1, 0))"),
        ((np.transpose, array(2, 3, 4, name="t")), "t.transpose()"),
        ((np.swapaxes, m, -1, -2), "m.T"),
        ((np.swapaxes, m, 1, 1), "m.swapaxes(1, 1)"),
        ((np.swapaxes, array(2, 3, 4, name="t"), 0, 2), "t.swapaxes(0, 2)"),
        ((np.expand_dims, x, -1), "x[:, None]"),
        ((np.expand_dims, m, -1), "m[..., None]"),
        ((np.expand_dims, m, -2), "m[:, None]"),
        ((np.expand_dims, m, 0), "m[None]"),
        ((np.expand_dims, s, 0), "s[None]"),
        ((np.expand_dims, m, (0, 1)), "np.expand_dims(m, (0, 1))"),
        ((np.expand_dims, n, 0), "np.expand_dims(n, 0)"),
        ((np.flip, m, -1), "m[:, ::-1]"),
        ((np.flip, x, 0), "x[::-1]"),
        ((np.flip, m), "np.flip(m)"),
        ((np.reshape, m, (2, 6)), "m.reshape((2, 6))"),
        ((np.reshape, n, (1, 1)), "np.reshape(n, (1, 1))"),
        ((np.ravel, m), "m.ravel()"),
        ((np.clip, x, 0.0, y), "x.clip(0.0, y)"),
        ((vars(umath)["clip"], x, 0.0, y), "x.clip(0.0, y)"),
        ((operator.abs, n), "abs(n)"),
        ((np.sum, m), "np.add.reduce(m, axis=None)"),
        ((np.sum, m, 0), "np.add.reduce(m, axis=0)"),
        ((np.max, m, (0, 1), None, True),
         "np.maximum.reduce(m, axis=(0, 1), keepdims=True)"),
        ((cast, x, np.dtype(np.float32)), "x.astype(np.float32)"),
        ((cast, n, np.float32), "np.float32(n)"),
        ((operator.getitem, m, 0), "m[0]"),
        ((operator.getitem, m, (slice(0, 3), None)), "m[0:3, None]"),
        ((operator.getitem, m, (slice(None, None, -1),)), "m[::-1]"),
        ((operator.getitem, m, (..., np.int64(1))), "m[..., 1]"),
        ((operator.getitem, m, ()), "m[()]"),
        ((operator.getitem, m, ([0, 2], i)), "m[[0, 2], i]"),
        ((operator.getitem, m, flag), "m[flag]"),
        ((operator.getitem, m, ((0, 1),)), "m[(0, 1),]"),
    ],
)  # fmt: skip
def test_calls_in_their_usual_form(call, text):
    assert expression(*call) == text


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"axis": 1}, "np.add.reduce(m, axis=1)"),
        ({"axis": (1,)}, "np.add.reduce(m, axis=1)"),
        (
            {"axis": None, "dtype": None, "keepdims": np._NoValue, "where": True},
            "np.add.reduce(m, axis=None)",
        ),
        (
            {"axis": 0, "keepdims": True, "initial": 1.0, "where": False},
            "np.add.reduce(m, axis=0, keepdims=True, initial=1.0, where=False)",
        ),
    ],
)
def test_reductions_pass_what_is_no_default(kwargs, text):
    assert expression(np.sum, m, **kwargs) == text


def test_keywords_of_ufuncs_and_methods_are_kept():
    assert (
        expression(np.add, x, y, dtype=np.float32) == "np.add(x, y, dtype=np.float32)"
    )
    assert expression(np.reshape, m, (12,), order="F") == 'm.reshape((12,), order="F")'
    assert expression(np.reshape, m, shape=(12,)) == "np.reshape(m, shape=(12,))"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (float("nan"), "np.nan"),
        (float("-inf"), "-np.inf"),
        (1e22, "1e22"),
        (-3, "-3"),
        (2j, "2j"),
        (complex(1.0, -0.0), "complex(1.0, -0.0)"),
        (complex(0.0, float("inf")), "complex(0.0, np.inf)"),
        (True, "True"),
        (None, "None"),
        ("it's", '"it\'s"'),
        (b"\x00", 'b"\\x00"'),
        (np.float64(0.1), "np.float64(0.1)"),
        (np.float32(0.1), "np.float32(0.1)"),
        (np.float32("nan"), "np.float32(np.nan)"),
        (np.float16(1e-4), "np.float16(0.0001)"),
        (np.int8(-1), "np.int8(-1)"),
        (np.complex64(1 + 2j), "np.complex64(complex(1.0, 2.0))"),
        (np.True_, "np.True_"),
        (np.longdouble("0.1"), 'np.longdouble("0.1")'),
        (np.float32, "np.float32"),
        (np.dtype("float32"), "np.float32"),
        (np.dtype(">f8"), 'np.dtype(">f8")'),
        (np.dtype("M8[s]"), 'np.dtype("<M8[s]")'),
        (float, "float"),
        (slice(0, 3), "slice(0, 3, None)"),
        (((0, 1), (2,)), "((0, 1), (2,))"),
        ([[1.0], []], "[[1.0], []]"),
        ({"a": -1}, '{"a": -1}'),
        (np.tanh, "np.tanh"),
    ],
)
def test_literals_give_back_the_same_object(item, text):
    assert expression(np.frompyfunc, x, item).removeprefix("np.frompyfunc(x, ") == (
        f"{text})"
    )
    again = eval(text, {"np": np})
    if not isinstance(item, np.dtype) and item is not np.float32:
        assert type(again) is type(item)
        assert repr(again) == repr(item)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (np.array([1.0, -0.0, np.nan]), "np.array([1.0, -0.0, np.nan])"),
        (np.array([[1, 2], [3, 4]]), "np.array([[1, 2], [3, 4]])"),
        (np.array(2.0), "np.array(2.0)"),
        (np.array([True]), "np.array([True])"),
        (np.array([0.1], np.float32), "np.array([0.1], dtype=np.float32)"),
        (np.array([1.0], ">f8"), 'np.array([1.0], dtype=np.dtype(">f8"))'),
        (np.array([1j, complex(2.0, -0.0)]), "np.array([1j, complex(2.0, -0.0)])"),
        (np.zeros((0, 3)), "np.zeros((0, 3))"),
        (np.zeros(0, int), "np.zeros(0, dtype=np.int64)"),
        (np.arange(100), "np.arange(100)"),
        (np.arange(4.0), "np.array([0.0, 1.0, 2.0, 3.0])"),
        (np.zeros((20, 3)), "np.zeros((20, 3))"),
        (np.zeros(20, np.float32), "np.zeros(20, dtype=np.float32)"),
        (np.ones(20, bool), "np.ones(20, dtype=np.bool)"),
        (np.full(20, -0.0), "np.full(20, -0.0)"),
        (np.full(20, np.nan), "np.full(20, np.nan)"),
        (np.full(20, 0.1, np.float32), "np.full(20, 0.1, dtype=np.float32)"),
        (np.broadcast_to(3, (4, 5)), "np.full((4, 5), 3)"),
    ],
)
def test_small_arrays_are_written_out(item, text):
    printed = source([node(np.add, x, item, out=y)], [x], [y])
    assert f"\nC1 = {text}\n\n\ndef forward(x):\n    return x + C1\n" in printed
    again = eval(text, {"np": np})
    assert again.dtype == item.dtype
    assert again.shape == item.shape
    assert again.tobytes() == item.tobytes()


def test_what_has_no_literal_is_given_to_the_module():
    data, half = np.arange(100.0), np.arange(100.0) / 2
    double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    held = array(100, name="DATA")
    t = array(100)
    graph = Graph(
        (x,),
        (node(double, held, out=t), node(np.add, t, half, out=y)),
        (y,),
        constants={held: data},
    )
    module = build("held", Halves(graph))
    lowered = lower(Halves(graph))
    assert "# DATA: float64[100], not written out\n" in module.text
    assert "# C1: float64[100], not written out\n" in module.text
    assert lowered.constants["DATA"] is data
    assert any(held is double for held in lowered.constants.values())
    assert np.array_equal(module.forward(0.0), 2.0 * data + half)


def test_the_same_object_is_one_constant():
    mask = np.arange(100.0)
    t = array(3)
    text = source(
        [node(np.add, x, mask, out=t), node(np.add, t, mask, out=y)], [x], [y]
    )
    assert text.count("not written out") == 1


def test_a_constant_is_returned_as_a_copy():
    held = array(2)
    text = source([], [x], [held], {held: np.array([1.0, 2.0])})
    assert text.endswith("def forward(x):\n    return C1.copy()\n")


def body(nodes, inputs, outputs):
    """What a function does, without the lines around it."""
    text = source(nodes, inputs, outputs)
    return dedent(text.split(":\n", 1)[1] if text.startswith("def") else (
        text.split("):\n", 1)[1]
    ))  # fmt: skip


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


def test_an_update_of_a_scalar_makes_an_array():
    assert "y = np.array(s)\n    y[()] = 1.0\n" in source(
        [node(assign, s, (), 1.0, out=y)], [s], [y, y]
    )


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
    forward = build("guard", Halves(graph)).forward
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


def test_a_name_is_never_assigned_twice():
    h = [array(3, name="h") for _ in range(3)]
    nodes = [node(np.exp, h[0], out=h[1]), node(np.exp, h[1], out=h[2])]
    text = body(nodes, h[:1], h[1:])
    assert text == "h_1 = np.exp(h)\nh_2 = np.exp(h_1)\nreturn h_1, h_2\n"


def test_names_hide_nothing_that_is_used():
    inputs = [
        array(3, name=name) for name in ("np", "saved", "forward", "scipy", "float")
    ]
    t = array(3)
    nodes = [
        node(scipy.special.erf, inputs[0], out=t),
        node(cast, t, float, out=y),
        guard(inputs[4], float, 1.0),
    ]
    text = source(nodes, inputs, [y])
    assert "def forward(np_1, saved_1, forward_1, scipy_1, float):" in text
    module = build("names", Halves(Graph(tuple(inputs), tuple(nodes), (y,))))
    assert module.forward(1.0, 2.0, 3.0, 4.0, 1.0) == scipy.special.erf(1.0)
    assert type(module.forward(1.0, 2.0, 3.0, 4.0, 2.0)) is str


def test_a_temporary_hides_no_builtin():
    t = scalar()
    text = source([node(np.sum, x, out=t), node(np.multiply, t, t, out=s)], [x], [s])
    assert "    sum_1 = np.add.reduce(x, axis=None)\n    return sum_1 * sum_1\n" in text


@pytest.mark.parametrize(
    ("outputs", "saved", "gradients", "returned", "unpacked", "given"),
    [
        ([x], [], [y], "return x, ()", "", "return y"),
        ([x], [m], [None], "return x, (m,)", "(m,) = saved\n", "return ()"),
        ([x, s], [x, m], [x, m], "return (x, s), (x, m)", "x, m = saved\n",
         "return x, m"),
    ],
)  # fmt: skip
def test_what_goes_in_and_out(outputs, saved, gradients, returned, unpacked, given):
    cotangents = tuple(scalar(f"d{value.name}") for value in outputs)
    made = [node(np.exp, cotangents[0], out=y)] if y in gradients else []
    forward = Graph((x, s, m), (), tuple(outputs))
    found = tuple(value for value in gradients if value is not None)
    backward = Graph((*saved, *cotangents), tuple(made), found)
    halves = Halves(forward, backward, tuple(saved), tuple(gradients))
    text = unparse(lower(halves).tree)
    expected = f"def forward(x, s, m):\n    {returned}\n"
    assert expected in text
    names = ", ".join(value.name for value in cotangents)
    given = "return np.exp(dx)" if made else given
    lines = f"{unpacked}{given}\n".splitlines()
    body = "".join(f"    {line}\n" for line in lines)
    assert f"def backward(saved, {names}):\n{body}" in text


def test_nameless_values_are_called_after_what_they_are():
    a, out, dout, da = array(3), array(3), array(3), array(3)
    db = array(3)
    forward = Graph((a, x), (node(np.exp, a, out=out),), (out,))
    backward = Graph(
        (out, dout),
        (node(np.multiply, dout, out, out=da), node(np.sin, dout, out=db)),
        (da, db),
    )
    halves = Halves(forward, backward, (out,), (da, db))
    assert unparse(lower(halves).tree) == dedent("""\
        import numpy as np


        def forward(arg, x):
            out = np.exp(arg)
            return out, (out,)


        def backward(saved, dout):
            (out,) = saved
            darg = dout * out
            dx = np.sin(dout)
            return darg, dx
        """)


def test_a_builtin_is_called_by_its_name():
    t = number()
    text = body([node(operator.abs, n, out=t), node(pow, t, t, out=s)], [n], [s])
    assert text == "abs_1 = abs(n)\nreturn pow(abs_1, abs_1)\n"


def test_imports_stand_in_order_and_only_if_used():
    import math

    t = number()
    text = source(
        [node(math.sin, n, out=t), node(scipy.special.erf, t, out=s)], [n], [s]
    )
    assert text.startswith("import math\n\nimport scipy.special\n\n\ndef forward(n):\n")


def test_long_headers_and_comments_are_cut_to_the_width():
    where = line(3, "y = " + " + ".join(["x"] * 60))
    graph = Graph((x,), (node(np.exp, x, out=y, where=where),), (y,))
    text = unparse(lower(Halves(graph), "srcgrad: " + "a word " * 30).tree)
    assert max(map(len, text.splitlines())) <= 88
    assert " ...\n" in text
    assert text.startswith('"""srcgrad: a word')
