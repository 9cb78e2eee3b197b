"""Kernels, run by Python in the place of Numba, or compiled in the tests' folder."""

import os

import pytest

import srcgrad
from srcgrad.native import tier
from tests.native.answered import Answered
from tests.native.interpreted import Interpreted


@pytest.fixture
def machine(monkeypatch):
    """What is traced has kernels, which Python runs; none may fail to be written."""
    found = Interpreted(monkeypatch)
    with srcgrad.set_native("now"):
        yield found
    assert found.failures == []


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory):
    """Kernels are compiled anew, and not left in the user's folder."""
    before = os.environ.get("SRCGRAD_CACHE_DIR")
    os.environ["SRCGRAD_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    del os.environ["SRCGRAD_CACHE_DIR"]
    if before is not None:
        os.environ["SRCGRAD_CACHE_DIR"] = before


@pytest.fixture
def answered(monkeypatch):
    """All that is traced is compiled at once, and all calls try that."""
    monkeypatch.setattr(tier.Slot, "_try", lambda self, *given: self._native(*given))
    with srcgrad.set_native("now"):
        yield Answered(monkeypatch)
