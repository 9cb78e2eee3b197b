"""The public names: all of them listed, in order, and documented."""

import importlib.metadata
import inspect
import pickle
import pickletools

import numpy as np
import pytest

import srcgrad

PUBLIC = {
    "AnomalyError",
    "Function",
    "Leaf",
    "Variable",
    "autograd",
    "defvjp",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "is_grad_enabled",
    "no_grad",
    "normal",
    "once_differentiable",
    "set_grad_enabled",
    "trace",
    "value_and_grad",
}

NAMES = sorted(set(srcgrad.__all__) - {"__version__"})
CLASSES = [name for name in NAMES if inspect.isclass(getattr(srcgrad, name))]


def test_all_is_sorted():
    assert list(srcgrad.__all__) == sorted(set(srcgrad.__all__))


def test_all_is_complete():
    found = {
        name
        for name, value in vars(srcgrad).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    listed_modules = {n for n in NAMES if inspect.ismodule(getattr(srcgrad, n))}
    assert set(NAMES) == found | listed_modules


def test_promised_names_are_there():
    assert set(srcgrad.__all__) >= PUBLIC


def test_no_module_hides_a_public_function():
    modules = {n for n in NAMES if inspect.ismodule(getattr(srcgrad, n))}
    assert modules <= {"autograd"}


def test_dir_shows_the_public_names():
    assert set(dir(srcgrad)) == {"__version__", *srcgrad.__all__}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_where_users_find_them(name):
    assert getattr(srcgrad, name).__module__ == "srcgrad"
    assert repr(getattr(srcgrad, name)) == f"<class 'srcgrad.{name}'>"


def test_pickles_name_public_classes_only():
    """So that the rooms of the house can be moved again."""
    leaf = srcgrad.Variable(np.ones(2), requires_grad=True)
    leaf.sum().backward()
    modules = {
        argument.partition(" ")[0]
        for _, argument, _ in pickletools.genops(pickle.dumps(leaf, protocol=2))
        if isinstance(argument, str) and argument.startswith("srcgrad")
    }
    assert modules == {"srcgrad"}


def test_the_version_is_that_of_the_distribution():
    assert srcgrad.__version__ == importlib.metadata.version("srcgrad")


@pytest.mark.parametrize("name", NAMES)
def test_is_documented(name):
    value = getattr(srcgrad, name)
    # inspect.getdoc would accept the docstring of a base class.
    assert (value.__doc__ or "").strip()


@pytest.mark.parametrize("name", CLASSES)
def test_public_members_are_documented(name):
    for member_name, member in vars(getattr(srcgrad, name)).items():
        if not member_name.startswith("_") and callable(member):
            assert (member.__doc__ or "").strip(), member_name
