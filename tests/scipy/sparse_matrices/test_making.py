"""SciPy's older matrices and its arrays, made of Variables: what ``*`` is of each."""

import itertools

import numpy as np
import pytest
import scipy.sparse

import srcgrad
from srcgrad.scipy import sparse
from tests.cases import for_each

ROWS, COLUMNS = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 0, 2])
V, X = np.array([2.0, 3.0, 4.0, -1.0, 5.0]), np.array([1.0, 10.0, 100.0])
B = np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]])


def by_places(kind):
    return lambda of, v: getattr(of, kind)((v, (ROWS, COLUMNS)), shape=(3, 3))


MAKERS = {
    "csr_matrix": by_places("csr_matrix"),
    "csr_array": by_places("csr_array"),
    "coo_matrix": by_places("coo_matrix"),
    "csc_array": by_places("csc_array"),
    "diags": lambda of, v: of.diags([v[:2], v[2:]], [-1, 0]),
    "diags_array": lambda of, v: of.diags_array([v[:2], v[2:]], offsets=[-1, 0]),
    "spdiags": lambda of, v: of.spdiags(v[None, :3], [0], 3, 3),
}
# What may be done before, which gives a matrix or an array again.
FORMS = {
    "itself": lambda of, K, S: K,
    "transposed": lambda of, K, S: K.T,
    "negative": lambda of, K, S: -K,
    "scaled": lambda of, K, S: 2.0 * K,
    "part": lambda of, K, S: K.tocsr()[:, [0, 2, 1]],
    "sum": lambda of, K, S: K + S,
    "sum from the left": lambda of, K, S: S + K,
    "difference": lambda of, K, S: S - K,
    "product": lambda of, K, S: K @ S,
    "multiplied": lambda of, K, S: K.multiply(B),
    "stacked": lambda of, K, S: of.vstack([K, K.tocsr()[1:]]).tocsr()[:3],
    "on an array": lambda of, K, S: of.vstack([K, scipy.sparse.csr_array(B)]).tocsr()[
        1:4
    ],
    "triangle": lambda of, K, S: of.tril(K),
    "kron": lambda of, K, S: of.kron(scipy.sparse.csr_matrix([[2.0]]), K),
}
PRODUCTS = {
    "vector": lambda K: K * X,
    "from the left": lambda K: X * K,
    "matrix": lambda K: K * scipy.sparse.csr_matrix(B),
    "of a matrix": lambda K: scipy.sparse.csr_matrix(B) * K,
    "number": lambda K: 3.0 * K * 2.0,
}


def array_of(item):
    return item.toarray() if hasattr(item, "toarray") else item


# Each maker with each form, and the products in turn.
TRIPLES = zip(itertools.product(MAKERS, FORMS), itertools.cycle(PRODUCTS), strict=False)


@for_each("pair, product", [*TRIPLES])
def test_a_star_is_what_it_is_in_scipy(pair, product):
    maker, form = pair
    S = (scipy.sparse.csr_array if "array" in maker else scipy.sparse.csr_matrix)(B)

    def call(of, v):
        return array_of(PRODUCTS[product](FORMS[form](of, MAKERS[maker](of, v), S)))

    v = srcgrad.Variable(V, requires_grad=True)
    found = call(sparse, v)
    np.testing.assert_allclose(found.data, call(scipy.sparse, V), rtol=1e-13)


@pytest.mark.parametrize("maker", MAKERS)
def test_sums_of_both_kinds_ask_which_product(maker):
    S = (scipy.sparse.csr_matrix if "array" in maker else scipy.sparse.csr_array)(B)
    plain = MAKERS[maker](scipy.sparse, V)
    K = MAKERS[maker](sparse, srcgrad.Variable(V, requires_grad=True))
    for mixed in (K + S, S + K, (S - K).T):
        for product in (lambda K: K * X, lambda K: X * K):
            with pytest.raises(srcgrad.NoRuleError, match="write `@`"):
                product(mixed)
    np.testing.assert_allclose(((K + S) @ X).data, (plain + S) @ X)
    np.testing.assert_allclose(
        (2.0 * (K + S)).toarray().data, 2.0 * array_of(plain + S)
    )


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array"])
def test_its_slope(kind):
    def call(v):
        K = scipy.sparse.csr_matrix if kind == "csr_matrix" else scipy.sparse.csr_array
        out = K((v, (ROWS, COLUMNS)), shape=(3, 3)) * X
        return array_of(out)[-1] ** 2

    slope = srcgrad.jacobian(call)(V)
    assert slope.any()
    assert srcgrad.gradcheck(lambda v: srcgrad.grad(lambda v: np.sum(call(v)))(v), (V,))


POWERS = {
    "square": lambda K: K**2,
    "third power": lambda K: K**3,
    "each squared": lambda K: K.power(2),
    "roots": lambda K: abs(K).power(0.5),
    "reciprocals": lambda K: K.power(-1),
    "magnitudes": lambda K: abs(-K),
}


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_array", "coo_matrix"])
def test_powers_are_what_they_are_in_scipy(kind, power):
    def call(v):
        K = getattr(scipy.sparse, kind)((v, (rows, columns)), shape=(3, 3))
        return np.sum(POWERS[power](K) @ np.arange(3.0))

    rows, columns = np.array([0, 0, 1, 2, 0]), np.array([0, 1, 2, 0, 1])  # one twice
    gradient = srcgrad.value_and_grad(call)
    for v in (np.arange(1.0, 6.0), np.linspace(0.5, 2.0, 5)):
        value, slope = gradient(v)
        np.testing.assert_allclose(value, call(v), rtol=1e-12)
        steps = 1e-6 * np.eye(5)
        differences = [(call(v + e) - call(v - e)) / 2e-6 for e in steps]
        np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-7)


def test_a_power_of_zero_is_refused_as_in_scipy():
    K = sparse.csr_array((srcgrad.Variable(V, requires_grad=True), (ROWS, COLUMNS)))
    with pytest.raises(NotImplementedError, match="power"):
        K.power(0)
    L = sparse.csr_matrix((srcgrad.Variable(V, requires_grad=True), (ROWS, COLUMNS)))
    with pytest.raises(srcgrad.NoRuleError, match="__pow__"):
        _ = L**-1
