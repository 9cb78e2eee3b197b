"""Gradients through a maximum: gone where they cancel, and the same as on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.transforms.algebra.cancellations import drop_cancelled
from tests.transforms.interpret import record

rng = np.random.default_rng(0)
Z = rng.normal(size=(3, 4))


# ----- Functions of a matrix -----


def log_sum_exp(z):
    m = np.max(z)
    return m + np.log(np.sum(np.exp(z - m)))


def log_sum_exp_of_rows(z):
    m = z.max(axis=1)
    return m + np.log(np.sum(np.exp(z - m[:, None]), axis=1))


def log_sum_exp_of_columns(z):
    m = np.max(z, axis=0, keepdims=True)
    return m[0] + np.log(np.exp(z - m).sum(axis=0))


def log_mean_exp(z):
    m = np.max(2.0 * z, axis=(0, 1), keepdims=True)
    return np.log(np.mean(np.exp(2.0 * z - m), axis=(0, 1), keepdims=True)) + m


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_in_one_line(z):
    return np.exp(z - np.max(z)) / np.sum(np.exp(z - np.max(z)))


def softmin(z):
    e = np.exp(-(z - np.min(z, axis=0)))
    return z * e / np.sum(e, axis=0)


def log_softmax(z):
    shifted = z - np.max(z, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def picked(z):
    return log_softmax(z)[np.arange(3), [0, 3, 1]] * 2.0


def entropy(z):
    p = softmax(z / 0.7)
    return -np.sum(p * np.log(p), axis=1)


def of_a_product(z):
    return softmax(z @ z.T / 2.0) @ z


def entropy_of_logarithms(z):
    logarithms = log_softmax(z)
    return -np.sum(np.exp(logarithms) * logarithms, axis=1)


def scaled(z):
    e = np.exp((z - np.max(z, axis=1, keepdims=True)) / 0.7)
    return e / np.mean(e, axis=1, keepdims=True)


def of_powers_of_two(z):
    e = np.exp2(-2.0 * (np.min(z) - z) * -1.0)
    return z / np.sum(e) * e


CANCELLING = [
    *(log_sum_exp, log_sum_exp_of_rows, log_sum_exp_of_columns, log_mean_exp),
    *(softmax, softmax_in_one_line, softmin, log_softmax),
    *(picked, entropy, of_a_product, entropy_of_logarithms, scaled, of_powers_of_two),
]


def maximum(z):
    return z - np.max(z, axis=1, keepdims=True)


def half_of_it(z):
    m = np.max(z, axis=1, keepdims=True)
    return 0.5 * m + np.log(np.sum(np.exp(z - m), axis=1, keepdims=True))


def of_other_elements(z):
    m = np.max(z, axis=1, keepdims=True)
    return m + np.log(np.sum(np.exp(z[:, 1:] - m), axis=1, keepdims=True)) * m


def of_another_sum(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / np.sum(e, axis=0)


def softmax_by_one_maximum(z):
    """A row that is no number would make the gradient at the maximum none either."""
    e = np.exp(z - np.max(z))
    return e / np.sum(e, axis=1, keepdims=True)


def element_by_element(z):
    """Likewise, an element's cotangent."""
    m = np.max(z, axis=1, keepdims=True)
    return np.exp(z - m) * np.exp(m)


def chosen_by_the_user(z):
    m = np.max(z, axis=1, keepdims=True)
    return np.where(z == m, z - z, 0.0) + z * m


def centred(z):
    """The second exponential is infinite for some numbers."""
    m = np.max(z, axis=1, keepdims=True)
    return np.exp(z - m) * np.exp(m - np.mean(z, axis=1, keepdims=True))


def by_the_minimum(z):
    m = np.min(z)
    return m + np.log(np.sum(np.exp(z - m)))


def softmax_by_the_minimum(z):
    e = np.exp(z - z.min(axis=1, keepdims=True))
    return z * e / e.sum(axis=1, keepdims=True)


def softmin_by_the_maximum(z):
    e = np.exp(np.max(z) - z)
    return e / np.sum(e)


def by_part_of_the_maximum(z):
    m = 0.5 * np.max(z)
    return m + np.log(np.sum(np.exp(z - m)))


def by_the_maximum_of_others(z):
    m = np.max(z[:, 1:], axis=1, keepdims=True)
    e = np.exp(z - m)
    return e / np.sum(e, axis=1, keepdims=True)


def by_the_maxima_of_columns(z):
    s = z @ z.T
    e = np.exp(s - np.max(s, axis=1))
    return e / np.sum(e, axis=0)


def weighted(z):
    m = np.max(z, axis=1, keepdims=True)
    return m + np.log(np.sum(np.exp(z - m) / z, axis=1, keepdims=True))


def normalised_weights(z):
    e = np.exp(z - np.max(z)) / np.cos(z)
    return e / np.sum(e)


def divided(z):
    m = np.max(z)
    return z[0, 0] * log_sum_exp(z) + (m - np.max(z)) / z[0, 0]


def cooled(z):
    m, q = np.max(z), z[0, 0]
    return q * (np.log(np.sum(np.exp((z - m) / q))) + m / q)


def masked_later(z):
    e = np.where(z > 1.0, 0.0, np.exp(z - np.max(z)))
    return e / np.sum(e)


KEPT = [
    *(maximum, half_of_it, of_other_elements, of_another_sum, softmax_by_one_maximum),
    *(element_by_element, chosen_by_the_user, centred, by_the_minimum),
    *(softmax_by_the_minimum, softmin_by_the_maximum, by_part_of_the_maximum),
    *(by_the_maximum_of_others, by_the_maxima_of_columns, weighted),
    *(normalised_weights, divided, cooled, masked_later),
]


# ----- The tests -----


def traced(function):
    compiled = srcgrad.trace(function)
    with np.errstate(all="ignore"):
        compiled(Variable(Z, requires_grad=True))
    return compiled


def gradient(function, z, g):
    """The gradient of the results times g."""
    x = Variable(z.copy(), requires_grad=True)
    with np.errstate(all="ignore"):
        out = function(x)
        out.backward(np.broadcast_to(g, out.shape).astype(z.dtype))
    return x.grad.data


def has_maximum(function):
    return "np.where" in traced(function).source().partition("def backward")[2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", CANCELLING + KEPT)
def test_gradients_are_those_of_the_tape(function, dtype):
    compiled = traced(function)
    for seed in range(3):
        random = np.random.default_rng(seed)
        z = random.normal(size=Z.shape).astype(dtype)
        z[0, 1] = z[0].max()  # two that are the largest
        g = random.normal(size=function(z).shape)
        for _ in range(2):
            seen, expected = gradient(compiled, z, g), gradient(function, z, g)
            tolerance = 1e-12 if dtype is np.float64 else 1e-4
            np.testing.assert_allclose(seen, expected, tolerance, tolerance)
    assert compiled.stats.compiled


@pytest.mark.parametrize("function", CANCELLING)
def test_what_cancels_is_gone(function):
    assert not has_maximum(function)


@pytest.mark.parametrize("function", KEPT)
def test_what_does_not_cancel_stays(function):
    assert has_maximum(function)


def test_what_goes_round_the_tape_stays():
    """Mathematically the maximum is of no consequence here, but not to the tape."""

    def detached(z):
        m = np.max(z)
        return m + np.log(np.sum(np.exp(z - m.detach())))

    compiled = traced(detached)
    for _ in range(2):
        assert np.array_equal(gradient(compiled, Z, 1.0), gradient(detached, Z, 1.0))


@pytest.mark.parametrize("function", CANCELLING + KEPT)
@pytest.mark.parametrize(
    "values",
    [[np.inf], [np.nan], [-np.inf], [-np.inf] * 4, [np.inf, np.inf], [np.inf, -np.inf]],
)
def test_special_values_give_what_they_give_on_the_tape(function, values):
    """NaN where the tape has NaN: for inf and NaN, and for nothing but -inf."""
    compiled = traced(function)
    z = Z.copy()
    z[1, : len(values)] = values
    for _ in range(2):
        seen, expected = gradient(compiled, z, 1.5), gradient(function, z, 1.5)
        np.testing.assert_allclose(seen, expected, 1e-12, 1e-12)
    assert compiled.stats.compiled


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", CANCELLING + KEPT)
def test_no_finite_number_gives_another_nan_or_infinity(function, dtype):
    compiled = traced(function)
    numbers = np.array(
        [0.0, 0.0, -1.0, 2.0, 40.0, -90.0, 800.0, -1e3, 1e5, -1e18, 1e30]
    )
    for seed in range(20):
        random = np.random.default_rng(seed)
        z = random.choice(numbers[: 4 + seed // 2], size=Z.shape).astype(dtype)
        with np.errstate(all="ignore"):
            g = random.normal(size=function(z).shape)
        for _ in range(2):
            seen, expected = gradient(compiled, z, g), gradient(function, z, g)
            # Of large ones the rounding is as large.
            assert np.array_equal(np.isfinite(seen), np.isfinite(expected))
            none = ~np.isfinite(expected)
            np.testing.assert_array_equal(seen[none], expected[none])
    assert compiled.stats.compiled


def test_an_infinite_cotangent_is_infinite_at_the_maximum_too():
    """There the tape has inf - inf; elsewhere both have the same."""
    z = np.array([[1.0, 2.0, 0.5]])
    for g in (np.inf, -np.inf):
        expected = gradient(log_sum_exp, z, g)
        np.testing.assert_array_equal(expected, [[g, np.nan, g]])
        compiled = traced(log_sum_exp)
        gradient(compiled, z, 1.0)
        np.testing.assert_array_equal(gradient(compiled, z, g), [[g, g, g]])
    assert np.isnan(gradient(compiled, z, np.nan)).all()


@pytest.mark.parametrize("function", CANCELLING)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_a_cotangent_that_is_no_number_leaves_none_where_the_tape_has_none(
    function, special
):
    """Numbers are the same, and NaN may be the infinity of which it is a difference."""
    compiled = traced(function)
    g = np.ones_like(function(Z))
    g[(0,) * g.ndim] = special
    for _ in range(2):
        seen, expected = gradient(compiled, Z, g), gradient(function, Z, g)
        is_number = np.isfinite(expected)
        assert np.array_equal(np.isfinite(seen), is_number)
        np.testing.assert_allclose(seen[is_number], expected[is_number], 1e-12, 1e-12)


def test_the_users_own_sums_stay():
    def function(z):
        m = np.max(z)
        return [np.where(z == m, m - m, 0.0) + z]

    graph = record(function, [Z])
    assert drop_cancelled(graph) is graph


def test_long_sums_are_looked_at_in_linear_time():
    def function(z):
        total = z
        for _ in range(300):
            total = total + np.where(z == np.max(z), z, 0.0) + softmax(total)
        return total

    compiled = traced(function)
    np.testing.assert_allclose(
        gradient(compiled, Z, 1.0), gradient(function, Z, 1.0), 1e-8
    )
