"""What was saved and then written into gives the right gradient all the same."""

import random
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, autograd, detect_anomaly
from tests.inplace_programs import assert_gradients, drawn
from tests.variables import variable


@pytest.mark.parametrize(
    "wrap", [lambda run: run, srcgrad.trace], ids=["tape", "trace"]
)
@pytest.mark.seeds(25)
def test_random_programs(seed, wrap):
    run = wrap(drawn(seed))
    for _ in range(2):  # recorded, and generated code
        assert_gradients(run)


def test_an_update_of_what_it_reads_itself():
    x, w = variable([1.0, 2.0]), variable([3.0, 4.0])
    v = x * 1.0
    v *= w
    v **= w
    v.log_()
    v.sum().backward()  # w * log(x * w)
    assert np.allclose(x.grad.data, w.data / x.data)
    assert np.allclose(w.grad.data, np.log(x.data * w.data) + 1.0)


def test_second_derivatives_and_further_walks():
    x = variable([1.0, 2.0])
    y = x * x
    z = np.sum(y * y * y)
    y[0] = 0.0
    for _ in range(2):
        (g,) = autograd.grad([z], [x], create_graph=True)
        assert np.allclose(g.data, 6.0 * x.data**5)
        (h,) = autograd.grad([g.sum()], [x], retain_graph=True)
        assert np.allclose(h.data, 30.0 * x.data**4)


def test_copies_go_with_the_nodes_that_need_them():
    v = variable([1.0, 2.0]) * 1.0
    z = v * v
    saved = z.grad_fn.versions[0][1]
    v += 1.0
    before = weakref.ref(saved[0].kept[0].before)
    del saved
    v += 1.0
    assert before().tolist() == [1.0, 2.0]
    del z
    assert before() is None


@pytest.mark.seeds(30)
def test_many_versions_of_one_array(seed):
    """Each product has saved what is written into later, once or often."""
    rng = random.Random(seed)
    m, x = Variable(np.arange(12.0).reshape(3, 4)), variable(1.0)
    products, expected = [], 0.0
    indices = [0, (slice(None), 1), (1, slice(1, 3)), (2, 3), [2, 0], ...]
    for number in range(rng.randint(10, 40)):
        if rng.random() < 0.5:
            index = rng.choice(indices[:3])
            products.append(np.sum(x * m) if number % 3 else np.sum(x * m[index]))
            expected += np.sum(m.data if number % 3 else m.data[index])
        for _ in range(rng.choice([0, 1, 30])):
            m[rng.choice(indices)] = number
    for _ in range(2):
        x.grad = None
        autograd.backward(products, [1.0] * len(products), retain_graph=True)
        assert x.grad.data == expected


def test_an_element_that_is_written_again_is_kept_once():
    y = variable(np.ones(50)) * 1.0
    z = np.sum(y * y)
    writes = z.grad_fn.next_functions[0][0].versions[0][1]
    for number in range(200):
        y[number % 50] = 3.0
        y[[1, 2]] = 4.0
    (kept, _) = writes
    assert kept.count == 400
    assert len(kept.kept) < 60
    z.backward()


def test_nothing_is_copied_that_no_node_needs():
    v = variable([1.0, 2.0]) * 1.0
    for _ in range(3):
        v += v * 0.5 + 1.0
        assert not v.storage.is_saved()
    square = v * v
    assert v.storage.is_saved()
    del square
    assert not v.storage.is_saved()


def test_the_cost_is_told_where_one_asks():
    y = variable(np.ones((4, 5))) * 1.0
    z = y * y
    with (
        srcgrad.set_inplace("warn"),
        pytest.warns(RuntimeWarning, match=r"40 bytes are copied .*: y\[1\] = 2.0"),
    ):
        y[1] = 2.0
    z.sum().backward()


def test_writes_that_stay_errors():
    """Without the tape, through ``.data``, and what a user's Function saves."""

    class Square(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2.0 * x * g

    def step(w):
        with srcgrad.no_grad():
            w -= 0.1

    def by_data(w):
        w.data -= 0.1

    for function, write in [
        (np.square, step),
        (np.square, by_data),
        (Square.apply, lambda y: y.add_(1.0)),
    ]:
        y = variable([1.0, 2.0]) * 1.0
        z = function(y)
        write(y)
        y += 1.0
        with pytest.raises(InplaceError, match="modified by an inplace operation"):
            z.sum().backward()


def test_writes_around_the_variable_are_found_beside_others():
    with detect_anomaly():
        y = variable([1.0, 2.0]) * 1.0
        z = y * y
        y += 1.0
        z.sum().backward()
        z = y * y
        y.data[0] = 5.0
        y += 1.0
        with pytest.raises(InplaceError, match="goes around the Variable"):
            z.sum().backward()


def test_a_write_that_fails_changes_no_gradient():
    x = variable([1.0, 2.0])
    y = x * 1.0
    z = np.sum(y * y)
    with pytest.raises(IndexError):
        y[5] = 1.0
    with pytest.raises(FloatingPointError), np.errstate(all="raise"):
        y /= 0.0
    z.backward()
    assert x.grad.data.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("order", ["c", "d", "cd", "dc", "cdcd"])
def test_writes_through_several_variables_on_one_array_are_undone_in_order(order):
    for view in (slice(None), slice(None, None, -1)):
        array, x = np.array([1.0, 2.0, 3.0]), variable([1.0, 1.0, 1.0])
        given = {"c": Variable(array), "d": Variable(array[view])}
        before = array * array[view]
        y = np.einsum("i,i,i->", x, given["c"], given["d"])
        for number, name in enumerate(order):
            given[name][0] = 5.0 + number
        y.backward()
        assert x.grad.data.tolist() == before.tolist()
