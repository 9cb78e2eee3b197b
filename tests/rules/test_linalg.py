"""The rules on arrays at their edges: zeros, ties, repeats; and what they refuse."""

import math

import numpy as np
import pytest

import srcgrad.autograd
from srcgrad.tape.variable import Variable
from srcgrad.updates import assign

SQUARE, WIDE = np.eye(3) + 0.1, np.ones((2, 3))


def gradient(function, value, g=None):
    """The gradient of a function of one array, given as a list."""
    x = Variable(np.array(value), requires_grad=True)
    out = function(x)
    g = np.ones(out.shape) if g is None else np.array(g)
    (found,) = srcgrad.autograd.grad(out, x, g)
    return found.data.tolist()


def backward(function, *values):
    """Run a function on Variables, and take every result back."""
    out = function(*(Variable(np.array(v), requires_grad=True) for v in values))
    outs = [*out] if isinstance(out, (list, tuple)) else [out]
    srcgrad.autograd.backward(outs, [np.ones(o.shape) for o in outs])


# ----- Norms -----


@pytest.mark.parametrize("ord", [None, 2, 1, 0, math.inf, 3, 2.5])
def test_the_norm_of_a_zero_vector_has_the_slope_zero(ord):
    assert gradient(lambda x: np.linalg.norm(x, ord), [0.0, 0.0]) == [0.0, 0.0]


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 2, -2, 1, -1, math.inf])
def test_the_norm_of_a_zero_matrix_has_the_slope_zero(ord):
    zeros = [[0.0, 0.0], [0.0, 0.0]]
    assert gradient(lambda x: np.linalg.norm(x, ord), zeros) == zeros


def test_the_largest_elements_share_the_slope_of_the_infinity_norm():
    x = [2.0, -2.0, 1.0]
    assert gradient(lambda x: np.linalg.norm(x, math.inf), x) == [0.5, -0.5, 0.0]
    assert gradient(lambda x: np.linalg.norm(x, -math.inf), x) == [0.0, 0.0, 1.0]


def test_a_norm_of_negative_order_is_flat_beside_a_zero():
    with np.errstate(divide="ignore"):  # as NumPy's own
        assert gradient(lambda x: np.linalg.norm(x, -1), [0.0, 2.0]) == [0.0, 0.0]


def test_the_norm_that_counts_has_the_slope_zero():
    assert gradient(lambda x: np.linalg.norm(x, 0), [1.0, 0.0, 3.0]) == [0.0] * 3


# ----- Equal values -----


def test_what_does_not_depend_on_the_choice_of_eigenvectors():
    def itself(x):
        values, vectors = np.linalg.eigh(x)
        return (vectors * values) @ vectors.T

    g = [[1.0, 2.0], [4.0, 3.0]]
    found = gradient(itself, [[2.0, 0.0], [0.0, 2.0]], g)
    # The values' part of it; a symmetric matrix has no more freedom than this.
    assert np.all(np.isfinite(found))
    assert np.trace(found) == pytest.approx(4.0)


def test_the_singular_values_of_a_zero_matrix():
    found = gradient(lambda x: np.sum(np.linalg.svd(x)[1]), [[0.0, 0.0]] * 2)
    assert np.all(np.isfinite(found))


def test_equal_elements_keep_their_order():
    g = [1.0, 2.0, 3.0]
    assert gradient(np.sort, [1.0, 0.0, 1.0], g) == [2.0, 1.0, 3.0]


def test_not_a_number_stands_last():
    assert gradient(np.sort, [math.nan, 1.0], [1.0, 2.0]) == [2.0, 1.0]


# ----- Repeated indices -----


def test_gradients_of_repeated_indices_add_up():
    g = [1.0, 2.0, 4.0]
    assert gradient(lambda x: x[[0, 0, 1]], [5.0, 6.0], g) == [3.0, 4.0]
    assert gradient(lambda x: np.take(x, (1, 1, 1)), [5.0, 6.0], g) == [0.0, 7.0]


def test_of_values_assigned_to_one_place_the_last_counts():
    def store(value):
        return assign(np.zeros(2), [0, 0, 1], value)

    assert gradient(store, [5.0, 6.0, 7.0], [1.0, 2.0]) == [0.0, 1.0, 2.0]


def test_a_variable_as_an_index():
    places = Variable(np.array([1, 1]))
    assert gradient(lambda x: x[places], [5.0, 6.0]) == [0.0, 2.0]
    assert gradient(lambda x: x[x > 5.5], [5.0, 6.0]) == [0.0, 1.0]
    assert gradient(lambda x: x[np.argmax(x)], [5.0, 6.0]) == [0.0, 1.0]
    assert gradient(lambda x: x[places[0] :], [5.0, 6.0]) == [0.0, 1.0]


# ----- Other spellings -----


def test_pad_widths_by_axis():
    def pad(x):
        return np.pad(x, {-1: (1, 2)}, mode="edge")

    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("NumPy takes a dict from 2.4 on")
    assert gradient(pad, [[1.0, 2.0]]) == [[2.0, 3.0]]


def test_what_padding_leaves_empty_has_no_gradient():
    assert gradient(lambda x: np.pad(x, 1, mode="empty"), [1.0, 2.0]) == [1.0, 1.0]


def test_orders_of_one_axis_are_all_the_same():
    for order in "CFAK":
        assert gradient(lambda x, order=order: x.ravel(order), [1.0]) == [1.0]


# ----- Refusals -----

REFUSED = [
    (lambda x: np.reshape(x, (3, 2), order="A"), WIDE, "order='A'.*use order='C'"),
    (lambda x: np.pad(x, 1, mode="mean"), WIDE, "mode='mean'"),
    (lambda x: np.pad(x, 1, "reflect", reflect_type="odd"), WIDE, "type='odd'"),
    (lambda x: np.pad(x, 1, constant_values=x), (1.0, 2.0), "one constant value"),
    (lambda x: np.vecdot(x, np.ones((2, 4, 3)), axis=0), WIDE, "from the end"),
    (lambda x: np.einsum(WIDE, [0, 1], x, [1], [0]), (1.0, 2.0, 3.0), "as a string"),
    (lambda x: np.linalg.qr(x, "r"), SQUARE, "mode='r'"),
    (np.linalg.qr, WIDE, r"shape \(2, 3\)"),
    (np.linalg.svd, WIDE, "pass full_matrices=False"),
]
ERRORS = [
    (lambda x: np.block([[x], x]), ValueError, "evenly"),
    (lambda x: np.block([x, []]), ValueError, "empty"),
    (lambda x: np.select([x > 0], [x, x]), ValueError, "as many choices"),
    (lambda x: np.select([x], [x]), TypeError, "must be boolean"),
    (lambda x: np.linalg.multi_dot([x]), ValueError, "at least two"),
    (lambda x: np.linalg.outer(x, x), ValueError, "one-dimensional"),
    (lambda x: np.linalg.tensorinv(x, 0), ValueError, "Invalid ind"),
]


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, message):
    with pytest.raises(NotImplementedError, match=message):
        backward(function, value)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_vectors_in_the_plane_have_no_cross_product():
    def cross(x):
        return np.cross(x, np.ones(2))

    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("nor has NumPy from 2.5 on")
    with pytest.raises(NotImplementedError, match="3 elements"):
        backward(cross, [1.0, 2.0])


@pytest.mark.parametrize(("function", "error", "message"), ERRORS)
def test_compositions_check_their_arguments_like_numpy(function, error, message):
    with pytest.raises(error):
        function(SQUARE)
    with pytest.raises(error, match=message):
        function(Variable(SQUARE, requires_grad=True))
