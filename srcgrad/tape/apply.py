"""One NumPy call on Variables: compute, link the node, tell the recorder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import NoRuleError, here, located
from srcgrad.facts import Operation, facts_of
from srcgrad.function_parameters import REQUIRED
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.libraries import about_old_scipy, load_chapters
from srcgrad.rules.registry import PRIMITIVES, Primitive
from srcgrad.tape.anomalies import Content, check_result
from srcgrad.tape.composed import composed
from srcgrad.tape.foreign import FOREIGN, taken_as_arrays
from srcgrad.tape.function import (
    VOLATILE,
    Edge,
    dtype_of,
    fill,
    has_edge,
    new,
    sequence_like,
)
from srcgrad.tape.operands import (
    LIST_TYPES,
    is_numpys,
    take,
    variables_in,
    with_arrays,
)
from srcgrad.tape.rule_function import RuleFunction, node_class_of, plan_of
from srcgrad.tape.versions import Version, entries, fingerprints, join_views
from srcgrad.tape.ways import PLAIN_ARGUMENTS

# Results that are no arrays, most often.
FLOAT_TYPES = frozenset({float, np.float64, np.float32})
# Keywords of ufuncs that a rule need not know.
UFUNC_OPTIONS = frozenset({"dtype", "casting", "order", "subok"})


def apply(function: Operation, args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on Variables: compute, link the node, tell the recorder.

    One that is made of others is so for the sake of its gradient: on what stands for
    ndarrays, without one, it is NumPy's own.
    """
    primitive = PRIMITIVES.get(function)
    kinds = {*map(type, args), *map(type, kwargs.values())}
    if primitive is not None and not LIST_TYPES.isdisjoint(kinds):
        args, kwargs = with_arrays(primitive, args, kwargs)
    if any(map(FOREIGN.__getitem__, kinds)):
        is_live = _is_live(primitive, args, kwargs)
        args, kwargs = taken_as_arrays(function, args, kwargs, is_live)
    variables: list[Any] = []
    raw_args = [take(arg, variables) for arg in args]
    raw_kwargs = {key: take(item, variables) for key, item in kwargs.items()}
    if not variables:  # an array of one's own may hold numbers alone
        return function(*raw_args, **raw_kwargs)
    composition = COMPOSITIONS.get(function)
    if composition is not None and not all(map(_is_plain_array, variables)):
        out = composed(function, composition, (args, kwargs), (raw_args, raw_kwargs))
        if out is not NotImplemented:
            return out
    if primitive is None:
        if load_chapters() or PRIMITIVES.get(function) is not primitive:
            return apply(function, args, kwargs)
        _refuse_without_rule(function, variables)
    recorder = state.recorder
    if recorder is None:
        raw = function(*raw_args, **raw_kwargs)
        if state.checks_results and primitive is not None and primitive.rules:
            check_result(function, Content.of(raw_args, raw_kwargs), raw)
        return put_on_tape(function, args, kwargs, variables, raw)
    call = recorder.before(function, args, kwargs)
    try:
        raw = function(*raw_args, **raw_kwargs)
    except Exception as error:
        recorder.failed(error, function, args, kwargs)
        raise
    out = put_on_tape(function, call.args, call.kwargs, variables, raw)
    recorder.after(call, out)
    return out


def _is_live(primitive: Primitive | None, args: Any, kwargs: Any) -> bool:
    """Whether a gradient would flow through a call, or it is recorded."""
    if state.recorder is not None:
        return True
    given = variables_in((*args, *kwargs.values()))
    return (
        (primitive is None or bool(primitive.rules))
        and state.grad_enabled
        and any(map(has_edge, given))
    )


def _is_plain_array(variable: Any) -> bool:
    return variable.edge is None and variable.stands_for_array


def put_on_tape(
    function: Operation, args: Any, kwargs: Any, variables: Sequence[Any], raw: Any
) -> Any:
    """Make Variables of what a function has returned, with the node that it came from.

    ``variables`` are those among the arguments.
    """
    if type(raw) is not np.ndarray:
        if isinstance(raw, np.ndarray):
            _refuse_subclass(raw)
        elif isinstance(raw, (tuple, list)):
            raw = sequence_like(raw, [_of_numbers(each, variables) for each in raw])
    elif raw.dtype.hasobject:
        raw = _of_numbers(raw, variables)
    edge = node = None
    live = [variable for variable in variables if variable.edge is not None]
    if any(variable.edge is VOLATILE for variable in live):
        edge = VOLATILE
    elif live and state.grad_enabled:
        node = _linked(function, args, kwargs, len(live), raw)
        edge = None if node is None else (node, 0)
    out = wrap_result(raw, class_of(variables), edge)
    if node is not None:
        note_result(node, out)
        fingerprint(node)
    if type(raw) in FLOAT_TYPES:
        return out  # which has no memory
    is_own = type(raw) is np.ndarray and raw.base is None
    if not is_own or any(raw is variable.value for variable in variables):
        join_views(variables, variables_in(out))
    return out


def _linked(
    function: Operation, args: Any, kwargs: Any, live: int, raw: Any
) -> "RuleFunction | None":
    """The node of a call, if a gradient can flow through it."""
    primitive = PRIMITIVES.get(function)
    if primitive is None or not primitive.rules:
        return None
    if not kwargs and primitive.variadic is None and are_operands(args):
        node = _link_operands(primitive, args, raw)
        if node is not None:
            return node
    bound = bind(primitive, args, kwargs)
    names = needed_arguments(primitive, bound, live)
    return link(primitive, names, bound, raw) if names and is_inexact(raw) else None


def are_operands(args: Sequence[Any]) -> bool:
    """Whether all arguments are Variables, arrays or numbers: they hide nothing."""
    for arg in args:
        if type(arg) not in PLAIN_ARGUMENTS and not isinstance(arg, ArrayProtocol):
            return False
    return True


def _link_operands(primitive: Primitive, args: Any, raw: Any) -> "RuleFunction | None":
    """The node of a call of operands alone; None if there is more to find out.

    It is what ``link`` gives, at a third of the time: while a loop is recorded, it runs
    many such calls.
    """
    given = dict(zip(primitive.parameters, args, strict=False))
    live: dict[str, Any] = {
        name: arg
        for name, arg in given.items()
        if isinstance(arg, ArrayProtocol) and has_edge(arg)
    }
    if not primitive.rules.keys() >= live.keys() or not is_inexact(raw):
        return None
    plan = plan_of(primitive, tuple(live))
    saved: list[Any] = []
    versions: tuple[Version, ...] = ()
    for name, what in plan.saves:
        kept = raw if name == "out" else given.get(name, primitive.parameters.get(name))
        if what != "value":
            saved.append(_metadata(kept, what))
        elif isinstance(kept, ArrayProtocol):
            saved.append(kept.value)
            versions += entries((kept,))
        else:
            saved.append(kept)
    node: RuleFunction = new(node_class_of(primitive))
    edges = tuple([arg.edge for arg in live.values()])
    fill(node, edges, raw, tuple(saved), versions, here(5))
    node.plan, node.counts = plan, None
    return node


def class_of(variables: Sequence[Any]) -> type[Any]:
    """The type of a result: a Variable's, unless all arguments stand for ndarrays."""
    for variable in variables:
        if not variable.stands_for_array:
            return type(variable)
    return type(variables[0])


def is_inexact(raw: Any) -> bool:
    """Whether a result can carry a gradient: float or complex."""
    if isinstance(raw, (tuple, list)):
        return any(map(is_inexact, raw))
    dtype = getattr(raw, "dtype", None)
    return isinstance(raw, (float, complex)) if dtype is None else dtype.kind in "fc"


def wrap_result(raw: Any, cls: type[Any], edge: Any) -> Any:
    """Make Variables of what a NumPy function returned."""
    if isinstance(raw, (np.ndarray, np.generic, float, complex)):
        return cls.make(raw, edge)
    if isinstance(raw, (tuple, list)):
        outs = []
        for number, element in enumerate(raw):
            carries = edge is VOLATILE or (edge is not None and is_inexact(element))
            own = edge if edge is VOLATILE else (edge[0], number) if carries else None
            outs.append(wrap_result(element, cls, own))
        return sequence_like(raw, outs)
    return raw


def bind(primitive: Primitive, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name, defaults included.

    Raises
    ------
    NoRuleError
        For a keyword that changes what a ufunc computes behind its rule's back.
    """
    if kwargs and isinstance(primitive.function, np.ufunc):
        for key in kwargs.keys() - primitive.parameters.keys() - UFUNC_OPTIONS:
            raise located(
                NoRuleError(
                    f"srcgrad has no derivative of {primitive.name} with `{key}=`"
                ),
                "use np.where, or move the axes, instead",
            )
    bound = primitive.parameters.copy()
    if primitive.variadic is None:
        bound.update(zip(primitive.parameters, args, strict=False))
    else:
        before = [name for name, d in primitive.parameters.items() if d is REQUIRED]
        bound.update(zip(before, args, strict=False))
        bound[primitive.variadic] = tuple(args[len(before) :])
    bound.update(kwargs)
    return bound


def needed_arguments(
    primitive: Primitive, bound: dict[str, Any], live: int
) -> tuple[str, ...]:
    """The arguments that need a gradient, given how many Variables in the call do.

    Raises
    ------
    NoRuleError
        If one of them has no rule: its gradient would be lost silently.
    """
    names = []
    for name in primitive.rules:
        argument = bound[name]
        if isinstance(argument, ArrayProtocol):
            count = int(has_edge(argument))
        elif isinstance(argument, (tuple, list)):
            count = sum(map(has_edge, variables_in(argument)))
            is_sequence = name in (
                primitive.variadic,
                facts_of(primitive.function).sequence,
            )
            if count and not is_sequence and is_numpys(primitive.function):
                raise located(
                    TypeError(
                        f"{primitive.name} got a list with Variables in it as its "
                        f"argument {name!r}"
                    ),
                    "join them with np.stack first",
                )
        else:
            continue
        if count:
            names.append(name)
            live -= count
    if live:
        for name in bound.keys() - primitive.operands:
            if any(map(has_edge, variables_in(bound[name]))):
                raise located(
                    NoRuleError(
                        f"srcgrad has no derivative of {primitive.name} with respect "
                        f"to its argument {name!r}"
                    ),
                    "give it one with srcgrad.defvjp, or pass `.detach()`ed data "
                    "if it is a constant",
                )
    return tuple(names)


def link(
    primitive: Primitive, names: tuple[str, ...], bound: dict[str, Any], raw: Any
) -> RuleFunction:
    """Make the node of a call: its edges, and what it saves."""
    plan = plan_of(primitive, names)
    arguments = [bound[name] for name in names]
    counts: Any = None
    if any(isinstance(argument, (tuple, list)) for argument in arguments):
        counts, edges = _sequence_edges(arguments)
    else:
        edges = tuple([argument.edge for argument in arguments])
    saved = []
    versions: tuple[Version, ...] = ()
    for name, what in plan.saves:
        if what != "value":
            saved.append(_metadata_of(bound[name], what))
        elif name == "out":
            saved.append(raw)
        else:
            variables: list[Any] = []
            saved.append(take(bound[name], variables))
            if variables:
                versions += entries(variables)
    node: RuleFunction = node_class_of(primitive).link(
        edges, raw, tuple(saved), versions
    )
    node.plan, node.counts = plan, counts
    return node


def note_result(node: RuleFunction, out: Any) -> None:
    """Remember the version of a node's result, if it is saved."""
    if node.plan.saves_out:
        node.versions += entries(variables_in(out))


def fingerprint(node: RuleFunction) -> None:
    """Under ``detect_anomaly``: remember the content of what a node saves."""
    if state.anomaly and node.saved:
        node.versions = fingerprints(node.saved) + node.versions


def _sequence_edges(arguments: Sequence[Any]) -> tuple[Any, Any]:
    """The counts and edges of a node where some arguments are sequences."""
    counts: list[int | None] = []
    edges: list[Edge | None] = []
    for argument in arguments:
        is_sequence = isinstance(argument, (tuple, list))
        counts.append(len(argument) if is_sequence else None)
        each = argument if is_sequence else (argument,)
        edges += [getattr(element, "edge", None) for element in each]
    return tuple(counts), tuple(edges)


def _metadata_of(argument: Any, what: str) -> Any:
    if isinstance(argument, (tuple, list)):
        return tuple([_metadata(element, what) for element in argument])
    return _metadata(argument, what)


def _metadata(argument: Any, what: str) -> Any:
    if what == "needed":
        return isinstance(argument, ArrayProtocol) and has_edge(argument)
    raw = raw_of(argument)
    return np.shape(raw) if what == "shape" else dtype_of(raw)


def is_plain(array: Any) -> bool:
    """Whether an array computes like an ndarray: no matrix, no masked array."""
    return type(array) is np.ndarray or isinstance(array, np.memmap)


def _refuse_subclass(raw: Any) -> None:
    if not is_plain(raw):
        raise located(
            TypeError(
                f"srcgrad differentiates plain ndarrays, but a {type(raw).__name__} "
                "takes part, which computes in another way"
            ),
            "use np.asarray",
            kind="plain-arrays",
        )


def _of_numbers(raw: Any, variables: Sequence[Any]) -> Any:
    """A result with an array of numbers for what NumPy has as an array of objects.

    Ufuncs of Python functions, which ``np.frompyfunc`` makes, give such.
    """
    if type(raw) is not np.ndarray or not raw.dtype.hasobject:
        return raw
    if state.recorder is not None and class_of(variables).stands_for_array:
        state.recorder.refuse("makes an array of objects")
    found = np.array(raw.tolist())
    given = np.result_type(*[variable.dtype for variable in variables])
    if not raw.size:
        return raw.astype(given)
    if found.dtype.kind not in "fciub" or found.shape != raw.shape:
        raise located(
            TypeError(
                "srcgrad differentiates arrays of numbers, but an array of objects "
                "came of a Variable"
            ),
            "convert what it met with .astype, or give its class `__array_ufunc__ "
            "= None`, so that its own operators run",
        )
    if found.dtype.kind in "fc" and given.kind in "fc":
        least = np.complex64 if found.dtype.kind == "c" else np.float16
        found = found.astype(np.result_type(given, least), copy=False)
    return found


def _refuse_without_rule(function: Any, variables: Sequence[Any]) -> None:
    name = getattr(function, "__name__", repr(function))
    about = facts_of(function).about
    if about and state.grad_enabled and any(map(has_edge, variables)):
        raise located(
            TypeError(f"{name} deals with {about}, through which no gradient flows"),
            "give it the array of a Variable, `.data`",
        )
    if state.grad_enabled and any(map(has_edge, variables)):
        is_of_numpy = getattr(np, name, None) is function
        raise located(
            NoRuleError(f"srcgrad has no derivative of {name}"),
            "" if is_of_numpy else about_old_scipy(),
            "give it one with srcgrad.defvjp, or call it on `.detach()`ed data if "
            "it is a constant",
        )
