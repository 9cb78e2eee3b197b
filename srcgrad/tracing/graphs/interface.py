"""``Interface``: how a call's leaves become inputs of a graph, and its outputs results.

The leaves are those of ``(args, kwargs, bound)``, numbered in order; see ``signature``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.pytree import is_leaf
from srcgrad.tape.variable import Variable
from srcgrad.transforms.partition.shared_memory import SharedMemory


@dataclass(frozen=True, slots=True)
class Output:
    """How one leaf of the result is made.

    ``kind`` is ``"variable"``, ``"array"`` (ndarray, scalar or float) or ``"constant"``
    (an ndarray), all of which number ``source`` of the graph's outputs gives;
    ``"input"`` (number ``source`` of the graph's inputs, as it was given), ``"same"``
    (the object of leaf ``source``), or ``"static"`` (``source`` itself). ``has_grad``:
    walks back start here; ``volatile`` is a Variable's; ``views`` are the inputs whose
    memory it may be.
    """

    kind: str
    source: Any
    has_grad: bool = False
    volatile: bool = False
    views: tuple[int, ...] = ()


# The kinds of leaves that the graph gives.
COMPUTED = ("variable", "array", "constant")


@dataclass(frozen=True, slots=True)
class Interface:
    """How a call meets a graph.

    Attributes
    ----------
    positions : tuple of int
        The leaves that are inputs of the graph.
    outputs : tuple of Output
        How the leaves of the result are made, in order.
    structure : hashable
        The structure of the result.
    overlaps : tuple of (int, int)
        Pairs of the result's leaves that may be in the same memory.
    only : str or None
        The kind of the result, if it is one leaf outside any container.
    count : int
        How many of the graph's outputs the result is made of.
    is_direct : bool
        Whether the leaves, as they are, are the inputs of the graph.
    """

    positions: tuple[int, ...]
    outputs: tuple[Output, ...]
    structure: Any
    overlaps: tuple[tuple[int, int], ...] = ()
    only: str | None = None
    count: int = 0
    is_direct: bool = False

    @classmethod
    def of(
        cls,
        given: Sequence[Any],
        positions: Sequence[int],
        outputs: Sequence[Output],
        structure: Any,
    ) -> "Interface":
        """The interface of a recording with given leaves."""
        only = outputs[0].kind if is_leaf(structure) else None
        sources = {o.source for o in outputs if o.kind in COMPUTED}
        return cls(
            tuple(positions),
            tuple(outputs),
            structure,
            only=only,
            count=len(sources),
            is_direct=[*positions] == [*range(len(given))]
            and not any(isinstance(leaf, Variable) for leaf in given),
        )

    @property
    def with_grad(self) -> tuple[int, ...]:
        """The outputs of the graph that have a gradient."""
        return tuple(o.source for o in self.outputs if o.has_grad and o.kind != "input")

    def sharing(self, memory: SharedMemory) -> "Interface":
        """The same, with what is known of whose memory the results are."""
        outputs = self.outputs
        return replace(
            self,
            outputs=tuple(
                replace(output, views=memory.inputs_under[output.source])
                if output.kind == "variable"
                else output
                for output in outputs
            ),
            overlaps=tuple(
                (i, k)
                for k, b in enumerate(outputs)
                for i, a in enumerate(outputs[:k])
                if a.kind == b.kind == "variable"
                and (a.source, b.source) in memory.overlaps
            ),
        )
