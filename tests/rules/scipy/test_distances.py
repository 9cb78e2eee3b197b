"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
from srcgrad.scipy.spatial import distance

from tests.variables import variable


def test_points_that_are_the_same():
    x = variable(np.ones((2, 3)))
    distance.pdist(x).sum().backward()
    assert x.grad.data.tolist() == [[0.0] * 3] * 2
    same = variable(np.ones(3))
    distance.minkowski(same, np.ones(3), 3.0).backward()
    assert same.grad.data.tolist() == [0.0] * 3


def test_metrics_without_a_rule():
    with pytest.raises(NotImplementedError, match="the metric 'hamming'"):
        distance.pdist(variable(np.eye(3)), "hamming")
