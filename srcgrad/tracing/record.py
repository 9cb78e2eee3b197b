"""The tracer: runs a function once on the tape, and returns the graph of that run."""

import functools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.graph import Graph, Joint
from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, paths, unflatten
from srcgrad.steps import Guard, Value
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Function, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.changing_ints import FollowedInt, as_seen
from srcgrad.tracing.containment import stage
from srcgrad.tracing.draws import State
from srcgrad.tracing.effects import Effects
from srcgrad.tracing.entering import Reads
from srcgrad.tracing.interface import Interface
from srcgrad.tracing.leaving import left
from srcgrad.tracing.objects import is_looked_into
from srcgrad.tracing.outside import Outside
from srcgrad.tracing.places import Argument
from srcgrad.tracing.reach import Buffer, Reach, buffers_on, reach_of
from srcgrad.tracing.reads import Watcher
from srcgrad.tracing.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.replay import Replay, UsersFunction
from srcgrad.tracing.results import (
    containers_in,
    given_back,
    has_twice,
    outputs_of,
)
from srcgrad.tracing.signature import Signature, is_dynamic
from srcgrad.tracing.stand_ins import stand_in
from srcgrad.tracing.trust import hidden_code, hidden_in
from srcgrad.transforms.saving import forward_of
from srcgrad.transforms.stages import without_marks
from srcgrad.updates import mark_complete, moved

# Where an argument comes from, in a signature's structure.
KEYWORDS, BOUND = 1, 2

CONTAINERS = (tuple, list, dict, OrderedDict, defaultdict, deque)


@dataclass(frozen=True, slots=True)
class Recording:
    """One run of a function: the graph, how a call meets it, and when it holds.

    Attributes
    ----------
    graph : Joint
        Forward and backward.
    interface : Interface
        How a call's leaves become its inputs, and its outputs the result.
    variables : tuple of int
        Those of the leaves that are Variables with an array.
    outside : Outside
        What was read there, and what must stay.
    buffers : tuple of frozenset of Buffer
        What the tape has saved in the memory of each input, and then of each leaf of
        the result.
    tape : Graph
        The forward half as it was on the tape, marks included.
    read : tuple of Value
        What the tape has saved of it.
    result
        What this very run has computed.
    notes : tuple of str
        What else there is to say of it.
    whole : Whole or None
        Of a transform of the function: what it derives, which is computed at once.
    structure : hashable
        Of the arguments.
    reach : Reach
        Which saved arrays and inputs a walk back from which result comes by.
    effects : Effects
        What else the function does.
    catches : bool
        Whether the function may catch an error that an operation raises.
    values
        What this very run has computed for these.
    function : callable or None
        The user's own, if a gradient is one that a user has written: only on the tape
        is its own derivative the right one.
    """

    graph: Joint
    interface: Interface
    variables: tuple[int, ...]
    outside: Outside
    buffers: tuple[frozenset[Buffer], ...]
    tape: Graph
    read: tuple[Value, ...]
    result: Any
    structure: Any
    reach: Reach
    effects: Effects
    catches: bool
    values: Sequence[Any] = ()
    function: FunctionType | None = None
    whole: "Whole | None" = None
    notes: tuple[str, ...] = ()

    def finish(self) -> Any:
        """Do what the function does beside computing; then, its result."""
        if self.effects:
            return self.effects.finish(self.result, self.values, self.outside.objects)
        return self.result

    @property
    def has_lost_its_gradient(self) -> bool:
        """Whether the value depends on the arguments through plain numbers alone."""
        is_constant = not any(output.has_grad for output in self.interface.outputs)
        if self.whole is not None:
            is_constant = not any(self.whole.is_there)
        return is_constant and any(
            isinstance(step, Guard) and step.convert in (int, float, complex)
            for step in self.graph.nodes
        )

    @property
    def arguments(self) -> Sequence[Value]:
        """The graph's inputs that are arguments, and not read outside."""
        inputs = self.graph.inputs
        return inputs[: len(inputs) - len(self.outside.taken)]

    def replay(self, kept: Sequence[Value], saved: Sequence[Value]) -> Replay:
        """How a call is put on the tape again.

        ``kept`` is what became of the graph's own, ``saved`` what generated code has at
        hand.
        """
        leaf = next((k for k, o in enumerate(self.interface.outputs) if o.has_grad), 0)
        places = {value: place for place, value in enumerate(saved)}
        at_hand = {
            before: places[after]
            for before, after in zip(self.graph.kept, kept, strict=False)
            if after in places and after not in self.graph.inputs
        }
        counted = [self.interface.positions.index(i) for i in self.variables]
        return Replay.of(
            self.tape,
            self.interface.positions,
            self.interface.with_grad,
            at_hand,
            self.read,
            counted,
            UsersFunction(self.function, self.structure, leaf)
            if self.function is not None
            else None,
        )


class Whole(NamedTuple):
    """What a transform derives: which are not None, and how it gives them back.

    ``is_linear``: it is derived of tangents, which come later.
    """

    is_there: tuple[bool, ...]
    are_all_there: bool
    pack: Callable[[Any, Any], Any]
    is_linear: bool = False


def record(
    function: FunctionType,
    signature: Signature,
    changing: Collection[str] = (),
    ints_change: bool = False,
    drawn: list[State] | None = None,
) -> Recording:
    """Run a function on the tape, and record it forward and backward.

    If something that it computes has a gradient, the backward pass runs too, from ones.
    Of a transform on arrays what it derives is a further result of the forward half.

    Parameters
    ----------
    function : function
        The user's, as it is; an instrumented copy of it runs.
    signature : Signature
        The arguments.
    changing : collection of str
        The places of integers from outside that change from call to call.
    ints_change : bool
        Whether the integers among the arguments do.
    drawn : list
        Gets the states of the generators that the function draws from.

    Raises
    ------
    Refusal
        If generated code would not do what the function does. Nothing outside has been
        changed then.
    """
    recorder = Recorder()
    reads = Reads(recorder, Watcher, changing, drawn)
    try:
        return _recorded(function, signature, recorder, reads, ints_change)
    finally:
        reads.let_go()


def _recorded(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: Reads,
    ints_change: bool,
) -> Recording:
    _check_arguments(signature, recorder)
    leaves = _wrapped(signature.leaves)
    positions = [*signature.dynamic]
    names = _input_names(function, signature)
    inputs = [leaves[i] for i in positions]
    for i, variable in zip(positions, inputs, strict=True):
        recorder.add_input(variable, *names[i])
    # The mode is restored in any case; `_run` gives up if the function has changed it.
    with override(recorder=recorder, grad_enabled=state.grad_enabled):
        leaves = [_standing(leaf, reads) for leaf in leaves]
        if ints_change:
            leaves = _followed_ints(leaves, names, reads)
        arguments = unflatten(signature.structure, leaves)
        reads.containers = _containers_in(arguments)
        for i, (name, _) in enumerate(names):
            reads.add_argument(i, name, signature.leaves[i], leaves[i])
        result, derived, pack, line = _run(function, signature, reads, *arguments)
        if reads.drawn and recorder.has_user_backward:
            give_up("draws random numbers, and calls a Function of the user's")
        effects = reads.effects
        if pack is None and any(map(reads.is_made_again, flatten(result)[0])):
            effects.give(result)
            result = None
        result = _with_ints(result)
        if effects:
            reads.close_effects()
            result = result, left([*effects.values])
        # What was read outside comes after the arguments.
        inputs += reads.inputs
        given = (*signature.leaves, *reads.outside.values)
        positions += range(len(leaves), len(given))
        out_leaves, structure = flatten(result)
        with stage("the recording of results"):
            outputs, values = outputs_of(recorder, out_leaves, inputs)
            if pack is not None:
                outputs = tuple([replace(o, has_grad=False) for o in outputs])
            roots = [
                leaf
                for leaf, output in zip(out_leaves, outputs, strict=True)
                if output.has_grad
            ]
            edges: list[Any] = [leaf.edge for leaf in roots]
            reach, nodes = reach_of(edges, [variable.edge for variable in inputs])
            counted = [_has_array(given[i]) for i in positions]
            saves = recorder.writer.saves(list(nodes), counted)
        inner = [edge if i in reach.inner else None for i, edge in enumerate(edges)]
        cotangents, gradients = _backward(
            recorder, roots, inputs, set(filter(None, inner))
        )
        if line is not None:
            cotangents, derived = _along(recorder, line)
        gradients = gradients if pack is None else derived
    with stage("the end of the recording"):
        stand_ins = [*leaves, *reads.inputs]
        back = [given_back(leaf, stand_ins, given, recorder) for leaf in out_leaves]
        joint = recorder.joint(values, cotangents, gradients, inner, saves)
        joint = replace(joint, derives=pack is not None)
        result = unflatten(structure, back)
        result, found = result if effects else (result, ())
        whole = None
        if pack is not None:
            is_there = tuple(g is not None for g in derived)
            whole = Whole(is_there, all(is_there), pack, line is not None)
            own = [None if g is None else np.array(raw_of(g)) for g in derived]
            result = pack(result, own if line is None else line.tangents)
        return Recording(
            graph=without_marks(joint, mark=moved),
            interface=Interface.of(positions, outputs, structure),
            variables=tuple(i for i in positions if _has_array(given[i])),
            outside=reads.outside,
            buffers=buffers_on(map(raw_of, (*inputs, *out_leaves)), nodes),
            tape=forward_of(joint),
            read=tuple(map(recorder.writer.final, saves.read)),
            result=result,
            structure=signature.structure,
            reach=reach,
            effects=effects,
            catches=reads.catches,
            values=found,
            function=function if recorder.has_user_backward else None,
            whole=whole,
            notes=tuple(dict.fromkeys(recorder.notes)),
        )


def _followed_ints(
    leaves: Sequence[Any], names: Sequence[Any], reads: Reads
) -> list[Any]:
    """The arguments with what stands for integers that change."""
    return [
        FollowedInt(Argument(names[i][0], i), leaf, reads)
        if type(leaf) is int
        else leaf
        for i, leaf in enumerate(leaves)
    ]


def _standing(leaf: Any, reads: Reads) -> Any:
    """An argument, or what stands for an object with operators of its own."""
    return reads.twins.standing_for(leaf) if not is_dynamic(leaf) else leaf


def _containers_in(arguments: Any) -> set[int]:
    args, kwargs, bound = arguments
    return {id(c) for arg in (*args, kwargs, *bound) for c in containers_in(arg)}


def _run(
    function: FunctionType,
    signature: Signature,
    reads: Reads,
    args: Any,
    kwargs: Any,
    bound: Any,
) -> Any:
    """Run the instrumented copy of a function, or what is made of it.

    Its result, and what a transform on arrays has derived, with how that is packed.
    """
    mode = state.grad_enabled
    run: Any = reads.instrumented(function)
    if bound:
        run = functools.partial(run, *bound)
    derived, pack, line = None, None, None
    if signature.transform is None:
        result = left(run(*args, **kwargs))
    elif not signature.transform.derives or any(
        isinstance(leaf, ArrayProtocol) for leaf in signature.leaves
    ):
        result = signature.transform.over(run)(*args, **kwargs)
    else:
        found = signature.transform.over(run).on_tape(args, kwargs)
        result, derived, pack, line = found
        _check_closure(reads)
    if state.grad_enabled is not mode:
        give_up(f"{function.__name__} leaves the grad mode changed")
    if any(id(c) in reads.containers for c in containers_in(result)):
        give_up(f"{function.__name__} returns a container that it was given")
    if has_twice(containers_in(result, tuple)):
        give_up(f"{function.__name__} returns one container in two places")
    return result, derived, pack, line


def _along(recorder: Recorder, line: Any) -> tuple[list[Value], list[Any]]:
    """Record what tangents become: they are inputs of the other half."""
    pairs = [recorder.add_cotangent(v, "{}_dot") for v in line.variables]
    with np.errstate(all="ignore"):  # the tangents are not the user's
        derived = line.tangents([tangent for tangent, _ in pairs], True)
    return [value for _, value in pairs], derived


def _with_ints(result: Any) -> Any:
    """A result with plain integers for those that stand for ones that change."""
    leaves, structure = flatten(result)
    if not any(type(leaf) is FollowedInt for leaf in leaves):
        return result
    return unflatten(structure, list(map(as_seen, leaves)))


def _check_closure(reads: Reads) -> None:
    """Refuse what an outer transform differentiates by: the results are arrays."""
    if state.depth and any(
        isinstance(value, Variable) and has_edge(value)
        for value in reads.outside.values
    ):
        give_up("reads what an outer transform differentiates by")


def _has_array(leaf: Any) -> bool:
    """Whether a leaf is a Variable with an ndarray, which has a version."""
    return isinstance(leaf, Variable) and type(leaf.value) is np.ndarray


def _check_arguments(signature: Signature, recorder: Recorder) -> None:
    """Refuse arguments with code of their own that the trace would not see run."""
    for kind in _container_types(signature.structure):
        hidden = None if kind in CONTAINERS else hidden_code(kind)
        if hidden is not None or kind is defaultdict:
            give_up(f"is given a {kind.__name__}, which may do more than hold")
    for leaf in signature.leaves:
        is_known = is_dynamic(leaf) or is_looked_into(leaf)
        hidden = None if is_known else hidden_in(leaf)
        if hidden is not None:
            give_up(
                f"is given a {type(leaf).__name__}, whose `{hidden}` would run unseen"
            )


def _container_types(structure: Any) -> Iterator[type]:
    if structure.type is not None:
        yield structure.type
    for child in structure.children():
        yield from _container_types(child)


def _wrapped(leaves: Sequence[Any]) -> list[Any]:
    """The arguments as the function sees them: dynamic ones on the tape."""
    # One array may be given twice; what is a Variable's own stays that.
    seen = {id(leaf.value): leaf for leaf in leaves[::-1] if isinstance(leaf, Variable)}
    return [stand_in(leaf, seen) if is_dynamic(leaf) else leaf for leaf in leaves]


def _input_names(
    function: FunctionType, signature: Signature
) -> list[tuple[str, bool]]:
    """A name for each leaf of the arguments, and whether it only tells the place.

    It is the parameter's, or the leaf's key in it.
    """
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount]
    tree = unflatten(signature.structure, list(range(len(signature.leaves))))
    names = []
    for where, first, *rest in paths(tree):
        suffix = ""
        if signature.transform is not None and where == 0:
            first, rest, suffix = signature.transform.argument(first, rest)
        base = first  # a keyword
        if where != KEYWORDS:
            offset = 0 if where == BOUND else len(signature.bound)
            base = _parameter(parameters, first + offset)
        last = next((key for key in reversed(rest) if isinstance(key, str)), None)
        is_place = last is None and bool(rest)
        if last is None:
            last = "_".join(map(str, (base, *rest)))
        name = last if last.isidentifier() else base
        names.append((name + suffix, is_place))
    return names


def _parameter(parameters: Sequence[str], position: int) -> str:
    if position < len(parameters):
        return parameters[position]
    return f"arg_{position}"


def _backward(
    recorder: Recorder,
    roots: Sequence[Any],
    inputs: Sequence[Variable],
    inner: Collection[Edge],
) -> tuple[list[Value], list[Any]]:
    """Run the engine under the recorder; the gradient of each input, or None.

    ``inner`` are the results that others are computed from.
    """
    if not roots or not any(map(has_edge, inputs)):
        return [], [None] * len(inputs)
    if len(roots) > 1 and recorder.has_user_backward:
        # What a user's `backward` gives need not depend on what it gets: without some
        # of the cotangents it could not be told whether it runs at all.
        give_up("returns several results, and calls a Function of the user's")
    cotangents = [recorder.add_cotangent(leaf) for leaf in roots]
    targets = list(dict.fromkeys(v.edge for v in inputs if v.edge and has_edge(v)))

    def passing(node: Function, g: Any) -> Any:
        """Mark where the cotangents of inner results are complete."""
        if node.metas is None:
            return mark_complete(g) if (node, 0) in inner else g
        return [
            mark_complete(each)
            if (node, number) in inner and each is not None
            else each
            for number, each in enumerate(g)
        ]

    engine = ExecutionEngine(
        True, restore, is_inner=True, passing=passing if inner else None
    )
    with np.errstate(all="ignore"):  # the cotangent is not the user's
        found = dict(
            engine.run_backward(
                [
                    (leaf.edge, g)
                    for leaf, (g, _) in zip(roots, cotangents, strict=True)
                ],
                targets,
            )
        )
    gradients = []
    for variable in inputs:
        # An argument that is given twice has one gradient.
        g = found.pop(variable.edge, None) if variable.edge is not None else None
        gradients.append(g)
    return [value for _, value in cotangents], gradients
