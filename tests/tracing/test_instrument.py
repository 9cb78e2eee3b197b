"""What cannot be instrumented, and so is not compiled: it happens at each call."""

import pytest

import srcgrad
from tests.tracing.comparing import X, refused_with_the_line

counter = 0


class Counter:
    count = 0


def sets_global(x):
    global counter
    counter += 1
    return x * 2.0


def sets_attribute(box, x):
    box.count += 1
    return x * 2.0


def tries(x):
    try:
        return x[5] * 2.0
    except IndexError:
        return x * 3.0


def imports(x):
    import math

    return x * math.pi


def defines_a_class(x):
    class Local:
        k = 2.0

    return x * Local.k


def yields_inside(x):
    def rows():
        yield x[0]
        yield x[1]

    return sum(rows())


REFUSED = {
    sets_global: "global counter: rebinds a global name",
    tries: "try:: has a `try` statement",
    imports: "import math: imports inside the function",
    defines_a_class: "class Local:: defines a class",
    yields_inside: "yield x[0]: is a generator",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_the_line(function):
    refused_with_the_line(function, REFUSED[function])


def test_globals_are_set_once_a_call():
    global counter
    counter = 0
    traced = srcgrad.trace(sets_global)
    for _ in range(3):
        traced(X)
    assert counter == 3


def test_attributes_are_set_once_a_call():
    box, traced = Counter(), srcgrad.trace(sets_attribute)
    for _ in range(3):
        traced(box, X)
    assert box.count == 3
    assert "changes the attribute `count` of an object" in traced.explain()
