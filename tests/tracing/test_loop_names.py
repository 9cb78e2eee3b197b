"""Which names of a loop are looked at, and which of them may be read after it."""

import gast
import pytest

from srcgrad.tracing.loop_names import LoopNames


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
