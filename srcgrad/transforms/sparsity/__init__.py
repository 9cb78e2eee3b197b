"""Which elements of a graph's output depend on which elements of an input.

The structure is read off the graph, node by node, with a rule for each family of
functions; what has no rule makes each element of its results depend on all of its
arguments. So there may be entries that are always zero, but none is missing.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.steps import Node, Value
>>> x, h, y = (Value((4,), np.dtype(float), name) for name in "xhy")
>>> nodes = (Node(np.roll, (x, 1), out=h), Node(np.multiply, (x, h), out=y))
>>> pattern = sparsity(nodes, x, y, lambda value: None)
>>> pattern.columns.reshape(4, 2)
array([[0, 3],
       [0, 1],
       [1, 2],
       [2, 3]])
"""

from srcgrad.transforms.sparsity.colouring import colours_of, crowding
from srcgrad.transforms.sparsity.pattern import DenseError, Pattern, full
from srcgrad.transforms.sparsity.propagation import sparsity

__all__ = ["DenseError", "Pattern", "colours_of", "crowding", "full", "sparsity"]
