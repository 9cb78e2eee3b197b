"""Whole modules: functions, what goes in and out, names, imports."""

from textwrap import dedent

import numpy as np
import pytest
import scipy.special

from srcgrad.emit.lower import lower
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Graph, Partition
from tests.emit.graphs import (
    array,
    line,
    network,
    node,
    number,
    scalar,
    source,
)

x, y, m = array(3, name="x"), array(3, name="y"), array(4, 3, name="m")
n, s = number("n"), scalar("s")


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
    ("outputs", "saved", "gradients", "returned", "unpacked", "given"),
    [
        ([x], [], [y], "return x, ()", "", "return y"),
        ([x], [m], [None], "return x, (m,)", "(_,) = saved\n", "return ()"),
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
    partition = Partition(forward, backward, tuple(saved), tuple(gradients))
    text = unparse(lower(partition).tree)
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
    partition = Partition(forward, backward, (out,), (da, db))
    assert unparse(lower(partition).tree) == dedent("""\
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
    text = unparse(lower(Partition(graph), "srcgrad: " + "a word " * 30).tree)
    assert max(map(len, text.splitlines())) <= 88
    assert " ...\n" in text
    assert text.startswith('"""srcgrad: a word')
