"""Walks that change cotangents in place, against walks on the tape, which do not."""

import random

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from srcgrad.rules.registry import defvjp
from srcgrad.updates import assign
from tests.variables import variable

INDICES = [0, (slice(None), 1), (1, slice(1, 3)), (2, 3), [2, 0], ..., ([0, 0], [1, 1])]


@pytest.mark.seeds(40)
def test_what_is_written_and_read_at_any_place(seed):
    rng = random.Random(seed)
    x = variable(np.arange(12.0).reshape(3, 4))
    places = [x * 1.0, x, variable(np.ones((3, 4))) * x]
    for _ in range(rng.randint(3, 8)):
        index, read = rng.choice(INDICES), rng.choice(places)
        value = np.sin(np.sum(read[rng.choice(INDICES)])) * x[1, 1]
        places.append(rng.choice(places) * 1.0 if rng.random() < 0.3 else read)
        places[-1] = assign(places[-1], index, value)
    out = places[-1] + places[rng.randrange(3, len(places))]
    targets = [x, *rng.sample(places[3:], min(2, len(places) - 3))]
    g = np.cos(np.arange(12.0)).reshape(3, 4)
    given = g.copy()
    walks = [
        autograd.grad(
            [out],
            targets,
            [given],
            create_graph=on_tape,
            retain_graph=True,
            allow_unused=True,
        )
        for on_tape in (False, True)
    ]
    for found, expected in zip(*walks, strict=True):
        if expected is None:
            assert found is None
        else:
            np.testing.assert_allclose(found.data, expected.data, rtol=1e-13)
    assert np.array_equal(given, g)


def test_a_loop_makes_no_array_for_each_element():
    """The way back through 2000 writes into 8 MB would copy 16 GB."""
    h = Variable(np.zeros((2000, 500)))
    x = variable(np.full(500, 0.5))
    h[0] = x
    for t in range(1, 2000):
        h[t] = 0.5 * h[t - 1]
    np.sum(h).backward()
    assert np.allclose(x.grad.data, 2.0)


def test_hooks_see_what_arrives_and_keep_it():
    x, seen = variable([1.0, 2.0, 3.0]), []
    y = x * 2.0
    y.register_hook(seen.append)
    z = assign(y, 1, 5.0)
    z.retain_grad()
    (np.sum(z * z) + z[0] + y[1]).backward()
    assert seen[0].data.tolist() == [5.0, 1.0, 12.0]
    assert z.grad.data.tolist() == [5.0, 10.0, 12.0]
    assert x.grad.data.tolist() == [10.0, 2.0, 24.0]


@pytest.mark.usefixtures("rules_are_restored")
def test_a_rule_of_the_users_own_runs():
    defvjp(assign, x=lambda g: 7.0 * g, value=lambda g, index: g[index])
    x = variable([1.0, 2.0])
    y = assign(x * 1.0, 0, 3.0)
    (np.sum(y) + np.sum(y)).backward()
    assert x.grad.data.tolist() == [14.0, 14.0]


def test_a_search_for_nan_sees_every_cotangent():
    x = variable([1.0, 0.0])
    y = assign(np.sqrt(x), 0, 3.0)
    out = np.sum(y * y) + y[1] + y[1]
    with srcgrad.detect_anomaly(), pytest.raises(srcgrad.AnomalyError, match="sqrt"):
        out.backward()
