"""``flatten``: containers as vectors, and back."""

import pickle
from collections import namedtuple

import numpy as np
import pytest

import srcgrad

Layer = namedtuple("Layer", "w b")
PARAMS = {"layers": [Layer(np.arange(6.0).reshape(2, 3), np.ones(2))], "s": 2.0}
PARAMS |= {"none": None, "c": np.float32(0.5), "d": np.array(3.0)}


def loss(p):
    layer = p["layers"][0]
    return np.sum((layer.w @ np.ones(3) + layer.b) ** 2) * p["s"] * p["c"] + p["d"]


def test_there_and_back():
    vector, unflatten = srcgrad.flatten(PARAMS)
    assert vector.shape == (11,)
    again = unflatten(vector)
    assert list(again) == list(PARAMS)
    np.testing.assert_array_equal(again["layers"][0].w, PARAMS["layers"][0].w)
    assert type(again["layers"][0]) is Layer
    assert (again["s"], type(again["s"]), again["none"]) == (2.0, float, None)
    assert (type(again["c"]), type(again["d"])) == (np.float32, np.ndarray)
    again["layers"][0].w[:] = 0.0
    assert vector[1] == 1.0
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(srcgrad.flatten({"a": 1.0})[1]))(np.ones(1))["a"], 1.0
    )


def test_dtypes_are_those_of_the_params():
    params = {"a": np.ones(2, "f4"), "b": np.ones(2), "c": np.float16(1.0), "s": 1.0}
    vector, unflatten = srcgrad.flatten(params)
    assert unflatten([1] * 6)["a"].dtype == "f4"
    with_complex, back = srcgrad.flatten({**params, "z": np.array([1j, 2.0])})
    assert [each.dtype for each in (vector, with_complex)] == ["f8", "c16"]
    for _ in range(3):
        for again in (unflatten(vector), back(with_complex)):
            assert [again[k].dtype for k in "abc"] == ["f4", "f8", "f2"]
            assert type(again["s"]) is float
        gradient = srcgrad.grad(lambda v: np.sum(unflatten(v)["a"] ** 2))(vector)
        np.testing.assert_array_equal(gradient, [2.0, 2.0, 0.0, 0.0, 0.0, 0.0])


def test_gradients_flow_both_ways():
    vector, unflatten = srcgrad.flatten(PARAMS)

    def of_vector(v):
        return loss(unflatten(v))

    by_vector = srcgrad.grad(of_vector)
    by_params = srcgrad.grad(loss)
    for _ in range(4):
        expected = srcgrad.flatten(by_params(PARAMS))[0]
        np.testing.assert_allclose(by_vector(vector), expected)
        np.testing.assert_allclose(
            srcgrad.hessian(of_vector)(vector)[0, :2], [2.0, 2.0]
        )

    def norm(p):
        return np.sum(srcgrad.flatten(p)[0] ** 2)

    for _ in range(4):
        assert srcgrad.grad(norm)(PARAMS)["s"] == 4.0


def test_it_compiles():
    vector, unflatten = srcgrad.flatten({"a": np.ones(2), "b": 1.0})

    def f(v):
        p = unflatten(v)
        return np.sum(p["a"]) * p["b"]

    for _ in range(3):
        srcgrad.grad(f)(vector)
    assert "1 compiled" in srcgrad.grad(f).explain()


def test_what_does_not_fit():
    with pytest.raises(TypeError, match="flatten: params are floats"):
        srcgrad.flatten({"a": 1})
    with pytest.raises(ValueError, match="expected a vector of 2 numbers"):
        srcgrad.flatten(np.ones(2))[1](np.ones(3))
    assert srcgrad.flatten(())[0].shape == (0,)
