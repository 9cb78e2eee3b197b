"""The parameters of functions, held against NumPy's own."""

import numpy as np
import pytest

from srcgrad.function_parameters import (
    METHOD_SIGNATURES,
    REQUIRED,
    parameters_of,
)


def test_ufuncs_number_their_parameters():
    assert parameters_of(np.exp) == ({"x": REQUIRED}, None)
    assert list(parameters_of(np.multiply)[0]) == ["x1", "x2"]


def test_what_numpy_leaves_out_is_what_it_amounts_to():
    names, variadic = parameters_of(np.sum)
    assert (names["keepdims"], names["where"], variadic) == (False, True, None)
    assert names["initial"] is None


def test_a_star_has_a_name_of_its_own():
    assert parameters_of(np.block)[1] is None
    assert parameters_of(np.broadcast_arrays)[1] == "args"


ARRAY = np.ones((2, 3))
METHODS = {
    "reduce": ({"array": ARRAY, "axis": 1, "initial": 2.0}, (2,)),
    "accumulate": ({"array": ARRAY, "axis": 1}, (2, 3)),
    "reduceat": ({"array": ARRAY, "indices": [0, 1], "axis": 1}, (2, 2)),
    "outer": ({"A": ARRAY, "B": ARRAY}, (2, 3, 2, 3)),
    "at": ({"a": ARRAY.copy(), "indices": [0], "b": 1.0}, ()),
}


@pytest.mark.parametrize("name", METHOD_SIGNATURES)
def test_methods_of_ufuncs(name):
    given, shape = METHODS[name]
    names = list(parameters_of(getattr(np.add, name))[0])
    assert names[:1] == list(given)[:1]
    args = [given[key] for key in names[:2] if key in given]
    rest = {key: given[key] for key in names[2:] if key in given}
    args += [rest.pop("b")] if "b" in rest else []
    assert np.shape(getattr(np.add, name)(*args, **rest)) == shape
