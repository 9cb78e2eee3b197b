"""Whatever fails inside the compiler, the result is the tape's, with one warning."""

import dataclasses
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd, emit, transforms
from srcgrad.emit import module
from srcgrad.errors import CompilerError
from srcgrad.tracing import containment
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.runs import ends
from srcgrad.tracing.serving import back_off, fitting, reports, trace
from srcgrad.tracing.user_code import instrument
from tests.tracing.comparing import X


class BugError(Exception):
    pass


def fails(*args, **kwargs):
    raise BugError("as it happens")


# Where something may fail: a module, and the name of what does.
PLACES = {
    "a pass": (transforms, "PIPELINE"),
    "saving": (trace, "split"),
    "memory": (trace, "shared_memory"),
    "writing": (emit, "build"),
    "lowering": (module, "lower"),
    "printing": (module, "unparse"),
    "loading": (module, "load"),
    "the header": (reports, "header_of"),
    "the source": (instrument, "definition_of"),
    "rewriting the source": (instrument, "compile_definition"),
    "the recording": (ends, "reach_of"),
    "the graph": (GraphWriter, "joint"),
    "the results": (fitting, "results_of"),
}


def loss(x):
    h = np.tanh(x)
    return np.sum(h * h)


def through(function):
    x = Variable(X.copy(), requires_grad=True)
    out = function(x)
    out.backward()
    return float(out.data), x.grad.data.tolist()


def transformed(function):
    return srcgrad.value_and_grad(function)(X)


@pytest.fixture
def in_use(monkeypatch):
    """As users run it: without checks, and with failures contained."""
    config = dataclasses.replace(back_off.config, debug=False)
    monkeypatch.setattr(back_off, "config", config)


def fail_at(monkeypatch, place):
    owner, name = PLACES[place]
    # What was found out of the code before does not count.
    anew = instrument._instrumented_code.__wrapped__
    monkeypatch.setattr(instrument, "_instrumented_code", anew)
    if name == "PIPELINE":
        fails.__name__ = "a_pass"
        monkeypatch.setattr(owner, name, (fails,))
    else:
        monkeypatch.setattr(owner, name, fails)


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize("place", PLACES)
def test_the_tape_has_the_result(monkeypatch, place):
    expected = through(loss)
    traced_loss = srcgrad.trace(loss)
    fail_at(monkeypatch, place)
    with pytest.warns(RuntimeWarning, match="report") as seen:
        found = [through(traced_loss) for _ in range(4)]
    assert found == [expected] * 4
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert "loss stays on the tape" in str(seen[0].message)
    assert "BugError: as it happens" in str(seen[0].message)
    assert traced_loss.stats.compiled == 0
    assert traced_loss.stats.calls == traced_loss.stats.tape == 4
    assert "srcgrad itself failed" in traced_loss.explain()


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize("place", PLACES)
def test_transforms_have_the_result_too(monkeypatch, place):
    expected = srcgrad.value_and_grad(loss)(X)
    both = srcgrad.value_and_grad(srcgrad.trace(loss))
    fail_at(monkeypatch, place)
    if place == "the results":
        monkeypatch.setattr(fitting, "packed_of", fails)
    if place == "saving":
        monkeypatch.setattr(trace, "whole", fails)
    with pytest.warns(RuntimeWarning, match="report"):
        found = [both(X) for _ in range(4)]
    for value, gradient in found:
        assert value == expected[0]
        np.testing.assert_array_equal(gradient, expected[1])


@pytest.mark.usefixtures("in_use")
def test_the_warning_names_the_pass(monkeypatch):
    fail_at(monkeypatch, "a pass")
    with pytest.warns(RuntimeWarning, match=r"the pass a_pass failed .* BugError"):
        through(srcgrad.trace(loss))


@pytest.mark.usefixtures("in_use")
def test_there_is_one_warning_for_all_signatures(monkeypatch):
    fail_at(monkeypatch, "writing")
    traced_loss = srcgrad.trace(loss)
    with pytest.warns(RuntimeWarning, match="report") as seen:
        assert [traced_loss(np.ones(n)) for n in range(3)]
    assert len(seen) == 1


@pytest.mark.parametrize("place", [place for place in PLACES if place != "the results"])
def test_under_test_it_is_an_error(monkeypatch, place):
    fail_at(monkeypatch, place)
    with pytest.raises(CompilerError) as caught:
        through(srcgrad.trace(loss))
    assert isinstance(caught.value.__cause__, BugError)


# ----- Generated code that does not run -----


def broken(half):
    """``load`` with an error in one of the two functions."""

    def load(text, name, constants=None):
        start = f"def {half}("
        head, _, tail = text.partition(start)
        parameters, _, body = tail.partition("):\n")
        text = f"{head}{start}{parameters}):\n    no_such_name\n{body}"
        return real(text, name, constants)

    real = module.load
    return load


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize(
    ("way", "half"),
    [(through, "forward"), (through, "backward"), (transformed, "forward")],
    ids=["forward", "backward", "transform"],
)
def test_code_that_does_not_run(monkeypatch, half, way):
    monkeypatch.setattr(module, "load", broken(half))
    traced_loss = srcgrad.trace(loss)
    with pytest.warns(RuntimeWarning, match="NameError.*report") as seen:
        found = [way(traced_loss) for _ in range(3)]
    for value, gradient in found:
        assert value == way(loss)[0]
        np.testing.assert_allclose(gradient, way(loss)[1], rtol=1e-12)
    assert len(seen) == 1
    assert "NameError" in traced_loss.explain()


# ----- Hooks on the way -----


def steps(x):
    """Two results, on the way to a third."""
    h = np.tanh(x)
    k = h * h
    return h, k, np.sum(k * x)


def broken_stages(which):
    """``load`` of backward stages, of which some have an error, by their numbers."""

    def load(text, name, constants=None):
        count.append(name)
        if len(count) in which:
            text = text.replace("):\n", "):\n    no_such_name\n", 1)
        return real(text, name, constants)

    real, count = module.load, []
    return load


def back_with_hooks(function, fails_in_hook=False):
    """The gradient, and what hooks on the two results on the way see."""
    seen = []
    x = Variable(X.copy(), requires_grad=True)
    h, k, out = function(x)

    def hook(g):
        seen.append(np.array(g.data).tolist())
        if fails_in_hook:
            raise BugError("of the user's hook")
        return g * 2.0

    h.register_hook(hook)
    k.register_hook(hook)
    autograd.backward([out, h.sum()])
    return x.grad.data, seen


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize("which", [{1}, {2}, {3}, {1, 2, 3}], ids=str)
def test_hooks_run_once_though_the_generated_code_fails(monkeypatch, which):
    function = srcgrad.trace(steps)
    function(Variable(X.copy(), requires_grad=True))
    monkeypatch.setattr(module, "load", broken_stages(which))
    with pytest.warns(RuntimeWarning, match="NameError.*report"):
        gradient, seen = back_with_hooks(function)
    expected, seen_on_tape = back_with_hooks(steps)
    np.testing.assert_allclose(gradient, expected, rtol=1e-12)
    np.testing.assert_allclose(seen, seen_on_tape, rtol=1e-12)


@pytest.mark.usefixtures("in_use")
def test_an_error_of_a_hook_is_the_users():
    function = srcgrad.trace(steps)
    function(Variable(X.copy(), requires_grad=True))
    for each in (function, steps):
        with pytest.raises(BugError, match="of the user's hook"):
            back_with_hooks(each, fails_in_hook=True)
    back_with_hooks(function)
    assert function.stats.compiled == 2


def inverse(a):
    return np.sum(np.linalg.inv(a))


@pytest.mark.parametrize("transform", [lambda f: f, srcgrad.grad])
def test_errors_of_the_users_are_no_failures(transform):
    call = transform(srcgrad.trace(inverse))
    eye, zeros = np.eye(2), np.zeros((2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(eye)
        for _ in range(3):
            with pytest.raises(np.linalg.LinAlgError):
                call(zeros)
        call(eye)


def test_a_stage_lets_through_what_it_knows():
    with pytest.raises(BugError), containment.stage("a stage", BugError):
        fails()
    error = pytest.raises(CompilerError, match="a stage failed: BugError: as it")
    with error, containment.stage("a stage"):
        fails()
