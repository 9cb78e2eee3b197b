"""An operation is the model's only if it does the same, of what has the same place."""

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.modes import set_grad_enabled
from srcgrad.steps import Guard, Node, Value
from srcgrad.tracing.graphs.repeats import repeat_of

F8 = np.dtype(float)
X, H, C = Value((), F8, "x"), Value((), F8, "h"), Value((), F8, "c")
RAWS = {X: np.float64(2.0), H: np.float64(1.0), C: np.float64(0.5)}


class Writer:
    """The tables of a run, of which all is off the tape."""

    def current_location(self):
        return None

    def is_written(self, operand, value):
        return operand.value is RAWS[value]


def off_tape(raw):
    return Variable.make(raw, None)


def iterations(steps, count=3):
    """``h = 0.5 * h * x`` or so; and what the Values were."""
    found, raws, h = [], dict(RAWS), H
    for _ in range(count):
        values = [Value((), F8, kind="scalar") for _ in range(2)]
        found.append(steps(h, *values))
        raws[values[0]] = 0.5 * raws[h]
        raws[values[1]] = raws[values[0]] * raws[X]
        h = values[1]
    return found, raws


def plain(h, t, new):
    return [Node(np.multiply, (0.5, h), out=t), Node(np.multiply, (t, X), out=new)]


def begun():
    """A repeat, and the last value of what is carried."""
    found, raws = iterations(plain)
    repeat = repeat_of(found, raws, {}, (), 6)
    return repeat, raws[found[-1][1].out]


def test_an_iteration_like_the_model_is_taken():
    repeat, h = begun()
    t, x = np.float64(0.5 * h), RAWS[X]
    assert repeat.takes(np.multiply, (0.5, off_tape(h)), off_tape(t), Writer())
    assert not repeat.turns()
    new = np.float64(t * x)
    assert repeat.takes(
        np.multiply, (off_tape(t), off_tape(x)), off_tape(new), Writer()
    )
    assert repeat.turns()
    assert [raw for raw, _ in repeat.computed(1)] == [t, new]
    assert repeat.holds(t)
    assert not repeat.holds(x)


@pytest.mark.parametrize(
    ("function", "number", "is_carried", "kind"),
    [
        (np.divide, 0.5, True, np.float64),
        (np.multiply, 0.25, True, np.float64),
        (np.multiply, np.float64(0.5), True, np.float64),
        (np.multiply, 0.5, False, np.float64),
        (np.multiply, 0.5, True, np.float32),
        (np.multiply, 0.5, True, np.array),
    ],
)
def test_another_operation_is_not_taken(function, number, is_carried, kind):
    repeat, h = begun()
    operand = off_tape(h if is_carried else np.float64(h))
    out = off_tape(kind(0.5 * h))
    assert not repeat.takes(function, (number, operand), out, Writer())


def test_another_grad_mode_or_number_of_operands_is_not_the_same():
    repeat, h = begun()
    out = off_tape(np.float64(0.5 * h))
    assert not repeat.takes(np.multiply, (0.5, off_tape(h), 1), out, Writer())
    with set_grad_enabled(False):
        assert not repeat.takes(np.multiply, (0.5, off_tape(h)), out, Writer())


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (2, 2.0), (1, True)])
def test_numbers_are_the_same_to_the_sign_of_zero(one, other):
    numbers = iter([one, one, other])
    found, raws = iterations(
        lambda h, t, new: [
            Node(np.multiply, (next(numbers), h), out=t),
            Node(np.multiply, (t, X), out=new),
        ]
    )
    assert repeat_of(found, raws, {}, (), 6) is None


def guarded(h, t, new):
    return [Guard(h, bool, True), *plain(h, t, new)]


def with_option(h, t, new):
    node = Node(np.sum, (h,), {"axis": None}, out=t)
    return [node, Node(np.multiply, (t, X), out=new)]


def with_constant(h, t, new):
    return [Node(np.multiply, (C, h), out=t), Node(np.multiply, (t, X), out=new)]


@pytest.mark.parametrize("steps", [guarded, with_option, with_constant])
def test_only_plain_operations_repeat(steps):
    found, raws = iterations(steps)
    assert repeat_of(found, raws, {}, {C}, 6) is None
