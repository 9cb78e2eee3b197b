"""How a Variable turns into Python numbers, text and ndarrays."""

import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.telling import in_full
from tests.variables import variable


def test_bool_is_numpys():
    assert variable(1.0)
    assert variable([[2.0]])
    assert not variable([0.0])
    with pytest.raises(ValueError, match="truth value of an array with more than one"):
        bool(variable([1.0, 2.0]))


def test_a_loss_can_be_formatted():
    loss = Variable(np.array([1.0, 2.0]), requires_grad=True).sum()
    assert f"{loss:.3f}" == "3.000"
    assert f"{loss}".startswith("Variable containing:")


def test_an_element_of_an_ndarray_takes_no_variable():
    array = np.zeros(2)
    with pytest.raises(ValueError, match="setting an array element") as error:
        array[0] = variable(1.0)
    assert "make the ndarray a Variable first" in in_full(error.value.__cause__)
    array[0] = variable(2.0).item()
    array[1] = float(variable(3.0).detach())
    assert array.tolist() == [2.0, 3.0]


HIDDEN = {
    "sum": lambda a, v: np.sum(a, initial=v),
    "max": lambda a, v: np.max(a, axis=0, initial=v),
    "nansum": lambda a, v: np.nansum(a, initial=v),
    "method": lambda a, v: a.prod(initial=v),
    "reduce": lambda a, v: np.add.reduce(a, initial=v),
    "mean": lambda a, v: a.var(mean=v),
    "fill": lambda a, v: a.fill(v),
    "fromiter": lambda a, v: np.fromiter([v, v], float),
    "interp": lambda a, v: np.interp(a, a, a, left=v),
    "setitem": lambda a, v: a.__setitem__(0, v),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_numpy_asks_for_a_number_loses_no_gradient(name):
    with pytest.raises((TypeError, ValueError)) as error:
        HIDDEN[name](np.ones(2), variable(2.0))
    told = f"{in_full(error.value)} {in_full(error.value.__cause__)}"
    assert "a Variable that requires grad" in told
    HIDDEN[name](np.ones(2), variable(2.0).item())


def test_python_numbers():
    x = variable(2.5)
    plain = x.detach()
    assert (x.item(), int(x)) == (2.5, 2)
    assert (float(plain), complex(plain), plain.tolist()) == (2.5, 2.5 + 0j, 2.5)
    assert [type(each) for each in (x.item(), int(x))] == [float, int]
    assert variable([[2.5]]).item() == 2.5
    assert variable([[1.0, 2.0]]).item(0, 1) == 2.0
    assert variable([[1.0, 2.0]], False).tolist() == [[1.0, 2.0]]
    assert [10, 20, 30][Variable(np.array(2))] == 30
    with pytest.raises(ValueError, match="size 1"):
        variable([1.0, 2.0]).item()
    with pytest.raises(TypeError):
        [10][Variable(0.0)]


@pytest.mark.parametrize(
    "take", [float, complex, math.sin, np.float64, lambda x: x.tolist()]
)
def test_a_number_that_leaves_the_graph_unasked_is_warned_of(take):
    x = variable(2.5)
    with pytest.warns(RuntimeWarning, match=r"its gradient is lost.*test_converting"):
        take(x)
    take(x.detach())
    with srcgrad.no_grad():
        take(x)


def test_text_takes_no_gradient():
    x = variable(2.5)
    assert ("%.1f" % x, f"{x:.1f}") == ("2.5", "2.5")  # noqa: UP031


def test_an_ndarray_is_made_only_where_no_gradient_is_lost():
    x = variable([1.0, 2.0])
    with pytest.raises(
        TypeError, match=r"(?s)its gradient would be lost.*test_converting"
    ):
        np.asarray(x)
    assert np.asarray(x.detach()).tolist() == [1.0, 2.0]
    assert np.shares_memory(np.asarray(x.detach()), x.data)
    assert np.array(x.detach(), dtype=np.float32).dtype == np.float32
    assert not np.shares_memory(np.array(x.detach(), copy=True), x.data)


def test_text():
    x = variable([1.0, 2.0])
    text = "Variable containing:\narray([1., 2.])"
    assert repr(x) == f"{text}\n[requires_grad=True]"
    assert repr(x.detach()) == text
    assert repr(x + 0.0) == f"{text}\n[grad_fn=<AddBackward>]"
    assert repr(Variable(x.data, volatile=True)) == f"{text}\n[volatile]"
    assert str(x) == "Variable containing:\n[1. 2.]"


def test_numpy_gives_the_array_itself():
    x = variable([1.0, 2.0])
    assert x.detach().numpy() is x.data
    with pytest.raises(RuntimeError, match=r"use var\.detach\(\)\.numpy\(\) instead"):
        x.numpy()
    scalar = (x * 1.0)[0].detach().numpy()
    assert type(scalar) is np.ndarray
    assert scalar == 1.0


def test_rounding_is_differentiated_as_numpys():
    assert round(variable(2.6)).item() == 3.0
    assert round(variable(2.66), 1).item() == 2.7


def test_what_only_an_ndarray_has():
    x = variable([1.0, 2.0])
    with pytest.raises(AttributeError, match=r"`\.data\.ctypes` has it"):
        _ = x.ctypes
    assert not hasattr(x, "flags")
    assert x.strides == x.data.strides == (8,)


class Key:
    """Its hash is asked for by C code, which nobody follows."""

    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return hash(np.asarray(self.v).tobytes())


@pytest.mark.parametrize("run", [srcgrad.trace, srcgrad.grad])
def test_who_has_decorated_a_function_is_not_told_to(run):
    def f(x):
        return np.sum(x) * len({Key(x)})

    with pytest.raises(
        TypeError, match=r"or decorate the function with srcgrad\.trace"
    ):
        f(variable([1.0, 2.0]))
    function = run(f)
    given = variable([1.0, 2.0]) if run is srcgrad.trace else np.array([1.0, 2.0])
    for _ in range(3):
        with pytest.raises(TypeError, match="is not followed") as error:
            function(given)
        assert "decorate" not in in_full(error.value)
