"""``srcgrad.scipy``: it looks like SciPy, and takes Variables."""

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats
import srcgrad.scipy.spatial.distance

import srcgrad.scipy
from srcgrad.scipy import linalg, special
from srcgrad.scipy.mirror import MODULES, mirrored
from tests.variables import variable


def test_each_module_is_one_object_however_it_is_imported():
    assert srcgrad.scipy.linalg is linalg is mirrored("linalg")
    assert mirrored("spatial").distance is srcgrad.scipy.spatial.distance


def test_what_has_no_rule_is_scipys_own():
    assert linalg.hadamard is scipy.linalg.hadamard
    assert linalg.LinAlgError is scipy.linalg.LinAlgError
    assert special.gammaln is scipy.special.gammaln  # a ufunc knows a Variable


def test_a_function_takes_variables():
    x = variable([1.0, 2.0])
    special.softmax(x)[0].backward()
    p = scipy.special.softmax(x.data)
    np.testing.assert_allclose(x.grad.data, p[0] * (np.array([1.0, 0.0]) - p))


def test_names_that_scipy_has_not():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        srcgrad.scipy.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        linalg.nonsense  # noqa: B018


def test_the_names_are_listed():
    assert dir(srcgrad.scipy) == list(MODULES)
    assert dir(linalg) == dir(scipy.linalg)


def test_distributions_are_what_scipys_own_functions_take():
    sample = np.random.default_rng(0).normal(size=20)
    found, expected = (
        module.goodness_of_fit(module.norm, sample, n_mc_samples=9, rng=1).pvalue
        for module in (srcgrad.scipy.stats, scipy.stats)
    )
    assert found == expected
