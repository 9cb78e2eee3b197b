"""Fixtures of the tape's tests."""

import gc

import pytest

from tests.tape.samplers import SAMPLERS


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(params=SAMPLERS)
def sampler(request):
    return SAMPLERS[request.param]
