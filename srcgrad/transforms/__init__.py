"""What is done to a graph between its recording and its source, in order."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.deadline import check as check_time
from srcgrad.errors import CompilerError
from srcgrad.graph import Graph, Partition, Program, map_bodies
from srcgrad.transforms.algebra.algebra import simplify_algebra
from srcgrad.transforms.algebra.broadcasts import leave_broadcasts_lazy
from srcgrad.transforms.algebra.cancellations import drop_cancelled
from srcgrad.transforms.algebra.cse import share_common_subexpressions
from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.folding import fold_constants
from srcgrad.transforms.algebra.inverses import use_inverses
from srcgrad.transforms.algebra.raising import keep_what_raises
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from srcgrad.transforms.algebra.scatters import add_scattered
from srcgrad.transforms.algebra.tilings import join_tiles
from srcgrad.transforms.branches.merging import merge_branches
from srcgrad.transforms.loops.fusing import fuse_loops
from srcgrad.transforms.loops.indexed_rows import take_rows
from srcgrad.transforms.loops.part_copies import copy_parts
from srcgrad.transforms.loops.single_writes import put_once
from srcgrad.transforms.loops.slp import vectorise_slices
from srcgrad.transforms.partition.forward_backward import linear, split, whole
from srcgrad.transforms.partition.late_updates import update_late
from srcgrad.transforms.partition.result_aliasing import own_gradients, own_results
from srcgrad.transforms.scalarize.scalars import scalarized

__all__ = [
    "BODY_PIPELINE",
    "PIPELINE",
    "PassError",
    "fused",
    "linear",
    "optimize",
    "own_gradients",
    "scalarized",
    "split",
    "whole",
    "with_writes",
]

PIPELINE: tuple[Callable[[Any], Any], ...] = (
    keep_what_raises,
    eliminate_dead_code,
    simplify_redundant_calls,
    leave_broadcasts_lazy,
    fold_constants,
    share_common_subexpressions,
    use_inverses,
    drop_cancelled,
    simplify_algebra,
    share_common_subexpressions,
    add_scattered,
    take_rows,
    join_tiles,
    vectorise_slices,
    own_results,
    eliminate_dead_code,
    update_late,
)

# The body of a loop is optimised as a whole before it is divided; what it gives nobody
# else sees.
BODY_PIPELINE = tuple(
    each for each in PIPELINE if each not in (own_results, update_late)
)


# What is done where two loops have become one.
AFTER_FUSING = (
    share_common_subexpressions,
    merge_branches,
    share_common_subexpressions,
    eliminate_dead_code,
)


# How loops write, when all else is settled.
LAST_PASSES = (copy_parts, put_once)


class PassError(CompilerError):
    """A pass failed, or left a malformed graph.

    ``graph`` is the graph before it, to reproduce the failure with.
    """

    def __init__(self, name: str, graph: Graph) -> None:
        super().__init__(
            f"the pass {name} failed on a graph of {len(graph.nodes)} nodes"
        )
        self.graph = graph


def optimize(
    graph: Program,
    check: bool = False,
    passes: Sequence[Callable[[Any], Any]] | None = None,
) -> Program:
    """Apply the passes in order; each keeps the meaning, and ``lint`` checks the form.

    Parameters
    ----------
    graph : Graph
        Forward and backward together; ``split`` divides the result.
    check : bool
        Whether to check the form after every pass.
    passes : sequence of callable
        Others than those of ``PIPELINE``.

    Raises
    ------
    PassError
        Naming the pass, caused by what went wrong in it.
    """
    for transform in PIPELINE if passes is None else passes:
        before = graph
        check_time()
        try:
            graph = inside_out(transform, before)
            if check:
                graph.lint()
        except Exception as error:
            raise PassError(transform.__name__, before) from error
    return graph


def fused(graph: Program, check: bool = False) -> Program:
    """A graph that is one function, both ways: with loops that do both at once."""
    found = fuse_loops(graph)
    return found if found is graph else optimize(found, check, AFTER_FUSING)


def with_writes(partition: Partition) -> Partition:
    """The partition after ``LAST_PASSES``, of writes; that on floats, too."""
    backward, unboxed = partition.backward, partition.unboxed
    return replace(
        partition,
        forward=_with_writes(partition.forward),
        backward=None if backward is None else _with_writes(backward),
        unboxed=None if unboxed is None else with_writes(unboxed),
    )


def _with_writes(graph: Program) -> Program:
    for transform in LAST_PASSES:
        graph = inside_out(transform, graph)
    return graph


def inside_out(transform: Callable[[Any], Any], graph: Program) -> Program:
    """Apply a pass to the bodies in a graph, and to theirs, before the graph itself."""
    if graph.has_bodies:
        within = functools.partial(inside_out, transform)
        nodes = [
            map_bodies(within, step) if step.bodies else step for step in graph.nodes
        ]
        if nodes != [*graph.nodes]:  # steps are equal if they are one object
            graph = graph.with_nodes(nodes, {})
    changed: Program = transform(graph)
    return changed
