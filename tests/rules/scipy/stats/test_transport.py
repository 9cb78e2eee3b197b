"""Every sample of the chapter, and what is no sample of points."""

import numpy as np
import pytest

from srcgrad.scipy import stats
from tests.variables import variable


def test_points_of_several_dimensions():
    with pytest.raises(ValueError, match="one dimension or two"):
        stats.wasserstein_distance_nd(variable(np.ones((2, 2))), np.ones(2))
