"""Programs on an array ``y`` made of x and v, which they change.

Each runs on ndarrays, on Variables and traced.
"""

import random

import numpy as np

from srcgrad import Variable
from tests.variables import variable

# ----- By statements: ``+=`` and its kin, and assignment at an index -----


def add_to(y, v):
    y += v
    return y


def scale(y, v):
    y -= 1.0
    y *= 2.0
    y /= 4.0
    return y


def divide_row(y, v):
    y[1] /= v
    return y


def add_to_row(y, v):
    y[0] += v
    return y


def update_slices(y, v):
    y[0, 1:] *= 3.0
    y[:, 0] -= v[:2]
    y[..., None] += 1.0
    return y


def update_repeated(y, v):
    y[[0, 0, 1]] += v
    return y


def update_elements(y, v):
    y[0, 0] += v[1]
    y[1, 2] *= y[0, 1]
    return y


def update_in_a_loop(y, v):
    for i in range(2):
        y[i] += i * v
    return y


def update_by_itself(y, v):
    y[0, 1:] += y[0, :-1]
    return y


def set_slice(y, v):
    y[:, 1] = v[:2]
    return y


def set_constant(y, v):
    y[0] = 2.0
    y[1, 1] = v[0]
    return y


def set_repeated(y, v):
    y[:, [0, 2, 0]] = v
    return y


def set_mask(y, v):
    y[y > 2.0] = 0.0
    y[y < -1.0] = v[1]
    return y


def set_row_to_another(y, v):
    y[0] = y[1]
    return y


def set_overlapping(y, v):
    y[:, 1:] = y[:, :-1]
    return y


STATEMENTS = [
    *(add_to, scale, divide_row, add_to_row, update_slices, update_repeated),
    *(update_elements, update_in_a_loop, update_by_itself),
    *(set_slice, set_constant, set_repeated, set_mask, set_row_to_another),
    set_overlapping,
]


# ----- By functions and methods: ``out=``, ``np.copyto``, ``fill`` and their kin -----


def exp_out(y, v):
    np.exp(y, out=y)
    return y


def sum_out(y, v):
    np.add(v, 1.0, out=y)
    return y


def where_out(y, v):
    np.divide(y, v, out=y, where=v > 1.0)
    return y


def reduced_out(y, v):
    total = v * 1.0
    np.sum(y, 0, None, total)
    return y * total


def copy_to(y, v):
    np.copyto(y, v)
    return y


def copy_some_to(y, v):
    np.copyto(y, y * 3.0, where=y > 2.0)
    return y


def put_flat(y, v):
    np.put(y, [0, 5, -2], v)
    np.put(y, [1, 9], v[:1], mode="wrap")
    return y


def place_masked(y, v):
    np.place(y, np.array([[True, True, False], [False, True, True]]), v[:2])
    return y


def put_masked(y, v):
    np.putmask(y, np.array([[True, True, False], [False, True, True]]), v[:2])
    return y


def fill_the_diagonal(y, v):
    np.fill_diagonal(y, v[1:])
    return y


def put_along(y, v):
    np.put_along_axis(y, np.array([[0], [2]]), v[:2, None], 1)
    return y


def add_at(y, v):
    np.add.at(y, ([0, 0, 1], [1, 1, 2]), v)
    np.subtract.at(y, 0, v)
    return y


def sort_columns(y, v):
    y.sort(axis=0)
    y.sort()
    return y


def fill_method(y, v):
    y.fill(2.0)
    y.put([1], v[:1])
    return y


def write_flat(y, v):
    y.flat = v
    return y


FUNCTIONS = [
    *(exp_out, sum_out, where_out, reduced_out, copy_to, copy_some_to, put_flat),
    *(place_masked, put_masked, fill_the_diagonal, put_along, add_at, sort_columns),
    *(fill_method, write_flat),
]


# ----- By both, after parts of the array were saved for the backward pass -----

VIEWS = [
    *(
        lambda y: y,
        lambda y: y.T,
        lambda y: y[1],
        lambda y: y[:, 2],
        lambda y: y[..., 1:],
    ),
    *(lambda y: y[::-1, ::2], lambda y: y.reshape(-1)[1:5], lambda y: y[[1, 0]]),
    *(lambda y: y[1, 0], lambda y: y[None, 0:1, 1:].T, lambda y: y.T[::2]),
]


def double_element(y, v):
    y[1, 2] = y[1, 2] * y[0, 1]


def square_part(y, v):
    y[::-1, 1:] **= 2


def swap_rows(y, v):
    y[[0, 1]] = y[[1, 0]] * v


def sine_out(y, v):
    np.sin(y, out=y)


def divide_by_itself(y, v):
    y /= 2.0 + y * y


def multiply_all(y, v):
    y *= v


SAVED_WRITES = [
    *(double_element, square_part, swap_rows, sine_out, divide_by_itself, multiply_all),
    *(update_elements, set_slice, set_overlapping, update_repeated, add_to_row, add_at),
]


def drawn(seed):
    """A random program that saves parts of an array, and writes into others."""
    rng = random.Random(seed)
    steps = [
        (rng.choice(VIEWS), rng.choice(SAVED_WRITES), rng.choice(VIEWS))
        for _ in range(rng.randint(1, 4))
    ]

    def run(x, v):
        y = x * 0.3
        total = 0.0
        for first, write, second in steps:
            total = total + np.sum(np.sin(first(y)) * first(y))
            write(y, v)
            total = total + np.sum(second(y) * second(y))
        return total + y

    return run


# ----- Running them -----


A = np.array([[1.5, -2.5, 3.25], [4.5, 0.5, -6.25]])
B = np.array([0.5, 2.0, 3.0])


def fresh(like):
    """Zeros of the kind that is tested: an ndarray, or a Variable that is a leaf."""
    zeros = np.zeros((2, 3))
    return zeros if isinstance(like, np.ndarray) else Variable(zeros)


def on_computed(program):
    """The program on an array that was computed."""

    def run(x, v):
        return program(x * 1.0, v)

    return run


def on_leaf(program):
    """The program on a leaf that does not require grad, which gets interior."""

    def run(x, v):
        return program(fresh(x), v) * x

    return run


def numerical(run):
    """Gradients of the sum of squares, by central differences."""
    values, found = [A.copy(), B.copy()], []
    for value in values:
        g = np.zeros_like(value)
        for i in np.ndindex(value.shape):
            for step in (1e-6, -1e-6):
                value[i] += step
                g[i] += np.sum(run(*values) ** 2) / (2 * step)
                value[i] -= step
        found.append(g)
    return found


def assert_gradients(run):
    """The value is NumPy's, and the gradients are those of differences."""
    x, v = variable(A), variable(B)
    out = run(x, v)
    assert np.array_equal(out.data, run(A.copy(), B.copy()))
    np.sum(out**2).backward()
    for each, expected in zip((x, v), numerical(run), strict=True):
        found = np.zeros(each.shape) if each.grad is None else each.grad.data
        assert np.allclose(found, expected, atol=1e-5)
