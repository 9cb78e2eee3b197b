"""What to write instead."""

import ast
import pathlib

import srcgrad
from srcgrad.tracing.serving.hints import HINTS, hint
from srcgrad.tracing.user_code.instrument import UNSUPPORTED
from tests.cases import for_each


@for_each("part", HINTS)
def test_each_reason_has_its_hint(part):
    assert hint(f"loss.py:3: y = f(x): {part}") == HINTS[part]


def test_of_others_there_is_nothing_to_say():
    assert hint("a new reason") == ""


# ----- All reasons that there are -----

GIVING_UP = frozenset("give_up give_up_write refuse _refuse Uninstrumentable".split())
# Whatever else is called that way, and what is told as a part of another reason.
OTHERS = (
    "rules/",
    "scipy/",
    "errors",
    "tape/",
    "tracing/algorithms/callback_recordings",
)
PARTS = frozenset(
    {
        "calls `{name}` {recorder.within}",
        "{name}: {error}{_at(error.where)}",
        "tries what it must not",
        *("@", "*"),
        "does too much to be tried: write `np.where(condition, a, b)`",
    }
)


def texts_of(node):
    """The texts that an expression may be, with ``{...}`` for what is put into them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [
            part.value
            if isinstance(part, ast.Constant)
            else "{" + ast.unparse(part.value) + "}"
            for part in node.values
        ]
        return ["".join(parts)]
    if isinstance(node, ast.IfExp):
        return texts_of(node.body) + texts_of(node.orelse)
    return []


def reasons():
    package = pathlib.Path(srcgrad.__file__).parent
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name.startswith(OTHERS):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if called in GIVING_UP:
                for arg in node.args[-1:] if called == "give_up_write" else node.args:
                    yield from texts_of(arg)
    yield from UNSUPPORTED.values()
    yield from BATCHING


BATCHING = [
    "calls f, which has no batching rule",
    "calls f, which may give each element another shape",
    "looks at values of a batch",
]
OF_PATIENCE = [
    "no trace was of use twice; the last miss: `n` was 3",
    "16 traces in a row were made, and none was of use twice; the last for (3,)",
    "srcgrad itself failed: KeyError: 1",
    "an argument cannot be part of the cache's key: TypeError: unhashable",
    "takes a number out of what it is differentiated by",
    "while it was traced: ValueError: no",
]
ALL = sorted({*reasons(), *OF_PATIENCE} - PARTS)


def test_there_are_many_reasons():
    assert len(ALL) > 150


@for_each("reason", ALL)
def test_of_each_it_is_said_what_to_write_instead(reason):
    found = hint(f"loss.py:3: y = f(x): {reason}")
    assert found
    assert not found.startswith("nothing")


@for_each("part", HINTS)
def test_each_hint_is_of_use(part):
    """Another one does not come first, of all reasons with it."""
    of_it = [reason for reason in ALL if part in reason]
    assert not of_it or any(hint(each) == HINTS[part] for each in of_it), of_it
