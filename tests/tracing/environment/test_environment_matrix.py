"""Sparse matrices that a traced function finds outside: read afresh at each call."""

import re

import numpy as np
import pytest
from scipy import sparse

import srcgrad
from tests.variables import variable

RNG = np.random.default_rng(3)
FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
KINDS = [getattr(sparse, f"{f}_{k}") for f in FORMATS for k in ("array", "matrix")]


def dense(rows=4, columns=4, dtype=float, share=0.5):
    """Of one pattern for each shape and share, and of any numbers."""
    values = RNG.normal(size=(rows, columns))
    where = np.random.default_rng(rows + 10 * columns).random((rows, columns)) < share
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RNG.normal(size=(rows, columns))
    return np.where(where, values, 0.0).astype(dtype)


def applied(x, A):
    for _ in range(3):
        x = x + 0.1 * np.sin(A @ x)
    return np.sum(x**2)


class Model:
    def __init__(self, A):
        self.A = A

    def loss(self, x):
        return np.sum(np.tanh(self.A @ x) * (x @ self.A.T))


def check(traced, plain, *args, tolerance=1e-12):
    """One call: value and gradient are those of dense matrices, untraced."""
    value, slope = srcgrad.value_and_grad(traced)(*args)
    expected = srcgrad.value_and_grad(plain)(args[0], *map(as_dense, args[1:]))
    np.testing.assert_allclose(value, expected[0], rtol=tolerance)
    np.testing.assert_allclose(slope, expected[1], rtol=tolerance, atol=tolerance)
    assert slope.dtype == expected[1].dtype


def as_dense(arg):
    return arg.toarray() if sparse.issparse(arg) else arg


class TestFormats:
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind_is_compiled(self, kind):
        model = Model(None)
        traced = srcgrad.trace(model.loss)
        for _ in range(3):
            model.A = kind(dense())
            check(traced, Model(model.A.toarray()).loss, RNG.normal(size=4))
        assert traced.stats.compiled == 2

    @pytest.mark.parametrize("kind", [k for k in KINDS if not issubclass(k, dict)])
    def test_every_kind_as_an_argument(self, kind):
        traced = srcgrad.trace(applied)
        for _ in range(3):
            check(traced, applied, RNG.normal(size=4), kind(dense()))
        assert traced.stats.compiled == 2

    def test_the_format_may_be_changed_inside(self):
        A = sparse.coo_array(dense())
        traced = srcgrad.trace(lambda x: np.sum((A.tocsr() @ (A.T.tocsc() @ x)) ** 2))
        for _ in range(3):

            def plain(x, D):
                return np.sum((D @ (D.T @ x)) ** 2)

            x = RNG.normal(size=4)
            found = srcgrad.value_and_grad(traced)(x)
            expected = srcgrad.value_and_grad(plain)(x, A.toarray())
            np.testing.assert_allclose(found[0], expected[0])
            np.testing.assert_allclose(found[1], expected[1])
            A.data *= 1.5
        assert traced.stats.compiled == 2

    @pytest.mark.parametrize("matrix", [np.float32, float, complex, int, bool])
    @pytest.mark.parametrize("vector", [np.float32, float, complex])
    def test_every_dtype(self, matrix, vector):
        def loss(x, A):
            return np.sum(np.abs(A @ x) ** 2)

        traced = srcgrad.trace(loss)
        A = sparse.csr_array((5 * dense()).astype(matrix))
        tolerance = 1e-4 if vector == np.float32 else 1e-12
        for _ in range(3):
            x = dense(share=1.0, dtype=vector)[0]
            check(traced, loss, x, A, tolerance=tolerance)
        assert traced.stats.compiled == 2

    def test_a_matrix_of_columns(self):
        def loss(x, A):
            return np.sum((A.T @ np.tanh(A.dot(x))) ** 2) + np.sum(x.T @ A.transpose())

        traced = srcgrad.trace(loss)
        for _ in range(3):
            check(traced, loss, dense(3, 2), sparse.csc_array(dense(5, 3)))
        assert traced.stats.compiled == 2

    def test_old_matrices_are_multiplied_with_a_star(self):
        traced = srcgrad.trace(lambda x, A: np.sum((A * x) ** 2) + np.sum(x * A))
        for _ in range(3):
            x, A = RNG.normal(size=4), sparse.csr_matrix(dense())
            check(traced, lambda x, A: np.sum((A @ x) ** 2) + np.sum(x @ A), x, A)
        assert traced.stats.compiled == 2

    @pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
    def test_nothing(self, shape):
        traced = srcgrad.trace(lambda x, A: np.sum(A @ x) + np.sum(x))
        for _ in range(2):
            A, x = sparse.csr_array(shape), np.ones(shape[1])
            value, slope = srcgrad.value_and_grad(traced)(x, A)
            assert value == shape[1]
            np.testing.assert_array_equal(slope, np.ones(shape[1]))
        assert traced.stats.compiled == 1

    def test_elements_twice_and_in_any_order(self):
        parts = [1.0, 2.0, 3.0, 4.0], [2, 0, 2, 1], [0, 3, 4, 4]
        A = sparse.csr_array(parts, shape=(3, 3))
        traced = srcgrad.trace(applied)
        for _ in range(2):
            check(traced, applied, RNG.normal(size=3), A)
        assert not A.has_canonical_format


class TestWhatChanges:
    def test_elements_written_between_calls(self):
        A = sparse.csr_array(dense())

        @srcgrad.trace
        def loss(x):
            return np.sum((A @ x) ** 3)

        for k in range(4):
            A.data[:] = RNG.normal(size=A.nnz)
            A.data *= k + 1
            x = RNG.normal(size=4)
            check(loss, lambda x: np.sum((A.toarray() @ x) ** 3), x)
        assert loss.stats.compiled == 3

    def test_another_matrix_at_an_attribute(self):
        model = Model(sparse.csr_array(dense()))
        traced = srcgrad.trace(model.loss)
        others = [
            model.A.copy(),
            sparse.csr_array(dense(share=0.9)),
            sparse.csc_matrix(dense()),
            sparse.csr_array(dense().astype(np.float32)),
            sparse.coo_array(dense()),
            dense(),
            sparse.csr_array(dense(dtype=complex)).real,
            sparse.csr_array((4, 4)),
        ]
        for other in [*others, *others]:
            model.A = other
            x = RNG.normal(size=4)
            check(traced, Model(as_dense(other)).loss, x, tolerance=1e-6)

    def test_places_written_between_calls(self):
        model = Model(sparse.csr_array(np.diag([1.0, 2.0, 3.0, 4.0])))
        traced = srcgrad.trace(model.loss)
        for k in range(4):
            model.A.indices[:] = np.roll(np.arange(4), k)
            check(traced, Model(model.A.toarray()).loss, RNG.normal(size=4))
        assert traced.stats.compiled == 3

    def test_another_shape(self):
        traced = srcgrad.trace(applied)
        for n in (4, 5, 4, 5, 3, 4):
            check(traced, applied, RNG.normal(size=n), sparse.csr_array(dense(n, n)))

    def test_a_matrix_written_between_forward_and_backward(self):
        A = sparse.csr_array(dense())

        @srcgrad.trace
        def loss(x):
            return np.sum((A @ x) ** 2)

        for _ in range(3):
            x, before = variable(RNG.normal(size=4)), A.toarray()
            out = loss(x)
            A.data[:] *= 2.0
            out.backward()
            expected = 2 * before.T @ (before @ x.data)
            np.testing.assert_allclose(x.grad.data, expected)

    def test_one_matrix_in_two_places(self):
        one, other = sparse.csr_array(dense()), sparse.csr_array(dense())

        def loss(x, A, B):
            return np.sum((A @ x) * (B @ x) ** 2)

        traced = srcgrad.trace(loss)
        for pair in ((one, one), (one, other), (other, other), (one, one)):
            check(traced, loss, RNG.normal(size=4), *pair)


class TestWhatIsRefused:
    """What the tape does with it is done there, at each call."""

    @pytest.mark.parametrize(
        "call",
        [
            lambda x, A: np.sum(A.toarray() @ x),
            lambda x, A: np.sum((A + x) ** 2),
            lambda x, A: np.sum(A.multiply(x) @ x),
            lambda x, A: np.sum((2.0 * A) @ x),
            lambda x, A: np.sum(A[:2] @ x),
            lambda x, A: np.sum((A @ A) @ x),
            lambda x, A: x @ x * A.nnz,
            lambda x, A: np.sum(A @ x) * A.sum(),
            lambda x, A: np.sum(A @ x) * np.sum(A),
            lambda x, A: np.sum(A @ x) * A.data[0],
            lambda x, A: np.sum(-A @ x),
            lambda x, A: np.sum(x[: len(A.indptr) - 1]),
        ],
    )
    def test_it_stays_on_the_tape(self, call):
        A, traced = sparse.csr_array(dense()), srcgrad.trace(call)
        for _ in range(3):
            x = RNG.normal(size=4)
            value, slope = srcgrad.value_and_grad(traced)(x, A)
            expected = srcgrad.value_and_grad(call)(x, A)
            np.testing.assert_allclose(value, expected[0])
            np.testing.assert_allclose(slope, expected[1])
            A.data *= 1.5

    def test_it_is_given_back_and_kept_as_it_is(self):
        kept = []

        def call(x, A):
            kept.append(A)
            return np.sum(A @ x), A

        A, traced = sparse.csr_array(dense()), srcgrad.trace(call)
        for _ in range(3):
            out, same = traced(variable(RNG.normal(size=4)), A)
            assert same is A
            assert kept[-1] is A
            assert isinstance(out, srcgrad.Variable)

    @pytest.mark.parametrize("x", [np.ones(3), np.ones((2, 4)), 2.0])
    def test_errors_are_those_of_the_tape(self, x):
        A = sparse.csr_array(dense())
        for _ in range(2):
            with pytest.raises(ValueError, match=r"operand|mismatch") as plain:
                A @ x
            with pytest.raises(ValueError, match=re.escape(str(plain.value))):
                srcgrad.grad(srcgrad.trace(lambda x, A: np.sum(A @ x)))(x, A)

    def test_what_it_is(self):
        @srcgrad.trace
        def call(x, A):
            if isinstance(A, sparse.csr_array):
                return np.sum(A @ x)
            return np.sum(x[: A.shape[0]])

        for kind in (sparse.csr_array, sparse.csc_array, np.asarray) * 2:
            x, A = RNG.normal(size=4), dense(3, 4)
            value = np.sum(A @ x) if kind is sparse.csr_array else np.sum(x[:3])
            np.testing.assert_allclose(call(x, kind(A)), value)


class TestTransforms:
    def test_derivatives(self):
        A = sparse.csr_array(dense())

        def plain(x, A):
            return np.sum(np.sin(A @ x) ** 2)

        traced = srcgrad.trace(lambda x: plain(x, A))
        D = A.toarray()
        for _ in range(3):
            x, v = RNG.normal(size=(2, 4))
            for transform in (srcgrad.hessian, srcgrad.jacobian):
                found = transform(traced)(x)
                expected = transform(lambda x: plain(x, D))(x)
                np.testing.assert_allclose(found, expected, atol=1e-12)
            found = srcgrad.jvp(traced, (x,), (v,))
            expected = srcgrad.jvp(lambda x: plain(x, D), (x,), (v,))
            np.testing.assert_allclose(found, expected)
            rows = RNG.normal(size=(3, 4))
            found = srcgrad.vmap(srcgrad.grad(traced))(rows)
            expected = srcgrad.vmap(srcgrad.grad(lambda x: plain(x, D)))(rows)
            np.testing.assert_allclose(found, expected)
