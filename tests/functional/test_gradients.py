"""``srcgrad.grad`` and ``value_and_grad``: what they take, give, and refuse."""

import inspect
import math
import statistics

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.telling import in_full
from tests.tracing.comparing import both

X = np.array([2.0, 1.0])


@both(lambda x: statistics.geometric_mean([x[0], 4.0]))
def test_a_number_taken_out_is_no_silent_zero(f):
    for _ in range(3):
        with pytest.warns(
            RuntimeWarning, match=r"geometric_mean\(\[x\[0\].*np functions"
        ):
            gradient = srcgrad.grad(f)(X)
        np.testing.assert_array_equal(gradient, [0.0, 0.0])


@both(lambda x: np.sum(x) * statistics.geometric_mean([x[0], 2.0]))
def test_nor_beside_a_gradient(f):
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="its gradient is lost"):
            gradient = srcgrad.grad(f)(X)
        np.testing.assert_allclose(gradient, [2.0, 2.0])


@both(lambda x: np.sum(x) * float(x[0]) + math.sin(x[1]))
def test_pythons_numbers_have_gradients(f):
    for _ in range(3):
        gradient = srcgrad.grad(f)(X)
        np.testing.assert_allclose(gradient, [5.0, 2.0 + math.cos(1.0)])


@both(lambda x: 1.0)
def test_a_constant_has_gradient_zero(f):
    for _ in range(3):
        assert srcgrad.value_and_grad(f)(X)[0] == 1.0
        np.testing.assert_array_equal(srcgrad.grad(f)(X), [0.0, 0.0])


def in_a_buffer(x):
    out = np.zeros(2)
    out[0] = x[0] ** 2
    return np.sum(out * x)


@pytest.mark.parametrize("f", [in_a_buffer, srcgrad.trace(in_a_buffer)])
def test_an_array_is_filled(f):
    for _ in range(3):
        np.testing.assert_array_equal(srcgrad.grad(f)(X), [3 * X[0] ** 2, 0.0])


def test_without_source_an_array_takes_no_variable():
    namespace = {"np": np}
    exec(inspect.getsource(in_a_buffer), namespace)
    with pytest.raises(ValueError, match="setting an array element") as error:
        srcgrad.grad(namespace["in_a_buffer"])(X)
    assert "make the ndarray a Variable first" in in_full(error.value.__cause__)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.MaskedArray])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_arrays_that_compute_in_another_way_are_refused(kind):
    array = np.array([[1.0, 2.0]]).view(kind)
    for f in (lambda x: np.sum(x * x), srcgrad.trace(lambda x: np.sum(x * x))):
        with pytest.raises(TypeError, match=r"(?s)plain ndarrays.*np\.asarray"):
            srcgrad.grad(f)(array)
    v = Variable(np.ones(array.shape), requires_grad=True)
    with pytest.raises(TypeError, match=r"(?s)plain ndarrays.*np\.asarray"):
        v * array


@pytest.mark.parametrize("argnums", ["b", ("a", "b"), 1.0, [0.0]])
def test_argnums_are_numbers(argnums):
    with pytest.raises(
        TypeError, match=r"argnums is an int or a sequence of ints|iter"
    ):
        srcgrad.grad(lambda a, b: a * b, argnums=argnums)


# ----- Arguments and gradients -----


def weighted(w, x, *, scale=1.0):
    return np.sum(w["a"] * x**2) * w["b"][0] * scale


W = {"a": np.array([1.0, 3.0]), "b": (2.0, np.float32(7.0))}


def test_a_gradient_has_the_form_and_kinds_of_its_argument():
    value, g = srcgrad.value_and_grad(weighted)(W, X)
    assert value == 14.0
    assert list(g) == ["a", "b"]
    np.testing.assert_array_equal(g["a"], [8.0, 2.0])
    assert (type(g["b"]), type(g["b"][0]), type(g["b"][1])) == (
        tuple,
        float,
        np.float32,
    )
    assert g["b"] == (7.0, 0.0)


def power(x, y):
    return np.sum(x**2 * y)


BY_X, BY_Y, Y = [12.0, 8.0], [4.0, 1.0], np.array([3.0, 4.0])


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [
        (0, BY_X),
        (1, BY_Y),
        (-1, BY_Y),
        ((1,), (BY_Y,)),
        ([0, 1], (BY_X, BY_Y)),
        ((-1, 0), (BY_Y, BY_X)),
    ],
)
def test_argnums_choose_arguments(argnums, expected):
    found = srcgrad.grad(power, argnums)(X, Y)
    assert type(found) is (np.ndarray if isinstance(argnums, int) else tuple)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("argnums", [2, -3, (0, 5)])
def test_argnums_that_are_not_there(argnums):
    with pytest.raises(ValueError, match="argnums"):
        srcgrad.grad(weighted, argnums)(W, X)


def test_keywords_are_passed_on():
    np.testing.assert_array_equal(
        srcgrad.grad(weighted, 1)(W, X, scale=0.5), [4.0, 6.0]
    )


def test_aux_comes_along_as_it_is():
    def function(x):
        return np.sum(x * x), {"doubled": x * 2.0, "text": "done"}

    (value, aux), g = srcgrad.value_and_grad(function, has_aux=True)(X)
    assert (value, aux["text"]) == (5.0, "done")
    assert type(aux["doubled"]) is np.ndarray
    np.testing.assert_array_equal(aux["doubled"], [4.0, 2.0])
    g_again, aux = srcgrad.grad(function, has_aux=True)(X)
    np.testing.assert_array_equal(g, g_again)
    assert aux["text"] == "done"


def test_numbers_give_numbers():
    assert srcgrad.grad(lambda x: x**3)(2.0) == 12.0
    assert type(srcgrad.grad(lambda x: x**3)(2.0)) is float
    assert type(srcgrad.grad(lambda x: x**3)(np.float32(2.0))) is np.float32
    assert type(srcgrad.grad(lambda x: x**3)(np.array(2.0))) is np.ndarray


def test_of_a_complex_argument_it_is_the_direction_of_ascent():
    g = srcgrad.grad(lambda z: np.abs(z) ** 2)(np.array(3.0 + 4.0j))
    np.testing.assert_allclose(g, 6.0 + 8.0j)


def test_gradients_are_the_callers_own():
    def function(x, y):
        return np.sum(x + y)

    g, h = srcgrad.grad(function, (0, 1))(X, X)
    assert not np.shares_memory(g, h)
    assert not np.shares_memory(g, X)
    g += 1.0
    np.testing.assert_array_equal(h, [1.0, 1.0])


def test_calls_nest():
    def slope(x, y):
        return np.sum(srcgrad.grad(lambda v: np.sum(v**3 * y))(x))

    np.testing.assert_array_equal(srcgrad.grad(slope)(X, X), 6.0 * X * X)
    np.testing.assert_array_equal(srcgrad.grad(slope, 1)(X, X), 3.0 * X**2)
    third = srcgrad.grad(srcgrad.grad(srcgrad.grad(lambda x: x**4)))
    assert third(2.0) == 48.0


def test_a_method_is_differentiated_by_what_comes_after_self():
    class Model:
        def __init__(self, w):
            self.w = w

        def loss(self, x):
            return np.sum(self.w * x * x)

    model = Model(X)
    np.testing.assert_array_equal(srcgrad.grad(model.loss)(X), 2.0 * X * X)


def test_it_looks_like_the_function():
    assert srcgrad.grad(weighted).__name__ == "weighted"
    assert srcgrad.grad(weighted).__wrapped__ is weighted
    assert "weighted" in repr(srcgrad.grad(weighted))


# ----- Refusals -----


@pytest.mark.parametrize("argument", [np.arange(3), 3, "text", [1.0, "text"], True])
def test_what_is_no_float_has_no_gradient(argument):
    with pytest.raises(TypeError, match="float"):
        srcgrad.grad(lambda x: 1.0)(argument)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (X, "srcgrad.jacobian takes"),
        (1j, "take np.real"),
        ("text", "returned str"),
        (None, "without `return`"),
        ((1.0, 2.0), "has_aux=True is for"),
    ],
)
def test_the_value_is_one_real_number(value, advice):
    with pytest.raises(TypeError, match=f"(?s)must return one real number.*{advice}"):
        srcgrad.grad(lambda x: value)(X)


def test_what_is_differentiated_is_a_function():
    with pytest.raises(TypeError, match=r"a function to differentiate, but got 3\.0"):
        srcgrad.grad(3.0)


@both(lambda x: sum(x[0] ** k for k in range(int(x[1]) + 2)))
def test_an_integer_is_taken_out(f):
    for _ in range(3):
        np.testing.assert_allclose(srcgrad.grad(f)(X), [5.0, 0.0])


def writes_through_another_name(x):
    a = x
    a[0] = 5.0
    return np.sum(a * x)


def writes_through_a_view(x):
    part = x[1:]
    part *= 2.0
    return np.sum(x * x)


WRITING = [writes_through_another_name, writes_through_a_view]


def of_another(transform):
    """The gradient of what a transform gives inside."""
    return lambda f, x: srcgrad.grad(lambda x: np.sum(transform(f, x)))(x)


def of_what_is_computed(f, x):
    """The function is differentiated by what another one has made."""

    def outer(x):
        y = np.sin(x) * 1.0
        return np.sum(srcgrad.grad(f)(y) * y)

    return srcgrad.grad(outer)(x)


def checkpointed(f, x):
    def outer(x):
        y = np.sin(x) * 1.0
        return srcgrad.checkpoint(f)(y) * np.sum(y)

    return srcgrad.grad(outer)(x)


WAYS = {
    "value_and_grad": lambda f, x: srcgrad.value_and_grad(f)(x),
    "jvp": lambda f, x: srcgrad.jvp(f, (x,), (x,)),
    "hessian": lambda f, x: srcgrad.hessian(f)(x),
    "jacobian of grad": lambda f, x: srcgrad.jacobian(srcgrad.grad(f))(x),
    "jvp of grad": lambda f, x: srcgrad.jvp(srcgrad.grad(f), (x,), (x,)),
    "grad of grad": of_another(lambda f, x: srcgrad.grad(f)(x)),
    "grad of jvp": of_another(lambda f, x: srcgrad.jvp(f, (x,), (x,))[1]),
    "grad of vjp": of_another(lambda f, x: srcgrad.vjp(f, x)[1](1.0)[0]),
    "grad of hvp": of_another(lambda f, x: srcgrad.hvp(f, x, x)),
    "sparse_hessian": lambda f, x: srcgrad.sparse_hessian(f)(x),
    "computed": of_what_is_computed,
    "checkpoint": checkpointed,
}


@pytest.mark.parametrize("function", WRITING)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_is_differentiated_by_is_not_written_into(function, way):
    for f in (function, srcgrad.trace(function)):
        for _ in range(4):
            x = np.ones(3)
            with pytest.raises(RuntimeError, match=r"in-place|in place|shared"):
                way(f, x)
            assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("result", ["text", None, 1, np.ones(3, bool), np.arange(3)])
def test_an_elementwise_gradient_is_of_floats(result):
    for _ in range(3):
        with pytest.raises(
            TypeError, match="must return one real number, but <lambda>"
        ):
            srcgrad.elementwise_grad(lambda x: result)(np.ones(3))
