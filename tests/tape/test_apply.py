"""One NumPy call on Variables: what is put on the tape, what is refused, results."""

from fractions import Fraction

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import NoRuleError, Variable
from srcgrad.protocols import dispatched
from tests.rules.gradients import gradients
from tests.variables import variable


def test_nothing_is_saved_where_no_gradient_is_needed():
    c = Variable(np.ones(3))
    v = Variable(np.ones(3), volatile=True)
    x = variable([1.0, 2.0, 3.0])
    for result in ((c * c) + 1.0, v * x, np.exp(v)):
        assert result.grad_fn is None
    with srcgrad.no_grad():
        assert (x * x).grad_fn is None
    assert (x * c).grad_fn.next_functions == ((x.creator, 0),)


def test_a_complex_list_is_conjugated_too():
    assert gradients(lambda x: x * [1j, 2.0], [1j, 1.0]) == [[-1j, 2.0]]


# ----- What has no derivative -----


def test_a_function_without_a_rule():
    @dispatched
    def half(x):
        return x / 2.0

    x = variable([1.0, 2.0])
    with pytest.raises(
        NoRuleError, match=r"(?s)no derivative of half\n.*test_apply.*def"
    ):
        half(x)
    with srcgrad.no_grad():
        assert np.array_equal(half(x).data, half(x.data))
    assert not half(x.detach()).requires_grad


def test_an_argument_without_a_rule():
    x = variable([1.0, 2.0])
    with pytest.raises(NoRuleError, match="of norm with respect to its argument 'ord'"):
        np.linalg.norm(x, ord=variable(2.0))
    assert np.linalg.norm(x, ord=Variable(2.0)).requires_grad


def test_an_option_that_a_ufuncs_rule_does_not_know():
    x = variable([1.0, 2.0])
    with pytest.raises(NoRuleError, match=r"(?s)of matmul with `axes=`.*move the axes"):
        np.matmul(x, x, axes=[0, 0, ()])
    assert np.add(x, 1.0, dtype=np.float64, where=True).requires_grad


def test_a_list_with_variables_where_an_array_belongs():
    x = variable([1.0, 2.0])
    with pytest.raises(
        TypeError, match=r"(?s)dot got a list with Variables.*np\.stack"
    ):
        np.dot(x, [x[0], x[1]])
    out = np.sum(np.stack([x[0], x[1]]) * np.concatenate([x, x])[:2])
    out.backward()
    assert x.grad.data.tolist() == [2.0, 4.0]


# ----- Results -----


def test_results_of_several_kinds():
    x = variable([1.5, 6.0])
    mantissas, exponents = np.frexp(x)
    assert mantissas.requires_grad
    assert not exponents.requires_grad
    assert exponents.data.tolist() == [1, 3]
    assert type(np.linalg.slogdet(x * np.eye(2))).__name__ == "SlogdetResult"
    assert np.shape(x) == (2,)


@pytest.mark.usefixtures("rules_are_restored")
def test_a_python_function_of_numbers_gives_numbers():
    double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    srcgrad.defvjp(double, x=lambda g: 2.0 * g)
    for dtype in (np.float32, np.float64, np.complex64):
        for value in ([1.0, 2.0], [], 3.0):
            x = Variable(np.array(value, dtype), requires_grad=True)
            out = double(x)
            (g,) = srcgrad.autograd.grad(np.sum(out + 0.0 * out), x)
            assert np.all(g.data == 2.0)
            assert g.dtype == dtype
            assert not np.ndim(value) or out.dtype == dtype


def test_objects_that_are_no_numbers_are_refused():
    halves = np.array([Fraction(1, 2)] * 2, dtype=object)
    with pytest.raises(TypeError, match=r"(?s)an array of objects.*convert.*astype"):
        np.where([True, False], variable([1.0, 2.0]), halves)


def test_a_subclass_of_variables_makes_its_own():
    class Named(Variable):
        pass

    x = Named(np.ones(2), requires_grad=True)
    for out in (x + 1.0, np.exp(x), np.stack([x, x]), np.split(x, 2)[0]):
        assert type(out) is Named


def test_what_is_not_about_numbers_takes_arrays():
    x = Variable(np.ones(2), requires_grad=True)
    with pytest.raises(TypeError, match=r"(?s)save deals with files.*`\.data`"):
        np.save("nowhere.npy", x)
    with srcgrad.no_grad():
        assert np.array_repr(x) == "array([1., 1.])"
    assert np.array_repr(x.detach()) == np.array_repr(x.data)
