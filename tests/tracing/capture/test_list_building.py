"""Lists that loops fill which end by a test: one trace, whatever number of items."""

import numpy as np

import srcgrad


def as_an_array(x):
    seen, s = [], np.sum(x * x)
    while s > 0.3:
        seen.append(s)
        s = s * 0.8
    return np.sum(np.sin(np.array(seen))) + s


# How long the loops are differs: not at all, once, twice, more often.
SIZES = (1.0, 2.0, 0.7, 4.0, 0.2, 0.05, 3.0, 0.35, 1.5, 0.45, 2.5, 0.9)


def arguments():
    return [np.array([0.71, -0.4, 0.52]) * size for size in SIZES]


def test_what_is_written_is_what_one_would_write():
    gradient = srcgrad.grad(as_an_array)
    for x in arguments()[:3]:
        gradient(x)
    source = gradient.source()
    assert "ss.append(s)" in source
    assert "np.array(ss)" in source
    assert "zip(reversed(range(len(ss))), reversed(ss), strict=True)" in source
