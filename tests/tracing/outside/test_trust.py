"""Calls that may have effects and objects with code of their own are not trusted."""

import contextlib
import importlib.machinery
import os
import random
import subprocess
import sys
import time
import types
from collections import namedtuple
from functools import cached_property

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.trust import (
    hidden_code,
    hidden_in,
    is_constant,
    is_library,
    is_users,
)
from tests.tracing.changing import rebind, steps
from tests.tracing.comparing import X, outcome, plain, refused_with_the_line
from tests.tracing.objects import Box

# ----- Calls -----


def prints(x):
    print("called")
    return x * 2.0


def reads_time(x):
    return x * (time.perf_counter() > 0)


def reads_a_file(x):
    with open(os.devnull) as file:
        return x * len(file.readline())


def draws(x):
    return x + np.random.normal()


def draws_with_random(x):
    return x + random.random()


def draws_with_new_generator(x):
    return x * 0.0 + np.random.default_rng().bit_generator.state["has_uint32"]


def evaluates(x):
    return eval("x * 2.0")


def swallows(x):
    try:
        return x[5]
    except IndexError as error:
        return x * len(error.args)


REFUSED = {
    reads_time: "`perf_counter`",
    reads_a_file: "with open(os.devnull) as file:: calls `open`",
    draws_with_new_generator: "makes a random generator without a number",
    evaluates: "`eval`",
    swallows: "catches an error by a name",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_the_line(function):
    refused_with_the_line(function, REFUSED[function])


def test_prints_once_a_call(capsys):
    traced = srcgrad.trace(prints)
    for _ in range(3):
        traced(X)
    assert capsys.readouterr().out == "called\n" * 3


def test_random_draws_are_not_frozen():
    for function, seed in ((draws, np.random.seed), (draws_with_random, random.seed)):
        draws_of = []
        for f in (function, srcgrad.trace(function)):
            seed(3)
            draws_of.append([f(X).tolist() for _ in range(4)])
        assert draws_of[0] == draws_of[1]
        assert draws_of[0][0] != draws_of[0][1]


def test_mutable_defaults_change_at_each_call():
    def make():
        def positional(x, seen=[]):  # noqa: B006
            seen.append(1)
            return x * len(seen)

        def keyword(x, *, seen=[]):  # noqa: B006
            seen.append(1)
            return x * len(seen)

        def array(x, *, w=np.ones(3)):  # noqa: B008
            w[0] = w[0] + 1.0
            return x * w

        return positional, keyword, array

    for ours, theirs in zip(map(srcgrad.trace, make()), make(), strict=True):
        for _ in range(3):
            assert plain(ours(X)) == plain(theirs(X))


# ----- Objects -----


def enters(box, x):
    with box as value:
        return x * value


BOXED = {
    "getitem": lambda box, x: box[0] * x,
    "iter": lambda box, x: [v * x for v in box],
    "len": lambda box, x: len(box) * x,
    "contains": lambda box, x: x if 2.0 in box else -x,
    "bool": lambda box, x: x if box else -x,
    "not": lambda box, x: x if not box else -x,
    "mul": lambda box, x: box * x,
    "eq": lambda box, x: x if box == 2.0 else -x,
    "enter": enters,
    "str": lambda box, x: x * len(f"{box}{box}"),
    "format": lambda box, x: x * float("{0.value}".format(box)),  # noqa: UP030, UP032
    "call": lambda box, x: box(x),
    "map": lambda box, x: list(map(box, [x])),
    "attribute": lambda box, x: x * box.value,
}


@pytest.mark.parametrize("name", BOXED)
def test_the_code_of_an_object_runs_at_each_call(name):
    function = BOXED[name]
    ours, theirs = Box(2.0), Box(2.0)
    traced = srcgrad.trace(function)
    for value in (2.0, 2.0, 2.0, 3.0, 3.0, 10.0):
        ours.value = theirs.value = value
        assert outcome(traced, ours, X)[0] == outcome(function, theirs, X)[0]
        assert ours.value == theirs.value


scale = 2.0


class Point(namedtuple("Point", "x y")):
    """A named tuple with code of its own."""

    @property
    def scaled(self):
        return self.x * scale

    def __add__(self, other):
        return self.x * scale + other

    def method(self):
        return self.y * scale


POINTS = {
    "property": lambda p: p.scaled + p.y,
    "operator": lambda p: p + 1.0,
    "method": lambda p: p.method(),
    "made inside": lambda p: Point(p[0], p[1]).scaled,
}


@pytest.mark.parametrize("name", POINTS)
def test_the_code_of_a_named_tuple_runs_at_each_call(name):
    function = POINTS[name]
    point = Point(X, X)
    expected = steps(function, rebind(globals(), "scale", 9.0), point)
    assert (
        steps(srcgrad.trace(function), rebind(globals(), "scale", 9.0), point)
        == expected
    )


# ----- Whose code something is -----


def test_code_of_the_users_and_of_libraries():
    assert is_users(prints)
    assert not is_users(contextlib.suppress.__init__)
    assert not is_users(srcgrad.trace)
    assert is_library(np)
    assert is_library(time)
    assert is_library(srcgrad.autograd)
    assert not is_library(sys.modules[__name__])


class Plain:
    def __init__(self, value):
        self.value = value


class Indexed(Plain):
    def __getitem__(self, index):
        return self.value


class Computed(Plain):
    @property
    def double(self):
        return 2.0 * self.value


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Plain, None),
        (Indexed, "__getitem__"),
        (Computed, None),
        (Pair, None),
        (Point, "__add__"),
        (type("Scaled", (Pair,), {"double": property(len)}), None),
        (type("Kept", (Pair,), {"double": cached_property(len)}), "double"),
    ],
)
def test_hidden_code_is_what_no_call_shows(kind, expected):
    assert hidden_code(kind) == expected


@pytest.mark.parametrize("item", [None, 3, "text", 1j, slice(2), np.sin, prints, Pair])
def test_static_arguments_that_are_what_their_value_says(item):
    assert hidden_in(item) is None
    assert hidden_in(Indexed(item)) == "__getitem__"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((None, True), (2.0, True), ((1, ("a", None)), True), (np.tanh, True)),
        *(([], False), ((1, []), False), (np.ones(1), False), ({}, False)),
    ],
)
def test_defaults_that_are_the_same_at_each_call(value, expected):
    assert is_constant(value) is expected


# ----- Whose code it is -----


def module(name, filename, loader=None):
    """A module as if it had been imported from a file."""
    made = types.ModuleType(name)
    made.__file__ = filename
    made.__spec__ = importlib.machinery.ModuleSpec(name, loader)
    return made


@pytest.mark.parametrize(
    ("name", "filename", "expected"),
    [
        (
            "numpy.linalg",
            "/home/me/.local/lib/python3.11/site-packages/numpy/x.py",
            True,
        ),
        ("numpy", "/usr/lib/python3/dist-packages/numpy/__init__.py", True),
        ("numpy", "/home/me/numpy-checkout/numpy/__init__.py", True),
        ("scipy.special", "/opt/libs.zip/scipy/special.py", True),
        ("model", "/home/me/.local/lib/python3.12/site-packages/model.py", True),
        ("model", "/usr/lib/python3/dist-packages/model/__init__.py", True),
        ("model", "/home/me/site-packages-of-mine/model.py", False),
        ("model", "/home/me/project/model.py", False),
        ("numpyro", "/home/me/numpyro/numpyro/infer.py", False),
        ("random", "/home/me/project/random.py", False),
        ("random", random.__file__, True),
    ],
)
def test_libraries_are_told_by_name_and_place(name, filename, expected):
    assert is_library(module(name, filename)) is expected


def test_what_is_built_in_is_a_library():
    for each in (sys, time, importlib.machinery):
        assert is_library(each)
    assert not is_library(types.ModuleType("made_by_hand"))


def test_a_function_belongs_to_its_module():
    installed = module("model", "/home/me/.local/lib/site-packages/model.py")
    source = "def f(x):\n    return x * 2.0\n"
    exec(compile(source, "<made>", "exec"), vars(installed))
    assert is_users(installed.f)  # no such module is imported: the file name decides
    sys.modules["model"] = installed
    try:
        assert not is_users(installed.f)
    finally:
        del sys.modules["model"]


def test_numpy_of_another_installation_is_numpy(tmp_path):
    """Seen with PYTHONPATH, a user site, dist-packages: all stayed on the tape."""
    site = tmp_path / "lib"
    site.mkdir()
    (site / "numpy").symlink_to(os.path.dirname(np.__file__))
    libraries = os.path.dirname(np.__file__) + ".libs"
    if os.path.exists(libraries):
        (site / "numpy.libs").symlink_to(libraries)
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport srcgrad\n"
        f"assert np.__file__.startswith({str(site)!r}), np.__file__\n"
        "@srcgrad.trace\n"
        "def f(x):\n    return np.sum(np.linalg.inv(x))\n"
        "for _ in range(3):\n    f(np.eye(2))\n"
        "assert f.stats.compiled == 2, f.explain()\n"
    )
    root = os.path.dirname(os.path.dirname(srcgrad.__file__))
    path = os.pathsep.join([str(site), root])
    subprocess.run(
        [sys.executable, str(program)],
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
