"""Trees become what gast itself makes of them, with a place for each node."""

import ast
import sys
from pathlib import Path
from types import CodeType

import gast
import pytest

import srcgrad
from srcgrad.emit.python_trees import LEAF_NODES, to_gast, to_python

FILES = sorted(Path(srcgrad.__file__).parent.rglob("*.py"))[::8]

FORMS = """
def f(a, /, b: int = 1, *c, d: str, e=2, **g) -> None:
    try:
        x: float = yield
    except (ValueError, KeyError) as error:
        raise error from None
    finally:
        del a[0], b.c
    async with a as b, c:
        await d
    match a:
        case [1, *rest] if rest:
            return lambda *, k=1: f"{k!r:>{b}}"
        case {"a": x, **others} | C(y=2):
            nonlocal z
    return [x async for (x, y) in z if x if y], {**a, 1: 2}, a[1:, ..., ::2], *b
"""


def lines_of(code):
    """The line of each instruction, of the code objects in it too."""
    inner = [lines_of(each) for each in code.co_consts if isinstance(each, CodeType)]
    return [*code.co_lines()], inner


def assert_as_gasts(source):
    """Check that gast makes the same tree of a source."""
    expected, seen = gast.parse(source), to_gast(ast.parse(source))
    assert gast.dump(seen) == gast.dump(expected)
    for ours, theirs in zip(gast.walk(seen), gast.walk(expected), strict=True):
        places = ([getattr(n, a, None) for a in n._attributes] for n in (ours, theirs))
        assert next(places) == next(places)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_stays_what_it_is(path):
    source = path.read_text(encoding="utf-8")
    tree = to_python(gast.parse(source))
    assert ast.dump(tree) == ast.dump(ast.parse(source))
    assert_as_gasts(source)
    ours, theirs = (compile(each, "file.py", "exec") for each in (tree, source))
    assert ours == theirs
    assert lines_of(ours) == lines_of(theirs)


@pytest.mark.parametrize(
    "source",
    [
        FORMS,
        "class C(B, metaclass=M):\n    @d\n    def f(self): ...\n",
        "import a.b as c\nfrom . import d\nglobal e\nx = y = (z := 1)\nassert x, y\n",
        pytest.param(
            "try:\n    pass\nexcept* OSError as e:\n    pass\n",
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="no except*"),
        ),
    ],
)
def test_all_forms(source):
    tree = to_python(gast.parse(source))
    assert ast.dump(tree) == ast.dump(ast.parse(source))
    assert_as_gasts(source)
    for node in ast.walk(tree):
        assert not node._attributes or node.lineno


def test_new_nodes_have_the_place_of_what_is_around_them():
    tree = gast.parse("\n\nx = y + 1")
    tree.body[0].value.left = gast.Name("z", gast.Load(), None, None)
    made = to_python(tree).body[0].value.left
    assert (made.lineno, made.col_offset) == (3, 4)
    compile(to_python(tree), "file.py", "exec")


def test_operators_and_contexts_are_one_each():
    found = {type(python).__name__ for python, _ in LEAF_NODES}
    assert {"Add", "USub", "And", "NotIn", "Load", "Store", "Del"} <= found
