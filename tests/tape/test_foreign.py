"""Arrays of other libraries that meet a Variable: right, or an error that helps."""

import array
import collections

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tape.foreign import FOREIGN, is_foreign, is_of_numbers, what_to_write
from tests.cases import for_each
from tests.differences import slope_of

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")

A = np.array([1.0, 2.0, 3.0])
AT = 1.1 * A


# ----- What others have -----


class Bare:
    """No more than an array."""

    def __array__(self, dtype=None, copy=None):
        return np.array(A, dtype=dtype)


class Interface:
    __array_interface__ = A.__array_interface__


class Exchanged:
    def __dlpack__(self, **options):
        return A.__dlpack__(**options)

    def __dlpack_device__(self):
        return A.__dlpack_device__()


class First(Bare):
    """It runs operators with ndarrays itself."""

    __array_priority__ = 100

    def __mul__(self, other):
        return self

    __rmul__ = __radd__ = __rtruediv__ = __rpow__ = __mul__


class OfItsOwn(Bare, np.lib.mixins.NDArrayOperatorsMixin):
    """Like arrays with units: a result is one, too."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if any(isinstance(each, Variable) for each in inputs):
            return NotImplemented
        return self


class OfFunctions(OfItsOwn):
    def __array_function__(self, function, types, args, kwargs):
        return self


class Refusing:
    """On a GPU, as CuPy's: nothing of NumPy's sees what it holds."""

    shape, dtype, ndim = A.shape, A.dtype, 1
    __array_priority__ = 100
    __array_ufunc__ = __array_function__ = lambda *args, **kwargs: NotImplemented
    __cuda_array_interface__ = get = None

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


class Tensor(Bare):
    """PyTorch's, with gradients of its own."""

    requires_grad, shape, ndim = True, A.shape, 1
    __array_priority__ = 1000
    detach = None

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def __mul__(self, other):
        if isinstance(other, Variable):
            return NotImplemented
        return self

    __rmul__ = __radd__ = __rtruediv__ = __rpow__ = __mul__


def strict():
    return pytest.importorskip("array_api_strict")


def pandas():
    return pytest.importorskip("pandas")


def xarray():
    return pytest.importorskip("xarray")


MADE = {
    "bare": Bare,
    "interface": Interface,
    "memoryview": lambda: memoryview(A),
    "array.array": lambda: array.array("d", A),
    "deque": lambda: collections.deque(A),
    "range": lambda: range(1, 4),
    "dlpack": Exchanged,
    "first": First,
    "of its own": OfItsOwn,
    "of functions": OfFunctions,
    "refusing": Refusing,
    "Tensor": Tensor,
    "masked": lambda: np.ma.masked_array(A.copy(), [0, 1, 0]),
    "matrix": lambda: np.matrix(A.copy()),
    "Series": lambda: pandas().Series(A.copy()),
    "Series with labels": lambda: pandas().Series(A.copy(), index=list("cab")),
    "Series of Float64": lambda: pandas().Series(A.copy(), dtype="Float64"),
    "Index": lambda: pandas().Index(A.copy()),
    "pandas.array": lambda: pandas().array(A.copy(), dtype="Float64"),
    "DataFrame": lambda: pandas().DataFrame({"a": A.copy()}),
    "DataArray": lambda: xarray().DataArray(A.copy(), dims="t"),
    "xarray.Variable": lambda: xarray().Variable(("t",), A.copy()),
    "Dataset": lambda: xarray().Dataset({"a": ("t", A.copy())}),
}
ARE_ARRAYS = ("bare", "interface", "memoryview", "array.array", "deque", "range")


# ----- How they meet -----


def added(v, o):
    v = v * 1.0
    v += o
    return v


def stored(v, o):
    v = v * 1.0
    v[:] = o
    return v * v


def stored_into(v, o):
    o[:] = v
    return np.asarray(o)


USES = {
    "v * o": lambda v, o: v * o,
    "o * v": lambda v, o: o * v,
    "v + o": lambda v, o: v + o,
    "v / o": lambda v, o: v / o,
    "v ** o": lambda v, o: v**o,
    "v @ o": lambda v, o: v @ o,
    "multiply": lambda v, o: np.multiply(v, o),
    "multiply, reflected": lambda v, o: np.multiply(o, v),
    "hypot": lambda v, o: np.hypot(v, o),
    "dot": lambda v, o: np.dot(v, o),
    "dot, reflected": lambda v, o: np.dot(o, v),
    "where": lambda v, o: np.where(v > 1.5, v, o),
    "average": lambda v, o: np.average(v, weights=o),
    "clip": lambda v, o: np.clip(v, None, o),
    "interp": lambda v, o: np.interp(v, o, [1.0, 4.0, 9.0]),
    "einsum": lambda v, o: np.einsum("i,i->", v, o),
    "polyval": lambda v, o: np.polyval(o, v),
    "linspace": lambda v, o: np.linspace(v, o, 3),
    "method": lambda v, o: v.dot(o),
    "in a list": lambda v, o: np.concatenate([v, o]),
    "added in place": added,
    "stored": stored,
    "stored into": stored_into,
    "summed": lambda v, o: sum([v, o]),
}
WAYS = {
    "tape": lambda f: by_tape(f),
    "trace": lambda f: by_tape(srcgrad.trace(f)),
    "grad": lambda f: srcgrad.grad(lambda v: np.sum(f(v)))(AT),
}


def by_tape(f):
    v = Variable(AT, requires_grad=True)
    out = f(v)
    data = getattr(out, "data", None)
    np.sum(data if isinstance(data, Variable) else out).backward()
    return v.grad.data


# What NumPy and the libraries say of shapes stays, and that they give no ndarray; a
# result that is theirs has no `backward`.
ERRORS = TypeError, ValueError, RuntimeError, AttributeError


@for_each("use", USES)
@for_each("kind", MADE)
def test_the_gradient_is_right_or_there_is_an_error(kind, use):
    for way in WAYS.values():
        try:
            found = way(lambda v: USES[use](v, MADE[kind]()))
        except ERRORS:
            continue
        if kind == "Dataset" or (kind, use) == ("first", "o * v"):
            continue  # it is no array; it has computed what it likes
        raw = np.array(MADE[kind]())
        expected = slope_of(lambda x, raw=raw: np.sum(USES[use](x, raw.copy())), AT)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


OPERATIONS = [use for use in USES if " " in use and use[1] == " "] + [
    "multiply",
    "hypot",
]


@for_each("use", OPERATIONS)
@for_each("kind", [k for k in MADE if k not in ARE_ARRAYS])
def test_an_operation_says_what_to_write(kind, use):
    if kind == "first" and use == "o * v":
        return  # it is the object's own, which knows of no Variable
    if kind in ("DataArray", "xarray.Variable", "Dataset") and use == "o * v":
        return  # xarray holds the Variable: its gradient is right
    hint = r"to_numpy|asarray|filled|from_dlpack|detach|\.get\(\)"
    for way in WAYS.values():
        for _ in range(2):
            with pytest.raises(TypeError, match=hint):
                way(lambda v: USES[use](v, MADE[kind]()))


@pytest.mark.parametrize("use", [*OPERATIONS, "dot", "where", "average", "interp"])
@pytest.mark.parametrize("kind", ARE_ARRAYS)
def test_what_is_no_more_than_an_array_is_one(kind, use):
    expected = slope_of(lambda x: np.sum(USES[use](x, A)), AT)
    for way in WAYS.values():
        for _ in range(2):
            found = way(lambda v: USES[use](v, MADE[kind]()))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("use", ["dot", "where", "average", "interp", "clip", "einsum"])
@pytest.mark.parametrize("kind", ["Series with labels", "Index", "DataArray"])
def test_functions_of_arrays_take_the_arrays_of_libraries(kind, use):
    expected = slope_of(lambda x: np.sum(USES[use](x, A)), AT)
    for way in WAYS.values():
        found = way(lambda v: USES[use](v, MADE[kind]()))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_an_index_may_be_of_a_library():
    mask = pandas().Series(A > 1.5)
    assert by_tape(lambda v: v[mask] ** 2).tolist() == [0.0, 2.2 * A[1], 2.2 * A[2]]


# ----- Transforms -----

TRANSFORMS = {
    "grad": lambda o: srcgrad.grad(np.sum)(o),
    "grad of a container": lambda o: srcgrad.grad(lambda p: np.sum(p["a"]))({"a": o}),
    "value_and_grad": lambda o: srcgrad.value_and_grad(np.sum)(o),
    "jvp": lambda o: srcgrad.jvp(np.sum, (o,), (A,)),
    "a tangent": lambda o: srcgrad.jvp(np.sum, (A,), (o,)),
    "vjp": lambda o: srcgrad.vjp(np.sum, o),
    "a cotangent": lambda o: srcgrad.vjp(lambda x: x * x, A)[1](o),
    "jacobian": lambda o: srcgrad.jacobian(lambda x: x)(o),
    "hessian": lambda o: srcgrad.hessian(np.sum)(o),
    "hvp": lambda o: srcgrad.hvp(np.sum, o, A),
    "vmap": lambda o: srcgrad.vmap(lambda x: x)(o),
    "linearize": lambda o: srcgrad.linearize(np.sum, o),
    "a result": lambda o: srcgrad.grad(lambda x: o)(A),
    "gradcheck": lambda o: srcgrad.gradcheck(np.sum, (o,)),
}


@for_each("name", TRANSFORMS)
@for_each("kind", [k for k in MADE if k not in ("deque", "range")])
def test_a_transform_says_what_to_write(kind, name):
    hint = (
        r"to_numpy|asarray|filled|from_dlpack|detach|\.get\(\)|plain ndarrays|one real "
        "number"
    )
    for _ in range(2):
        with pytest.raises(TypeError, match=hint):
            TRANSFORMS[name](MADE[kind]())


@pytest.mark.parametrize("kind", ["Series", "DataArray", "memoryview", "bare"])
def test_a_variable_is_made_of_them(kind):
    assert Variable(MADE[kind](), requires_grad=True).data.tolist() == A.tolist()


# ----- Those of the array API, which are strict about their kin -----


@pytest.mark.parametrize(
    "use", [*(use for use in OPERATIONS if use != "o * v"), "dot", "where", "interp"]
)
def test_an_array_of_the_array_api_is_an_array(use):
    expected = slope_of(lambda x: np.sum(USES[use](x, A)), AT)
    for way in WAYS.values():
        for _ in range(2):
            found = way(lambda v: USES[use](v, strict().asarray(A)))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_operators_of_the_array_api_take_no_variables():
    for way in WAYS.values():
        with pytest.raises(TypeError, match="Expected Array or Python scalar; got"):
            way(lambda v: strict().asarray(A) * v)


@for_each("name", TRANSFORMS)
def test_a_transform_by_an_array_of_the_array_api_says_what_to_write(name):
    with pytest.raises(TypeError, match=r"asarray|plain ndarrays|one real number"):
        TRANSFORMS[name](strict().asarray(A))


REFUSED = {
    "Variable": lambda v, o: Variable(o, requires_grad=True),
    "backward": lambda v, o: v.backward(o),
    "dot": lambda v, o: np.dot(v, o),
    "where": lambda v, o: np.where(v > 1.5, v, o),
}


@for_each("name", REFUSED)
def test_an_array_that_refuses_to_be_numpys_says_what_to_write(name):
    elsewhere = strict().asarray(A, device=strict().Device("device1"))
    for item, hint in (
        (elsewhere, r"(?s)device1.*\ngive the array, `np.asarray"),
        (Tensor(), r"(?s)requires grad.*\ngive its array, `\.detach\(\)\.numpy\(\)`"),
        (Refusing(), r"give its array, `\.get\(\)`"),
    ):
        with pytest.raises(TypeError, match=hint):
            REFUSED[name](Variable(AT, requires_grad=True), item)


# ----- Where no gradient flows -----


def test_without_a_gradient_pandas_computes():
    series = pandas().Series(A)
    v = Variable(AT)
    assert isinstance(v * series, type(series))
    assert isinstance(series * v, type(series))
    with srcgrad.no_grad():
        assert isinstance(Variable(AT, requires_grad=True) * series, type(series))
    assert isinstance(srcgrad.trace(lambda x: x * series)(AT), type(series))


def test_comparisons_are_of_the_library():
    series = pandas().Series(A)
    assert (Variable(AT, requires_grad=True) > series).tolist() == [True] * 3


def test_xarray_holds_variables():
    array = xarray().DataArray(A, dims="t")
    v = Variable(AT, requires_grad=True)
    (array * v).sum().data.backward()
    assert v.grad.data.tolist() == A.tolist()


# ----- What they are -----


def test_what_each_is():
    for item in (A, A[0], 1.0, [1.0], None, "a", slice(2), Variable(A), len, float):
        assert FOREIGN[type(item)] is None
    assert all(is_foreign(make()) for kind, make in MADE.items() if "Data" not in kind)
    assert not is_of_numbers(np.ma.masked_array(A))
    assert what_to_write(Exchanged()) == "give the array, `np.from_dlpack(...)`"
    assert "to_numpy" in what_to_write(pandas().Series(A))
