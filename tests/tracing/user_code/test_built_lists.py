"""Lists that are left alone, and where the others are seen by somebody."""

import gast
import pytest

from srcgrad.tracing.user_code.built_lists import LIST_IS_SEEN, lists_in


@pytest.mark.parametrize(
    "text",
    [
        "out = []\nfor v in x:\n    if v > 0: out.append(v)\nreturn np.array(out)",
        "out = []\nfor v in x:\n    out.append(v)\nreturn [f(out) for _ in x]",
        "out = []\nfor v in x:\n    out.append(v)\n    f(out)\nreturn np.array(out)",
        "out = [*x]\nfor v in x:\n    out.append(v)\nreturn np.array(out)",
        "for v in x:\n    out.append(v)\nout = []\nreturn np.array(out)",
    ],
)
def test_a_list_that_somebody_may_see_is_left_alone(text):
    body = "\n".join(f"    {line}" for line in text.splitlines())
    definition = gast.parse(f"def f(x, f):\n{body}").body[0]
    assert lists_in(definition) == {}


@pytest.mark.parametrize(
    ("rest", "flags"),
    [
        ("return np.array(out)", [(False, False)]),
        ("return out", [(False, False), LIST_IS_SEEN]),
        ("return out[-1] + out[0]", [(True, False)]),
        ("return sum([v for v in out])", [(False, False)]),
        ("out.append(v)\nreturn f(out)", [(False, False), LIST_IS_SEEN]),
        ("out = f(out)\nreturn out, out", [(False, False)]),
        ("a, out = f(out), 1.0\nreturn out, out", [(False, False)]),
        ("out[0] = 1.0\nreturn f(x, out)", [(False, False), LIST_IS_SEEN]),
        ("return f(out=out)", [(False, False), LIST_IS_SEEN]),
        ("return f(*out)", [(False, False), LIST_IS_SEEN]),
    ],
)
def test_where_a_list_is_seen(rest, flags):
    text = f"out = []\nfor v in x:\n    out.append(v)\n{rest}"
    body = "\n".join(f"    {line}" for line in text.splitlines())
    definition = gast.parse(f"def f(x, f):\n{body}").body[0]
    assert [found for found in lists_in(definition).values() if found] == flags


@pytest.mark.parametrize("head", ["for v in x:\n    if v > 0: break", "while f(x):"])
def test_a_loop_that_may_end_at_any_time(head):
    text = f"out = []\n{head}\n    out.append(v)\nreturn f(out)"
    body = "\n".join(f"    {line}" for line in text.splitlines())
    definition = gast.parse(f"def f(x, f):\n{body}").body[0]
    assert (False, True) in lists_in(definition).values()
