"""A `match` that is written as `if` and `elif` chooses and binds as Python does."""

from dataclasses import dataclass

import pytest

import srcgrad


@dataclass
class Point:
    x: float
    y: float = 0.0


def chosen(subject):
    match subject:
        case Point(x=0.0, y=y) | (0, y):
            return "on the axis", y
        case Point(x, y) if x == y:
            return "equal", x
        case [first, *middle, last]:
            return "many", first, middle, last
        case {"kind": str(kind), 1: None, **rest}:
            return kind, rest
        case {}:
            return "mapping", len(subject)
        case int(n) | [n]:
            return "one", n
        case True | None | -1.5 | "text":
            return "constant", subject
        case _ as other:
            return "other", type(other).__name__


SUBJECTS = (
    *(
        Point(0.0, 2.0),
        Point(1.0, 1.0),
        Point(1.0, 2.0),
        (0, 5),
        [0, 5],
        (1,),
        [1, 2, 3],
    ),
    *({"kind": "a", 1: None, "b": 2}, {"kind": 1, 1: None}, {}, 3, True, None, "text"),
    *("", b"ab", range(2), 1.5, -1.5, ()),
)


@pytest.mark.parametrize("number", range(len(SUBJECTS)))
def test_chosen_as_untraced(number):
    traced = srcgrad.trace(lambda subject, x: (chosen(subject), x * 2.0))
    for _ in range(3):
        assert traced(SUBJECTS[number], 1.0) == (chosen(SUBJECTS[number]), 2.0)
    assert traced.stats.compiled == 2, traced.explain()
