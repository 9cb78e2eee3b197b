"""Loops that end by a ``break``, in an arm too: one trace for each way out."""

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.user_code.arm_breaks import break_later

LENGTH = 24


def along_an_array(x, n):
    for v in x:
        n = n + v * v
        if n > 3.0:
            break
    return n


def after_others(x, n):
    for v, w in zip(x, x[::-1], strict=True):
        if v > 0.0:
            n = n + v * w
            if n * n > 4.0:
                break
        else:
            n = n - 0.1 * v
    return n


def with_code_in_the_arm(x, n):
    for v in x:
        if v > 1.5:
            n = n * 2.0 + v
            break
        n = n + v
    return n


def behind_a_continue(x, n):
    for v in x:
        if v < 0.0:
            continue
        n = n + v * v
        if n > 4.0:
            break
    return n


def in_a_second_arm(x, n):
    for row in np.stack([x, x * x], axis=1):
        if row[0] < -1.0:
            n = n * 0.5
        elif n > 2.0 and row[1] > 0.5:
            n = n + row[0]
            break
        else:
            n = n + row[1]
    return n


def in_a_while(x, n):
    i = 0
    while i < 24:
        if x[i] > 0.0:
            n = n + x[i]
            if n > 3.0:
                break
        i += 1
    return n


def by_a_flag_of_the_user(x, n):
    for v in x:
        done = False
        if v > 0.5:
            n = n + v
            done = n > 3.0
        if done:
            break
    return n


def found_or_not(x, n):
    for v in x:
        if v > n * n + 1.0:
            break
        n = n + 0.1 * v
    else:
        n = n * 3.0
    return n + v


def returns_in_it(x, n):
    for v in x:
        n = n + v * v
        if n > 4.0:
            return n * v
    return n


def uses_the_number_in_the_arm(x, n):
    for i, v in enumerate(x):
        if v > 1.5:
            n = n * 2.0 + i
            break
        n = n + v
    return n


def reads_on_in_the_arm(x, n):
    for i in range(1, 23):
        if x[i] > n * n + 1.0:
            n = n + x[i] * x[i + 1]
            break
        n = n + 0.1 * x[i - 1]
    return n


def within_another(x, n):
    for k in range(3):
        for v in x:
            if v > n + k:
                break
            n = n + 0.1 * v
        n = n + v * 0.5
    return n


def within_a_while(x, n):
    while n < 20.0:
        for i in range(len(x)):
            v = x[i]
            if v > 0.1 * n:
                break
            n = n + 0.2
        n = n + v * v + 1.0
    return n


def finds_the_first(x, n):
    i = 0
    while x[i] < n and i < 23:
        i += 1
    return x[i] * n + x[i - 1]


def is_strict(x, n):
    for v, w in zip(x, x[2:], strict=True):
        n = n + v * w
        if n > 1.0:
            break
    return n


def looks_at_the_flag(x, n):
    for v in x:
        done = False
        if v > 0.5:
            n = n + v
            done = n > 3.0
        n = n + 0.1 * len(str(done))
        if done:
            break
    return n


PROGRAMS = (
    *(along_an_array, after_others, with_code_in_the_arm, behind_a_continue),
    *(in_a_second_arm, in_a_while, by_a_flag_of_the_user, found_or_not, returns_in_it),
)


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


OTHERS = (
    *(uses_the_number_in_the_arm, reads_on_in_the_arm, within_another),
    *(within_a_while, finds_the_first, looks_at_the_flag),
)


@pytest.mark.parametrize("function", [*PROGRAMS, *OTHERS])
def test_it_ends_where_python_does(function):
    rng = np.random.default_rng(1)
    scales = [0.4, 0.8, 0.4, 1.6, 0.6, 0.0] * 3
    calls = [(scale * rng.normal(size=LENGTH), rng.random()) for scale in scales]
    ours = check(function, calls)
    if function in PROGRAMS:
        # Where it ends, and that it does not: two ways, and one that begins otherwise.
        assert ours.stats.traces <= 3
        assert ours.stats.compiled >= 12, ours.explain()


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


def test_it_is_told_that_what_it_goes_along_ends_too_early():
    traced = srcgrad.trace(is_strict)
    for _ in range(3):
        with pytest.raises(ValueError, match="shorter"):
            traced(0.1 * np.ones(4), 0.5)
        traced(np.ones(4), 0.5)


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
