"""A deque from outside does what it does, and its changes are noted."""

from collections import deque

import pytest

from srcgrad.tracing.outside.places import Known
from srcgrad.tracing.outside.queues import deque_like
from tests.tracing.outside.test_containers import Notes


def change(look):
    notes = Notes()
    item = deque([1, 2, 3], maxlen=4)
    found = look(deque_like(Known("q", item), item, notes))
    assert item == deque([1, 2, 3], maxlen=4)  # not yet
    for function, args in notes.changes:
        function(item, *args)
    return found, item


def both(*looks):
    def run(q):
        return [look(q) for look in looks] + [list(q), len(q), bool(q)]

    return run


PROGRAMS = [
    both(lambda q: q.append(4), lambda q: q.append(5), lambda q: q[0]),
    both(lambda q: q.popleft(), lambda q: q.pop(), lambda q: q[-1]),
    both(lambda q: q.appendleft(0), lambda q: q.extend([7, 8]), lambda q: 7 in q),
    both(lambda q: q.rotate(1), lambda q: q.__setitem__(-1, 9), lambda q: q.count(9)),
    both(lambda q: q.clear(), lambda q: q == deque()),
    both(lambda q: q < deque([2]), lambda q: list(reversed(q)), lambda q: q.index(3)),
    both(lambda q: q.copy().maxlen, lambda q: repr(q)),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_it_gives_and_becomes(number):
    own = deque([1, 2, 3], maxlen=4)
    assert change(PROGRAMS[number]) == (PROGRAMS[number](own), own)


@pytest.mark.parametrize(
    ("look", "error"),
    [(lambda q: q[7], IndexError), (lambda q: q[0:1], TypeError)],
)
def test_errors(look, error):
    with pytest.raises(error):
        change(look)
