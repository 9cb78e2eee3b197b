import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.tape.function import has_edge
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.segments import recorded_batch
from srcgrad.tracing.refusal import Refusal


@pytest.fixture
def recorder():
    recorder = Recorder()
    with override(recorder=recorder):
        yield recorder


def given(recorder, array, name="x"):
    with override(recorder=None):
        variable = Variable(array, requires_grad=True)
    recorder.add_input(variable, name)
    return variable


def steps_of(recorder, *outs):
    graph = recorder.joint([recorder.writer.value_of(out) for out in outs], [], [])
    graph.lint()
    return str(graph).splitlines()


def test_the_steps_of_one_element_become_those_of_the_batch(recorder):
    x = given(recorder, np.arange(6.0).reshape(3, 2))
    (out,) = recorded_batch(recorder, lambda leaves: [np.exp(leaves[0])], [x], "f")
    assert out.shape == (3, 2)
    assert has_edge(out)
    np.testing.assert_array_equal(out.value, np.exp(x.value))
    assert steps_of(recorder, out) == ["t = exp(x)", "return t"]


def test_what_is_read_of_outside_stands_for_itself(recorder):
    x, w = given(recorder, np.ones((3, 2))), given(recorder, np.ones(2), "w")
    h = w * 2.0
    (out,) = recorded_batch(recorder, lambda leaves: [leaves[0] * h], [x], "f")
    steps = steps_of(recorder, out)
    assert steps == ["t = multiply(w, 2.0)", "t_1 = multiply(x, t)", "return t_1"]


def test_a_batch_of_constants_may_meet_what_is_recorded(recorder):
    x = given(recorder, np.arange(2.0))
    basis = np.eye(2)
    (out,) = recorded_batch(recorder, lambda leaves: [leaves[0] * x], [basis], "f")
    np.testing.assert_array_equal(out.value, np.diag([0.0, 1.0]))
    assert len(steps_of(recorder, out)) == 2


def test_names_are_those_of_the_function(recorder):
    x = given(recorder, np.ones((3, 2)))

    def element(leaves):
        h = np.sin(leaves[0])
        recorder.name("h", h)
        return [h + 1.0]

    (out,) = recorded_batch(recorder, element, [x], "f")
    assert steps_of(recorder, out)[0] == "h = sin(x)"


def test_what_is_no_variable_is_the_same_for_all(recorder):
    x = given(recorder, np.ones((3, 2)))
    out = recorded_batch(recorder, lambda leaves: [None, 2.0, leaves[0]], [x], "f")
    assert out[0] is None
    np.testing.assert_array_equal(out[1], [2.0, 2.0, 2.0])
    assert out[2].shape == (3, 2)


def test_what_has_been_taken_off_the_tape_stays_off(recorder):
    x, w = given(recorder, np.ones((3, 2))), given(recorder, np.ones(2), "w")

    def element(leaves):
        return [leaves[0] * w.detach() + leaves[0].detach() * w]

    (out,) = recorded_batch(recorder, element, [x], "f")
    np.testing.assert_array_equal(out.value, np.full((3, 2), 2.0))
    with override(recorder=None):
        out.backward(np.ones((3, 2)))
        np.testing.assert_array_equal(w.grad.data, [3.0, 3.0])
        np.testing.assert_array_equal(x.grad.data, np.ones((3, 2)))


def test_a_look_at_values_of_a_batch_is_refused(recorder):
    x = given(recorder, np.ones((3, 2)))
    with pytest.raises(Refusal, match="f: looks at values of a batch"):
        recorded_batch(recorder, lambda leaves: [bool(leaves[0][0] > 0.0)], [x], "f")


def test_a_look_at_what_all_share_is_a_guard(recorder):
    x, w = given(recorder, np.ones((3, 2))), given(recorder, np.array(2.0), "w")

    def element(leaves):
        return [leaves[0] * 2.0 if bool(w * 2.0 > 3.0) else leaves[0]]

    (out,) = recorded_batch(recorder, element, [x], "f")
    assert "guard bool(t_1) is True" in steps_of(recorder, out)


def test_what_an_element_leaves_behind_is_not_to_be_used(recorder):
    x = given(recorder, np.ones((3, 2)))
    left = []

    def element(leaves):
        left.append(np.exp(leaves[0]))
        return leaves

    recorded_batch(recorder, element, [x], "f")
    with pytest.raises(Refusal, match="left behind"):
        np.sin(left[0])


def test_what_changes_something_else_is_refused(recorder):
    x = given(recorder, np.ones((3, 2)))
    items = []

    def element(leaves):
        items.append(1)
        return leaves

    with pytest.raises(Refusal, match="leaves something behind"):
        recorded_batch(recorder, element, [x], "f", reached=items)


def test_what_has_no_rule_is_noted(recorder):
    x = given(recorder, np.ones((3, 4)))
    weights = np.array([0.5, 0.5])

    def element(leaves):
        return [np.convolve(leaves[0], weights)]

    recorded_batch(recorder, element, [x], "smooth")
    (note,) = recorder.notes
    assert note.startswith("smooth: convolve has no batching rule, and runs once for")


def test_what_depends_on_constants_alone_is_batched_too(recorder):
    (out,) = recorded_batch(
        recorder, lambda leaves: [np.flip(*leaves)], [np.eye(2)], "f"
    )
    np.testing.assert_array_equal(out.value, np.eye(2)[::-1])


def test_an_element_that_is_given_back_as_it_is(recorder):
    x, w = given(recorder, np.ones((3, 2))), given(recorder, np.ones(2), "w")

    def element(leaves):
        return [np.atleast_1d(leaves[0]) * 2.0 + np.atleast_1d(w)]

    (out,) = recorded_batch(recorder, element, [x], "f")
    np.testing.assert_array_equal(out.value, np.full((3, 2), 3.0))
    after = w * 3.0  # which is what it was
    assert "multiply(w, 3.0)" in steps_of(recorder, out, after)[-2]


def by_rows(x, w):
    for t in range(len(x)):
        w = np.tanh(w * x[t]) + 0.1 * w
    return np.sum(w)


def keeps(x, w):
    states = []
    for t in range(12):
        x = np.dot(w, x) / (t + 1) + np.cumsum(x)
        states.append(np.sum(x))
    return np.stack(states)


def nested(x, w):
    for _ in range(6):
        for row in w:
            x = np.sin(x * row) + x[::-1]
        x = x / np.sum(x * x)
    return x


def of_what_is_around(x, w):
    for t in range(40):
        w = np.cos(w) + t / 40
    return x * np.sum(w)


def writes(x, w):
    h = np.zeros(16)
    for t in range(16):
        h[t] = np.sum(x) * t
        x = np.tanh(w @ x)
    return h


@pytest.mark.parametrize(
    "function", [by_rows, keeps, nested, of_what_is_around, writes]
)
def test_the_loops_of_an_element_are_those_of_the_batch(function):
    rng = np.random.default_rng(0)
    shape = (3, 20, 4) if function is by_rows else (3, 4)
    batch = rng.normal(size=shape)
    w = rng.normal(size=(4,) if function is by_rows else (4, 4))
    wide = srcgrad.vmap(function, in_axes=(0, None))
    for k in range(4):
        found = wide(batch + k, w)
        expected = np.stack([function(x + k, w) for x in batch])
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert "\n    for " in wide.source()

    def loss(w, batch):
        return np.sum(srcgrad.vmap(function, in_axes=(0, None))(batch, w) ** 2)

    slope = srcgrad.grad(loss)
    for k in range(4):
        one = [srcgrad.grad(lambda w, x: np.sum(function(x, w) ** 2)) for _ in batch]
        expected = sum(each(w, x + k) for each, x in zip(one, batch, strict=True))
        np.testing.assert_allclose(slope(w, batch + k), expected, rtol=1e-8)
    assert "\n    for " in slope.source()
