"""The public names: all of them listed, in order, and documented."""

import inspect
from types import ModuleType

import pytest

import srcgrad

PUBLIC = {
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
    "set_grad_enabled",
    "trace",
    "value_and_grad",
}


def test_all_is_sorted():
    assert list(srcgrad.__all__) == sorted(set(srcgrad.__all__))


def test_all_is_complete():
    found = {
        name
        for name, value in vars(srcgrad).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    listed_modules = {
        name
        for name in srcgrad.__all__
        if isinstance(getattr(srcgrad, name), ModuleType)
    }
    assert set(srcgrad.__all__) - {"__version__"} == found | listed_modules


def test_promised_names_are_there():
    assert set(srcgrad.__all__) >= PUBLIC


def test_no_module_hides_a_public_function():
    modules = {n for n in srcgrad.__all__ if inspect.ismodule(getattr(srcgrad, n))}
    assert modules <= {"autograd"}


@pytest.mark.parametrize("name", sorted(set(srcgrad.__all__) - {"__version__"}))
def test_is_documented(name):
    value = getattr(srcgrad, name)
    # inspect.getdoc would accept the docstring of a base class.
    assert (value.__doc__ or "").strip()


@pytest.mark.parametrize("name", sorted(set(srcgrad.__all__) - {"__version__"}))
def test_public_members_are_documented(name):
    value = getattr(srcgrad, name)
    if not inspect.isclass(value):
        pytest.skip("not a class")
    for member_name, member in vars(value).items():
        if not member_name.startswith("_") and callable(member):
            assert (member.__doc__ or "").strip(), member_name
