"""Comments in generated code tell for which lines of the user's it is."""

import pytest

from srcgrad.steps import Location
from srcgrad.tracing.report.line_map import lines_from

# Of each line of the code, the user's line that it is for.
CASES = {
    "one comment for all that follows": """
    | def forward(x):
  6 |     # f.py:6: h = x
  6 |     h = np.tanh(
  6 |         x
  6 |     )
  6 |     h = h + 1.0
  7 |     # f.py:7: y = h
  7 |     return h * h
""",
    "names alone are for none": """
    | def backward(saved, g):
    |     x, (h, _) = saved
  6 |     # f.py:6: h = x
  6 |     dx = g * h
    |     return dx, (x, h)
""",
    "the arms of an if begin with its line, and nothing follows it": """
    | def forward(x):
  6 |     # f.py:6: if x > 0:
  6 |     if x > 0:
  6 |         y = x
    |     else:
  7 |         # f.py:7: y = -x
  7 |         y = -x
    |     z = y
""",
    "a guard is no such if": """
    | def forward(x):
  6 |     # f.py:6: if x > 0:
  6 |     if not x > 0:
  6 |         return "f.py:6: x > 0 was True"
  6 |     y = x + 1
    |     return y
""",
    "other comments are none": """
    | def forward(x):
    |     # elsewhere.py:6: h = x
    |     h = x
  6 |     # f.py:6: h = x
    |
    |     # by hand
  6 |     h = "# f.py:7: y = h"
""",
    "a context is for its line": """
    | def forward(x):
  6 |     # f.py:6: h = x
  6 |     with np.errstate(
  6 |         all="ignore"
  6 |     ):
  6 |         h = x
  7 |         # f.py:7: y = h
  7 |         y = h + 1
""",
}
LOOPS = {
    "a loop, what sets it up, and what it keeps": (
        """
    | def forward(x):
  6 |     # f.py:6: h = x
  6 |     h = x + 1.0
  L |     hs = []
  L |     for t in range(3):
  L |         hs.append(h)
  7 |         # f.py:7: y = h
  7 |         h = np.tanh(h)
    |     return h
""",
        {7},
        None,
    ),
    "what another statement makes is for that": (
        """
    | def backward(g):
  6 |     # f.py:6: h = x
  6 |     dh = np.broadcast_to(g, (3,))
  6 |     other = np.zeros(2)
  L |     dW = np.zeros(3)
  L |     for h in hs:
  7 |         # f.py:7: y = h
  7 |         dh = dh * h
  7 |         dW += dh
    |     return dW, other
""",
        {7},
        None,
    ),
    "a while with a test": (
        """
    | def forward(x):
  6 |     # f.py:6: while x:
  L |     while x > 0:
  7 |         # f.py:7: y = h
  7 |         x = x - 1
""",
        {7},
        6,
    ),
}
TEXTS = {
    6: ["h = x", "if x > 0:", "while x:"],
    7: ["y = h", "y = -x"],
}
LOCATIONS = [
    Location("/home/f.py", line, text)
    for line, texts in TEXTS.items()
    for text in texts
]


def margins(case):
    rows = [row.split("|", 1) for row in case.strip("\n").split("\n")]
    text = "\n".join(code.removeprefix(" ") for _, code in rows)
    return text, [margin.strip() for margin, _ in rows]


@pytest.mark.parametrize("case", CASES)
def test_a_line_is_for_the_comment_above_it(case):
    text, expected = margins(CASES[case])
    found = lines_from(text, LOCATIONS)
    assert found.loops == []
    parts = [found.at.get(line) for line in range(1, len(expected) + 1)]
    assert [str(p.where.line) if p else "" for p in parts] == expected


@pytest.mark.parametrize("case", LOOPS)
def test_the_lines_of_a_loop_are_left_open(case):
    text, inside, test = LOOPS[case]
    text, expected = margins(text)
    found = lines_from(text, LOCATIONS)
    (head,) = found.loops
    own = [k for k, margin in enumerate(expected, 1) if margin == "L"]
    assert sorted(head.lines) == own
    assert {where.line for where in head.inside} == inside
    assert (head.where.line if head.where else None) == test
    lines = range(1, len(expected) + 1)
    others = [str(p.where.line) if (p := found.at.get(k)) else "" for k in lines]
    assert others == [m.replace("L", "") for m in expected]


def test_lines_that_are_written_in_one_go_know_where_they_begin():
    text, _ = margins(CASES["one comment for all that follows"])
    found = lines_from(text, LOCATIONS)
    assert [found.at[line].start for line in (3, 6, 8)] == [2, 2, 7]


def test_of_two_files_with_one_name_none_is_meant():
    twins = [Location(f"/{folder}/f.py", 6, "h = x") for folder in "ab"]
    assert (
        lines_from("def forward(x):\n    # f.py:6: h = x\n    x = 1\n", twins).at == {}
    )
