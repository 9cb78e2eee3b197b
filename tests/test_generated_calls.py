"""Every function that there are facts of: traced calls are untraced calls.

Kinds, dtypes, shapes, signs of zeros and errors are the same. So are numbers, to the
bit; but for those where a pass takes a shorter way (``mean`` as a sum, ``x ** 3`` as
products), and for gradients: they differ by rounding.
"""

import re
import warnings
import zlib

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from srcgrad.pytree import flatten
from srcgrad.rules.libraries import UNREACHED
from srcgrad.tracing.following import running
from tests.generated_calls import Draw, functions

FUNCTIONS = functions()

# What the first argument is.
KINDS = ("variable", "variable", "constant", "array", "array", "scalar", "float")


def program_of(function):
    """A call as a function in a user's program."""

    def program(*args):
        return function(*args)

    return program


def wrapped(args, kind):
    """The arguments as they are given: copies, of which arrays may be Variables."""
    first, *rest = args
    if isinstance(first, list):
        return [[wrapped([item], kind)[0] for item in first], *rest]
    if not isinstance(first, np.ndarray):
        return [first, *rest]
    own = np.copy(first, order="K", subok=False) if first.flags.forc else first
    rest = [each.copy("K") if isinstance(each, np.ndarray) else each for each in rest]
    if kind == "variable" and first.dtype.kind in "fc":
        return [Variable(own, requires_grad=True), *rest]
    if kind in ("variable", "constant"):
        return [Variable(own), *rest]
    if kind != "array" and not first.shape:
        return [own[()] if kind == "scalar" else own[()].item(), *rest]
    return [own, *rest]


def outcome(program, args):
    """What a call gives, or the error that it raises; its arguments; gradients."""
    try:
        result = program(*args)
    except Exception as error:
        # Where in our own files a message says that it came up does not matter.
        text = re.sub(r"0x[0-9a-f]+", "", str(error))
        return [type(error), text], [], flatten(args)[0]
    leaves = flatten(result)[0]
    live = [each for each in leaves if getattr(each, "requires_grad", False)]
    variables = [each for each in flatten(args)[0] if isinstance(each, Variable)]
    gradients = []
    try:
        if live:
            ones = [np.ones(each.shape, each.dtype) for each in live]
            srcgrad.autograd.backward(live, ones)
        gradients = [each.grad for each in variables]
    except Exception as error:
        gradients = [type(error), str(error)]
    return leaves, gradients, flatten(args)[0]


def assert_same(ours, theirs, ulps):
    """The same leaves; numbers may differ by some units in the last place."""
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b), (a, b)
        if isinstance(a, Variable):
            assert a.requires_grad is b.requires_grad
            a, b = a.data, b.data
            assert type(a) is type(b), (a, b)
        if not isinstance(a, (np.ndarray, np.generic, float, complex)):
            assert a is b or repr(a) == repr(b), (a, b)
            continue
        assert np.result_type(a) == np.result_type(b)
        assert np.shape(a) == np.shape(b)
        if np.asarray(a).tobytes() == np.asarray(b).tobytes():
            continue
        if np.result_type(a).kind not in "fc":
            assert repr(a) == repr(b)
            continue
        eps = np.finfo(np.result_type(a)).eps
        scale = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
        np.testing.assert_allclose(a, b, ulps * eps, ulps * eps * scale)
        if not ulps:
            number = np.asarray(b == b)
            signs = [np.signbit(np.real(each))[number] for each in (a, b)]
            np.testing.assert_array_equal(*signs)


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# The error of a bare Variable that is to become an ndarray.
LOST = "its gradient would be lost"

# How many units in the last place results may differ by.
SHORTER = {"mean": 2, "average": 2, "power": 4, "pow": 4, "square": 1}


@pytest.mark.seeds(1)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_traced_calls_are_untraced_calls(name, seed):
    draw = Draw(zlib.crc32(name.encode()), seed)
    function = FUNCTIONS[name]
    program = program_of(function)
    traced = srcgrad.trace(program)

    def followed(*args):
        return running.run(program, args, {})

    args = draw.arguments(function)
    # NumPy's own code knows no Variables there: the rules' own tests have them.
    kind = draw.one(KINDS if function not in UNREACHED else KINDS[3:])
    for _ in range(3):
        ours = outcome(traced, wrapped(args, kind))
        theirs = outcome(program, wrapped(args, kind))
        if LOST in str(theirs[0]):  # what no protocol reaches, the followed copy does
            theirs = outcome(followed, wrapped(args, kind))
        assert_same(ours[0], theirs[0], SHORTER.get(function.__name__, 0))
        assert_same(ours[1], theirs[1], 64)
        assert_same(ours[2], theirs[2], 0)
