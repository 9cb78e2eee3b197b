"""Lists that are left alone, for somebody may see them."""

import gast
import pytest

from srcgrad.tracing.user_code.filled_lists import lists_in


@pytest.mark.parametrize(
    "text",
    [
        "out = []\nfor v in x:\n    if v > 0: out.append(v)\nreturn np.array(out)",
        "out = []\nfor v in x:\n    out.append(v)\n    if v > 0: break\nreturn f(out)",
        "out = []\nfor v in x:\n    out.append(v)\nreturn out",
        "out = []\nfor v in x:\n    out.append(v)\nreturn [f(out) for _ in x]",
        "out = []\nfor v in x:\n    out.append(v)\n    f(out)\nreturn np.array(out)",
        "out = []\nfor v in x:\n    out.append(v)\nout.append(v)\nreturn f(out)",
        "out = [*x]\nfor v in x:\n    out.append(v)\nreturn np.array(out)",
        "for v in x:\n    out.append(v)\nout = []\nreturn np.array(out)",
    ],
)
def test_a_list_that_somebody_may_see_is_left_alone(text):
    body = "\n".join(f"    {line}" for line in text.splitlines())
    definition = gast.parse(f"def f(x, f):\n{body}").body[0]
    assert lists_in(definition) == set()
