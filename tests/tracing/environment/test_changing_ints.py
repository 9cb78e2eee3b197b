"""Integers that change from call to call: counters, step numbers, lengths."""

import pytest

from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Argument
from srcgrad.tracing.environment.symbolic import as_seen


class Notes:
    def __init__(self):
        self.texts = []

    def require(self, condition):
        self.texts.append(condition.text)

    def pin(self, reference, value):
        self.require(conditions.equals(reference, value))

    def taken(self, reference, value):
        self.texts.append(reference.text)
        return value


FLOAT = ["`n` was small enough to be a float", "float(n)"]
SAME = [
    (lambda n: n + 1, []),
    (lambda n: 7 - 2 * (n % 3) // 2, []),
    (lambda n: -n, []),
    (lambda n: n * 0.5, FLOAT),
    (lambda n: 1 / n, FLOAT),
    (lambda n: 0.5**n, FLOAT),
    (lambda n: n**2, ["`n` was 5"]),
    (lambda n: n > 3, ["`n > 3` was True"]),
    (lambda n: n % 2 == 0, ["`n % 2 == 0` was False"]),
    (lambda n: not n, ["`n != 0` was True"]),
    (lambda n: n < 2.5, ["`n < 2.5` was False"]),
    (lambda n: [1, 2] * n, ["`n` was 5"]),
    (lambda n: list(range(n)), ["`n` was 5"]),
    (lambda n: "abcdefg"[n + 1], ["`n + 1` was 6"]),
    (lambda n: divmod(n, 2), ["`n` was 5"]),
    (lambda n: abs(n), ["`n` was 5"]),
    (lambda n: n.bit_length(), ["`n` was 5"]),
    (lambda n: {5: 1}[n], ["`n == 5` was True", "`n` was 5"]),
    (lambda n: n & 4, ["`n` was 5"]),
    (lambda n: n == "5", ["`n` was 5"]),
    (lambda n: n < float("inf"), ["`n` was 5"]),
]


@pytest.mark.parametrize("number", range(len(SAME)))
def test_it_is_looked_at_only_where_python_depends_on_it(number):
    formula, looks = SAME[number]
    notes = Notes()
    found = formula(FollowedInt(Argument("n", 0), 5, notes))
    # To divide, or to look up, Python may ask more than once.
    assert sorted({*notes.texts}) == sorted({*looks})
    assert as_seen(found) == formula(5)
    assert type(as_seen(found)) is type(formula(5))
