"""What a function does beside computing happens once a call, in the same order."""

import contextlib
import io
import logging
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.outside.objects import Twins
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.watching.effects import Action, Effects, as_told
from tests.tracing.comparing import outcome, plain

X = np.array([0.1, 0.2, 0.3])
logger = logging.getLogger(__name__)


class Records(logging.Handler):
    """Collects what is logged, and from where."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def emit(self, record):
        place = record.filename, record.lineno, record.funcName
        self.seen.append((record.levelname, record.getMessage(), *place))


@contextlib.contextmanager
def told():
    """What is printed, logged and warned about, with the lines."""
    story, out, handler = [], io.StringIO(), Records()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as w:
            warnings.simplefilter("always")
            yield story
    finally:
        logger.removeHandler(handler)
    story += [out.getvalue(), handler.seen]
    story += [(each.category, str(each.message), each.lineno) for each in w]


def state_of(item):
    """What the world is like: attributes of objects, contents of containers."""
    if isinstance(item, SimpleNamespace | Model | Slots):
        names = getattr(item, "__slots__", None) or [*vars(item)]
        return {n: state_of(getattr(item, n)) for n in names if hasattr(item, n)}
    if isinstance(item, dict):
        return {key: state_of(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [state_of(each) for each in item]
    return plain(item)


class Model:
    """What a user's model is like."""

    def __init__(self):
        self.W = np.array([1.0, 2.0, 3.0])
        self.last, self.best, self.history = None, np.inf, []
        self.settings = {"rate": 0.5}


class Slots:
    __slots__ = ("last", "rate")

    def __init__(self):
        self.rate = 2.0


def keeps_state(m, x):
    m.last = np.tanh(m.W * x)
    m.history.append(float(np.sum(m.last)))
    m.settings["seen"] = m.last[0]
    return np.sum(m.last * x)


def reads_what_it_wrote(m, x):
    m.total = np.sum(x)
    m.total = m.total * 2.0
    m.total += x[0]
    m.history.append(m.total)
    m.history += [x, {"x": x}]
    m.settings["scale"] = m.total
    m.settings["scale"] *= 2.0
    return m.settings["scale"] * m.total


def prints_all_kinds(m, x):
    y = x * m.W
    print("y", y, np.sum(y), sep="=", end=";\n")
    print(f"{np.sum(y):.3f} {y[0]!s} {y} {len(y)} {np.sum(y):{8}.{2}f}")
    print("%.2f and %s" % (np.sum(y), y))  # noqa: UP031
    print("{:.2f} {k}".format(y[1], k=np.sum(y)))  # noqa: UP032
    print(str(np.sum(y)) + "!", repr(y[0]), format(y[1], ".2f"))
    print([1, "a", None], m.settings)
    print()
    return np.sum(y)


def tells_what_is_then(m, x):
    h = np.zeros(3)
    print(h, m.history)
    h[0] = x[0]
    print(h, h[0])
    h *= 2.0
    items = [1]
    print(h, items)
    items.append(2)
    print(items)
    return np.sum(h * x)


def logs_and_warns(m, x):
    value = np.sum(x * x)
    logger.info("value %.3f of %s", value, x.shape)
    logger.debug("not seen")
    if value > 0.0:
        warnings.warn("positive", UserWarning)  # noqa: B028
    logging.getLogger(__name__).warning(f"{value:.2f}")
    return value


def keeps_a_slot(m, x):
    m.last = x * m.rate
    return np.sum(m.last)


def keeps_what_it_makes(m, x):
    buffer = np.zeros(3)
    buffer[1] = x[1]
    m.last = buffer
    rows = [x * 2.0]
    m.rows = rows
    rows.append(buffer)
    buffer[2] = 5.0
    return np.sum(x * buffer)


def keeps_arguments(m, x):
    m.x, m.y = x, (x, m.W, m.settings)
    m.settings["W"], (m.first, *m.others) = m.W, x
    return np.sum(x)


def keeps_nothing_before_an_error(m, x):
    m.history.append(1)
    print("once")
    if np.sum(x) > 1.0:
        raise ValueError(f"too much: {np.sum(x):.2f}")
    np.linalg.cholesky(np.eye(3) * x[0])
    m.history.append(2)
    return np.sum(x)


PROGRAMS = [keeps_state, reads_what_it_wrote, prints_all_kinds, tells_what_is_then]
PROGRAMS += [logs_and_warns, keeps_what_it_makes, keeps_arguments]
CALLS = (X, X * 2.0, X, X * 3.0, -X, X)


def assert_same_story(function, make, calls, of=lambda x: x):
    traced = srcgrad.trace(function)
    ours, theirs = make(), make()
    for x in calls:
        with told() as our_story:
            our_outcome = outcome(traced, ours, of(x))[0]
        with told() as their_story:
            their_outcome = outcome(function, theirs, of(x))[0]
        assert our_outcome == their_outcome
        assert state_of(ours) == state_of(theirs)
        assert our_story == their_story
    return traced


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_happens_as_untraced(function):
    traced = assert_same_story(function, Model, CALLS)
    assert traced.stats.compiled >= 3, traced.explain()


def test_nothing_happens_twice_before_an_error():
    traced = assert_same_story(keeps_nothing_before_an_error, Model, CALLS)
    assert traced.stats.compiled >= 2, traced.explain()


def test_attributes_in_slots_are_set():
    traced = assert_same_story(keeps_a_slot, Slots, CALLS)
    assert traced.stats.compiled == 5


def keeps_variables(m, x):
    m.last = np.tanh(m.W * x)
    m.settings["seen"] = m.last[0]
    return np.sum(m.last * x)


VARIABLES = [keeps_variables, reads_what_it_wrote, keeps_arguments]


@pytest.mark.parametrize("function", VARIABLES, ids=lambda f: f.__name__)
def test_variables_are_kept_with_their_graph(function):
    def of(x):
        return Variable(x.copy(), requires_grad=True)

    traced = assert_same_story(function, Model, CALLS[:3], of)
    assert traced.stats.compiled == 2
    for f in (function, traced):
        model, x = Model(), of(X)
        f(model, x)
        kept = model.last if model.last is not None else model.history or [model.x]
        kept = kept if isinstance(kept, Variable) else kept[0]
        np.sum(kept * kept).backward()
        found = x.grad.data
        if f is function:
            expected = found
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_gradient_transforms_have_the_effects_too():
    traced = srcgrad.value_and_grad(srcgrad.trace(keeps_state), argnums=1)
    model = Model()
    for count in range(1, 4):
        traced(model, X)
        assert len(model.history) == count
        assert type(model.history[-1]) is float
        assert type(model.last) is np.ndarray


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


class Counts:
    def __init__(self):
        self.n, self.log = 0, []

    def step(self, x):
        self.n += 1
        self.log.append(float(np.sum(x)))
        pair = Pair(x * 2.0, [x[0], self.n])
        return pair, self, self.log, f"step {self.n}: {np.sum(x):.2f}", self.n


def test_objects_and_texts_are_given_back():
    counts = Counts()
    traced = srcgrad.trace(counts.step)
    for k in range(1, 5):
        pair, itself, log, text, n = traced(X * k)
        assert type(pair) is Pair
        np.testing.assert_array_equal(pair.first, 2.0 * X * k)
        assert pair.second == [X[0] * k, k]
        assert itself is counts
        assert log is counts.log
        assert len(log) == n == k
        assert text == f"step {k}: {np.sum(X * k):.2f}"
    assert traced.stats.compiled == 3
    v = Variable(X.copy(), requires_grad=True)
    for k in range(1, 4):
        traced(v)[0].second[0].backward()
        np.testing.assert_array_equal(v.grad.data, [k, 0.0, 0.0])


def test_errors_of_an_effect_are_the_users_and_come_once():
    class Full(list):
        pass

    class Picky:
        def __str__(self):
            raise RuntimeError("no text")

    picky, log = Picky(), []

    def tells(x):
        log.append(x[0])
        print(picky)
        log.append(x[1])
        return np.sum(x)

    traced = srcgrad.trace(tells)
    for count in range(1, 4):
        with pytest.raises(RuntimeError, match="no text"):
            traced(X)
        assert len(log) == count


def test_the_source_tells_what_is_done():
    traced = srcgrad.trace(keeps_state)
    traced(Model(), X)
    head = traced.source().split('"""')[1]
    assert "When forward is done, in this order:" in head
    assert "m.history.append(float(np.sum(m.last)))" in head


def test_what_is_told_is_a_copy():
    array = np.zeros(2)
    kept = as_told(([array], {"a": array}))
    array[0] = 1.0
    assert kept[0][0][0] == kept[1]["a"][0] == 0.0
    with pytest.raises(Refusal):
        as_told([Variable(array)])


def test_objects_are_found_again():
    effects, place = Effects(), object()
    held = []
    effects.add(Action(setattr, ((place, None),), ""), ("x", [1, (2.5,)]), {})
    effects.close(
        lambda item: None, lambda where, item: held.append(where) or 0, Twins(None)
    )
    for number in range(2):
        target = SimpleNamespace()
        effects.perform([float(number)], [target])
        assert target.x == [1, (2.5,)]
    assert held == [place]


def takes_things_out(m, x):
    m.history.append(float(x[0]))
    del m.history[:-2]
    m.y = x * 2.0
    value = np.sum(m.y) * (1.0 if hasattr(m, "y") else 2.0)
    del m.y
    m.settings["rate"] = m.settings.pop("rate") * 0.5
    return value * (1.0 if hasattr(m, "y") else 2.0)


def test_what_is_taken_out_is_taken_out_once():
    traced = assert_same_story(takes_things_out, Model, CALLS)
    assert traced.stats.compiled == 5, traced.explain()
