"""Results that go into arrays: NumPy, Variables and traced calls agree."""

import operator

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.differences import slope_of

MASK = np.array([[True, False, True], [True, True, False]])
TIMES = np.array([[1.0, 2.0, 3.0], [0.5, 1.5, -2.0]])

CALLS = {
    "a part, by place": lambda x, z: np.exp(x, z, where=MASK),
    "a part": lambda x, z: np.divide(x, TIMES, out=z, where=MASK),
    "a part, by a condition": lambda x, z: np.divide(1.0, x, out=z, where=x > 0.7),
    "of several": lambda x, z: np.divmod(x, 0.3, out=(None, z), where=MASK),
    "clipped": lambda x, z: np.clip(x, 0.5, 1.0, z, where=MASK),
    "clipped on one side": lambda x, z: np.clip(x, max=1.0, out=z, where=MASK),
    "a sum of a part": lambda x, z: np.sum(x, axis=0, out=z[0], where=MASK),
    "a mean of a part": lambda x, z: x.mean(axis=0, out=z[1], where=MASK),
    "a product": lambda x, z: np.dot(x, TIMES.T @ TIMES, z),
    "a reduction": lambda x, z: np.maximum.reduce(x, 0, None, z[1]),
    "a cumulation": lambda x, z: x.cumsum(1, None, z),
    "a median": lambda x, z: np.median(x, 0, z[0]),
    "a view": lambda x, z: np.exp(x, out=z[:, ::-1]),
    "repeated": lambda x, z: np.add(x[0], 1.0, out=z),
}


def program_of(call):
    def program(x):
        z = np.full((2, 3), 0.25)
        call(x, z)
        return np.sum(z * TIMES)

    return program


@pytest.mark.parametrize("name", CALLS)
def test_what_is_written_is_numpys(name):
    program = program_of(CALLS[name])
    traced = srcgrad.trace(program)
    for seed in range(4):
        x = np.random.default_rng(seed).uniform(0.4, 1.6, (2, 3))
        assert traced(x.copy()) == program(x)
        found = srcgrad.grad(traced)(x)
        np.testing.assert_allclose(found, slope_of(program, x), rtol=1e-6, atol=1e-6)


def into_variable(x, z):
    np.clip(x, 0.5, 1.0, out=z, where=MASK)
    return z


def sum_into_variable(x, z):
    z = z[0] * 1.0
    np.sum(x, 0, None, z, where=MASK)
    return z


@pytest.mark.parametrize("function", [into_variable, sum_into_variable])
def test_a_variable_takes_a_part(function):
    x = np.random.default_rng(0).uniform(0.4, 1.6, (2, 3))
    expected = function(x, np.full((2, 3), 0.25))
    z = Variable(np.full((2, 3), 0.25), requires_grad=True) * 1.0
    np.testing.assert_array_equal(function(Variable(x), z).data, expected)


def test_what_is_complex_takes_an_absolute_value():
    x = Variable(np.array([3.0 + 4.0j]), requires_grad=True)
    out = Variable(np.zeros(1, complex))
    np.abs(x, out=out)
    out.backward(np.array([1.0 + 5.0j]))
    np.testing.assert_allclose(x.grad.data, [0.6 + 0.8j])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.multiply.at(x, (slice(None), [0, 2, 0]), 1.5),
        lambda x: np.exp.at(x, [0, 0]),
        lambda x: np.maximum.at(x, 1, 0.8),
    ],
)
def test_what_changes_elements_changes_those_of_each_call(program):
    def changed(x):
        y = x * 1.0
        program(y)
        return y

    traced = srcgrad.trace(changed)
    for seed in range(3):
        x = np.random.default_rng(seed).uniform(0.4, 1.6, (2, 3))
        np.testing.assert_array_equal(traced(x), changed(x))
    assert traced.stats.compiled


# NumPy takes no array of another dtype or layout, no vector for `@=`.
TAKING = {
    "a product": lambda x, z: np.dot(x, x.T, out=z),
    "a product of numbers": lambda x, z: np.dot(x[0, 0], x[0, 1], z[0, 0, ...]),
    "elements": lambda x, z: np.take(x, [0, 1], axis=1, out=z),
    "places": lambda x, z: np.argmax(x, axis=1, out=z[0]),
    "a sum of products": lambda x, z: np.einsum("ij,kj->ik", x, x, out=z),
    "several products": lambda x, z: np.linalg.multi_dot([x, x.T], out=z),
    "a matrix in place": lambda x, z: operator.imatmul(z, z.T),
    "a vector in place": lambda x, z: operator.imatmul(z, x[0, :2]),
    "a list in place": lambda x, z: operator.imatmul(z[0], [x[0, 0], 1.0]),
    "one after the other": lambda x, z: operator.iconcat(x, z),
}
ROOM = {
    "its own": np.zeros((2, 2)),
    "narrow": np.zeros((2, 2), np.float32),
    "wide": np.zeros((2, 2), complex),
    "columns": np.zeros((2, 2), order="F"),
    "apart": np.zeros((2, 2, 2))[..., 0],
}


# From NumPy 2.5 on `np.take` warns of room that is wider than what it puts there.
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("name", TAKING)
def test_numpy_says_into_what_a_result_goes(name, room):
    def given(x, z):
        return TAKING[name](x, z), z

    def made(x):
        z = np.array(ROOM[room]) if room != "apart" else np.zeros((2, 2, 2))[..., 0]
        return TAKING[name](x, z), z

    x = np.random.default_rng(0).uniform(0.4, 1.6, (2, 3))
    for program, room_too in ((given, True), (made, False)):
        traced = srcgrad.trace(program)
        found = []
        for function in (program, traced, traced):
            z = ROOM[room]
            z[...] = 0.0
            try:
                result, z = function(x, z) if room_too else function(x)
            except (TypeError, ValueError) as error:
                found.append(repr(error))
            else:
                found.append((type(result), result.dtype, repr(result), repr(z)))
        assert found[0] == found[1] == found[2]
