"""``gradcheck`` and ``gradgradcheck``: they find what is wrong, and say where."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, GradcheckError, Variable, gradcheck, gradgradcheck
from tests.telling import in_full

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]])


class Doubled(Function):
    """The identity, said to have the derivative 2 for its second row."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        return g * np.array([[1.0], [2.0]])


class Bent(Function):
    """The square; its first derivative is right, but not the derivative of that."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2.0 * g * x.detach()


def test_a_wrong_gradient_is_named_with_both_numbers():
    with pytest.raises(GradcheckError) as error:
        gradcheck(lambda a, x: a * Doubled.apply(x), (np.float64(1.0), X))
    message = in_full(error.value)
    assert "gradient of input 1: element (1, " in message
    assert "but the finite difference is" in message
    assert "3 of 6 elements differ" in message
    assert not gradcheck(Doubled.apply, (X,), raise_exception=False)


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        (Doubled.apply, (X,), ("is 2.0,", "is 1.0", ", of element (1, ")),
        (lambda x: np.sum(Doubled.apply(x)), (X,), ("is 2.0,", "is 1.0", "1.0")),
        (lambda x: 7.0 * np.sum(Doubled.apply(x)), (X,), ("is 14.0,", "is 7.0")),
        (lambda x: [x, 3.0 * Doubled.apply(x)], (X,), ("is 6.0", "is 3.0", "output 1")),
        (
            lambda x: Doubled.apply(x * X)[1, 2],
            (np.float64(2.0),),
            ("the element is -1.5,", "is -0.75"),
        ),
    ],
)
def test_the_entry_that_is_wrong_is_told_in_true_numbers(function, inputs, expected):
    with pytest.raises(GradcheckError) as error:
        gradcheck(function, inputs)
    numbers = str(error.value).replace("0.99999999", "1.0").replace("2.99999", "3.0")
    numbers = numbers.replace("6.99999", "7.0").replace("-0.74999", "-0.75")
    assert all(each in numbers for each in expected), numbers


def test_a_part_of_a_complex_output_is_named():
    z = X + 1j * X[::-1]
    with pytest.raises(GradcheckError, match=r"of the (real|imaginary) part of elem"):
        gradcheck(lambda z: WrongConjugate.apply(z), (z,))


def test_an_input_of_another_library_says_what_to_write():
    with pytest.raises(TypeError, match=r"np\.asarray"):
        gradcheck(lambda x: x, (memoryview(X.ravel()),))


def test_a_wrong_second_derivative_is_found():
    assert gradcheck(Bent.apply, (X,))
    with pytest.raises(GradcheckError, match="gradient of input"):
        gradgradcheck(Bent.apply, (X,))
    assert not gradgradcheck(Bent.apply, (X,), raise_exception=False)


def test_nan_is_no_agreement():
    with pytest.raises(GradcheckError, match="is nan"):
        gradcheck(lambda x: x * np.nan, (X,))


@pytest.mark.parametrize(
    "inputs",
    [(X,), X, (Variable(X),), ({"a": X, "b": [X, 2.0]},), (X, 3, "text", None)],
    ids=["tuple", "array", "Variable", "container", "others"],
)
def test_inputs_of_every_kind(inputs):
    def function(first, *rest):
        if isinstance(first, dict):
            return np.sin(first["a"]) * first["b"][0] * first["b"][1]
        return np.sin(first)

    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def test_several_outputs_some_without_gradient():
    def function(x):
        return np.exp(x), x > 0, [x.sum(), np.floor(x)]

    assert gradcheck(function, (X,))


def test_complex_inputs_and_outputs():
    z = X + 1j * X[::-1]
    assert gradcheck(lambda z: z * z, (z,))
    assert gradcheck(lambda z: np.abs(z), (z,))
    with pytest.raises(GradcheckError):
        gradcheck(WrongConjugate.apply, (z,))


class WrongConjugate(Function):
    """``1j * z`` with the gradient of ``-1j * z``: a forgotten conjugate."""

    @staticmethod
    def forward(ctx, z):
        return 1j * z

    @staticmethod
    def backward(ctx, g):
        return 1j * g


@pytest.mark.parametrize("inputs", [(X.astype(np.float32),), (np.arange(3),), ("x",)])
def test_nothing_to_check_is_an_error(inputs):
    with pytest.raises(ValueError, match="float64 or complex128"):
        gradcheck(lambda x: x, inputs)


def test_arguments_beside_the_inputs_are_an_error():
    with pytest.raises(TypeError, match=r"as a tuple, gradcheck\(f, \(x, y\)\)"):
        gradcheck(lambda x, y: np.sum(x * y), np.ones(2), np.ones(2))


def test_an_output_without_gradient_is_an_error():
    with pytest.raises(GradcheckError, match="no output depends on an input"):
        gradcheck(lambda x: np.floor(x), (X,))


def test_inputs_are_left_alone():
    x = X.copy()
    variable = Variable(x, requires_grad=True)
    assert gradcheck(np.tanh, (variable,))
    np.testing.assert_array_equal(x, X)
    assert variable.grad is None


def test_traced_functions():
    traced = srcgrad.trace(lambda x: np.sum(np.tanh(x) ** 2))
    assert gradcheck(traced, (X,))
    assert gradgradcheck(traced, (X,))
    assert traced.stats.compiled > 0


def test_a_list_of_inputs_is_the_arguments_as_in_pytorch():
    x, y = np.array([0.5, 2.0]), np.array([1.0, 3.0])
    for check in (srcgrad.gradcheck, srcgrad.gradgradcheck):
        assert check(lambda a, b: np.sin(a) * b, [x, y])
        assert check(lambda a: np.sin(a), [x])
        assert check(lambda pair: np.sin(pair[0]) * pair[1], ([x, y],))
        assert check(np.sin, x)


def test_a_function_that_gives_arrays_where_nothing_requires_grad():
    @srcgrad.custom_vjp
    def cube(x):
        return np.array([float(v) ** 3 for v in x])

    cube.defvjp(lambda x: (x**3, x), lambda x, g: (3.0 * g * x**2,))
    assert gradcheck(lambda x: np.sum(cube(x)), X[0])
    assert gradcheck(lambda x: (cube(x), np.ones(2), 1.0), X[0])
    cube.defvjp(lambda x: (x**3, x), lambda x, g: (2.0 * g * x**2,))
    with pytest.raises(GradcheckError, match="gradient of input 0"):
        gradcheck(lambda x: np.sum(cube(x)), X[0])
