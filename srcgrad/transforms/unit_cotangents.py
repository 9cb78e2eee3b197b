"""Backward halves for gradient transforms: the cotangent is one, and is not passed in.

``value_and_grad`` starts from one, always; what follows from that can be computed now.

>>> import numpy as np
>>> from srcgrad.transforms.folding import fold_constants
>>> x, dx = (Value((3,), np.dtype(float), name) for name in ("x", "dx"))
>>> numbers = ("out", "dout", "t")
>>> out, dout, t = (Value((), np.dtype(float), name, "scalar") for name in numbers)
>>> nodes = (
...     Node(np.sum, (x,), out=out),
...     Node(np.divide, (dout, 32), out=t),
...     Node(np.multiply, (t, x), out=dx),
... )
>>> joint = Joint((x,), nodes, (out,), cotangents=(dout,), gradients=(dx,))
>>> print(fold_constants(with_unit_cotangents(joint)))
out = sum(x)
dx = multiply(np.float64(0.03125), x)
return out; dx

It is one in the dtype of what it is the cotangent of, so that promotion stays as it is.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Joint, Node, Value


def with_unit_cotangents(graph: Joint) -> Joint:
    """Make the cotangents constants: ones. ``split`` gives a backward without them."""
    ones: dict[Value, Any] = {
        value: np.ones(value.shape, value.dtype) if value.shape else value.dtype.type(1)
        for value in graph.cotangents
    }
    # A gradient that is a cotangent is a result of its own.
    copies = {
        value: Value(value.shape, value.dtype, value.name, value.kind)
        for value in ones
        if value in graph.gradients
    }
    nodes = [
        Node(np.copy if copy.kind == "array" else np.positive, (value,), out=copy)
        for value, copy in copies.items()
    ]
    return replace(
        graph,
        nodes=(*graph.nodes, *nodes),
        constants={**graph.constants, **ones},
        cotangents=(),
        gradients=tuple(g if g is None else copies.get(g, g) for g in graph.gradients),
        complete=(),
    )
