import itertools
import math
import pickle

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, grad, vmap
from srcgrad.pytree import flatten
from tests.functional.problems import PROBLEMS, draw

SIZE = 3
rows = pytest.mark.parametrize(
    ("function", "shapes"),
    [row[1:] for row in PROBLEMS],
    ids=[row[0] for row in PROBLEMS],
)


def as_user(function):
    """A function of its own, with its own traces."""

    def program(*args):
        return function(*args)

    return program


def loop(function, in_axes, args):
    """What ``vmap`` means."""
    elements = [
        [x if axis is None else np.take(x, i, axis) for x, axis in zip(args, in_axes)]  # noqa: B905
        for i in range(SIZE)
    ]
    return np.stack([function(*element) for element in elements])


# ----- A batch is a loop -----
@rows
def test_a_batch_is_a_loop(function, shapes):
    """At first on the tape, then compiled, whichever arguments there is a batch of."""
    choices = itertools.product((0, None), repeat=len(shapes))
    for in_axes in [axes for axes in choices if set(axes) != {None}]:
        mapped = vmap(as_user(function), in_axes)
        for seed in range(4):
            batch, one = draw(shapes, seed, SIZE), draw(shapes, seed)
            args = [
                one[k] if axis is None else batch[k] for k, axis in enumerate(in_axes)
            ]
            found, expected = mapped(*args), loop(function, in_axes, args)
            assert type(found) is np.ndarray
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
        assert mapped.target.traced.stats.compiled == 2


@rows
def test_gradients_of_a_batch_are_those_of_a_loop(function, shapes):
    in_axes = (0, *(None,) * (len(shapes) - 1))
    mapped = vmap(function, in_axes)

    def by_batch(*args):
        return np.sum(np.sin(mapped(*args)))

    def by_loop(*args):
        first, *others = args
        return sum(np.sum(np.sin(function(x, *others))) for x in first)

    numbers = tuple(range(len(shapes)))
    ours, theirs = grad(by_batch, numbers), grad(by_loop, numbers)
    args = [draw(shapes, 1, SIZE)[0], *draw(shapes, 1)[1:]]
    expected = theirs(*args)
    for _ in range(3):
        for found, wanted in zip(ours(*args), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-10)


@rows
def test_a_batch_of_gradients(function, shapes):
    gradient = grad(lambda *args: np.sum(function(*args) ** 2))
    mapped = vmap(gradient)
    args = draw(shapes, 2, SIZE)
    expected = [gradient(*element) for element in zip(*args, strict=True)]
    for _ in range(3):
        np.testing.assert_allclose(
            mapped(*args), np.stack(expected), rtol=1e-9, atol=1e-10
        )


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int64])
def test_other_dtypes(dtype):
    mapped = vmap(as_user(lambda x, s: 0.5 * x + s * 2))
    x = np.arange(6).reshape(3, 2).astype(dtype)
    s = np.arange(3).astype(dtype)
    expected = np.stack([0.5 * a + b * 2 for a, b in zip(x, s, strict=True)])
    for _ in range(3):
        found = mapped(x, s)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


# ----- Axes -----
@pytest.mark.parametrize("in_axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out_axis", [0, 1, 2, -1])
def test_axes_in_and_out(in_axis, out_axis):
    x = np.arange(24.0).reshape(2, 3, 4)
    mapped = vmap(as_user(lambda a: a.T * 2.0), in_axis, out_axis)
    front = np.moveaxis(x, in_axis, 0)
    expected = np.moveaxis(np.stack([a.T * 2.0 for a in front]), 0, out_axis)
    for _ in range(3):
        np.testing.assert_array_equal(mapped(x), expected)


def test_containers_in_and_out():
    def step(params, x, scale=1.0):
        return {"y": params["w"] * x + params["b"], "rest": (x * scale, None)}

    mapped = vmap(step, in_axes=({"w": 0, "b": None}, 0), out_axes={"y": -1, "rest": 0})
    w, b, x = np.arange(6.0).reshape(3, 2), np.ones(2), np.arange(3.0)
    for _ in range(3):
        found = mapped({"w": w, "b": b}, x, scale=np.array([1.0, 2.0, 3.0]))
        np.testing.assert_array_equal(found["y"], (w * x[:, None] + b).T)
        np.testing.assert_array_equal(found["rest"][0], x * [1.0, 2.0, 3.0])
        assert found["rest"][1] is None


def test_an_axis_for_all_that_an_argument_holds():
    mapped = vmap(as_user(lambda pair, c: pair[0] * pair[1] + c), in_axes=(1, None))
    a = np.arange(6.0).reshape(2, 3)
    for _ in range(3):
        np.testing.assert_array_equal(mapped([a, a], 1.0), (a * a).T + 1.0)


def test_results_that_are_the_same_for_all():
    mapped = vmap(lambda x, c: (x + c, c * 2.0), (0, None), (0, None))
    for _ in range(3):
        first, second = mapped(np.arange(3.0), np.ones(2))
        assert first.shape == (3, 2)
        np.testing.assert_array_equal(second, [2.0, 2.0])
    with pytest.raises(ValueError, match="out_axes is None"):
        vmap(lambda x: x, 0, None)(np.arange(3.0))


def test_numbers_and_constants_are_stacked():
    mapped = vmap(as_user(lambda x: (1.5, 2, True, np.ones(2), x[0])))
    for _ in range(3):
        found = mapped(np.ones((3, 2)))
        assert [out.shape for out in found] == [(3,), (3,), (3,), (3, 2), (3,)]
        assert [out.dtype.kind for out in found] == ["f", "i", "b", "f", "f"]


# ----- Nested -----
def test_in_one_another():
    distances = vmap(vmap(lambda a, b: np.sum((a - b) ** 2), (None, 0)), (0, None))
    x = np.random.default_rng(0).normal(size=(4, 3))
    expected = np.sum((x[:, None] - x) ** 2, axis=-1)
    for _ in range(3):
        np.testing.assert_allclose(distances(x, x), expected)


def test_in_a_traced_function_with_variables():
    @srcgrad.trace
    def loss(W, X):
        return np.sum(vmap(lambda x: np.tanh(W @ x))(X) ** 2)

    W, X = np.random.default_rng(0).normal(size=(2, 3, 3))
    expected = grad(lambda W: np.sum(np.tanh(X @ W.T) ** 2))(W)
    for _ in range(3):
        v = Variable(W, requires_grad=True)
        loss(v, X).backward()
        np.testing.assert_allclose(v.grad.data, expected)
    assert loss.stats.compiled == 2


def test_variables_in_variables_out():
    x = Variable(np.arange(3.0), requires_grad=True)
    for _ in range(3):
        x.zero_grad()
        out = vmap(np.sin)(x)
        assert type(out) is Variable
        out.sum().backward()
        np.testing.assert_allclose(x.grad.data, np.cos(np.arange(3.0)))


def test_a_method():
    class Model:
        def __init__(self):
            self.w = np.array([1.0, 2.0])

        def predict(self, x):
            return self.w @ x

    model = Model()
    mapped = vmap(model.predict)
    for factor in range(4):
        model.w = np.array([1.0, 2.0]) * factor
        np.testing.assert_array_equal(mapped(np.eye(2)), model.w)


# ----- What the elements cannot do together -----
def branching(x):
    return np.sum(x) * 2.0 if x[0] > 0.0 else x[1] ** 2


def test_each_element_follows_its_own_path():
    mapped = vmap(branching)
    x = np.random.default_rng(0).normal(size=(6, 2))
    expected = [branching(row) for row in x]
    for _ in range(4):
        np.testing.assert_allclose(mapped(x), expected)
    text = mapped.target.traced.explain()
    assert "vmap of branching: looks at values of a batch" in text
    assert "test_vmap.py" in text


def test_branches_on_what_all_share_are_guards():
    def scaled(x, flag):
        return x * 2.0 if flag > 0.0 else x * 3.0

    mapped = vmap(scaled, (0, None))
    for flag in (1.0, 1.0, 1.0, -1.0, 2.0, -2.0):
        expected = np.arange(3.0) * (2.0 if flag > 0 else 3.0)
        np.testing.assert_array_equal(mapped(np.arange(3.0), flag), expected)


def test_explain_tells_what_runs_for_each_element():
    def smooth(x):
        return np.convolve(x, np.array([0.5, 0.5]))

    mapped = vmap(smooth)
    x = np.random.default_rng(0).normal(size=(3, 4))
    for _ in range(3):
        np.testing.assert_allclose(mapped(x), [smooth(row) for row in x])
    text = mapped.target.traced.explain()
    assert "convolve has no batching rule, and runs once for each of 3" in text


def adding(counts):
    counts[0] += 1


def appending(counts):
    counts.append(1)


def in_cell(counts):
    counts = [*counts, 1]


@pytest.mark.parametrize("change", [adding, appending, in_cell])
def test_what_each_element_leaves_behind_is_left_to_the_loop(change):
    """A recording runs the function on one element only."""

    def program(x):
        counts = [0]

        def element(row):
            change(counts)
            return row * 2.0

        return srcgrad.vmap(element)(x) * (sum(counts) + len(counts))

    compiled = srcgrad.trace(program)
    for _ in range(3):
        np.testing.assert_array_equal(
            compiled(np.ones((3, 2))), program(np.ones((3, 2)))
        )


def test_names_of_the_outer_function_are_left_to_the_loop():
    @srcgrad.trace
    def program(x):
        count, last = 0, None

        def element(row):
            nonlocal count, last
            count += 1
            last = row * 2.0
            return last

        return vmap(element)(x) * count, last

    for _ in range(3):
        found, last = program(np.ones((3, 2)))
        np.testing.assert_array_equal(found, np.full((3, 2), 6.0))
        np.testing.assert_array_equal(last, [2.0, 2.0])


HISTORY = []


def test_effects_happen_for_each_element(capsys):
    def told(x):
        print("sum", float(np.sum(x)))
        return x * 2.0

    def noted(x):
        HISTORY.append(float(x[0]))
        return x * 3.0

    x = np.arange(4.0).reshape(2, 2)
    tells, notes = vmap(told), vmap(noted)
    for count in range(1, 4):
        np.testing.assert_array_equal(tells(x), x * 2.0)
        assert capsys.readouterr().out == "sum 1.0\nsum 5.0\n"
        np.testing.assert_array_equal(notes(x), x * 3.0)
        assert [0.0, 2.0] * count == HISTORY


def test_random_numbers_are_drawn_for_each_element():
    rng = np.random.default_rng(0)

    def noisy(x):
        return x + rng.normal(size=2)

    mapped = vmap(noisy)
    x = np.zeros((3, 2))
    other = np.random.default_rng(0)
    for _ in range(4):
        np.testing.assert_array_equal(mapped(x), other.normal(size=(3, 2)))


def test_writes_into_what_is_not_its_own_are_left_to_the_loop():
    @srcgrad.trace
    def program(x):
        total = np.zeros(2)

        def add(row):
            total[0] += row[0]
            return row * 2.0

        return vmap(add)(x), total

    for _ in range(3):
        found, total = program(np.ones((3, 2)))
        np.testing.assert_array_equal(total, [3.0, 0.0])
        np.testing.assert_array_equal(found, np.full((3, 2), 2.0))


# ----- Errors -----
def test_what_does_not_fit_is_named():
    def f(x, y=None):
        return x

    ones = np.ones((3, 2))
    with pytest.raises(ValueError, match="inconsistent sizes") as caught:
        vmap(f)(ones, np.ones(4))
    assert "argument x of shape (3, 2) has size 3 along axis 0" in str(caught.value)
    assert "argument y of shape (4,) has size 4 along axis 0" in str(caught.value)
    with pytest.raises(ValueError, match="argument x along axis 2, which implies"):
        vmap(f, 2)(ones)
    with pytest.raises(ValueError, match="argument x along axis 0, but it is a float"):
        vmap(f)(1.0)
    with pytest.raises(ValueError, match=r"argument x\['w'\] along axis 1"):
        vmap(f, 1)({"w": np.ones(3)})
    with pytest.raises(ValueError, match="at least one non-None"):
        vmap(f, None)(ones)
    with pytest.raises(ValueError, match="one entry for each positional"):
        vmap(f, (0, 0))(ones)
    with pytest.raises(ValueError, match="in_axes"):
        vmap(f, ({"a": 0},))(ones)
    with pytest.raises(TypeError, match="in_axes must be an int"):
        vmap(f, "x")
    with pytest.raises(TypeError, match="vmap takes a function"):
        vmap(3)
    with pytest.raises(ValueError, match="without elements"):
        vmap(f)(np.ones((0, 2)))
    with pytest.raises(ValueError, match="out_axes=3 does not fit"):
        vmap(f, 0, 3)(ones)
    with pytest.raises(TypeError, match="returned a str"):
        vmap(lambda x: "text")(ones)


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        (lambda x: x[: int(x[0])], r"\(1,\) of element 0, \(2,\) of element 1"),
        (
            lambda x: None if x[0] > 1.0 else x,
            r"\(2,\) of element 0, None of element 1",
        ),
    ],
)
def test_results_of_other_shapes_are_refused_and_told(f, shapes):
    for called in (vmap(f), srcgrad.trace(vmap(f)), vmap(f, out_axes=-1)):
        for _ in range(3):
            with pytest.raises(ValueError, match=f"of <lambda>: .* shape: {shapes}\n"):
                called(np.array([[1.0, 2.0], [2.0, 3.0]]))


def test_results_of_other_structures_are_refused():
    with pytest.raises(TypeError, match="differ in structure"):
        vmap(lambda x: (x, x) if x > 0 else x)(np.array([1.0, -1.0]))


def test_leaves_of_a_result_keep_their_order():
    found = vmap(lambda x: {"b": x, "a": -x})(np.arange(2.0))
    assert flatten(found)[0][0].tolist() == [0.0, 1.0]


def test_pythons_numbers_raise_as_in_the_loop():
    mapped = vmap(lambda x: 1.0 / float(x) + math.sin(float(x)))
    for _ in range(3):
        expected = [2.0 + np.sin(0.5), 0.5 + np.sin(2.0)]
        np.testing.assert_allclose(mapped(np.array([0.5, 2.0])), expected)
        with pytest.raises(ZeroDivisionError):
            mapped(np.array([0.5, 0.0]))
        with pytest.raises(ValueError, match=r"expected a finite input|math domain"):
            mapped(np.array([0.5, np.inf]))


OWNED = {
    "itself": (lambda x: x, 0),
    "transposed": (lambda x: x.T, 0),
    "part": (lambda x: x[0], 0),
    "broadcast": (lambda x: np.broadcast_to(x, (4, 2, 2)), 0),
    "out of place": (lambda x: x, 1),
    "twice": (lambda x: (x, x * 2.0, x), 0),
    "views of one": (lambda x: (lambda h: (h, h.T, h))(x * 2.0), 0),
}


@pytest.mark.parametrize("name", OWNED)
def test_results_are_in_memory_of_their_own(name):
    function, out_axes = OWNED[name]
    mapped = vmap(function, 0, out_axes)
    x = np.ones((3, 2, 2))
    for _ in range(4):
        outs = flatten(mapped(x))[0]
        for k, out in enumerate(outs):
            assert out.flags.writeable
            for other in (x, *outs[:k]):
                assert not np.shares_memory(out, other)


def test_what_all_share_is_not_given_away():
    mapped = vmap(lambda x, c: c, (0, None))
    c = np.ones(3)
    for _ in range(4):
        out = mapped(np.ones((2, 3)), c)
        out[0] = 5.0
        np.testing.assert_array_equal(out, [[5.0] * 3, [1.0] * 3])
    np.testing.assert_array_equal(c, np.ones(3))


def test_variables_of_a_closure_get_gradients():
    W = Variable(np.eye(2) * 2.0, requires_grad=True)
    mapped = vmap(lambda x: np.tanh(W @ x))
    X = np.arange(6.0).reshape(3, 2)
    for _ in range(4):
        W.zero_grad()
        mapped(X).sum().backward()
        expected = (1.0 - np.tanh(2.0 * X) ** 2).T @ X
        np.testing.assert_allclose(W.grad.data, expected)
    assert mapped.target.traced.stats.compiled


def in_place_and_off_the_tape(x):
    h = x * 2.0
    h[0] = h[1] * 3.0
    with srcgrad.no_grad():
        k = np.sin(h)
    h *= 2.0
    h[1:] += x[:-1]
    return np.sum(h * x * k)


def test_writes_in_place_of_variables():
    mapped = vmap(in_place_and_off_the_tape)
    X = np.random.default_rng(0).normal(size=(3, 4))
    each = [Variable(x, requires_grad=True) for x in X]
    for x in each:
        in_place_and_off_the_tape(x).backward()
    for _ in range(4):
        batch = Variable(X, requires_grad=True)
        mapped(batch).sum().backward()
        np.testing.assert_allclose(batch.grad.data, [x.grad.data for x in each])
    assert mapped.target.traced.stats.compiled


def test_twice_differentiable():
    mapped = vmap(lambda x: np.sum(np.sin(x) * x))
    X = np.arange(6.0).reshape(3, 2)
    for _ in range(4):
        x = Variable(X, requires_grad=True)
        (g,) = srcgrad.autograd.grad([mapped(x).sum()], [x], create_graph=True)
        (h,) = srcgrad.autograd.grad([g.sum()], [x])
        np.testing.assert_allclose(h.data, 2.0 * np.cos(X) - X * np.sin(X))


def test_pickled():
    mapped = vmap(np.dot, in_axes=({"a": 0}, None))
    again = pickle.loads(pickle.dumps(mapped))
    assert again._in_axes == mapped._in_axes
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(vmap(np.sin)))(np.zeros(3)), np.zeros(3)
    )
