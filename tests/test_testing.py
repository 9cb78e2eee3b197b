"""``srcgrad.testing.check_grads``: it finds each derivative that is wrong."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, GradcheckError, testing
from srcgrad.checking import compare
from srcgrad.emit import Module
from srcgrad.testing import check_grads

X = np.array([0.5, -1.5, 2.0])


def along(x):
    total = 0.0
    for row in x:
        total = np.tanh(row) * total + row**2
    return total


RIGHT = {
    "an array, a float": (lambda x, y: np.sin(x) * y, (X, 3.0)),
    "what is no tuple": (np.tanh, X),
    "containers": (
        lambda p, n: {"a": p["w"] ** n, "b": [p["b"] * 2.0, n, "text"]},
        ({"w": X, "b": 1.5}, 3),
    ),
    "complex numbers": (lambda z: z * np.conj(z) ** 2, (X + 1j,)),
    "a real result of these": (lambda z: np.abs(z), (X + 1j,)),
    "a loop": (along, (X,)),
    "a traced function": (srcgrad.trace(along), (X,)),
    "an output without gradient": (lambda x: (x > 0, x**2, np.floor(x)), (X,)),
}


@pytest.mark.parametrize(("function", "args"), RIGHT.values(), ids=RIGHT)
def test_right_derivatives_of_each_order(function, args):
    check_grads(function, args)


def test_the_third_order():
    check_grads(lambda x: np.sum(x**4), (X,), order=3, modes=["rev"])


class Bent(Function):
    """The square, whose second derivative is lost."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2.0 * g * x.detach()


@srcgrad.custom_vjp
def tilted(x, y):
    return np.sum(x * y)


tilted.defvjp(
    lambda x, y: (np.sum(x * y), (x, y)), lambda xy, g: (3 * g * xy[1], xy[0])
)


@srcgrad.custom_jvp
def leaning(x):
    return x * x


leaning.defjvp(
    lambda primals, tangents: (primals[0] ** 2, 3.0 * primals[0] * tangents[0])
)


WRONG = [
    (
        tilted,
        (X, X),
        "rev",
        "rev",
        r"(?s)of input 0: element \(2,\) is 6\.0, but .*\n3 of 3 elements",
    ),
    (leaning, (X,), "fwd", "fwd", r"is -4\.5, .* of element \(1,\) of output 0"),
    (
        leaning,
        (X,),
        "rev",
        "rev",
        r"is -4\.5, .* -2\.99\d*, of element \(1,\) of output 0",
    ),
    (Bent.apply, (X,), "rev", "rev of rev", r"is 0\.0, but the finite difference is "),
    (Bent.apply, (X,), "fwd", "fwd of fwd", r"of element \(\d,\) of output 0"),
    (
        lambda p: np.sum(Bent.apply(p["w"])),
        ({"w": X, "b": 1.0},),
        "rev",
        "rev of rev",
        r"of input 0 \(argument 0, at \['w'\]\): element",
    ),
]


@pytest.mark.parametrize(("function", "args", "mode", "path", "told"), WRONG)
def test_the_message_says_which_derivative_is_wrong(function, args, mode, path, told):
    with pytest.raises(AssertionError, match=told) as error:
        check_grads(lambda *args: function(*args), args, modes=(mode,))
    assert str(error.value).startswith(f"check_grads, {path} (on the tape): gradient")


def test_a_part_of_a_complex_output_is_named():
    def wrong(z):
        return z + 1j * srcgrad.stop_gradient(z)

    for mode in ("fwd", "rev"):
        with pytest.raises(
            GradcheckError, match=r"of the (real|imaginary) part of elem"
        ):
            check_grads(wrong, (X + 1j,), modes=(mode,))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_generated_code_is_checked_too(mode, monkeypatch):
    run = Module.call_forward

    def wrong(self, raws):
        outs, saved = run(self, raws)
        return [3.0 * out for out in outs], saved

    monkeypatch.setattr(Module, "call_forward", wrong)
    with pytest.raises(GradcheckError, match=rf"{mode} \(compiled\): gradient of inp"):
        check_grads(lambda x: np.sum(x**4), (X,), order=1, modes=(mode,))


def test_each_order_is_compiled(monkeypatch):
    compiled = {}

    def looked_at(problem, derivative, allowed):
        compare(problem, derivative, allowed)
        compiled[problem.name] = derivative.of_inputs.stats.compiled

    monkeypatch.setattr(testing, "compare", looked_at)
    check_grads(along, (X,))
    *_, on_tape, _ = [name for name in compiled if "on the tape" in name]
    assert len(compiled) == 2 * (2 + 4)
    assert compiled[on_tape] == 0
    assert all(n for name, n in compiled.items() if "(compiled)" in name)


def test_what_cannot_be_checked_is_an_error():
    with pytest.raises(
        ValueError, match=r"modes are among \('fwd', 'rev'\), but got o"
    ):
        check_grads(along, (X,), modes=("forward",))
    with pytest.raises(ValueError, match="order is 1 or more"):
        check_grads(along, (X,), order=0)
    with pytest.raises(
        ValueError, match=r"check_grads.* needs an input of dtype float"
    ):
        check_grads(along, (3,))
    with pytest.raises(GradcheckError, match="no output depends on an input"):
        check_grads(np.floor, (X,))


def test_it_is_found_without_an_import_of_its_own():
    assert srcgrad.testing.check_grads is check_grads
