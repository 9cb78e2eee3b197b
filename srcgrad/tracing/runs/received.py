"""What a traced function gets for its arguments: their stand-ins, and their names."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

from srcgrad.pytree import paths, unflatten
from srcgrad.tape.variable import Variable
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.returned import containers_in
from srcgrad.tracing.environment.callables import shown_for
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.environment_matrix import is_sparse
from srcgrad.tracing.environment.objects import is_looked_into
from srcgrad.tracing.environment.references import Argument
from srcgrad.tracing.environment.signature import Changes, Signature, is_dynamic
from srcgrad.tracing.environment.stand_ins import stand_in
from srcgrad.tracing.environment.trust import hidden_code, hidden_in
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up

# Where an argument comes from, in a signature's structure.
KEYWORDS, BOUND = 1, 2

CONTAINERS = (tuple, list, dict, OrderedDict, defaultdict, deque)


def received(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: CapturedReads,
    changes: Changes,
) -> tuple[Any, list[Any], list[Variable]]:
    """The arguments, what stands for their leaves, and those that the graph has."""
    leaves = _wrapped(signature.leaves)
    names = _input_names(function, signature)
    inputs = [leaves[i] for i in signature.dynamic]
    for i, variable in zip(signature.dynamic, inputs, strict=True):
        recorder.add_input(variable, *names[i])
    leaves = [_standing(leaf, reads) for leaf in leaves]
    if changes.ints:
        leaves = _followed_ints(leaves, names, reads)
    seen = [
        reads.enter(Argument(name, i), leaf)
        if is_sparse(leaf)
        else reads.may_write(Argument(name, i), signature.leaves[i], leaf)
        for i, ((name, _), leaf) in enumerate(zip(names, leaves, strict=True))
    ]
    transform = signature.transform
    if changes.lengths and (transform is None or transform.walks_once):
        for i in signature.dynamic:
            if seen[i] is leaves[i]:
                recorder.lengths.open(seen[i], Argument(names[i][0], i), reads)
    arguments = unflatten(signature.structure, seen)
    reads.containers = _containers_in(arguments)
    for i, (name, _) in enumerate(names):
        reads.add_argument(i, name, signature.leaves[i], seen[i])
    return arguments, leaves, inputs


def check_arguments(signature: Signature) -> None:
    """Refuse arguments with code of their own that the trace would not see run."""
    for kind in _container_types(signature.structure):
        hidden = None if kind in CONTAINERS else hidden_code(kind)
        if hidden is not None or kind is defaultdict:
            give_up(f"is given a {kind.__name__}, which may do more than hold")
    for leaf in signature.leaves:
        is_known = is_dynamic(leaf) or is_looked_into(leaf) or is_sparse(leaf)
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
    code = shown_for(function).__code__
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


def _followed_ints(
    leaves: Sequence[Any], names: Sequence[Any], reads: CapturedReads
) -> list[Any]:
    """The arguments with what stands for integers that change."""
    return [
        FollowedInt(Argument(names[i][0], i), leaf, reads)
        if type(leaf) is int
        else leaf
        for i, leaf in enumerate(leaves)
    ]


def _standing(leaf: Any, reads: CapturedReads) -> Any:
    """An argument, or what stands for an object with operators of its own."""
    return reads.twins.standing_for(leaf) if not is_dynamic(leaf) else leaf


def _containers_in(arguments: Any) -> set[int]:
    args, kwargs, bound = arguments
    return {id(c) for arg in (*args, kwargs, *bound) for c in containers_in(arg)}
