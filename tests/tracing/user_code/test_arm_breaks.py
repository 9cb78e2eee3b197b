"""Loops that end by a ``break``, in an arm too: one trace for each way out."""

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.user_code.arm_breaks import break_later


def check(function, calls):
    """Compare values and gradients with Python's and the tape's; how many compiled."""
    ours, tapes = (srcgrad.value_and_grad(function, argnums=(0, 1)) for _ in range(2))
    for x, n in calls:
        value, slopes = ours(x, n)
        np.testing.assert_allclose(value, function(x, n), rtol=1e-12)
        with srcgrad.set_stance("tape"):
            expected = tapes(x, n)[1]
        for mine, theirs in zip(slopes, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-14)
    return ours


def flagged(text):
    function = gast.parse(f"def f(x, s):\n    for v in x:\n{text}\n    return s").body[
        0
    ]
    before = gast.unparse(function)
    break_later(function)
    after = gast.unparse(function)
    return None if before == after else after


STAY = {
    "one test": "        if v > s: break",
    "a call that may do anything": "        if v > s:\n            v.sort\n"
    "            if s: break\n            del s",
    "what would be there twice": "        if v > s:\n"
    "            if v:\n                if s: break\n            s = v\n",
    "a loop": "        if v > s:\n            for w in v:\n                break",
    "an error that is caught": "        if v > s:\n            try:\n"
    "                break\n            except E: pass",
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_what_it_cannot_tell_stays_as_it_is(text):
    assert flagged(text) is None


def test_the_flag_has_a_name_of_its_own():
    text = "        if v > s:\n            stop = v\n            if stop: break"
    assert "stop_ = stop\n" in flagged(text)


# ----- Random ones -----
TESTS = "v > 0.3;v < -0.4;s > 1.2;v * s < 0.1;s < t and v > 0.0;not flag;flag".split(
    ";"
)
VALUES = "v;s * v;0.5 * t;v * v;np.sin(v);t + v".split(";")
HEADS = "v in x;v in 2.0 * x;v, t in zip(x, x[::-1]);i, v in enumerate(x)".split(";")


def random_block(rng, margin, depth):
    lines = []
    for _ in range(rng.integers(1, 4)):
        if depth < 3 and rng.random() < 0.45:
            lines.append(f"{margin}if {rng.choice(TESTS)}:")
            lines += random_block(rng, margin + "    ", depth + 1)
            if rng.random() < 0.4:
                lines.append(f"{margin}else:")
                lines += random_block(rng, margin + "    ", depth + 1)
        else:
            name = rng.choice(["s = s +", "s = s - 0.3 *", "t = 0.2 +", "s +="])
            lines.append(f"{margin}{name} {rng.choice(VALUES)}")
            if rng.random() < 0.2:
                flag = rng.choice(["True", "False", *TESTS])
                lines.append(f"{margin}flag = {flag}")
    if depth and rng.random() < 0.5:
        ends = "break", "break", "break", "continue", "return s * 2.0 + t"
        lines.append(f"{margin}{rng.choice(ends)}")
    return lines


@pytest.mark.seeds(12)
def test_loops_full_of_breaks(seed, tmp_path):
    rng = np.random.default_rng(seed)
    lines = ["import numpy as np", "def f(x, t):", "    s, flag = 0.2, False"]
    lines += [f"    for {rng.choice(HEADS)}:", *random_block(rng, "        ", 0)]
    lines += ["    else:", "        s = s * t"] * int(rng.random() < 0.3)
    lines += ["    if flag:", "        s = s * 1.5", "    return s + 0.3 * t + 0.1 * v"]
    path = tmp_path / "program.py"
    path.write_text("\n".join(lines))
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    scales = (0.4, 1.0, 0.2, 2.0, 0.4, 0.0, 1.0)
    calls = [(scale * rng.normal(size=9), rng.random()) for scale in scales]
    check(namespace["f"], calls)
