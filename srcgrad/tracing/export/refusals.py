"""What an exported module cannot do, and what is said then."""

from collections.abc import Iterator

from srcgrad.branches import Branch
from srcgrad.emit.body import NODE_STATEMENTS
from srcgrad.emit.checks import shown_location
from srcgrad.emit.expressions import EXPRESSIONS
from srcgrad.graph import walk
from srcgrad.loops import Loop
from srcgrad.steps import Node
from srcgrad.tracing.environment.error_states import ERROR_KINDS
from srcgrad.tracing.export.inlining import inlined
from srcgrad.tracing.export.scope import ExportScope
from srcgrad.tracing.serving.trace import Trace


def refuse_what_is_not_numpys(trace: Trace) -> None:
    """Raise if a module of NumPy's functions alone does not do what a trace does.

    Raises
    ------
    RuntimeError
        Naming the user's line.
    """
    if trace.effects is not None:
        raise RuntimeError(
            f"it does more than compute, {trace.effects.told()[0]}: take that out of "
            "the function, and return what it stores"
        )
    if _gives_back_a_gradient(trace):
        raise RuntimeError(
            "it returns an argument itself, with its gradient: return `1.0 * x`"
        )
    if trace.quiet is not None and not trace.quiet.untouched.issuperset(
        ERROR_KINDS.values()
    ):
        raise RuntimeError(
            "it says by `np.errstate` what else than to ignore an error: say that "
            "around its calls, outside of it"
        )
    scope = ExportScope()
    for step in _nodes(trace):
        if step.function in WRITTEN_SPECIALLY or isinstance(
            step.function, Loop | Branch
        ):
            continue
        try:
            scope.reference(step.function)
            inlined(scope.inlined)
        except RuntimeError as error:
            raise RuntimeError(f"{shown_location(step.where)}{error}") from None


def _gives_back_a_gradient(trace: Trace) -> bool:
    """Whether one of the results is an argument itself that requires grad."""
    kinds = trace.about.arguments
    assert kinds is not None
    given = [
        trace.interface.positions[o.source]
        for o in trace.interface.outputs
        if o.kind == "input"
    ]
    return any(k >= len(kinds.leaves) or kinds.leaves[k].has_grad for k in given)


# What is written in ways of its own.
WRITTEN_SPECIALLY = EXPRESSIONS.keys() | NODE_STATEMENTS.keys()


def _nodes(trace: Trace) -> Iterator[Node]:
    partition = trace.gradients.backwards.partition
    for graph in (partition.forward, partition.backward):
        if graph is not None:
            yield from (step for step in walk(graph) if type(step) is Node)
