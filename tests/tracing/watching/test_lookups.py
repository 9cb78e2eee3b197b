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
from srcgrad.tracing.outside.signature import Signature
from srcgrad.tracing.runs.record import record
from tests.tracing.comparing import X, outcome, same_through


def interaction(x):
    return x * float(os.environ["SRCGRAD_SCALE"])


def environment_by_get(x):
    return x * float(os.environ.get("SRCGRAD_SCALE", "1"))


def environment_by_function(x):
    return x * float(os.getenv("SRCGRAD_SCALE"))


def arguments_of_the_program(x):
    return x * len(sys.argv)


def modules(x):
    return x * len(sys.modules)


def namespace_of_a_module(x):
    return x * sys.__dict__["scale"]


def member_that_is_new(x):
    return x * sys.scale


def member_by_name(x):
    return x * getattr(sys, "scale")  # noqa: B009


def member_by_getter(x):
    return x * operator.attrgetter("scale")(sys)


def constant(x):
    return x * math.tau


def function_put_there(x):
    return x * math.srcgrad_scaled(2.0)


def member_of_builtins(x):
    return x * srcgrad_scale  # noqa: F821


def constant_of_scipy(x):
    return x * scipy.constants.c


def text(x):
    return x * len(string.digits)


def flag(x):
    return x * 2.0 if logging.raiseExceptions else x * 3.0


def array(x):
    return x * np.linalg.scale


def attribute_of_a_class(x):
    return x * np.errstate.scale


def attribute_of_a_function(x):
    return x * scipy.special.logsumexp.scale


def attribute_of_an_object(x):
    return x * logging.root.level


def filters(x):
    return x * len(warnings.filters)


def directory(x):
    return x * len(os.getcwd())


def precision(x):
    return x * float(decimal.Decimal(1) / 3)


def error_state(x):
    return x * len(np.geterr()["divide"])


def recursion_limit(x):
    return x * sys.getrecursionlimit()


def language(x):
    return x * len(str(locale.getlocale()))


def printed(x):
    return x * len(str(np.array([1 / 3])))


def formatted(x):
    return x * len(f"{np.array([1 / 3])}")


def by_method(x):
    return x * len("{}".format(np.array([1 / 3])))  # noqa: UP032


def by_percent(x):
    return x * len("%s" % np.array([1 / 3]))  # noqa: UP031


def by_percent_of_a_name(x):
    template = "%s"
    template %= (np.array([1 / 3]),)
    return x * len(template)


def state_of_grad(x):
    return x * (2.0 if srcgrad.is_grad_enabled() else 3.0)


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
    interaction: sets_environment,
    environment_by_get: sets_environment,
    environment_by_function: sets_environment,
    arguments_of_the_program: sets(sys, "argv", lambda k: ["a"] * k),
    modules: lambda patch, k: patch.setitem(sys.modules, f"made_up_{k}", sys),
    namespace_of_a_module: sets(sys, "scale"),
    member_that_is_new: sets(sys, "scale"),
    member_by_name: sets(sys, "scale"),
    member_by_getter: sets(sys, "scale"),
    constant: sets(math, "tau"),
    function_put_there: sets(math, "srcgrad_scaled", lambda k: lambda v: v * k),
    member_of_builtins: sets(builtins, "srcgrad_scale"),
    constant_of_scipy: sets(scipy.constants, "c"),
    text: sets(string, "digits", ones),
    flag: sets(logging, "raiseExceptions", lambda k: bool(k % 2)),
    array: sets(np.linalg, "scale", arrays),
    attribute_of_a_class: sets(np.errstate, "scale"),
    attribute_of_a_function: sets(scipy.special.logsumexp, "scale"),
    attribute_of_an_object: sets(logging.root, "level", int),
    filters: lambda patch, k: patch.setattr(warnings, "filters", [IGNORE] * k),
    directory: sets_directory,
    precision: sets_precision,
    error_state: sets_error_state,
    recursion_limit: lambda patch, k: sys.setrecursionlimit(5000 + k),
    language: lambda patch, k: None,
    printed: sets_precision_of_text,
    formatted: sets_precision_of_text,
    by_method: sets_precision_of_text,
    by_percent: sets_precision_of_text,
    by_percent_of_a_name: sets_precision_of_text,
    state_of_grad: lambda patch, k: None,
}


@pytest.fixture
def state_is_restored():
    limit = sys.getrecursionlimit()
    with np.printoptions(), np.errstate(), decimal.localcontext():
        yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("state_is_restored")
@pytest.mark.parametrize("function", READS, ids=lambda f: f.__name__)
def test_a_change_is_seen(function, monkeypatch):
    traced = srcgrad.trace(function)
    for k in (2, 2, 3, 4, 4, 2):
        READS[function](monkeypatch, k)
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
        condition.text for condition in recording.interaction.outside.assumptions()
    ]
    assert texts.count("`numpy.sin` is what it was") == 1
    assert len(texts) == len(set(texts))
