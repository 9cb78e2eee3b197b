"""What a library holds besides code may change: it is guarded, or not read at all."""

import builtins
import decimal
import locale
import logging
import math
import operator
import os
import random
import string
import sys
import time
import warnings

import numpy as np
import pytest
import scipy.constants
import scipy.special

import srcgrad
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.runs.record import record
from tests.tracing.comparing import X, outcome, same_through


def by_percent_of_a_name(x):
    template = "%s"
    template %= (np.array([1 / 3]),)
    return x * len(template)


def sets(owner, name, value=float):
    return lambda monkeypatch, k: monkeypatch.setattr(
        owner, name, value(k), raising=False
    )


def sets_environment(monkeypatch, k):
    monkeypatch.setenv("SRCGRAD_SCALE", str(k))


def sets_precision_of_text(monkeypatch, k):
    np.set_printoptions(precision=k)


def sets_precision(monkeypatch, k):
    decimal.getcontext().prec = k


def sets_directory(monkeypatch, k):
    monkeypatch.chdir("/" if k % 2 else os.path.dirname(__file__))


def sets_error_state(monkeypatch, k):
    np.seterr(divide="ignore" if k % 2 else "raise")


def ones(k):
    return "1" * k


def arrays(k):
    return np.ones(3) * k


IGNORE = ("ignore", None, Warning, None, 0)

# Each function, and how what it reads changes from call to call.
READS = {
    "environment": (lambda x: x * float(os.environ["SRCGRAD_SCALE"]), sets_environment),
    "environment by get": (
        lambda x: x * float(os.environ.get("SRCGRAD_SCALE", "1")),
        sets_environment,
    ),
    "environment by function": (
        lambda x: x * float(os.getenv("SRCGRAD_SCALE")),
        sets_environment,
    ),
    "arguments of the program": (
        lambda x: x * len(sys.argv),
        sets(sys, "argv", lambda k: ["a"] * k),
    ),
    "modules": (
        lambda x: x * len(sys.modules),
        lambda patch, k: patch.setitem(sys.modules, f"made_up_{k}", sys),
    ),
    "namespace of a module": (lambda x: x * sys.__dict__["scale"], sets(sys, "scale")),
    "member that is new": (lambda x: x * sys.scale, sets(sys, "scale")),
    "member by name": (lambda x: x * getattr(sys, "scale"), sets(sys, "scale")),  # noqa: B009
    "member by getter": (
        lambda x: x * operator.attrgetter("scale")(sys),
        sets(sys, "scale"),
    ),
    "constant": (lambda x: x * math.tau, sets(math, "tau")),
    "function put there": (
        lambda x: x * math.srcgrad_scaled(2.0),
        sets(math, "srcgrad_scaled", lambda k: lambda v: v * k),
    ),
    "member of builtins": (
        lambda x: x * srcgrad_scale,  # noqa: F821
        sets(builtins, "srcgrad_scale"),
    ),
    "constant of scipy": (lambda x: x * scipy.constants.c, sets(scipy.constants, "c")),
    "text": (lambda x: x * len(string.digits), sets(string, "digits", ones)),
    "flag": (
        lambda x: x * 2.0 if logging.raiseExceptions else x * 3.0,
        sets(logging, "raiseExceptions", lambda k: bool(k % 2)),
    ),
    "array": (lambda x: x * np.linalg.scale, sets(np.linalg, "scale", arrays)),
    "attribute of a class": (
        lambda x: x * np.errstate.scale,
        sets(np.errstate, "scale"),
    ),
    "attribute of a function": (
        lambda x: x * scipy.special.logsumexp.scale,
        sets(scipy.special.logsumexp, "scale"),
    ),
    "attribute of an object": (
        lambda x: x * logging.root.level,
        sets(logging.root, "level", int),
    ),
    "filters": (
        lambda x: x * len(warnings.filters),
        lambda patch, k: patch.setattr(warnings, "filters", [IGNORE] * k),
    ),
    "directory": (lambda x: x * len(os.getcwd()), sets_directory),
    "precision": (lambda x: x * float(decimal.Decimal(1) / 3), sets_precision),
    "error state": (lambda x: x * len(np.geterr()["divide"]), sets_error_state),
    "recursion limit": (
        lambda x: x * sys.getrecursionlimit(),
        lambda patch, k: sys.setrecursionlimit(5000 + k),
    ),
    "language": (lambda x: x * len(str(locale.getlocale())), lambda patch, k: None),
    "printed": (lambda x: x * len(str(np.array([1 / 3]))), sets_precision_of_text),
    "formatted": (lambda x: x * len(f"{np.array([1 / 3])}"), sets_precision_of_text),
    "by method": (
        lambda x: x * len("{}".format(np.array([1 / 3]))),  # noqa: UP032
        sets_precision_of_text,
    ),
    "by percent": (
        lambda x: x * len("%s" % np.array([1 / 3])),  # noqa: UP031
        sets_precision_of_text,
    ),
    "by percent of a name": (by_percent_of_a_name, sets_precision_of_text),
    "state of grad": (
        lambda x: x * (2.0 if srcgrad.is_grad_enabled() else 3.0),
        lambda patch, k: None,
    ),
}


@pytest.fixture
def state_is_restored():
    limit = sys.getrecursionlimit()
    with np.printoptions(), np.errstate(), decimal.localcontext():
        yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("state_is_restored")
@pytest.mark.parametrize("name", READS)
def test_a_change_is_seen(name, monkeypatch):
    function, change = READS[name]
    traced = srcgrad.trace(function)
    for k in (2, 2, 3, 4, 4, 2):
        change(monkeypatch, k)
        assert outcome(traced, X) == outcome(function, X)


# ----- Effects, and what is never the same twice -----


def appends(x):
    sys.path.append("somewhere")
    return x * 1.0


def test_an_effect_is_had_at_every_call(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    before = len(sys.path)
    traced = srcgrad.trace(appends)
    for _ in range(5):
        traced(X)
    assert len(sys.path) == before + 5


def draws(x):
    return x * np.random.rand()


def draws_from_the_state(x):
    return x * np.random.mtrand._rand.rand()


def draws_in_python(x):
    return x * random.random()


def tells_the_time(x):
    return x * time.perf_counter()


@pytest.mark.parametrize(
    "function", [draws, draws_from_the_state, draws_in_python, tells_the_time]
)
def test_what_is_never_the_same_is_not_frozen(function):
    traced = srcgrad.trace(function)
    found = [float(traced(X)[0]) for _ in range(4)]
    assert len(set(found)) == 4


# ----- What is as it was compiles -----


def numbers(x):
    return x * np.pi * math.e * sys.maxsize + scipy.constants.c


def by_version(x):
    return x * 2.0 if sys.version_info >= (3, 8) else x


def indexers(x):
    return x[np.s_[:2]] * np.finfo(float).eps


def newaxis(x):
    return x[np.newaxis] * len(f"{3:>{2}}")


@pytest.mark.parametrize("function", [numbers, by_version, indexers, newaxis])
def test_constants_compile(function):
    calls = [lambda: (X,)] * 3
    traced = same_through(function, *calls, compiled=2)
    assert "Assumed unchanged" not in traced.source()


def test_a_library_s_function_is_looked_at_once():
    """However many lines call it: each call of a trace looks."""

    def f(x):
        return np.sin(x) + np.sin(x * 2.0) + np.sin(x * 3.0) * np.pi

    recording = record(f, Signature((np.ones(2),), {}))
    texts = [
        condition.text for condition in recording.interaction.environment.assumptions()
    ]
    assert texts.count("`numpy.sin` is what it was") == 1
    assert len(texts) == len(set(texts))
