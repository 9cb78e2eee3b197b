"""Formulas at the places where they change from one into another."""

import numpy as np
import pytest
from scipy import stats as of_scipy

from srcgrad.rules.scipy.stats.log_densities import LOG_DENSITIES, LOG_MASSES
from srcgrad.scipy import stats
from tests.variables import variable

X = np.array([0.3, 0.6, 0.8])
PLACES = [
    ("t", (np.inf,)),
    ("genpareto", (0.0,)),
    ("genpareto", (1e-9,)),
    ("genextreme", (0.0,)),
    ("genextreme", (1e-9,)),
    ("pearson3", (0.0,)),
    ("pearson3", (-1.5,)),
    ("truncnorm", (0.2, 5.0)),
    ("truncnorm", (-np.inf, 5.0)),
    ("truncnorm", (-np.inf, np.inf)),
    ("trapezoid", (0.0, 1.0)),
    ("triang", (0.0,)),
    ("triang", (1.0,)),
]


@pytest.mark.parametrize(("name", "shapes"), PLACES)
def test_the_value_is_scipys(name, shapes):
    found = getattr(stats, name).logpdf(variable(X), *shapes)
    expected = getattr(of_scipy, name).logpdf(X, *shapes)
    np.testing.assert_allclose(found.data, expected, rtol=1e-7)
    found.sum().backward()


def test_the_names_are_scipys():
    assert all(hasattr(of_scipy, name) for name in LOG_DENSITIES | LOG_MASSES)
