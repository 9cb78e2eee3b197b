"""Programs put together from fragments that people write: what is done together holds.

What one statement alone does right may be wrong behind another: a loop that is rolled,
what a mask selects, a list that is filled, an array that is written into, a draw.
"""

import math
import random
import warnings

import numpy as np
import pytest
import scipy

import srcgrad
from tests import one_liners
from tests.fragments import FRAGMENTS

CUTS, LEVELS = ("0.0", "0.3", "-0.4"), ("0.3", "0.05", "0.5")
ENDS = ("acc + np.sum(x) * s", "acc + np.sum(x ** 2) + s", "acc * s + x[0]")


SEEDS = 25


def together(seed):
    """Some fragments: each is there once in so many seeds, beside others each time."""
    fragments = random.Random(seed // SEEDS).sample(FRAGMENTS, len(FRAGMENTS))
    return fragments[seed % SEEDS :: SEEDS]


def program(draw, fragments):
    """A function of ``x``, ``s``, ``p`` and ``n``."""
    lines = ["acc = 0.0"]
    for fragment in fragments:
        drawn = fragment.replace("CUT", draw.choice(CUTS))
        lines += drawn.replace("LEVEL", draw.choice(LEVELS)).splitlines()
    lines.append(f"return {draw.choice(ENDS)}")
    return one_liners.function("f(x, s, p, n)", lines, math=math, scipy=scipy)


def arguments(rng, size, n):
    return rng.normal(size=size), rng.uniform(0.1, 2.5), rng.normal(size=3), n


def outcome(run, *args):
    try:
        value, gradients = run(*args)
    except Exception as error:
        return type(error)
    return [np.asarray(each) for each in (value, *gradients)]


def on_variables(function):
    """What `backward` of a traced function leaves at its arguments."""

    def run(*args):
        leaves = [srcgrad.Variable(np.array(a), requires_grad=True) for a in args[:3]]
        out = function(*leaves, args[3])
        out.backward()
        found = [np.zeros(v.shape) if v.grad is None else v.grad.data for v in leaves]
        return out.data, found

    return run


def assert_same(found, expected):
    assert type(found) is type(expected)
    if not isinstance(found, list):
        assert found is expected
        return
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        size = float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=1.0))
        np.testing.assert_allclose(ours, theirs, 1e-8, 1e-9 * size)


@pytest.mark.seeds(SEEDS)
def test_fragments_together_do_what_each_does(seed):
    draw = random.Random(seed)
    function, rng = program(draw, together(seed)), np.random.default_rng(seed)
    traced = srcgrad.value_and_grad(function, argnums=(0, 1, 2))
    plain = srcgrad.value_and_grad(function, argnums=(0, 1, 2))
    bare = on_variables(srcgrad.trace(function))
    changes = draw.random() < 0.5  # of lengths and integers
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "(?s).*srcgrad itself failed")
        for call in range(8):
            size = int(rng.integers(4, 9)) if changes and call > 1 else 6
            n = int(rng.integers(1, 6)) if changes and call > 2 else 3
            args = arguments(rng, size, n)
            with srcgrad.set_stance("tape"):
                expected = outcome(plain, *args)
            assert_same(outcome(traced, *args), expected)
            with srcgrad.set_stance("tape"):
                expected = outcome(bare, *args)
            assert_same(outcome(bare, *args), expected)
            if isinstance(expected, list):
                value = function(*(np.copy(each) for each in args[:3]), n)
                np.testing.assert_allclose(expected[0], value, 1e-8)
