"""What is measured between two calls is counted to the statement that ran there."""

import contextlib
import tracemalloc

import numpy as np
import pytest

from srcgrad.tracing.report.stopwatch import (
    OVER,
    TELL,
    Scales,
    Stopwatch,
    instrumented,
    own_time,
)

# Each `spend` is for the time of its line; beside it what is to be found.
PROGRAMS = {
    "lines": """
def forward():
    spend(3)                    # 3 x1
    spend(spend(2) or 1)        # 3 x1
    return spend(5)             # 5 x1
""",
    "a loop": """
def forward():
    for k in spending(4, 2):    # 8 x5
        spend(3)                # 12 x4
        for j in spending(k):   # 0 x10
            spend(1)            # 6 x6
    spend(1)                    # 1 x1
""",
    "tests": """
def forward():
    n = 3                       # 0 x1
    while spend(2) or n:        # 8 x4
        n -= 1                  # 0 x3
        if spend(5) or n == 1:  # 15 x3
            spend(10)           # 10 x1
        elif n == 0:            # 0 x2
            spend(100)          # 100 x1
        else:
            spend(1000)         # 1000 x1
""",
    "breaks": """
def forward():
    while True:                 # 0 x1
        spend(1)                # 1 x1
        if True:                # 0 x1
            break               # 0 x1
    else:
        spend(7)
    for k in spending(2):       # 0 x1
        spend(1)                # 1 x1
        return                  # 0 x1
""",
    "a context": """
def forward():
    with context():             # 4 x1
        spend(2)                # 2 x1
""",
    "functions inside count to the line that calls them": """
def forward():
    def inner(n):               # 0 x1
        spend(n)
        return n
    return inner(2)             # 2 x1
""",
    "a docstring is no statement": """
def forward():
    '''Spend nothing.'''
    spend(1)                    # 1 x1
""",
    "errors": """
def forward():
    spend(1)                    # 1 x1
    raise ValueError            # 0 x1
""",
}


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now

    def spend(self, time):
        self.now += time

    def spending(self, count, time=0):
        for k in range(count):
            self.spend(time)
            yield k

    def __enter__(self):
        self.spend(4)

    def __exit__(self, *_):
        pass


def expected(text):
    for line, code in enumerate(text.split("\n"), 1):
        if "#" in code:
            spent, runs = code.partition("#")[2].split()
            yield line, (int(spent), int(runs.removeprefix("x")))


def run(text):
    clock = Clock()
    names = {"spend": clock.spend, "spending": clock.spending}
    watch = Stopwatch(clock)
    names["context"] = lambda: clock
    space = instrumented(text, "<test>", names, watch.at)
    with contextlib.suppress(ValueError):
        space["forward"]()
    return watch


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_statement_has_the_time_and_the_runs_that_it_takes(name):
    watch = run(PROGRAMS[name])
    found = {k: (watch.spent[k], n) for k, n in watch.runs.items() if k != OVER}
    assert found == dict(expected(PROGRAMS[name]))


def test_what_comes_after_a_function_is_no_statements():
    clock = Clock()
    watch = Stopwatch(clock)
    space = instrumented(
        "def forward():\n    spend(1)\n", "f", {"spend": clock.spend}, watch.at
    )
    space["forward"]()
    clock.spend(50)
    space["forward"]()
    assert watch.spent == {OVER: 50, 2: 2}


def test_what_is_called_may_be_another_at_each_run():
    told = []
    space = instrumented("def forward():\n    return 1\n", "f", {}, print)
    space[TELL] = told.append
    space["forward"]()
    assert told == [2, OVER]


def test_errors_name_the_lines_of_the_module():
    space = instrumented("def forward():\n    x = 1\n    return x / 0\n", "f", {}, id)
    with pytest.raises(ZeroDivisionError) as caught:
        space["forward"]()
    assert caught.traceback[-1].lineno + 1 == 3


def test_the_time_of_what_does_nothing_is_known():
    assert own_time(Clock()) == 0
    clock = Clock()

    def ticking():
        clock.spend(3)
        return clock.now

    assert own_time(ticking) == 3


MEMORY = """
def forward():
    a = np.ones(100_000)
    b = np.exp(a + 1.0) * 2.0
    del a
    for _ in range(3):
        c = np.ones(50_000)
    return b
"""


def test_a_statement_has_the_memory_that_it_takes_and_keeps():
    tracemalloc.start()
    try:
        scales = Scales()
        space = instrumented(MEMORY, "f", {"np": np}, scales.at)
        space["forward"]()
    finally:
        tracemalloc.stop()
    array, about = 800_000, {"rel": 0.01, "abs": 300}
    found = {line: (scales.taken[line], scales.kept[line]) for line in range(3, 8)}
    assert found[3] == pytest.approx((array, array), **about)
    assert found[4] == pytest.approx((2 * array, array), rel=0.51)
    assert scales.kept[4] == pytest.approx(array, **about)
    assert found[5] == pytest.approx((0, -array), **about)
    # Each of the three is made while the one before is there.
    assert found[7] == pytest.approx((1.5 * array, 0.5 * array), **about)
    assert scales.most == pytest.approx(scales.taken[4] + array, **about)


def test_what_measures_memory_takes_none():
    tracemalloc.start()
    try:
        scales = Scales()
        text = "def forward():\n" + 50 * "    pass\n"
        instrumented(text, "f", {}, scales.at)["forward"]()
    finally:
        tracemalloc.stop()
    assert {scales.taken[line] for line in range(2, 52)} == {0}
    assert {scales.kept[line] for line in range(2, 52)} == {0}
