"""Short words for graphs made by hand."""

from textwrap import dedent

import numpy as np

from srcgrad.emit.lower import lower
from srcgrad.emit.module import build
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Graph, Partition
from srcgrad.steps import Guard, Location, Node, Value


def array(*shape, name=None, dtype=float):
    return Value(shape, np.dtype(dtype), name)


def scalar(name=None, dtype=float):
    return Value((), np.dtype(dtype), name, "scalar")


def number(name=None):
    return Value((), np.dtype(float), name, "float")


def line(number, text="", file="/home/user/loss.py"):
    return Location(file, number, text)


def node(function, *args, out=None, where=None, **kwargs):
    return Node(function, args, kwargs, () if out is None else out, where)


def guard(value, convert, observed, where=None):
    return Guard(value, convert, observed, where)


def source(nodes, inputs, outputs, constants=None):
    """The body of the function that some nodes make, and what stands before it."""
    graph = Graph(
        tuple(inputs), tuple(nodes), tuple(outputs), constants=constants or {}
    )
    return unparse(lower(Partition(graph)).tree)


def body(nodes, inputs, outputs):
    """What a function does, without the lines around it."""
    text = source(nodes, inputs, outputs)
    start = ":\n" if text.startswith("def") else "):\n"
    return dedent(text.split(start, 1)[1])


def expression(function, *args, **kwargs):
    """One call, as it is written."""
    out = array(3)
    call = Node(function, args, kwargs, out)
    text = source([call], dict.fromkeys(call.inputs), [out])
    return text.split("    return ", 1)[1].rstrip("\n")


def network():
    """The halves of ``np.mean((np.tanh(x @ W + b) - y) ** 2)``."""
    tanh = line(6, "h = np.tanh(x @ W + b)")
    mean = line(7, "return np.mean((h - y) ** 2)")
    W, b = array(4, 3, name="W"), array(3, name="b")
    x, y, h = array(32, 4, name="x"), array(32, 3, name="y"), array(32, 3, name="h")
    xw, z, r, rr, total, out = *(array(32, 3) for _ in range(4)), scalar(), scalar()
    forward = (
        node(np.matmul, x, W, out=xw, where=tanh),
        node(np.add, xw, b, out=z, where=tanh),
        node(np.tanh, z, out=h, where=tanh),
        node(np.subtract, h, y, out=r, where=mean),
        node(np.multiply, r, r, out=rr, where=mean),
        node(np.sum, rr, out=total, where=mean),
        node(np.divide, total, 96, out=out, where=mean),
    )
    dout, twice, scaled = scalar("dout"), scalar(), scalar()
    dr, dz = array(32, 3, name="dr"), array(32, 3, name="dz")
    hh, slope, xt = array(32, 3), array(32, 3), array(4, 32)
    dW, db = array(4, 3, name="dW"), array(3, name="db")
    backward = (
        node(np.multiply, dout, 2.0, out=twice, where=mean),
        node(np.divide, twice, 96, out=scaled, where=mean),
        node(np.multiply, scaled, r, out=dr, where=mean),
        node(np.multiply, h, h, out=hh, where=tanh),
        node(np.subtract, 1.0, hh, out=slope, where=tanh),
        node(np.multiply, dr, slope, out=dz, where=tanh),
        node(np.transpose, x, out=xt, where=tanh),
        node(np.matmul, xt, dz, out=dW, where=tanh),
        node(np.sum, dz, out=db, where=tanh, axis=0),
    )
    saved = (x, h, r)
    inputs = (W, b, x, y)
    return Partition(
        Graph(inputs, forward, (out,)),
        Graph((*saved, dout), backward, (dW, db)),
        saved,
        (dW, db, None, None),
    )


__all__ = [
    "array",
    "body",
    "build",
    "expression",
    "guard",
    "line",
    "network",
    "node",
    "number",
    "scalar",
    "source",
]
