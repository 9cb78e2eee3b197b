"""What `contextlib` makes is followed, or the call stays on the tape."""

import contextlib

import srcgrad

names = []


class Timer:
    @contextlib.contextmanager
    def running(self, name):
        names.append(name)
        yield len(names)
        names.append(f"{name} ends")


timer = Timer()


def test_a_method_that_is_a_context_manager():
    @srcgrad.trace
    def f(x):
        with timer.running("a"):
            return x * 2.0

    names.clear()
    for _ in range(4):
        f(1.0)
    assert names == ["a", "a ends"] * 4


def test_an_error_by_value_is_suppressed_as_long_as_it_comes():
    @srcgrad.trace
    def f(x):
        with contextlib.suppress(ZeroDivisionError):
            x = 2.0 / (x - 1.0)
        return x

    for value in (1.0, 1.0, 3.0, 1.0, 3.0, 2.0):
        assert f(value) == (1.0 if value == 1.0 else 2.0 / (value - 1.0))
    assert f.stats.compiled == 4, f.explain()
