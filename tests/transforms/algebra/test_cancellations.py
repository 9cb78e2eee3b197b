"""Gradients through a maximum: gone where they cancel, and the same as on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.transforms.algebra.cancellations import drop_cancelled
from tests.one_liners import one_liners
from tests.transforms.interpret import record

Z = np.random.default_rng(0).normal(size=(3, 4))

# Functions of a matrix. A row that is no number would make the gradient at another
# row's maximum none either (`softmax_by_one_maximum`), and so would an element's
# cotangent (`element_by_element`); `centred` divides by what may be infinite.
FUNCTIONS = one_liners(
    """
log_sum_exp: m = np.max(z); m + np.log(np.sum(np.exp(z - m)))
log_sum_exp_of_rows: m = z.max(axis=1); m + np.log(np.sum(np.exp(z - m[:, None]),
 axis=1))
log_sum_exp_of_columns: m = np.max(z, axis=0, keepdims=True); m[0] + np.log(np.exp(z -
 m).sum(axis=0))
log_mean_exp: m = np.max(2.0 * z, axis=(0, 1), keepdims=True); np.log(np.mean(np.exp(2.0
 * z - m), axis=(0, 1), keepdims=True)) + m
softmax: e = np.exp(z - z.max(axis=-1, keepdims=True)); e / e.sum(axis=-1,
 keepdims=True)
softmax_in_one_line: np.exp(z - np.max(z)) / np.sum(np.exp(z - np.max(z)))
softmin: e = np.exp(-(z - np.min(z, axis=0))); z * e / np.sum(e, axis=0)
log_softmax: shifted = z - np.max(z, axis=1, keepdims=True); shifted -
 np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
picked: log_softmax(z)[np.arange(3), [0, 3, 1]] * 2.0
entropy: p = softmax(z / 0.7); -np.sum(p * np.log(p), axis=1)
of_a_product: softmax(z @ z.T / 2.0) @ z
entropy_of_logarithms: logarithms = log_softmax(z); -np.sum(np.exp(logarithms) *
 logarithms, axis=1)
scaled: e = np.exp((z - np.max(z, axis=1, keepdims=True)) / 0.7); e / np.mean(e, axis=1,
 keepdims=True)
of_powers_of_two: e = np.exp2(-2.0 * (np.min(z) - z) * -1.0); z / np.sum(e) * e
maximum: z - np.max(z, axis=1, keepdims=True)
half_of_it: m = np.max(z, axis=1, keepdims=True); 0.5 * m + np.log(np.sum(np.exp(z - m),
 axis=1, keepdims=True))
of_other_elements: m = np.max(z, axis=1, keepdims=True); m + np.log(np.sum(np.exp(z[:,
 1:] - m), axis=1, keepdims=True)) * m
of_another_sum: e = np.exp(z - np.max(z, axis=1, keepdims=True)); e / np.sum(e, axis=0)
softmax_by_one_maximum: e = np.exp(z - np.max(z)); e / np.sum(e, axis=1, keepdims=True)
element_by_element: m = np.max(z, axis=1, keepdims=True); np.exp(z - m) * np.exp(m)
chosen_by_the_user: m = np.max(z, axis=1, keepdims=True); np.where(z == m, z - z, 0.0) +
 z * m
centred: m = np.max(z, axis=1, keepdims=True); np.exp(z - m) * np.exp(m - np.mean(z,
 axis=1, keepdims=True))
by_the_minimum: m = np.min(z); m + np.log(np.sum(np.exp(z - m)))
softmax_by_the_minimum: e = np.exp(z - z.min(axis=1, keepdims=True)); z * e /
 e.sum(axis=1, keepdims=True)
softmin_by_the_maximum: e = np.exp(np.max(z) - z); e / np.sum(e)
by_part_of_the_maximum: m = 0.5 * np.max(z); m + np.log(np.sum(np.exp(z - m)))
by_the_maximum_of_others: m = np.max(z[:, 1:], axis=1, keepdims=True); e = np.exp(z -
 m); e / np.sum(e, axis=1, keepdims=True)
by_the_maxima_of_columns: s = z @ z.T; e = np.exp(s - np.max(s, axis=1)); e / np.sum(e,
 axis=0)
weighted: m = np.max(z, axis=1, keepdims=True); m + np.log(np.sum(np.exp(z - m) / z,
 axis=1, keepdims=True))
normalised_weights: e = np.exp(z - np.max(z)) / np.cos(z); e / np.sum(e)
divided: m = np.max(z); z[0, 0] * log_sum_exp(z) + (m - np.max(z)) / z[0, 0]
cooled: m, q = np.max(z), z[0, 0]; q * (np.log(np.sum(np.exp((z - m) / q))) + m / q)
masked_later: e = np.where(z > 1.0, 0.0, np.exp(z - np.max(z))); e / np.sum(e)
""",
    "z",
)
CANCELLING, KEPT = FUNCTIONS[:14], FUNCTIONS[14:]
log_sum_exp, softmax = CANCELLING[0], CANCELLING[4]


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


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS)
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


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", FUNCTIONS)
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


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS)
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
