"""A ``break`` in an arm of an ``if`` becomes one behind that ``if``, told by a flag.

>>> code = '''
... def f(x):
...     s = 0.0
...     for v in x:
...         if v >= 0:
...             s = s + v
...             if s > 1.5:
...                 break
...         s = s + 1.0
...     return s
... '''
>>> function = gast.parse(code).body[0]
>>> break_later(function)
>>> print(gast.unparse(function.body[1]))
for v in x:
    stop = False
    if v >= 0:
        s = s + v
        stop = s > 1.5
    if stop:
        break
    s = s + 1.0

So both arms may be run, and the loop ends by one test, as if it were written so.
"""

from collections.abc import Sequence
from typing import Any

import gast

from srcgrad.tracing.user_code.copies import constant, name_read
from srcgrad.tracing.user_code.new_names import NewNames
from srcgrad.tracing.user_code.plain_text import ends_with, is_plain, without_continue
from srcgrad.tracing.user_code.syntax_trees import (
    inner_statements,
    nodes_in,
    placed,
    statements_in,
)

LOOPS = (gast.For, gast.While)


def break_later(definition: Any) -> None:
    """Have the breaks in arms behind each ``if`` of a definition, where it is plain."""
    if isinstance(definition, gast.Lambda):
        return
    statements = statements_in(definition.body)
    if gast.Break not in map(type, statements):
        return
    taken = {node.id for node in nodes_in(definition) if isinstance(node, gast.Name)}
    names = NewNames(taken)
    for loop in statements:
        if isinstance(loop, LOOPS):
            loop.body = _in_loop(loop.body, names)


def _in_loop(statements: Sequence[Any], names: NewNames) -> list[Any]:
    """The statements of a loop, with flags for the breaks that are in arms."""
    statements = [*statements]
    for number, each in enumerate(statements):
        before, rest = statements[:number], statements[number + 1 :]
        if _continues_before_break(each, rest):
            # What follows is in the other arm then.
            joined = without_continue(statements[number:])
            found = _in_loop(joined, names)
            return [*before, *found] if len(found) > len(joined) else statements
        if not isinstance(each, gast.If) or not breaks(each):
            continue
        if not any(map(breaks, (*each.body[:-1], *each.orelse))):
            if isinstance(each.body[-1], gast.Break):
                continue  # by one test
        elif ends_with(gast.Break, each.body) and not any(map(breaks, each.body[:-1])):
            # What the other arm does is done by who goes on.
            first = placed(gast.If(each.test, each.body, []), each)
            return [*before, first, *_in_loop([*each.orelse, *rest], names)]
        flag = names.of(each, "stop")
        flagged = _flagged([each], flag)
        if flagged is None or not all(map(is_plain, flagged)):
            continue
        test = placed(gast.If(name_read(flag), [gast.Break()], []), _break_in(each))
        placed(test.body[0], test)
        found = [_set(flag, constant(False), each), *flagged, test]
        return [*before, *found, *_in_loop(rest, names)]
    return statements


def _flagged(statements: Sequence[Any], flag: str) -> list[Any] | None:
    """Statements which set a flag where they would break; None if that cannot be."""
    for number, each in enumerate(statements):
        before, rest = statements[:number], statements[number + 1 :]
        if isinstance(each, gast.Break):
            return [*before, _set(flag, constant(True), each)]
        if not breaks(each):
            continue
        if not isinstance(each, gast.If):
            return None
        if not rest and not each.orelse and isinstance(each.body[0], gast.Break):
            return [*before, _set(flag, each.test, each)]
        arms = each.body, each.orelse
        if rest and not any(ends_with(gast.Break, arm) for arm in arms):
            return None  # what follows would be there twice
        changed = []
        for arm in arms:
            goes_on = not ends_with(gast.Break, arm)
            changed.append(_flagged([*arm, *rest] if goes_on else arm, flag))
        if None in changed:
            return None
        return [*before, placed(gast.If(each.test, *changed), each)]
    return [*statements]


def breaks(statement: Any) -> bool:
    """Whether a statement may end the loop that it stands in by ``break``."""
    if isinstance(statement, gast.Break):
        return True
    if isinstance(statement, (gast.FunctionDef, gast.ClassDef)):
        return False
    inner = inner_statements(statement)
    return any(map(breaks, statement.orelse if isinstance(statement, LOOPS) else inner))


def _continues_before_break(statement: Any, rest: Sequence[Any]) -> bool:
    """Whether a ``continue`` in an arm skips what breaks, or an arm does both."""
    if not isinstance(statement, gast.If):
        return False
    arms = statement.body, statement.orelse
    continues = any(ends_with(gast.Continue, arm) for arm in arms)
    return continues and any(map(breaks, rest))


def _break_in(statement: Any) -> Any:
    """Where the first ``break`` is: what an explanation shows of it."""
    inner = [each for each in statements_in([statement]) if breaks(each)]
    tests = [each for each in inner if isinstance(each, gast.If)]
    return tests[-1]


def _set(flag: str, value: Any, at: Any) -> Any:
    target = gast.Name(flag, gast.Store(), None, None)
    return placed(gast.Assign([target], value, None), at)
