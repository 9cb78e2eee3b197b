"""Which names of a loop are looked at, and which of them may be read after it."""

import gast
import pytest

from srcgrad.tracing.user_code.loop_names import LoopNames


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("while x > 1:", "    x = x / 2"), (("x",), ("x",))),
        (("while x > 1:", "    y = x; x = y / 2"), (("x",), ("x",))),
        (("while x > 1:", "    x = x / y; y = 2"), (("x", "y"), ("x",))),
        (("while x > y:", "    y = x / 2"), (("y",), ())),
        (("while x > 1:", "    if y: break", "    y = x"), (("y",), ("y",))),
        (("while x > 1:", "    y = x; x = (lambda: y)()"), (("x", "y"), ("x", "y"))),
        (("while x > 1:", "    k += 1; x = x / 2"), (("x",), ("x",))),
        (("while x > 1:", "    yield x"), None),
    ],
)
def test_names(lines, found):
    text = "\n".join(f"    {line}" for line in lines)
    tree = gast.parse(f"def f(x, y=0, k=0):\n{text}\n    return x").body[0]
    assert LoopNames(tree).of_loop(tree.body[0]) == found


WHILE = """
def f(x, m):
    for _ in range(3):
        k = j = 0
        while x > y and k < 8:
            y = x / 2
            {}
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("k += 1", {"k": 1}),
        ("k = k + 2", {"k": 2}),
        ("k += x", {}),
        ("k -= 1", {}),
        ("if y: k += 1", {}),
        ("k += 1; k += 1", {}),
        ("k += 1; x = k", {"k": 1}),
        ("k += 1; y = k if 5 > k else 1", {"k": 1}),
        ("k += 1; y = 3 if 5 > k else 1", {"k": 1}),
        ("k += 1; y = [5 > k for v in x]", {"k": 1}),
        ("k += 1; m += 1; x = m > 3", {"k": 1}),
        ("k += 1; j += 1; x = j > k", {"k": 1}),
    ],
)
def test_counters(line, found):
    tree = gast.parse(WHILE.format(line)).body[0]
    loop = tree.body[0].body[1]
    assert LoopNames(tree).counters(loop)[0] == found


def test_what_an_outer_loop_does_not_bind_is_read_again():
    tree = gast.parse(WHILE.format("k += 1")).body[0]
    names = LoopNames(tree)
    assert names.of_loop(tree.body[0].body[1]) == (("k", "y"), ("y",))


@pytest.mark.parametrize(
    ("lines", "is_read"),
    [
        (("for k in x:", "    y = k"), False),
        (("for k in x:", "    y = k", "y = k"), True),
        (("for k in x:", "    y = k", "for k in y:", "    x = k"), False),
        (("for k, j in x:", "    y = k", "for j, k in y:", "    x = k"), False),
        (("for k in x:", "    y = k", "for k in k:", "    x = k"), True),
        (("for k in x:", "    y = k", "for j in y:", "    x = k"), True),
        (("for k in x:", "    y = k", "for k in y: pass", "else:", "    y = k"), True),
        (("for k in x:", "    y = k", "for k in y:", "    x = k", "y = k"), True),
        (("for k in x:", "    y = k", "while y:", "    k = x; x = k"), True),
        (("for k in x:", "    for k in y:", "        x = k"), False),
        (("for k in x:", "    y = k", "y = [k for k in y if k]"), False),
        (("for k in x:", "    y = k", "y = {k: k for j in y for k in j}"), False),
        (("for k in x:", "    y = k", "y = {k for k in k}"), True),
        (("for k in x:", "    y = k", "y = sum(k for j in y)"), True),
    ],
)
def test_what_a_loop_runs_over_is_read_later(lines, is_read):
    text = "\n".join(f"    {line}" for line in lines)
    tree = gast.parse(f"def f(x, y=0, j=0):\n{text}\n    return x").body[0]
    assert LoopNames(tree).is_read_later(tree.body[0], "k") is is_read


def test_what_an_inner_loop_binds_is_read_by_the_outer_one_later():
    text = "def f(x, y):\n for k in x:\n  for k in y: x = k\n  y = k\n return x"
    tree = gast.parse(text).body[0]
    assert LoopNames(tree).is_read_later(tree.body[0].body[0], "k")
