"""Tracebacks: the user's frames, and of srcgrad's that which the user's code called."""

import concurrent.futures
import cProfile
import pstats
import traceback

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import PACKAGE
from srcgrad.protocols import dispatched
from srcgrad.tracebacks import FULL, VARIABLE, trim

ONES = np.ones(3)


@pytest.fixture(autouse=True)
def trimmed(monkeypatch):
    """Whoever runs the tests may want to see full tracebacks of those that fail."""
    monkeypatch.delenv(VARIABLE, raising=False)


def frames(error):
    """The names of the user's functions in a traceback, srcgrad's as "srcgrad"."""
    found = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        is_own = code.co_filename.startswith(PACKAGE)
        found.append("srcgrad" if is_own else code.co_name)
    return found


def frames_of(call, *args):
    """Those of the error that a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call(*args)
    return frames(caught.value)[1:]  # without this function's own


def variable(values=ONES):
    return srcgrad.Variable(values, requires_grad=True)


def helper(x, key):
    return x * {"a": 1.0}[key]


def loss(x, key="b"):
    return np.sum(helper(x, key))


def misfit(x):
    return np.sum(x @ np.ones((5, 2)))


def singular(x):
    return np.sum(np.linalg.inv(x))


class Broken(srcgrad.Function):
    """A Function that raises an error."""

    @staticmethod
    def forward(ctx, x):
        return helper(x, "b")


class BrokenLater(srcgrad.Function):
    """A Function whose way back raises an error."""

    def forward(self, x):
        return x * 2.0

    def backward(self, g):
        return helper(g, "b")


@dispatched
def once(x):
    raise ValueError("never")


def backward_of_users():
    BrokenLater()(variable()).sum().backward()


def backward_of_a_vector():
    (variable() * 2.0).backward()


def backward_again():
    out = np.sum(np.exp(variable()))
    out.backward()
    out.backward()


def backward_in_another_way():
    srcgrad.autograd.backward(variable() * 2.0)


def grad_in_another_way():
    srcgrad.autograd.grad(variable() * 2.0, variable())


def hook_of_users():
    x = variable()
    x.register_hook(lambda g: helper(g, "b"))
    np.sum(x * 2.0).backward()


def own_derivative():
    @srcgrad.custom_vjp
    def doubled(x):
        return x * 2.0

    doubled.defvjp(lambda x: (x * 2.0, None), lambda saved, g: (helper(g, "b"),))
    np.sum(doubled(variable())).backward()


def way_back():
    _, pullback = srcgrad.vjp(lambda x: x * 2.0, ONES)
    pullback(np.ones(4))


def way_forth():
    _, pushforward = srcgrad.linearize(lambda x: x * 2.0, ONES)
    pushforward(np.ones(4))


def changed_in_place():
    y = np.exp(variable())
    z = y * y
    with srcgrad.set_inplace("error"):
        y += 1.0
    z.sum().backward()


def update_of_another_shape():
    y = variable() * 1.0
    y += np.ones(4)


def item_of_another_shape():
    y = variable() * 1.0
    y[0] = np.ones(4)


OF_HELPER = ["loss", "helper"]
# What is called, and the frames that the traceback of its error has.
DOORS = {
    "a traced function": (lambda: srcgrad.trace(loss)(variable()), OF_HELPER),
    "grad": (lambda: srcgrad.grad(loss)(ONES), OF_HELPER),
    "grad of a traced function": (
        lambda: srcgrad.grad(srcgrad.trace(loss))(ONES),
        OF_HELPER,
    ),
    "grad by an integer": (lambda: srcgrad.grad(loss)(3), []),
    "value_and_grad": (lambda: srcgrad.value_and_grad(loss)(ONES), OF_HELPER),
    "jacobian": (lambda: srcgrad.jacobian(loss)(ONES), OF_HELPER),
    "hessian": (lambda: srcgrad.hessian(loss)(ONES), OF_HELPER),
    "hvp": (lambda: srcgrad.hvp(loss, ONES, ONES), OF_HELPER),
    "vmap": (lambda: srcgrad.vmap(loss)(ONES), OF_HELPER),
    "vjp": (lambda: srcgrad.vjp(loss, ONES), OF_HELPER),
    "jvp": (lambda: srcgrad.jvp(loss, (ONES,), (ONES,)), OF_HELPER),
    "linearize": (lambda: srcgrad.linearize(loss, ONES), OF_HELPER),
    "checkpoint": (lambda: srcgrad.checkpoint(loss)(variable()), OF_HELPER),
    "gradcheck": (lambda: srcgrad.gradcheck(loss, (ONES,)), OF_HELPER),
    "gradgradcheck": (lambda: srcgrad.gradgradcheck(loss, (ONES,)), OF_HELPER),
    "an operator": (lambda: variable() @ np.ones((5, 2)), []),
    "an operator on lists": (lambda: variable() * [1.0, 2.0], []),
    "a ufunc": (lambda: np.arctan2(variable(), np.ones(4)), []),
    "a method of a ufunc": (lambda: np.add.reduce(variable(), initial="a"), []),
    "an array function": (lambda: np.concatenate((variable(), np.eye(2))), []),
    "a method": (lambda: variable().sum(axis=7), []),
    "a method in place": (lambda: variable().add_(1.0), []),
    "an index": (lambda: variable()[7], []),
    "a Function": (lambda: Broken.apply(variable()), ["forward", "helper"]),
    "a vector that does not fit": (lambda: srcgrad.hvp(np.sum, ONES, np.ones(4)), []),
    "a function without a rule": (lambda: once(variable()), []),
    "NumPy's own functions in a traced function": (
        lambda: srcgrad.trace(singular)(np.zeros((2, 2))),
        ["singular", "inv", "_raise_linalgerror_singular"],
    ),
    "operators in a traced function": (
        lambda: srcgrad.trace(misfit)(variable()),
        ["misfit", "srcgrad"],
    ),
}
# The same where the door is called inside of a function.
INSIDE = {
    backward_of_users: ["backward", "helper"],
    backward_of_a_vector: [],
    backward_again: [],
    backward_in_another_way: [],
    grad_in_another_way: [],
    hook_of_users: ["<lambda>", "helper"],
    own_derivative: ["<lambda>", "helper"],
    way_back: [],
    way_forth: [],
    changed_in_place: [],
    update_of_another_shape: [],
    item_of_another_shape: [],
}


NUMPYS = ("_sum", "_wrapreduction", "sum")  # written in Python


@pytest.mark.parametrize("name", DOORS)
def test_of_a_door_there_is_one_frame_and_then_the_users(name):
    call, users = DOORS[name]
    found = [name for name in frames_of(call) if name not in NUMPYS]
    assert found == ["<lambda>", "srcgrad", *users]


@pytest.mark.parametrize("call", INSIDE, ids=lambda call: call.__name__)
def test_of_a_door_within_a_function_there_is_one_frame_too(call):
    users = INSIDE[call]
    assert frames_of(call) == [call.__name__, "srcgrad", *users]


@pytest.mark.parametrize("calls", range(1, 6))
def test_calls_that_are_served_by_generated_code_show_no_more(calls):
    traced = srcgrad.trace(loss)
    for _ in range(calls):
        traced(variable(), "a")
    assert frames_of(traced, variable()) == ["srcgrad", *OF_HELPER]


def test_the_lines_are_those_of_the_users_file():
    traced = srcgrad.trace(loss)
    with pytest.raises(KeyError) as caught:
        traced(variable())
    found = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.filename for frame in found[2:]] == [__file__] * 2
    assert found[2].line == "return np.sum(helper(x, key))"
    assert found[3].line == 'return x * {"a": 1.0}[key]'


def test_all_frames_are_there_for_those_who_ask(monkeypatch):
    monkeypatch.setenv(VARIABLE, FULL)
    found = frames_of(srcgrad.trace(loss), variable())
    assert found.count("srcgrad") > 3
    assert found[-2:] == OF_HELPER


# ----- What is left as it is -----


def caught_inside(x, key):
    try:
        return np.sum(helper(x, key))
    except KeyError as error:
        return np.sum(x) * len(traceback.extract_tb(error.__traceback__))


@pytest.mark.parametrize("wrap", [srcgrad.trace, srcgrad.grad])
def test_errors_that_users_catch_inside_are_theirs(wrap):
    function = wrap(caught_inside)
    for key in ("a", "b", "a", "b"):
        value = function(variable() if wrap is srcgrad.trace else ONES, key)
        expected = caught_inside(ONES, key) if wrap is srcgrad.trace else None
        if expected is not None:
            assert value.data == expected


def with_a_cause(x):
    try:
        return loss(x)
    except KeyError as error:
        raise ValueError("no such key") from error


def in_handling(x):
    try:
        return loss(x)
    except KeyError:
        return misfit(x)


@pytest.mark.parametrize("calls", range(3))
@pytest.mark.parametrize(
    ("function", "chain", "of_the_first"),
    [
        (with_a_cause, ["KeyError"], ["with_a_cause", "loss", "helper"]),
        (in_handling, ["KeyError"], ["in_handling", "loss", "helper"]),
    ],
)
def test_causes_are_the_users_own(function, chain, of_the_first, calls):
    traced = srcgrad.trace(function)
    for _ in range(calls):
        with pytest.raises(ValueError, match=r"key|matmul"):
            traced(variable())
    with pytest.raises(ValueError, match=r"key|matmul") as caught:
        traced(variable())
    assert frames(caught.value)[1:3] == ["srcgrad", function.__name__]
    found, each = [], caught.value
    while (each := each.__cause__ or each.__context__) is not None:
        found.append(type(each).__name__)
        last = frames(each)
    assert found == chain
    assert last == of_the_first


def test_an_error_of_generated_code_has_none_of_its_own():
    traced = srcgrad.trace(singular)
    for _ in range(3):
        traced(variable(np.eye(3)))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        traced(variable(np.zeros((3, 3))))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_errors_in_threads_are_trimmed():
    traced = srcgrad.trace(loss)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(traced, variable()) for _ in range(4)]
    for future in futures:
        found = frames(future.exception())
        assert found[-3:] == ["srcgrad", *OF_HELPER]
        assert found.count("srcgrad") == 1


def parts(x):
    yield x * 2.0
    yield helper(x, "b")


def total_of_parts(x):
    return sum(parts(x))


@pytest.mark.parametrize("wrap", [srcgrad.trace, srcgrad.grad])
def test_errors_in_generators_show_them(wrap):
    given = variable() if wrap is srcgrad.trace else 1.0
    found = frames_of(wrap(total_of_parts), given)
    assert found[:2] == ["srcgrad", "total_of_parts"]
    assert found[-2:] == ["parts", "helper"]


def nested(x, depth):
    return loss(x) if depth == 0 else srcgrad.grad(nested)(x, depth - 1)


def test_doors_inside_of_doors_are_one_frame_each():
    expected = ["srcgrad", "nested"] * 3
    assert frames_of(srcgrad.grad(nested), 1.0, 2) == [*expected, *OF_HELPER]


def without_end(x):
    return srcgrad.grad(without_end)(x) + 1.0


def test_recursion_without_end_is_that():
    with pytest.raises(RecursionError):
        srcgrad.grad(without_end)(1.0)


def test_what_is_no_exception_is_left_as_it_is():
    """Where Ctrl-C has come."""

    def interrupted(x):
        raise KeyboardInterrupt

    for call in (srcgrad.trace(interrupted), lambda x: srcgrad.vjp(interrupted, x)):
        with pytest.raises(KeyboardInterrupt) as caught:
            call(ONES)
        assert frames(caught.value).count("srcgrad") > 1
        assert frames(caught.value)[-1] == "interrupted"


def test_an_error_that_nobody_has_foreseen_is_found(monkeypatch):
    def broken(*args, **kwargs):
        return args[0].no_such_attribute

    code = broken.__code__.replace(co_filename=f"{PACKAGE}made_up.py")
    broken.__code__ = code
    monkeypatch.setattr("srcgrad.tape.variable.accumulate", broken)
    with pytest.raises(AttributeError) as caught:
        variable().sum().backward()
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "broken"
    assert frames(caught.value)[1:] == ["srcgrad", "srcgrad"]


@pytest.mark.parametrize("error", [ValueError("never raised"), KeyError()])
def test_an_error_that_was_never_raised_has_nothing_to_trim(error):
    trim(error)
    assert error.__traceback__ is None


def test_errors_that_are_each_others_causes_come_to_an_end():
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    trim(first)
    assert first.__cause__ is second


def test_a_door_is_no_call():
    """What is served at once is served by the same calls as without the door."""
    traced = srcgrad.trace(lambda x: np.sum(x * x))
    x = variable()
    for _ in range(5):
        traced(x)
    profile = cProfile.Profile()
    profile.runcall(traced, x)
    calls = pstats.Stats(profile).stats
    assert not [place for place in calls if "tracebacks" in place[0]]
