"""What an exported function returns, as an expression of what its graph computes.

>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> dx = Value((2,), np.dtype(float), "dx")
>>> scope = Scope()
>>> found = packed(lambda result, derived: (result, {"x": derived[0]}), "static", [dx])
>>> made = as_expression(scope, found, {dx: name("dx")})
>>> text(made.expr), made.annotation
('("static", {"x": dx})', 'tuple[str, dict[str, np.ndarray]]')
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gast
import numpy as np

from srcgrad.emit.literals import size_of, written
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import LOAD, call, constant, sequence
from srcgrad.protocols import raw_of
from srcgrad.steps import Value


class Made(NamedTuple):
    """An expression, its type, and for each leaf its name, and what it is."""

    expr: gast.expr
    annotation: str
    leaves: tuple[tuple[str, str], ...]


class Converted(NamedTuple):
    """A Value as another kind of number: what ``function`` makes of it."""

    value: Value
    function: Any


class Zeros(NamedTuple):
    """A derivative that is zero."""

    like: Any


def packed(
    pack: Callable[[Any, Any], Any], result: Any, derived: Sequence[Value | None]
) -> Any:
    """What a transform makes of a result and Values, with these in their places.

    ``pack`` knows kinds and shapes, and no values: so it is given examples.
    """
    examples = [
        None if value is None else _example(value, number)
        for number, value in enumerate(derived)
    ]
    pairs = [
        (example, value)
        for example, value in zip(examples, derived, strict=True)
        if value is not None
    ]
    return _placed(pack(result, examples), pairs)


def _placed(found: Any, pairs: Sequence[tuple[Any, Value]]) -> Any:
    for example, value in pairs:
        if found is example:
            return value
    kind = type(found)
    if kind in (tuple, list):
        return kind(_placed(part, pairs) for part in found)
    if kind is dict:
        return {key: _placed(part, pairs) for key, part in found.items()}
    if hasattr(found, "_fields") and isinstance(found, tuple):
        return tuple(_placed(part, pairs) for part in found)
    raw = raw_of(found)
    if isinstance(raw, np.ndarray | np.generic | float | complex):
        for example, value in pairs:
            if np.ndim(raw) == np.ndim(example) == 0 and raw == example:
                return Converted(value, np.asarray if kind is np.ndarray else kind)
        if not np.any(raw):
            return Zeros(raw)
        raise RuntimeError("its result cannot be written as source")
    return found


def _example(value: Value, number: int) -> Any:
    """What a Value may stand for, other than each other one."""
    if value.kind == "array" and value.shape:
        return np.empty(value.shape, value.dtype)
    kind = value.promoted if value.kind == "float" else value.dtype.type
    example = kind(number + 0.5)
    return np.array(example) if value.kind == "array" else example


def as_expression(scope: Scope, found: Any, exprs: Mapping[Value, gast.expr]) -> Made:
    """A tree of Values, numbers and texts, as the expression that makes it."""
    kind = type(found)
    if isinstance(found, tuple) and kind not in (
        Converted,
        Zeros,
    ):  # of a class of names, too: the module has none
        kind = tuple
    if kind in (tuple, list, dict):
        keys = [*found] if kind is dict else [*range(len(found))]
        parts = [as_expression(scope, found[key], exprs) for key in keys]
        return _container(scope, kind, keys, parts)
    if kind is Value:
        expr = exprs[found]
        own = expr.id if isinstance(expr, gast.Name) else found.name
        own = f"{own} : " if own else ""
        return Made(expr, value_annotation(found), ((own, described(found)),))
    if kind is Converted:
        expr = call(scope.reference(found.function), [exprs[found.value]])
        own = found.function
        name = {np.asarray: "np.ndarray", float: "float", complex: "complex"}.get(own)
        name = name or f"np.{own.__name__}"
        first = f"{found.value.name} : " if found.value.name else ""
        return Made(expr, name, ((first, name.removeprefix("np.")),))
    if kind is Zeros:
        return _zeros(scope, found.like)
    if isinstance(found, gast.AST):
        return Made(found, "object", (("", "as it was given"),))
    if kind in (bool, int, float, str, type(None)):
        name = "None" if found is None else kind.__name__
        return Made(written(scope, found), name, (("", repr(found)),))
    if isinstance(found, np.generic) and not isinstance(found, np.void):
        name = f"np.{kind.__name__}"
        return Made(written(scope, found), name, (("", repr(found)),))
    raise RuntimeError(
        f"it returns a {kind.__name__}: an exported function returns arrays and "
        "numbers, in tuples, lists and dicts"
    )


def _container(
    scope: Scope, kind: type, keys: Sequence[Any], parts: Sequence[Made]
) -> Made:
    exprs = [part.expr for part in parts]
    kinds = [part.annotation for part in parts]
    leaves = tuple(leaf for part in parts for leaf in part.leaves)
    one = " | ".join(dict.fromkeys(kinds)) or "object"
    if kind is tuple:
        is_long = len(kinds) > 3 and len(set(kinds)) == 1
        inner = f"{one}, ..." if is_long else ", ".join(kinds) or "()"
        return Made(sequence(exprs), f"tuple[{inner}]", leaves)
    if kind is list:
        return Made(gast.List(exprs, LOAD), f"list[{one}]", leaves)
    names = " | ".join(dict.fromkeys(type(key).__name__ for key in keys)) or "str"
    expr = gast.Dict([written(scope, key) for key in keys], exprs)
    return Made(expr, f"dict[{names}, {one}]", leaves)


def _zeros(scope: Scope, like: Any) -> Made:
    if not isinstance(like, np.ndarray):
        return Made(written(scope, like), type(like).__name__, (("", "0"),))
    keywords: dict[str, gast.expr] = {}
    if like.dtype != np.float64:
        keywords = {"dtype": written(scope, like.dtype)}
    shape = size_of(scope, like.shape) if like.shape else constant(())
    expr = call(scope.numpy("zeros"), [shape], keywords)
    return Made(expr, "np.ndarray", (("", f"zeros, shape {like.shape}"),))


def value_annotation(value: Value) -> str:
    """The type of a Value."""
    if value.kind == "array":
        return "np.ndarray"
    if value.kind == "float":
        return str(value.promoted.__name__)
    return f"np.{value.dtype}"


def described(value: Value) -> str:
    """A Value as a docstring tells of it."""
    if value.kind == "array":
        return f"ndarray of {value.dtype}, shape {value.shape}"
    return value_annotation(value).removeprefix("np.")
