"""``compile``, ``export``, ``use`` and ``diff``, as users call them."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.deadline import Deadline
from tests.tracing.export import exported_programs as programs

X = np.array([0.3, -1.2, 0.8])


def loss(x, rate=2.0):
    return rate * np.sum(np.sin(x))


def layer(W, x):
    return np.tanh(W @ x)


# ----- compile -----
LOG = []


def noisy(x, rng):
    print("called")
    LOG.append(1)
    x += 1.0
    return np.sum(x * x) * rng.normal()


def test_compile_leaves_the_world_as_it_is(capsys):
    x, rng = X.copy(), np.random.default_rng(3)
    before = rng.bit_generator.state
    traced = srcgrad.trace(noisy)
    traced.compile(x, rng)
    assert (capsys.readouterr().out, LOG, rng.bit_generator.state) == ("", [], before)
    np.testing.assert_array_equal(x, X)


def test_a_call_after_compile_is_compiled():
    slope = srcgrad.grad(lambda x: loss(x))
    slope.compile(X)
    np.testing.assert_allclose(slope(X), 2 * np.cos(X))
    assert (slope.stats.compiled, slope.stats.tape, slope.stats.traces) == (1, 0, 1)


def test_compile_twice_makes_one_trace():
    traced = srcgrad.trace(loss)
    for _ in range(2):
        traced.compile(X)
    assert (traced.stats.traces, traced.stats.calls) == (1, 0)


def test_compile_may_take_longer_than_what_nobody_has_asked_for(monkeypatch):
    monkeypatch.setattr("srcgrad.tracing.serving.rent.UNASKED_SECONDS", -1.0)
    slope = srcgrad.grad(lambda x: loss(x))
    slope.compile(X)
    assert (slope.stats.traces, slope.stats.calls) == (1, 0)


def test_compile_takes_no_longer_than_the_policy_allows(monkeypatch):
    for name in ("LONGEST_COMPILATION", "TIMES_THE_RUN"):
        monkeypatch.setattr(f"srcgrad.deadline.{name}", 0.0)
    monkeypatch.setattr(Deadline, "clock", itertools.count().__next__)
    slope = srcgrad.grad(lambda x: loss(x))
    with pytest.raises(RuntimeError, match="has no trace: takes more than"):
        slope.compile(X)
    assert (slope.stats.traces, slope.stats.calls) == (0, 0)


def test_source_after_compile():
    hessian = srcgrad.hessian(lambda x: np.sum(np.sin(x) * x))
    hessian.compile(X)
    assert "def forward(x):" in hessian.source()


def test_compile_says_what_cannot_be_compiled():
    def reads_a_file(x):
        with open(__file__) as file:
            return x * len(file.read())

    with pytest.raises(RuntimeError, match=r"test_exportable.py:\d+: .*open"):
        srcgrad.trace(reads_a_file).compile(X)


def test_compile_of_what_raises():
    def raises(x):
        raise KeyError("x")

    with pytest.raises(RuntimeError, match="call it to see"):
        srcgrad.trace(raises).compile(X)


def test_compile_of_what_is_not_python():
    with pytest.raises(RuntimeError, match="not written in Python"):
        srcgrad.grad(np.sin).compile(1.0)


# ----- export -----
def test_export_before_any_call(tmp_path):
    with pytest.raises(RuntimeError, match="call or `compile` it"):
        srcgrad.grad(lambda x: loss(x)).export(tmp_path / "module.py")


def test_export_after_a_call_needs_no_arguments(tmp_path):
    slope = srcgrad.grad(lambda x: loss(x))
    for _ in range(2):
        slope(X)
    slope.export(tmp_path / "module.py")
    found = srcgrad.load(tmp_path / "module.py")
    np.testing.assert_allclose(found(X), loss(X))


def test_export_of_several_traces_asks_which(tmp_path):
    traced = srcgrad.trace(lambda x: loss(x))
    traced(X), traced(X[:2])
    with pytest.raises(RuntimeError, match="2 traces: give arguments"):
        traced.export(tmp_path / "module.py")


def prints(x):
    print(x.shape)
    return np.sum(x)


def draws(x):
    return np.sum(x * np.random.normal(size=3))


@srcgrad.custom_vjp
def clipped(x):
    return np.clip(x, -1.0, 1.0)


clipped.defvjp(lambda x: (np.clip(x, -1.0, 1.0), x), lambda x, g: (g,))


class Counter:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.sum(x)


REFUSED = {
    "prints": (prints, "print"),
    "draws": (draws, "draws"),
    "counts": (Counter(), "calls"),
    "raises": (programs.raises_errors, "np.errstate"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_export_refuses_what_does_more_than_compute(name, tmp_path):
    function, told = REFUSED[name]
    with pytest.raises(RuntimeError, match=told):
        srcgrad.trace(function).export(tmp_path / "module.py", X)
    assert not [*tmp_path.iterdir()]


def test_a_module_refuses_other_arguments(tmp_path):
    traced = srcgrad.trace(loss)
    traced.export(tmp_path / "module.py", X, rate=0.5)
    module = srcgrad.load(tmp_path / "module.py")
    with pytest.raises(ValueError, match=r"x must have shape \(3,\), but has \(2,\)"):
        module(X[:2], 0.5)
    with pytest.raises(TypeError, match="x must be an array of float64"):
        module(X.astype(np.float32), 0.5)
    with pytest.raises(TypeError, match="rate must be a number"):
        module(X, "fast")


def test_a_module_refuses_another_branch(tmp_path):
    slope = srcgrad.grad(programs.guarded)
    slope.export(tmp_path / "module.py", X)
    module = srcgrad.load(tmp_path / "module.py")
    with pytest.raises(ValueError, match=r"exported_programs.py:.*export it"):
        module(X + 1000)


def test_arrays_that_are_large_are_in_a_file_beside(tmp_path):
    path, large = tmp_path / "module.py", np.linspace(0.0, 1.0, 200)
    srcgrad.grad(programs.large_global).export(path, large)
    with np.load(path.with_suffix(".npz")) as data:
        np.testing.assert_array_equal(data["LARGE"], programs.LARGE)


# ----- use, diff -----
def exported(function, path, *args):
    function.export(path, *args)
    return path.read_text()


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_edited_gradient_runs(tmp_path):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    edit(path, "return 2.0 * np.cos(x)", "print('edited')\n    return 2.0 * np.cos(x)")
    slope.use(path)
    np.testing.assert_allclose(slope(X), 2 * np.cos(X))
    assert f"runs {path}" in slope.explain()


def test_an_edited_gradient_runs_in_each_call(tmp_path, capsys):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    edit(path, "return 2.0 * np.cos(x)", "print('edited')\n    return 2.0 * np.cos(x)")
    slope.use(path)
    capsys.readouterr()
    for _ in range(3):
        slope(X)
    assert capsys.readouterr().out == "edited\n" * 3
    slope.use(None)
    np.testing.assert_allclose(slope(X), 2 * np.cos(X))
    assert capsys.readouterr().out == ""


def test_other_arguments_run_generated_code(tmp_path, capsys):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    edit(path, "return 2.0 * np.cos(x)", "print('edited')\n    return 2.0 * np.cos(x)")
    slope.use(path)
    capsys.readouterr()
    for _ in range(3):
        np.testing.assert_allclose(slope(X[:2]), 2 * np.cos(X[:2]))
    assert capsys.readouterr().out == ""


def test_an_edited_half_of_a_traced_function_runs(tmp_path, capsys):
    path, traced = tmp_path / "layer.py", srcgrad.trace(layer)
    W = Variable(np.eye(3), requires_grad=True)
    exported(traced, path, W, X)
    edit(
        path,
        "def _layer_backward(saved, dout):\n",
        "def _layer_backward(saved, dout):\n    print('edited')\n",
    )
    traced.use(path)
    capsys.readouterr()
    out = traced(W, X)
    out.backward(np.ones(3))
    assert capsys.readouterr().out == "edited\n"
    np.testing.assert_allclose(W.grad.data, np.outer(1 - np.tanh(X) ** 2, X))


def test_a_wrong_gradient_is_refused_with_numbers(tmp_path):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    edit(path, "return 2.0 * np.cos(x)", "return 2.5 * np.cos(x)")
    message = (
        r"function_grad of .*loss_grad.py: result 0 at \(0,\) is .*, but .* on the"
    )
    with pytest.raises(srcgrad.GradcheckError, match=message):
        slope.use(path)
    np.testing.assert_allclose(slope(X), 2 * np.cos(X))


def test_a_wrong_half_is_refused(tmp_path):
    path, traced = tmp_path / "layer.py", srcgrad.trace(layer)
    exported(traced, path, Variable(np.eye(3), requires_grad=True), X)
    edit(path, "saved\n", "saved\n    dout = 2.0 * dout\n")
    with pytest.raises(srcgrad.GradcheckError, match="on the tape"):
        traced.use(path)


def test_another_signature_is_refused(tmp_path):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    edit(
        path,
        "def function_grad(x: np.ndarray)",
        "def function_grad(x: np.ndarray, k=1)",
    )
    with pytest.raises(
        ValueError, match=r"takes \(x, k\), but was exported with \(x\)"
    ):
        slope.use(path)


def test_what_is_no_exported_module_is_refused(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("x = 1\n")
    with pytest.raises(ValueError, match="has no `__all__`"):
        srcgrad.grad(lambda x: loss(x)).use(path)
    with pytest.raises(ValueError, match="has no `__all__`"):
        srcgrad.load(path)


def test_diff_is_empty_before_an_edit_and_then_tells_it(tmp_path):
    path, slope = tmp_path / "loss_grad.py", srcgrad.grad(lambda x: loss(x))
    exported(slope, path, X)
    assert slope.diff(path) == ""
    edit(path, "return 2.0 * np.cos(x)", "return np.cos(x) * 2.0")
    lines = slope.diff(path).splitlines()
    assert "-    return 2.0 * np.cos(x)" in lines
    assert "+    return np.cos(x) * 2.0" in lines


def test_diff_without_a_module():
    with pytest.raises(ValueError, match="give its path"):
        srcgrad.grad(lambda x: loss(x)).diff()


def test_a_global_that_changes_is_seen(tmp_path):
    def scaled(x):
        return np.sum(SCALES * x)

    path, slope = tmp_path / "scaled_grad.py", srcgrad.grad(scaled)
    slope.export(path, X)
    slope.use(path)
    np.testing.assert_allclose(slope(X), [1.0, 2.0, 3.0])
    SCALES[0] = 5.0
    try:
        np.testing.assert_allclose(slope(X), [5.0, 2.0, 3.0])
    finally:
        SCALES[0] = 1.0


SCALES = np.array([1.0, 2.0, 3.0])


# ----- Any length, any integer -----
def summed(x, y):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sum(np.sin(x[i]) * y)
    return total


def repeated(x, n):
    for _ in range(n):
        x = x - 0.1 * np.sin(x)
    return np.sum(x)


def test_a_module_is_for_any_length_if_the_trace_is(tmp_path):
    slope, rng = srcgrad.grad(summed), np.random.default_rng(0)
    for n in range(5, 15):
        slope(rng.normal(size=(n, 3)), X)
    assert "any count" in slope.explain()
    slope.export(tmp_path / "module.py", np.ones((40, 3)), X)
    found = srcgrad.grad(srcgrad.load(tmp_path / "module.py"))
    for n in (1, 9, 50):
        x = rng.normal(size=(n, 3))
        np.testing.assert_allclose(found(x, X), X * np.cos(x))


def test_a_module_is_for_any_integer_if_the_trace_is(tmp_path):
    traced = srcgrad.trace(repeated)
    for n in range(3, 12):
        traced(Variable(X, requires_grad=True), n)
    traced.export(tmp_path / "module.py", Variable(X, requires_grad=True), 30)
    found = srcgrad.load(tmp_path / "module.py")
    for n in (0, 1, 8):
        np.testing.assert_allclose(found(X, n), repeated(X, n))
    with pytest.raises(ValueError, match="n must be an int"):
        found(X, 2.0)


def test_a_module_is_for_one_integer_if_a_trace_is(tmp_path):
    slope = srcgrad.grad(repeated)
    slope.export(tmp_path / "module.py", X, 3)
    found = srcgrad.load(tmp_path / "module.py")
    np.testing.assert_allclose(found(X, 3), repeated(X, 3))
    with pytest.raises(ValueError, match="n must be 3: export again for another"):
        found(X, 4)


# ----- What is given beforehand -----
class Model:
    def __init__(self):
        self.W = np.diag([1.0, 2.0, 3.0])
        self.power = 2

    def loss(self, x):
        return np.sum((self.W @ x) ** self.power)


def test_what_a_bound_methods_object_holds_are_constants(tmp_path):
    model, path = Model(), tmp_path / "module.py"
    slope = srcgrad.grad(model.loss)
    slope.export(path, X)
    np.testing.assert_allclose(srcgrad.load(path)(X), model.loss(X))
    slope.use(path)
    for _ in range(2):  # the second time the module is not right any more
        np.testing.assert_allclose(slope(X), 2 * model.W.T @ model.W @ X)
        model.W *= 2.0


def test_a_variable_outside_is_a_parameter(tmp_path):
    scale = Variable(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    traced, path = srcgrad.trace(lambda x: np.sum(scale * x)), tmp_path / "module.py"
    traced.export(path, X)
    assert "*, scale: np.ndarray = DEFAULT_scale" in path.read_text()
    edit(path, "return dout * x", "print('edited')\n    return dout * x")
    traced.use(path)
    assert scale.grad is None
    traced(X).backward()
    np.testing.assert_allclose(scale.grad.data, X)


# ----- Without arguments -----
def test_without_arguments_it_is_for_the_way_that_calls_went(tmp_path):
    slope, path = srcgrad.grad(programs.guarded), tmp_path / "module.py"
    for _ in range(2):
        slope(X)
    slope.export(path)
    np.testing.assert_allclose(srcgrad.load(path)(X), programs.guarded(X))


def test_without_arguments_where_none_are_found(tmp_path):
    traced = srcgrad.trace(lambda x: np.sum(np.arange(int(x[0])) * x[1]))
    for _ in range(2):
        traced(np.array([7.0, 2.0]))
    with pytest.raises(RuntimeError, match="for some values alone: give arguments"):
        traced.export(tmp_path / "module.py")


def test_without_arguments_of_a_function_of_variables(tmp_path):
    traced, path = srcgrad.trace(layer), tmp_path / "module.py"
    for _ in range(2):
        traced(Variable(np.eye(3), requires_grad=True), X)
    traced.export(path)
    assert "def layer_vjp(" in path.read_text()


def test_a_module_refuses_other_containers(tmp_path):
    traced, path = srcgrad.trace(programs.of_tuple), tmp_path / "module.py"
    traced.export(path, (X, X))
    with pytest.raises(ValueError, match="pair must have length 2"):
        srcgrad.load(path)((X, X, X))
    params = {"W": np.ones((4, 3)), "b": (np.ones(3), 0.5)}
    srcgrad.trace(programs.of_tree).export(path, params, np.ones((6, 4)))
    with pytest.raises(ValueError, match="params must have the keys W, b"):
        srcgrad.load(path)({**params, "c": 1.0}, np.ones((6, 4)))


def test_one_result_in_a_tuple_has_a_way_back(tmp_path):
    path, x = tmp_path / "module.py", Variable(X, requires_grad=True)
    srcgrad.trace(programs.one_in_a_tuple).export(path, x)
    assert "def one_in_a_tuple_vjp(" in path.read_text()
    slope = srcgrad.grad(lambda x: srcgrad.load(path)(x)[0])
    np.testing.assert_allclose(slope(X), 2 * X)


def test_a_function_with_the_name_of_one_that_comes_along_is_refused(tmp_path):
    slope = srcgrad.grad(programs.large_cofactors)
    with pytest.raises(RuntimeError, match="a function 'large_cofactors' of srcgrad's"):
        slope.export(tmp_path / "module.py", np.eye(6) + 0.1)


def test_errors_that_are_ignored_are_so_in_a_module(tmp_path):
    x, path = np.array([0.0, 2.0]), tmp_path / "module.py"
    traced = srcgrad.trace(programs.ignores_errors)
    traced.export(path, Variable(x, requires_grad=True))
    with np.errstate(all="raise"):
        assert srcgrad.load(path)(x) == programs.ignores_errors(x)


def test_arrays_of_another_byte_order(tmp_path):
    x, path = X.astype(">f8"), tmp_path / "module.py"  # `pickle` would turn it
    slope = srcgrad.grad(programs.elementwise)
    slope.export(path, x)
    found = srcgrad.grad(srcgrad.load(path))(x)
    np.testing.assert_allclose(found, slope(X))
    assert found.dtype == x.dtype


def test_tuples_with_names_are_tuples(tmp_path):
    pair, path = programs.Pair(X, 2 * X), tmp_path / "module.py"
    srcgrad.grad(programs.of_named).export(path, pair)
    found = srcgrad.load(path)
    assert found(pair) == found((X, 2 * X)) == programs.of_named(pair)


def test_a_function_without_parameters(tmp_path):
    path = tmp_path / "module.py"
    srcgrad.trace(lambda: np.sum(SCALES**2)).export(path)
    assert srcgrad.load(path)() == np.sum(SCALES**2)


def test_a_function_without_parameters_of_a_variable(tmp_path):
    W, path = Variable(X, requires_grad=True), tmp_path / "module.py"
    srcgrad.trace(lambda: np.sum(W**2)).export(path)
    found = srcgrad.load(path)
    np.testing.assert_allclose(srcgrad.grad(lambda w: found(W=w))(X), 2 * X)


def test_a_parameter_whose_name_the_module_needs_is_refused(tmp_path):
    def exponential(math):
        return math * np.exp(-math) if math > 0.5 else np.float64(0.0) * math

    slope = srcgrad.grad(exponential)
    slope.export(tmp_path / "module.py", 0.7)  # it needs NumPy alone

    def determined(large_cofactors):
        return np.linalg.det(large_cofactors)

    with pytest.raises(RuntimeError, match="parameter `large_cofactors` has a name"):
        srcgrad.grad(determined).export(tmp_path / "module.py", np.eye(6) + 0.1)


class Holder:
    x = Variable(np.array([1.0, 2.0, 3.0]), requires_grad=True)


def test_a_variable_outside_may_have_the_name_of_a_parameter(tmp_path):
    def scaled(x):
        return np.sum(Holder.x * x)

    path = tmp_path / "module.py"
    srcgrad.trace(scaled).export(path, X)
    found = srcgrad.load(path)
    assert found(X) == scaled(X).data
    np.testing.assert_allclose(srcgrad.grad(lambda w: found(X, x_1=w))(X), X)


def test_a_result_that_is_given_back_twice(tmp_path):
    def twice(x):
        y = np.sin(x)
        return y, y

    path = tmp_path / "module.py"
    srcgrad.trace(twice).export(path, Variable(X, requires_grad=True))
    found = srcgrad.load(path)
    slope = srcgrad.grad(lambda x: np.sum(found(x)[0] + 2 * found(x)[1]))
    np.testing.assert_allclose(slope(X), 3 * np.cos(X))
