"""``match`` as ``if`` and ``elif``, so that what its patterns read is noted.

    match layer:
        case Dense(W, act="tanh"):
            ...

becomes, with the reads as calls of ``__srcgrad__`` and names of its own,

    subject = layer
    if (parts := attributes_if_instance(subject, Dense, 1, ("act",))) is not None \\
            and parts[1] == "tanh" and (W := parts[0],):
        ...

The names are bound where the whole pattern fits, before its guard.
"""

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.tracing.user_code.copies import CAPTURE, capture_call, constant, name_read
from srcgrad.tracing.user_code.syntax_trees import placed

Visit = Callable[[Any], Any]


def as_conditions(node: Any, visit: Visit, body_of: Callable[[Any], Any]) -> list[Any]:
    """The statements for a ``match``; ``body_of(case)`` are those of a case."""
    names = _Names(f"{CAPTURE}match_{node.lineno}_{node.col_offset}")
    first = _bound(names.fresh(), capture_call("matched", visit(node.subject), at=node))
    subject = first.target.id
    start = gast.Assign(
        [gast.Name(subject, gast.Store(), None, None)], first.value, None
    )
    statements: list[Any] = [placed(start, node)]
    around = statements
    for case in node.cases:
        pattern = _Pattern(names, visit, node)
        tests = pattern.tests(case.pattern, subject)
        bound = [_bound(name, name_read(own)) for name, own in pattern.captured.items()]
        tests += [_true(each) for each in bound]
        if case.guard is not None:
            tests.append(visit(case.guard))
        chosen = gast.If(_all(tests), body_of(case), [])
        around.append(placed(chosen, node))
        around = chosen.orelse
    return statements


class _Names:
    """Names of the copy's own."""

    def __init__(self, prefix: str) -> None:
        self._prefix, self._count = prefix, 0

    def fresh(self) -> str:
        self._count += 1
        return f"{self._prefix}_{self._count}"


class _Pattern:
    """The conditions of one case, and what it binds: by name, what holds it."""

    def __init__(self, names: _Names, visit: Visit, at: Any) -> None:
        self.captured: dict[str, str] = {}
        self._names, self._visit, self._at = names, visit, at

    def tests(self, pattern: Any, subject: str) -> list[Any]:
        """Conditions that all hold if what has a name fits the pattern."""
        kind = type(pattern).__name__.removeprefix("Match").lower()
        found: list[Any] = getattr(self, f"_{kind}")(pattern, subject)
        return found

    def _call(self, method: str, *args: Any) -> Any:
        return capture_call(method, *args, at=self._at)

    def _part(self, value: Any, pattern: Any) -> list[Any]:
        """A part of the subject, and the conditions on that."""
        own = self._names.fresh()
        return [_true(_bound(own, value)), *self.tests(pattern, own)]

    def _capture(self, name: str | None, value: Any) -> list[Any]:
        if name is None:
            return []
        own = self.captured.setdefault(name, self._names.fresh())
        return [_true(_bound(own, value))]

    def _value(self, pattern: Any, subject: str) -> list[Any]:
        pair = name_read(subject), self._visit(pattern.value)
        left, right = (self._call("compared", each) for each in pair)
        return [gast.Compare(left, [gast.Eq()], [right])]

    def _singleton(self, pattern: Any, subject: str) -> list[Any]:
        return [self._call("same", name_read(subject), constant(pattern.value))]

    def _as(self, pattern: Any, subject: str) -> list[Any]:
        inner = [] if pattern.pattern is None else self.tests(pattern.pattern, subject)
        return [*inner, *self._capture(pattern.name, name_read(subject))]

    def _or(self, pattern: Any, subject: str) -> list[Any]:
        each = [_all(self.tests(option, subject)) for option in pattern.patterns]
        return [gast.BoolOp(gast.Or(), each)]

    def _sequence(self, pattern: Any, subject: str) -> list[Any]:
        parts = pattern.patterns
        stars = [i for i, each in enumerate(parts) if isinstance(each, gast.MatchStar)]
        least = constant(len(parts) - len(stars))
        whole = name_read(subject)
        tests = [self._call("is_sequence", whole, least, constant(bool(stars)))]
        for i, each in enumerate(parts):
            if i in stars:
                ends = constant(i), constant(len(parts) - 1 - i)
                rest = self._call("middle", name_read(subject), *ends)
                tests += self._capture(each.name, rest)
                continue
            number = constant(i - len(parts) if stars and i > stars[0] else i)
            tests += self._part(self._call("item", name_read(subject), number), each)
        return tests

    def _mapping(self, pattern: Any, subject: str) -> list[Any]:
        def keys() -> Any:
            return gast.Tuple([self._visit(key) for key in pattern.keys], gast.Load())

        own = self._names.fresh()
        found = self._call("values_if_mapping", name_read(subject), keys())
        tests = [_is_there(own, found)]
        for i, each in enumerate(pattern.patterns):
            tests += self._part(_item(own, i), each)
        rest = self._call("without", name_read(subject), keys())
        return [*tests, *self._capture(pattern.rest, rest)]

    def _class(self, pattern: Any, subject: str) -> list[Any]:
        own, named = self._names.fresh(), constant(tuple(pattern.kwd_attrs))
        count = constant(len(pattern.patterns))
        kind = self._visit(pattern.cls)
        found = self._call(
            "attributes_if_instance", name_read(subject), kind, count, named
        )
        tests = [_is_there(own, found)]
        for i, each in enumerate([*pattern.patterns, *pattern.kwd_patterns]):
            tests += self._part(_item(own, i), each)
        return tests


def _bound(name: str, value: Any) -> Any:
    return gast.NamedExpr(gast.Name(name, gast.Store(), None, None), value)


def _true(expression: Any) -> Any:
    """What is true, whatever an expression gives."""
    return gast.Tuple([expression], gast.Load())


def _is_there(name: str, value: Any) -> Any:
    return gast.Compare(_bound(name, value), [gast.IsNot()], [constant(None)])


def _item(name: str, number: int) -> Any:
    return gast.Subscript(name_read(name), constant(number), gast.Load())


def _all(tests: list[Any]) -> Any:
    if not tests:
        return constant(True)
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
