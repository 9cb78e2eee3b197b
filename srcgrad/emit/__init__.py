"""Emission: from a graph to source text that people read, and to the functions in it.

``build`` is the way in. On the way, ``lower`` makes a syntax tree of the graph, helped
by ``names``, ``scope``, ``literals``, ``expressions`` and ``checks``; ``unparse``
prints it, ``flat`` what fits on a line and ``breaking`` what does not; ``module`` loads
the text.
"""

from srcgrad.emit.module import Module, build, build_backward

__all__ = ["Module", "build", "build_backward"]
