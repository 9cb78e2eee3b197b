"""Guards: conditions on a function's environment under which a trace still fits.

Each is a test in Python, and what to say if it fails.

>>> from srcgrad.tracing.environment.references import Argument, Attribute
>>> rate = Attribute(Argument("self", 0), "n")
>>> condition = equals(rate, 3)
>>> condition.source(["n"], lambda item, hint: hint)
'type(n) is int and n == 3'
>>> condition.text
'`self.n` was 3'
"""

import decimal
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.tape.function import VOLATILE
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment import environment_array
from srcgrad.tracing.environment.exact import exact
from srcgrad.tracing.environment.references import (
    Argument,
    Known,
    Namer,
    Reference,
    member,
    written,
)

# Stands for what is not there.
MISSING: Any = object()


class Condition(NamedTuple):
    """Something that must be as it was when the function was traced.

    Attributes
    ----------
    references : tuple of Reference
        What it is about.
    test : callable
        ``test(names, name)`` is the condition in Python: of what stands for the
        objects there, and of other objects, which ``name(object, hint)`` gives a name.
    text : str
        What it was, in words.
    miss : str
        What has happened if it does not hold; the text, if that says it.
    is_assumed : bool
        Whether it goes without saying: that a function, a module stays.
    mention : str
        What a generated module says of that; nothing of modules and builtins.
    subject : object
        What it is about, if that is not told by the places: two functions may have one
        name.
    """

    references: tuple[Reference, ...]
    test: Callable[[Sequence[str], Namer], str]
    text: str
    miss: str = ""
    is_assumed: bool = False
    mention: str = ""
    subject: Any = None

    def source(self, names: Sequence[str], name: Namer) -> str:
        """The condition in Python."""
        return self.test(names, name)

    def __str__(self) -> str:
        return self.text


def is_same(reference: Reference, item: Any) -> Condition:
    """There is the very same object."""
    hint = getattr(item, "__name__", None) or type(item).__name__
    root = reference
    while root.parent is not None:
        root = root.parent
    return Condition(
        (reference,),
        lambda names, name: f"{names[0]} is {name(item, hint)}",
        f"`{reference.text}` is what it was",
        f"`{reference.text}` was rebound",
        not isinstance(root, Argument),
        "" if isinstance(item, ModuleType) else f"`{reference.text}`",
    )


def equals(reference: Reference, value: Any) -> Condition:
    """There is the same number or text, of the same type."""
    kind = type(value).__name__

    def test(names: Sequence[str], name: Namer) -> str:
        (found,) = names
        if value is None or value is ... or isinstance(value, bool):
            return f"{found} is {value!r}"
        if isinstance(value, complex):  # -0j equals 0j
            return f"type({found}) is complex and repr({found}) == {repr(value)!r}"
        return f"type({found}) is {kind} and {found} == {value!r}"

    return Condition((reference,), test, f"`{reference.text}` was {_shown(value)}")


def is_within(reference: Reference, bound: int) -> Condition:
    """There is a number of no more than that size."""
    return Condition(
        (reference,),
        lambda names, name: f"-{bound} <= {names[0]} <= {bound}",
        f"`{reference.text}` was small enough to be a float",
    )


def is_more_than(reference: Reference, bound: int) -> Condition:
    """There is a number that is larger."""
    return Condition(
        (reference,),
        lambda names, name: f"{names[0]} > {bound}",
        f"`{reference.text}` was more than {bound}",
    )


def compares(reference: Reference, order: str, other: float, found: bool) -> Condition:
    """A number there compares with another one as it did."""
    shown = f"{reference.text} {order} {other!r}"

    def test(names: Sequence[str], name: Namer) -> str:
        return f"{names[0]} {order if found else OPPOSITE_ORDERS[order]} {other!r}"

    return Condition((reference,), test, f"`{shown}` was {found}")


# Of integers and finite floats one of the two holds.
OPPOSITE_ORDERS = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def has_type(reference: Reference, kind: type) -> Condition:
    """There is an object of just that class."""
    return Condition(
        (reference,),
        lambda names, name: f"type({names[0]}) is {name(kind, kind.__name__)}",
        f"`{reference.text}` was a {kind.__name__}",
    )


def is_like(reference: Reference, leaf: Any) -> Condition:
    """There is an array, Variable or number that takes the same place in a graph."""
    if isinstance(leaf, Variable):
        return _is_like_variable(reference, leaf)
    if isinstance(leaf, np.ndarray):
        text = f"`{reference.text}` was {_described(leaf)}"

        def test(names: Sequence[str], name: Namer) -> str:
            (found,), dtype = names, name(leaf.dtype, str(leaf.dtype))
            return (
                f"type({found}) is {name(np.ndarray, 'ndarray')} "
                f"and {found}.shape == {leaf.shape} and {found}.dtype == {dtype}"
            )

        return Condition((reference,), test, text)
    return has_type(reference, type(leaf))


def _is_like_variable(reference: Reference, variable: Variable) -> Condition:
    raw = variable.value
    edge = variable.edge
    grad = edge if edge is None else edge is not VOLATILE

    def test(names: Sequence[str], name: Namer) -> str:
        if isinstance(raw, np.ndarray):
            dtype = name(raw.dtype, str(raw.dtype))
            of = f"{grad}, {raw.shape}, {dtype}"
            return f"{name(is_variable, 'is_variable')}({names[0]}, {of})"
        kind = name(type(raw), type(raw).__name__)
        return f"{name(is_number, 'is_number')}({names[0]}, {grad}, {kind})"

    words = {None: "", True: " that requires grad", False: ", volatile"}[grad]
    text = f"`{reference.text}` was a Variable, {_described(raw)}{words}"
    return Condition((reference,), test, text)


def _described(raw: Any) -> str:
    if isinstance(raw, np.ndarray):
        return f"{raw.dtype}[{', '.join(map(str, raw.shape))}]"
    return type(raw).__name__


def is_variable(
    item: Any, grad: bool | None, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> bool:
    """Whether something is such a Variable of an ndarray.

    ``grad``: whether it requires grad; None: it does not, False: it is volatile.
    """
    if type(item) is not Variable:
        return False
    raw, edge = item.value, item.edge
    return (
        (edge if edge is None else edge is not VOLATILE) is grad
        and type(raw) is np.ndarray
        and raw.shape == shape
        and raw.dtype == dtype
    )


def is_number(item: Any, grad: bool | None, kind: type) -> bool:
    """The same of a Variable of a number."""
    return (
        type(item) is Variable
        and (item.edge if item.edge is None else item.edge is not VOLATILE) is grad
        and type(item.value) is kind
    )


def are_equal(first: Reference, second: Reference) -> Condition:
    """At two places there are equal numbers."""
    return Condition(
        (first, second),
        lambda names, name: f"{names[0]} == {names[1]}",
        f"`{first.text}` and `{second.text}` were equal",
    )


def are_one(first: Reference, second: Reference) -> Condition:
    """At two places there is one object."""
    return Condition(
        (first, second),
        lambda names, name: f"{names[0]} is {names[1]}",
        f"`{first.text}` and `{second.text}` were one object",
    )


def are_two(first: Reference, second: Reference) -> Condition:
    """At two places there are two objects."""
    return Condition(
        (first, second),
        lambda names, name: f"{names[0]} is not {names[1]}",
        f"`{first.text}` and `{second.text}` were two objects",
    )


def are_apart(written: Sequence[Reference], others: Sequence[Reference]) -> Condition:
    """Arrays that are written into are in no memory of others."""

    def test(names: Sequence[str], name: Namer) -> str:
        first, second = names[: len(written)], names[len(written) :]
        return (
            f"{name(environment_array.are_apart, 'are_apart')}("
            f"[{', '.join(first)}], [{', '.join(second)}])"
        )

    told = ", ".join(f"`{reference.text}`" for reference in written)
    return Condition((*written, *others), test, f"{told} shared no memory with others")


def is_writeable(reference: Reference) -> Condition:
    """There is an array that may be written into."""
    return Condition(
        (reference,),
        lambda names, name: (
            f"{name(environment_array.is_writeable, 'is_writeable')}({names[0]})"
        ),
        f"`{reference.text}` could be written into",
    )


def has_length(reference: Reference, length: int) -> Condition:
    """A container has so many elements."""
    return Condition(
        (reference,),
        lambda names, name: f"len({names[0]}) == {length}",
        f"the length of `{reference.text}` was {length}",
    )


def has_shape(reference: Reference, shape: tuple[int, ...]) -> Condition:
    """A matrix has that shape."""
    return Condition(
        (reference,),
        lambda names, name: f"{names[0]}.shape == {shape}",
        f"the shape of `{reference.text}` was {shape}",
    )


def has_keys(reference: Reference, keys: Sequence[Any]) -> Condition:
    """A dict has just these keys, in this order; ``1`` and ``True`` are two keys."""
    found = [*keys]
    are_text = all(type(key) is str for key in found)
    then = keys_of(found)

    def test(names: Sequence[str], name: Namer) -> str:
        if are_text:
            return f"[*{names[0]}] == {found!r}"
        known = name(then, "keys_then")
        return f"{name(keys_of, 'keys_of')}({names[0]}) == {known}"

    return Condition(
        (reference,), test, f"the keys of `{reference.text}` were {found!r}"
    )


def keys_of(items: Iterable[Any]) -> tuple[Any, ...]:
    """The keys of a dict, or the elements of a set, in order, each told from others."""
    return tuple(map(exact, items))


def has_key(reference: Reference, key: Any) -> Condition:
    """A dict has a key."""
    return Condition(
        (reference,),
        lambda names, name: f"{written(key, name)} in {names[0]}",
        f"`{reference.text}` had a key {key!r}",
    )


def has_no_key(reference: Reference, key: Any) -> Condition:
    """A dict lacks a key."""
    return Condition(
        (reference,),
        lambda names, name: f"{written(key, name)} not in {names[0]}",
        f"`{reference.text}` had no key {key!r}",
    )


def is_worth(reference: Reference, value: Any) -> Condition:
    """There is the same value, as all that can be told of it says."""
    return _looks_like(reference, value, exact)


def has_elements(reference: Reference, items: Any) -> Condition:
    """There is a set of the same elements, which come in the same order."""
    return _looks_like(reference, items, keys_of)


def _looks_like(
    reference: Reference, item: Any, look: Callable[[Any], Any]
) -> Condition:
    """What a function tells of a thing is what it was."""
    then = look(item)

    def test(names: Sequence[str], name: Namer) -> str:
        known = name(then, f"{reference.hint}_then")
        return f"{name(look, look.__name__)}({names[0]}) == {known}"

    return Condition((reference,), test, f"`{reference.text}` was {_shown(item)}")


def has_decimal_context() -> Condition:
    """Decimals are computed as they were: to so many digits, rounded so."""
    then = decimal_context()

    def test(names: Sequence[str], name: Namer) -> str:
        now = f"{name(decimal_context, 'decimal_context')}()"
        return f"{now} == {name(then, 'context_then')}"

    return Condition((), test, "the context of decimals was another")


def decimal_context() -> tuple[Any, ...]:
    """What the result of an operation on Decimals depends on."""
    context = decimal.getcontext()
    traps = tuple(map(bool, context.traps.values()))
    return (
        context.prec,
        context.rounding,
        context.Emin,
        context.Emax,
        context.clamp,
        traps,
    )


def has_content(reference: Reference, array: np.ndarray[Any, Any]) -> Condition:
    """There is an array of the same kind, with the same in it."""
    then = content_of(array)

    def test(names: Sequence[str], name: Namer) -> str:
        known = name(then, f"{reference.hint}_then")
        return f"{name(content_of, 'content_of')}({names[0]}) == {known}"

    text = f"what is in `{reference.text}` is as it was"
    return Condition(
        (reference,), test, text, f"what is in `{reference.text}` has changed"
    )


def content_of(array: Any) -> Any:
    """What an array is, and what is in it; of anything else its class."""
    if type(array) is not np.ndarray:
        return type(array)
    return array.shape, exact(array.dtype), array.strides, array.tobytes()


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def lacks_own(reference: Reference, key: str) -> Condition:
    """An object has no attribute of its own of a name, whatever its class has."""
    return Condition(
        (reference,),
        lambda names, name: f"{key!r} not in {names[0]}.__dict__",
        f"`{reference.text}` had no `{key}` of its own",
    )


def lacks(reference: Reference, key: str) -> Condition:
    """An object lacks an attribute."""
    return Condition(
        (reference,),
        lambda names, name: f"not hasattr({names[0]}, {key!r})",
        f"`{reference.text}` had no attribute `{key}`",
    )


def has(reference: Reference, key: str) -> Condition:
    """An object has an attribute."""
    return Condition(
        (reference,),
        lambda names, name: f"hasattr({names[0]}, {key!r})",
        f"`{reference.text}` had an attribute `{key}`",
    )


def is_global_still_missing(key: str, namespace: dict[str, Any]) -> Condition:
    """A builtin is hidden by no global."""
    return Condition(
        (),
        lambda names, name: f"{key!r} not in {name(namespace, 'namespace')}",
        f"`{key}` is the builtin",
        f"`{key}` was rebound",
        True,
        subject=namespace,
    )


def has_method(reference: Reference, key: str, function: FunctionType) -> Condition:
    """A method is still the same function; of the class, or put upon the object."""
    return Condition(
        (reference,),
        lambda names, name: (
            f"{member(names[0], key)}.__func__ is {name(function, function.__name__)}"
        ),
        f"`{reference.text}.{key}` is what it was",
        f"`{reference.text}.{key}` was rebound",
    )


def dispatches(dispatcher: Any, kind: type, function: Any) -> Condition:
    """For a class, ``functools.singledispatch`` still calls the same function."""
    name_of = dispatcher.__name__

    def test(names: Sequence[str], name: Namer) -> str:
        of_kind = f"{names[0]}.dispatch({name(kind, kind.__name__)})"
        return f"{of_kind} is {name(function, f'{name_of}_of_{kind.__name__}')}"

    text = f"`{name_of}` of a {kind.__name__} is what it was"
    return Condition((Known(name_of, dispatcher),), test, text)


def has_class_member(reference: Reference, key: str, found: Any) -> Condition:
    """What an object's class, or a base of that, has under a name is the same."""
    return Condition(
        (reference,),
        lambda names, name: (
            f"{member(f'type({names[0]})', key)} is {name(found, f'{key}_of_class')}"
        ),
        f"`{reference.text}.{key}` is what it was",
        f"`{reference.text}.{key}` was rebound",
    )


def has_own_member(kind: type, key: str, member: Any) -> Condition:
    """A class itself still has the same, or nothing (``MISSING``), under a name."""
    members = vars(kind)

    def test(names: Sequence[str], name: Namer) -> str:
        own = name(members, f"members_of_{kind.__name__}")
        absent = name(MISSING, "MISSING")
        found = absent if member is MISSING else name(member, key)
        return f"{own}.get({key!r}, {absent}) is {found}"

    text = f"`{kind.__name__}.{key}` is what it was"
    miss = f"`{kind.__name__}.{key}` was rebound"
    mention = "" if member is MISSING else f"`{kind.__name__}.{key}`"
    return Condition((), test, text, miss, True, mention, kind)


def is_unchanged(function: FunctionType) -> Condition:
    """A Python function still has the same code and defaults."""
    own = function.__kwdefaults__
    kwdefaults = None if own is None else dict(own)
    then = {"__code__": function.__code__, "__defaults__": function.__defaults__}

    def test(names: Sequence[str], name: Namer) -> str:
        found = name(function, function.__name__)
        tests = [f"{found}.{each} is {name(then[each], each)}" for each in then]
        now = f"{found}.__kwdefaults__"
        if kwdefaults is None:
            return " and ".join([*tests, f"{now} is None"])
        same, were = name(are_same, "are_same"), name(kwdefaults, "__kwdefaults__")
        return " and ".join([*tests, f"{same}({now}, {were})"])

    subject = f"the code and defaults of `{function.__name__}`"
    miss = f"{subject} changed"
    text = f"{subject} are as they were"
    return Condition((), test, text, miss, True, subject=function)


def are_same(now: dict[str, Any] | None, then: dict[str, Any] | None) -> bool:
    """Whether both have the same objects; ``1``, ``1.0`` and ``True`` are equal."""
    now, then = now or {}, then or {}
    return now.keys() == then.keys() and all(now[key] is then[key] for key in now)
