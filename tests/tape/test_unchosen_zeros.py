"""Zeros that are put off: nobody sees a cotangent without them."""

import operator

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import detect_anomaly
from srcgrad.rules.chosen import MOVING
from srcgrad.tape.unchosen_zeros import Choices
from srcgrad.tape.variable import Variable

X = np.array([[0.0, 1.0, 4.0], [9.0, 0.0, 16.0]])


def on_tape():
    x = Variable(X, requires_grad=True)
    y = np.sqrt(x)
    z = y + 1.0
    return x, y, z, np.where(X > 0, z * z, 0.0)


Y_GRAD = np.where(X > 0, 2.0 * np.sqrt(X) + 2.0, 0.0)


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def test_a_hook_sees_the_zeros():
    x, y, z, out = on_tape()
    seen = []
    y.register_hook(lambda g: seen.append(g.data))
    z.register_hook(lambda g: seen.append(g.data))
    out.sum().backward()
    for each in seen:
        np.testing.assert_allclose(each, Y_GRAD)
    assert x.grad.data[0, 0] == 0.0


def test_what_a_hook_puts_in_their_place_goes_on():
    x, y, _, out = on_tape()
    y.register_hook(lambda g: g + 1.0)
    out.sum().backward()
    assert x.grad.data[0].tolist() == [np.inf, 2.5, 1.75]


def test_a_hook_may_clip_what_was_chosen():
    x, y, _, out = on_tape()
    y.register_hook(lambda g: np.minimum(g, 1.0))
    out.sum().backward()
    assert x.grad.data[0].tolist() == [0.0, 0.5, 0.25]


def test_a_hook_on_a_function_sees_the_zeros():
    x, _, z, out = on_tape()
    seen = []
    for node in (out.grad_fn, z.grad_fn):
        node.register_hook(lambda grads, outputs: seen.append((grads[0].data, outputs)))
    out.sum().backward()
    (_, outputs), (to_y, (to_z,)) = seen[0], seen[1]
    np.testing.assert_allclose(outputs[0].data, np.ones_like(X))
    np.testing.assert_allclose(to_y, Y_GRAD)
    np.testing.assert_allclose(to_z.data, Y_GRAD)
    assert x.grad.data[0, 1] == 2.0


def test_a_gradient_that_is_kept_has_the_zeros():
    x, y, _, out = on_tape()
    y.retain_grad()
    out.sum().backward()
    np.testing.assert_allclose(y.grad.data, Y_GRAD)
    assert x.grad.data[0, 0] == 0.0


def test_a_target_on_the_way_has_the_zeros():
    x, y, _, out = on_tape()
    found = srcgrad.autograd.grad(out.sum(), [y, x])
    np.testing.assert_allclose(found[0].data, Y_GRAD)
    assert found[1].data[1, 1] == 0.0


def test_it_is_no_anomaly():
    with detect_anomaly():
        x, _, _, out = on_tape()
        out.sum().backward()
    assert np.all(np.isfinite(x.grad.data))


def test_what_was_chosen_still_is_one():
    with detect_anomaly():
        x = Variable(X, requires_grad=True)
        out = np.where(X >= 0, np.sqrt(x), 0.0)
        with pytest.raises(srcgrad.AnomalyError, match="SqrtBackward"):
            out.sum().backward()


@pytest.mark.parametrize("order", [1, -1])
def test_what_else_comes_to_the_same_place_is_added(order):
    """Before the choice and after it, whole and in a part."""
    x = Variable(X, requires_grad=True)
    y = np.sqrt(x + 1.0)
    parts = [np.where(X > 2, y * y, 0.0), y[0], y * 3.0, np.where(X > 5, 0.0, y)][
        ::order
    ]
    sum(np.sum(part) for part in parts).backward()
    s = np.sqrt(X + 1.0)
    of_y = np.where(X > 2, 2.0 * s, 0.0) + 3.0 + np.where(X > 5, 0.0, 1.0)
    of_y[0] += 1.0
    np.testing.assert_allclose(x.grad.data, of_y * 0.5 / s)


MOVES = {
    np.reshape: lambda y: np.reshape(y, (3, 2)),
    np.ravel: np.ravel,
    np.transpose: np.transpose,
    np.swapaxes: lambda y: np.swapaxes(y, 0, 1),
    np.moveaxis: lambda y: np.moveaxis(y, 0, 1),
    np.expand_dims: lambda y: np.expand_dims(y, (0, 2)),
    np.squeeze: lambda y: np.squeeze(y[None]),
    np.matrix_transpose: np.matrix_transpose,
    operator.getitem: lambda y: y[::-1, None],
}


def test_all_that_moves_has_an_example():
    assert MOVES.keys() == {*MOVING, operator.getitem}


@pytest.mark.parametrize("move", MOVES.values(), ids=[f.__name__ for f in MOVES])
@pytest.mark.parametrize("is_where", [True, False])
def test_they_move_with_the_elements(move, is_where):
    def program(x):
        chosen = move(X) > 0 if is_where else move(X) <= 0
        arms = [move(np.log(x)) * move(np.sqrt(x)), 0.0]
        return np.sum(np.where(chosen, *arms[:: 1 if is_where else -1]) * weights)

    weights = np.random.default_rng(0).normal(size=move(X).shape)
    slope = srcgrad.grad(program)
    with srcgrad.set_stance("tape"):
        found = slope(X)
    number = np.arange(6.0).reshape(2, 3)
    back = weights.ravel()[np.argsort(move(number).ravel())].reshape(2, 3)
    s = np.sqrt(np.where(X > 0, X, 1.0))
    np.testing.assert_allclose(
        found, np.where(X > 0, back * (1.0 / s + np.log(s) / s), 0.0)
    )
    for _ in range(3):
        np.testing.assert_allclose(slope(X), found)


def test_a_part_of_an_array_has_no_choice_of_its_own():
    """There would be a condition for each element that a loop looks at."""
    x = Variable(X[0], requires_grad=True)
    total = 0.0
    for i in range(3):
        total = total + np.where(X[0, i] > 0, np.sqrt(x[i]), 0.0)
    total.backward()
    np.testing.assert_allclose(x.grad.data, [0.0, 0.5, 0.25])


def test_elements_that_are_taken_twice_are_added_with_their_zeros():
    index = np.array([[2, 0, 2], [1, 1, 0]])
    x = Variable(X[1], requires_grad=True)
    np.where(X > 0, np.sqrt(x + 1.0)[index], 0.0).sum().backward()
    slopes = 0.5 / np.sqrt(X[1] + 1.0)
    np.testing.assert_allclose(x.grad.data, slopes * [2.0, 1.0, 1.0])


# ----- Where all is finite nothing changes -----
FIRST = np.arange(4) == 0
STEPS = [
    lambda x, y, c: np.where(c, x, y),
    lambda x, y, c: np.where(c, x * y, np.sin(x)),
    lambda x, y, c: np.where(c[0], x, 1.0) * y,
    lambda x, y, c: np.where(c[:, :1], 2.0, y[1] * x[:, :1]),
    lambda x, y, c: np.where(c, np.where(c[::-1], x, y), np.where(x > y, x, 0.0)),
    lambda x, y, c: np.maximum(x, y),
    lambda x, y, c: np.minimum(x, 0.3) + np.fmax(y, x),
    lambda x, y, c: np.clip(x * y, -0.5, y + 1.0),
    lambda x, y, c: np.select([c, x > 0], [x, y * x], default=y - x),
    lambda x, y, c: np.sum(x * y, axis=0, where=c) + y,
    lambda x, y, c: np.mean(np.exp(x), axis=1, keepdims=True, where=c | FIRST) * x,
    lambda x, y, c: np.where(c, x.T.reshape(3, 4), y),
    lambda x, y, c: np.where(c.T, x.T, y.T + x.T).T,
    lambda x, y, c: np.where(c, x[::-1], y[[0, 0, 1]]),
    lambda x, y, c: np.where(c, x[:, [3, 1, 1, 0]], np.roll(y, 1, axis=0)),
    lambda x, y, c: np.where(c[..., None], x[..., None], y[..., None])[..., 0] + x,
    lambda x, y, c: np.where(c, np.repeat(x[:, :2], 2, axis=1), np.flip(y)),
    lambda x, y, c: np.where(c, np.concatenate([x[:1], y[:2]]), x),
    lambda x, y, c: np.where(c, x @ (0.3 * y.T @ x), y),
    lambda x, y, c: np.where(c, np.cumsum(x, axis=1), np.max(y, axis=0)),
    lambda x, y, c: np.where(c, np.take(x, [0, 1, 1], axis=0), x**2),
    lambda x, y, c: np.where(c, np.swapaxes(x, 0, 1).ravel()[:4], np.squeeze(y[None])),
    lambda x, y, c: np.nan_to_num(np.where(c, x, y)) / (1.0 + y * y),
]


def random_program(seed):
    rng = np.random.default_rng(seed)
    chosen = [
        (rng.integers(len(STEPS)), rng.random((3, 4)) < 0.6, rng.integers(2))
        for _ in range(rng.integers(1, 6))
    ]

    def program(x, y):
        for number, condition, is_first in chosen:
            new = STEPS[number](x, y, condition)
            x, y = (new, y) if is_first else (y, new)
        return np.sum(np.sin(x) * y)

    return program


@pytest.mark.seeds(20)
def test_where_all_is_finite_nothing_changes(seed, monkeypatch):
    program, rng = random_program(seed), np.random.default_rng(seed)
    x, y, tangent = rng.normal(size=(3, 3, 4))
    slopes = srcgrad.grad(program, (0, 1))

    def squares(x, y):
        return sum(np.sum(g * g) for g in srcgrad.grad(program, (0, 1))(x, y))

    def all_ways():
        with srcgrad.set_stance("tape"):
            yield from slopes(x, y)
            yield srcgrad.grad(squares)(x, y)
            yield srcgrad.jvp(slopes, (x, y), (tangent, y))[1][0]

    found = list(all_ways())
    for _ in range(3):
        compiled = slopes(x, y)
    with monkeypatch.context() as patch:
        at_once = lambda self, node, chosen, *rest: chosen.resolved()  # noqa: E731
        patch.setattr(Choices, "put_off", at_once)
        expected = list(all_ways())
    for one, other in zip([*found, *compiled], [*expected, *expected[:2]], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)
