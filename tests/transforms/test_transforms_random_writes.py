"""Random programs with writes: the passes keep what they compute."""

import warnings

import hypothesis
import numpy as np
import pytest

from srcgrad.transforms import optimize, split
from tests.transforms.interpret import assert_same, is_tame, run, run_split, tolerance
from tests.transforms.writes import programs


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@hypothesis.given(programs())
@hypothesis.settings(max_examples=4 * hypothesis.settings().max_examples)
def test_passes_keep_the_meaning_of_writes(program):
    graph, inputs, cotangents = program
    expected = run(graph, inputs, cotangents)
    optimized = optimize(graph, check=True)
    partition = split(optimized)
    hypothesis.assume(is_tame(expected[0] + expected[1]))
    outputs, gradients, _ = run_split(partition, inputs, cotangents)
    assert_same(outputs, expected[0], tolerance(graph))
    if partition.backward is not None:
        assert_same(gradients, expected[1], tolerance(graph))
