"""Making Variables, their data, ``backward``, and gradients that add up."""

import sys

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.threads import run_in_threads
from tests.variables import variable

# ----- Construction -----


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (np.ones((2, 3)), (2, 3)),
        (np.float32(2.0), ()),
        (2.0, ()),
        ([[1.0, 2.0]], (1, 2)),
        (np.zeros((0, 3)), (0, 3)),
        (np.ones(3) * 1j, (3,)),
    ],
)
def test_construction(data, shape):
    x = Variable(data, requires_grad=True)
    assert x.shape == shape
    assert x.requires_grad
    assert not x.volatile
    assert type(x.data) is np.ndarray


def test_construction_shares_an_ndarray():
    data = np.ones(2)
    assert Variable(data).data is data
    assert Variable(Variable(data)).data is data


@pytest.mark.parametrize("data", [[1, 2], np.ones(2, bool), 3])
def test_construction_of_integers_that_require_grad(data):
    Variable(data)
    with pytest.raises(
        RuntimeError, match=r"(?s)only Variables of floating point.*astype"
    ):
        Variable(data, requires_grad=True)


@pytest.mark.parametrize(
    "data", ["text", [None], np.ma.masked_array([1.0], [True]), {"a": 1}]
)
def test_construction_of_what_is_no_numbers(data):
    with pytest.raises(TypeError):
        Variable(data)


def test_construction_of_a_list_of_variables():
    with pytest.raises(TypeError, match="gradient would be lost"):
        Variable([variable(1.0), variable(2.0)])


# ----- Data -----


def test_data_is_the_raw_ndarray():
    data = np.ones(2)
    x = Variable(data, requires_grad=True)
    assert x.data is data
    x.data = np.zeros(2)
    assert x.data.tolist() == [0.0, 0.0]
    assert x.is_leaf
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        x.data = np.zeros(3)


def test_data_updated_in_place_counts_as_a_write():
    w = variable([1.0, 2.0])
    y = w * w
    w.data -= 0.5
    assert w._version == 1
    with pytest.raises(srcgrad.InplaceError):
        y.backward(np.ones(2))


def test_data_replaced_leaves_what_was_saved():
    w = variable([1.0, 2.0])
    y = w * w
    w.data = np.array([5.0, 5.0])
    y.backward(np.ones(2))
    assert w.grad.data.tolist() == [2.0, 4.0]


def test_a_clone_has_memory_of_its_own_and_passes_gradients_on():
    x = variable([1.0, 2.0])
    copy = x.clone()
    assert not np.shares_memory(copy.data, x.data)
    copy *= 3.0
    copy.sum().backward()
    assert x.data.tolist() == [1.0, 2.0]
    assert x.grad.data.tolist() == [3.0, 3.0]
    assert Variable(np.arange(3)).clone().data.tolist() == [0, 1, 2]
    assert not x.detach().clone().requires_grad


def test_a_clone_of_a_scalar_is_a_scalar():
    for scalar in (variable([1.5])[0], variable([1.5])[0] > 1.0):
        assert type(scalar.clone().data) is type(scalar.data)
        assert scalar.clone().data == scalar.data
    x = variable([1.5])
    x[0].clone().backward()
    assert x.grad.data.tolist() == [1.0]


def test_what_the_error_of_a_write_advises_works():
    x = variable([1.0, 2.0])
    y = x * 1.0
    z = y.clone() * y.clone()
    y += 1.0
    z.sum().backward()
    assert x.grad.data.tolist() == [2.0, 4.0]


def test_detach_shares_data_and_version_counter():
    x = variable([1.0, 2.0]) * 1.0
    d = x.detach()
    assert d.data is x.data
    assert not d.requires_grad
    with srcgrad.no_grad():
        d += 1.0
    assert x._version == d._version == 1
    assert Variable(np.ones(1), volatile=True).detach().volatile


def test_empty_arrays():
    x = Variable(np.zeros((0, 3)), requires_grad=True)
    (x * 2.0).sum().backward()
    assert x.grad.shape == (0, 3)


# ----- Backward -----


SCALAR_ONLY = (
    "backward should be called only on a scalar (i.e. 1-element array) or with "
    "gradient w.r.t. the variable"
)

NOTHING = "there are no graph nodes that require computing gradients"


def test_backward_errors():
    x = variable([1.0, 2.0])
    with pytest.raises(RuntimeError) as error:
        (x * 2).backward()
    assert str(error.value) == SCALAR_ONLY
    with pytest.raises(RuntimeError, match=r"shape \(3,\).*shape \(2,\)"):
        (x * 2).backward(np.ones(3))
    with pytest.raises(RuntimeError, match=NOTHING):
        variable([1.0], requires_grad=False).backward()
    with pytest.raises(RuntimeError, match=r"^calling backward on a volatile variable"):
        Variable(np.ones(1), volatile=True).backward()
    assert x.grad is None


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_backward_of_one_element_needs_no_gradient(shape):
    x = Variable(np.full(shape, 3.0), requires_grad=True)
    (x * x).backward()
    assert x.grad.data.tolist() == np.full(shape, 6.0).tolist()


def test_grad_accumulates_and_aliases_nothing():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    g = np.ones(2)
    (x + y).backward(g)
    assert type(x.grad) is Variable
    (x * 2.0).backward(g)
    assert x.grad.data.tolist() == [3.0, 3.0]
    assert y.grad.data.tolist() == [1.0, 1.0]
    assert g.tolist() == [1.0, 1.0]
    x.grad.data[:] = 9.0
    assert y.grad.data.tolist() == [1.0, 1.0]
    assert g.tolist() == [1.0, 1.0]


def test_threads_accumulate_into_shared_leaves():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        w = variable(np.ones(5))

        def work(number):
            for _ in range(200):
                ((w * 2.0 + w) * float(number)).sum().backward()

        run_in_threads(4, work)
    finally:
        sys.setswitchinterval(interval)
    assert w.grad.data.tolist() == [200 * 3.0 * (0 + 1 + 2 + 3)] * 5
