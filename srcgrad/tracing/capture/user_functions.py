"""A call of a user's ``Function`` in a traced function: its own operations, recorded.

``forward`` and ``backward`` run as instrumented copies, on stand-ins and on Variables,
so that the recorder sees what they compute. On the tape the call is the node that it
always is: what follows the tape instead of the recording gets the user's ``backward``.
"""

from collections.abc import Sequence
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from srcgrad.modes import override
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.function import Function, new, sequence_like
from srcgrad.tape.user_call import Call
from srcgrad.tape.user_function import on_tape
from srcgrad.tape.versions import join_views, share
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment.conditions import MISSING, has_own_member
from srcgrad.tracing.environment.trust import is_users
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.refusal import give_up

APPLY: Any = vars(Function)["apply"].__func__
# What a copy may use of ``ctx``.
FOLLOWED_OF_CONTEXT = frozenset(
    "save_for_backward saved_tensors saved_variables needs_input_grad "
    "mark_non_differentiable set_materialize_grads".split()
)
# What the statement ``class`` itself puts into a class.
OF_EVERY_CLASS = frozenset(
    "__module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ "
    "__firstlineno__ __static_attributes__ __annotate__ __annotate_func__ "
    "__annotations_cache__ __parameters__ __orig_bases__".split()
)


def is_apply(value: Any) -> bool:
    """Whether it is the ``apply`` of a user's Function, and not one of their own."""
    return isinstance(value, MethodType) and value.__func__ is APPLY


def refuse_class(item: Any) -> None:
    """Refuse what is left of Functions of the user's: all but their ``apply``."""
    if isinstance(item, type) and issubclass(item, Function):
        give_up(f"calls {item.__name__}, a Function of the user's own")


def inline(reads: Any, cls: type[Any], args: Sequence[Any]) -> Any:
    """Call ``cls.apply(*args)``, and record what it computes."""
    forward, backward = _methods(reads, cls)
    tensors = _tensors(reads, cls, args)
    context = new(cls)
    reads.contexts[id(context)] = context
    call = context._call = Call(cls.__name__, [_given(arg) for arg in args])
    if len({type(variable) for variable in call.variables}) > 1:
        give_up(f"calls {cls.__name__} on arrays of different transforms")
    stand_ins = [_stand_in(arg) for arg in args]
    with override(grad_enabled=False):
        returned = left(forward(context, *stand_ins))
    elements = returned if isinstance(returned, tuple) else (returned,)
    raws = [_raw_result(reads, cls, element) for element in elements]
    known = [id(raw) for raw in (*call.arrays, *raws) if isinstance(raw, np.ndarray)]
    if len(set(known)) < len(known):
        give_up(f"calls {cls.__name__}, which returns an array twice")
    # What was marked are arrays again from here on, as `forward` knows them untraced.
    call.to_save = [raw_of(each) for each in call.to_save]
    call.non_differentiable = [raw_of(each) for each in call.non_differentiable]
    is_tuple = isinstance(returned, tuple)
    raw = sequence_like(returned, raws) if is_tuple else raws[0]
    results, node = on_tape(context, call, raw, tensors)
    for each in results if is_tuple else (results,):
        if not reads.recorder.knows(raw_of(each)):
            give_up(f"calls {cls.__name__}, whose result it did not see")
    if node is not None:
        reads.recorder.follow_backward(
            node, lambda context, *grads: left(backward(context, *grads))
        )
    if not is_tuple:
        return _result(results, tensors)
    return sequence_like(returned, [_result(each, tensors) for each in results])


def _methods(reads: Any, cls: type[Any]) -> tuple[FunctionType, FunctionType]:
    """The copies of ``forward`` and ``backward``, with guards on the class."""
    reason = _reason_against(cls)
    if reason is not None:
        give_up(f"calls {cls.__name__}, a Function of the user's own{reason}")
    members = vars(cls)
    for name in ("forward", "backward", *FOLLOWED_OF_CONTEXT, "apply"):
        value = members.get(name, MISSING)
        reads.require(has_own_member(cls, name, value))
    return (
        reads.instrumented(members["forward"].__func__),
        reads.instrumented(members["backward"].__func__),
    )


def _reason_against(cls: type[Any]) -> str | None:
    """Why a class cannot be inlined, if so."""
    members: MappingProxyType[str, Any] = vars(cls)
    if type(cls) is not type or cls.__bases__ != (Function,):
        return ", which inherits from more than srcgrad.Function"
    for name in ("forward", "backward"):
        method = members.get(name)
        function = getattr(method, "__func__", None)
        if type(method) is not staticmethod or type(function) is not FunctionType:
            return f", whose {name} is no @staticmethod"
        if not is_users(function):
            return f", whose {name} is a library's"
        if vars(function):
            return f", whose {name} is decorated"
    for name in members.keys() - OF_EVERY_CLASS - {"forward", "backward"}:
        if name.startswith("__") or hasattr(Function, name):
            return f", which has a `{name}` of its own"
    return None


def _tensors(reads: Any, cls: type[Any], args: Sequence[Any]) -> list[Any]:
    """The arguments that are arrays; refused are those that would look different."""
    for arg in args:
        if isinstance(arg, (tuple, list, dict)):
            give_up(f"calls {cls.__name__}.apply with a {type(arg).__name__}")
        # `forward` gets an ndarray without dimensions for a number.
        is_array = type(raw_of(arg)) is np.ndarray
        if isinstance(_given(arg), ArrayProtocol) and not is_array:
            give_up(f"calls {cls.__name__}.apply with a number")
    tensors = [arg for arg in args if isinstance(arg, ArrayProtocol)]
    arrays = [raw_of(a) for a in args if isinstance(raw_of(a), np.ndarray)]
    if len({id(raw) for raw in arrays}) < len(arrays):
        give_up(f"calls {cls.__name__} with one array twice")
    return [tensor for tensor in tensors if type(tensor.value) is np.ndarray]


def _given(arg: Any) -> Any:
    """An argument as the untraced call gets it: a Variable, or an array or number."""
    is_array = isinstance(arg, TracedArray) and arg.edge is None
    return arg.value if is_array else arg


def _stand_in(arg: Any) -> Any:
    """What stands for the array that ``forward`` gets for an argument."""
    if not isinstance(arg, ArrayProtocol):
        return arg
    stand_in: Any = TracedArray.make(raw_of(arg), None)
    if type(stand_in.value) is np.ndarray:
        # So that changing it is refused.
        share(arg, stand_in)
    return stand_in


def _raw_result(reads: Any, cls: type[Any], result: Any) -> Any:
    """The array of one result of ``forward``."""
    raw: Any = getattr(result, "value", None)
    is_array = isinstance(raw, (np.ndarray, np.generic))
    if (
        isinstance(result, TracedArray)
        and is_array
        and (raw.shape or raw.dtype != bool)
    ):
        return raw
    return give_up(
        f"calls {cls.__name__}, whose forward returns a result that is not computed "
        "from its arguments"
    )


def _result(result: Any, tensors: Sequence[Any]) -> Any:
    """A result as traced code sees it: an ndarray if there was no Variable."""
    if isinstance(result, ArrayProtocol):
        return result
    stand_in = TracedArray.make(result, None)
    join_views(tensors, [stand_in])
    return stand_in
