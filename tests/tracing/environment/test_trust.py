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
from srcgrad.tracing.environment.trust import (
    hidden_code,
    hidden_in,
    is_constant,
    is_library,
    is_users,
)

# ----- Calls -----


def prints(x):
    print("called")
    return x * 2.0


# ----- Objects -----


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
