"""``load``: an exported module is a function again, with its derivative."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.export import exported_programs as programs

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=5), RNG.normal(size=5)
W, B, BATCH = RNG.normal(size=(4, 3)), RNG.normal(size=3), RNG.normal(size=(6, 4))
PARAMS = {"W": W, "b": (B, 0.5)}


def layer(params, x):
    h = np.tanh(x @ params["W"] + params["b"][0])
    return h, {"twice": h * 2}


# What is exported: the function, how it is derived, and its arguments.
LOADED = {
    "grad": (programs.elementwise, srcgrad.grad, (X,)),
    "value_and_grad": (programs.elementwise, srcgrad.value_and_grad, (X,)),
    "jacobian": (programs.vector, srcgrad.jacobian, (X,)),
    "tree": (programs.of_tree, srcgrad.grad, (PARAMS, BATCH)),
    "two": (programs.net, lambda f: srcgrad.grad(f, (0, 1)), (W, B, BATCH)),
    "scalar": (programs.scalar, srcgrad.grad, (0.7,)),
    "complex": (programs.of_complex, srcgrad.grad, (X + 1j * Y,)),
}


def total(function, *rest):
    """A function of the first argument that uses another one."""

    def of_first(first):
        return np.sum(function(first, *rest) * 1.5) ** 2

    return of_first


@pytest.fixture
def load(tmp_path):
    def again(function, *args):
        path = tmp_path / "module.py"
        function.export(path, *args)
        return srcgrad.load(path)

    return again


@pytest.mark.parametrize("name", LOADED)
def test_has_the_functions_value_and_derivative(name, load):
    function, derive, args = LOADED[name]
    found = load(derive(function), *args)
    np.testing.assert_allclose(found(*args), function(*args), rtol=1e-12)
    expected = srcgrad.grad(total(function, *args[1:]))(args[0])
    slope = srcgrad.grad(total(found, *args[1:]))
    for _ in range(3):  # on the tape, recorded, compiled
        assert_close(slope(args[0]), expected)
    assert slope.stats.compiled


def assert_close(found, expected):
    found, expected = (srcgrad.flatten(each)[0] for each in (found, expected))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_of_variables_and_in_traced_functions(load):
    found = load(srcgrad.grad(programs.elementwise), X)
    traced = srcgrad.trace(lambda x: 2.0 * found(np.sin(x)))
    for _ in range(3):
        x = Variable(X, requires_grad=True)
        traced(x).backward()
        expected = srcgrad.grad(lambda x: 2.0 * programs.elementwise(np.sin(x)))(X)
        np.testing.assert_allclose(x.grad.data, expected)
    assert (traced.stats.compiled, traced.stats.tape) == (2, 1)


def test_the_way_back_of_several_results(load):
    wrapped = {"W": Variable(W, requires_grad=True), "b": (Variable(B), 0.5)}
    found = load(srcgrad.trace(layer), wrapped, BATCH)

    def used(function):
        def of_params(params):
            h, others = function(params, BATCH)
            return np.sum(h * others["twice"]) + np.sum(h)

        return srcgrad.grad(lambda w: of_params({"W": w, "b": (B, 0.5)}))

    slope = used(found)
    for _ in range(3):
        np.testing.assert_allclose(slope(W), used(layer)(W))
    assert slope.stats.compiled


def test_without_variables_it_is_the_modules_function(load):
    found = load(srcgrad.grad(programs.elementwise), X)
    assert type(found(X)) is np.float64
    assert found.__name__ == "elementwise"
    assert "module.py" in repr(found)


def test_a_second_derivative_is_refused(load):
    found = load(srcgrad.grad(programs.elementwise), X)
    for _ in range(2):
        with pytest.raises(srcgrad.NoRuleError, match="no second derivatives"):
            srcgrad.hessian(found)(X)


def test_a_derivative_that_is_not_there_is_refused(load):
    found = load(srcgrad.grad(programs.net), W, B, BATCH)
    with pytest.raises(srcgrad.NoRuleError, match="no derivative by this argument"):
        srcgrad.grad(found, 1)(W, B, BATCH)


def test_of_a_module_without_a_derivative(load):
    found = load(srcgrad.trace(programs.elementwise), X)
    np.testing.assert_allclose(found(X), programs.elementwise(X))
    with pytest.raises(srcgrad.NoRuleError, match="no derivative by this argument"):
        srcgrad.grad(found)(X)


def test_an_edited_file_is_loaded_anew(tmp_path):
    path = tmp_path / "module.py"
    srcgrad.trace(programs.cube).export(path, X)
    text = path.read_text()
    np.testing.assert_allclose(srcgrad.load(path)(X), programs.cube(X))
    path.write_text(text.replace("np.add.reduce(", "0.0 * np.add.reduce("))
    assert srcgrad.load(path)(X) == 0.0


def test_results_without_a_derivative_take_no_cotangent(load):
    def with_count(x):
        return np.sin(x), len(x), np.argmax(x)

    found = load(srcgrad.trace(with_count), Variable(X, requires_grad=True))
    slope = srcgrad.grad(lambda x: np.sum(found(x)[0] * found(x)[1]))
    np.testing.assert_allclose(slope(X), 5 * np.cos(X))


def test_results_of_which_one_may_have_a_derivative(load):
    def with_constant(x):
        return np.sin(x), np.ones(3)

    found = load(srcgrad.trace(with_constant), Variable(X, requires_grad=True))
    with pytest.raises(srcgrad.NoRuleError, match="does not tell which results"):
        srcgrad.grad(lambda x: np.sum(found(x)[0]))(X)
