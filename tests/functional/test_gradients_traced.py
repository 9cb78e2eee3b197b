"""``grad`` and ``value_and_grad`` of traced functions, beside those of untraced ones.

Values, kinds, gradients, and which of the arrays share memory are the same at every
call.
"""

import copy
import itertools

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import on_tape


def argument(x, y):
    return x


def other_argument(x, y):
    np.sum(x * 2.0)
    return y


def entry(x, y):
    return {"x": x, "y": y}["y"]


def branch(x, y):
    if x > 0:
        return x
    return x * y


def copied(x, y):
    return +x


def view(x, y):
    return np.reshape(x, (1,))


def twice(x, y):
    return x + x


def constant(x, y):
    return np.ones(())


def product(x, y):
    return np.sum(x * y)


def narrowed(x, y):
    return np.sum(x * y).astype(np.float32)


FUNCTIONS = (argument, other_argument, entry, branch, copied, view)
FUNCTIONS += (twice, constant, product, narrowed)

KINDS = {
    "float": float,
    "float64": np.float64,
    "float32": np.float32,
    "no axes": np.array,
    "one element": lambda number: np.array([number]),
    "float32, one element": lambda number: np.array([[number]], np.float32),
}

ARGNUMS = (0, 1, (0, 1), (1, 0), (0, 0), (0, -2), (1, 0, 1))

NUMBERS = [(2.0, 3.0), (2.0, 3.0), (2.5, 3.0), (-1.5, 2.0), (1.0, -2.0)]


def with_argument(x, y):
    return x, (y, x)


def with_value(x, y):
    value = np.sum(x * y)
    return value, [value, x]


def with_view(x, y):
    h = np.atleast_1d(x * y)
    return np.sum(h), (h, h[::-1], y)


def of_nothing(x, y):
    return np.ones(1), x * y


WITH_AUX = (with_argument, with_value, with_view, of_nothing)


def leaves_of(result):
    if isinstance(result, (tuple, list)):
        return list(itertools.chain.from_iterable(map(leaves_of, result)))
    return [result]


def described(result, args):
    """Kinds and values, which arrays share memory, and which of them are arguments."""
    leaves = leaves_of(result)
    arrays = [each for each in (*leaves, *args) if isinstance(each, np.ndarray)]
    return (
        [(type(each), np.result_type(each), np.shape(each)) for each in leaves],
        [np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2)],
        [[array is arg for arg in args] for array in arrays],
        [np.asarray(each).tolist() for each in leaves],
    )


def observed(transformed, args):
    args = copy.deepcopy(args)
    return described(transformed(*args), args)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", FUNCTIONS + WITH_AUX, ids=lambda f: f.__name__)
def test_traced_is_untraced(function, kind):
    traced = srcgrad.trace(function)
    for transform, argnums in itertools.product(
        (srcgrad.grad, srcgrad.value_and_grad), ARGNUMS
    ):
        options = {"argnums": argnums, "has_aux": function in WITH_AUX}
        ours, theirs = transform(traced, **options), transform(function, **options)
        for numbers in NUMBERS:
            args = [KINDS[kind](number) for number in numbers]
            expected = observed(on_tape(theirs), args)
            assert observed(ours, args) == expected
            assert observed(theirs, args) == expected
    assert traced.stats.compiled > traced.stats.tape


@pytest.mark.parametrize("function", [argument, product])
def test_one_array_may_be_two_arguments(function):
    array = np.array([2.0])
    transforms = [
        srcgrad.grad(f, argnums=(0, 1))
        for f in (srcgrad.trace(function), on_tape(function))
    ]
    for _ in range(2):
        ours, theirs = (described(each(array, array), [array]) for each in transforms)
        assert ours == theirs


def test_an_inner_gradient_of_an_argument():
    @srcgrad.trace
    def inner(x):
        return x

    @srcgrad.trace
    def outer(x):
        return srcgrad.grad(inner)(x) * x * x

    for _ in range(3):
        assert srcgrad.grad(srcgrad.grad(inner))(3.0) == 0.0
        assert srcgrad.value_and_grad(outer)(3.0) == (9.0, 6.0)


ASKING = {
    "detach": lambda x: x * (x.detach() if hasattr(x, "detach") else x),
    "of what is computed": lambda x: x**2 if hasattr(x * 2.0, "detach") else x,
    "requires_grad": lambda x: x * x if getattr(x, "requires_grad", False) else x,
    "shape": lambda x: x * x if hasattr(x, "shape") else x,
    "of a constant": lambda x: x if hasattr(np.ones(2), "detach") else x * x,
}


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_what_an_argument_has_is_the_same_at_each_call(asking):
    gradient = srcgrad.grad(lambda x: np.sum(asking(x)))
    found = [gradient(np.array([0.5, 2.0])).tolist() for _ in range(4)]
    assert found == [found[0]] * 4


@pytest.mark.parametrize(
    "transform", [srcgrad.grad, srcgrad.jacobian, srcgrad.elementwise_grad]
)
def test_gradients_are_right_after_a_call_with_one_array_twice(transform):
    def filled(x, out):
        out[0] = 2.0
        return np.sum(x * x)

    derivative = transform(filled)
    for number, size in enumerate((3, 3, 3, 4, 4, 4)):
        x = np.arange(1.0, size + 1.0)
        out = x if number == 1 else np.zeros(size)
        found = derivative(x, out)
        if number != 1:
            assert found.tolist() == (2.0 * x).tolist()
            assert out[0] == 2.0
