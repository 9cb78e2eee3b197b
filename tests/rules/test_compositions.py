"""Functions that are defined by others: each has a sample, and checks like NumPy."""

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.rules.compositions import COMPOSITIONS, defined_as, defined_by
from srcgrad.rules.libraries import load_chapters
from srcgrad.rules.registry import name_of
from srcgrad.tape.variable import Variable
from tests.rules.gradients import gradient
from tests.samples import SAMPLES

# They warn that they are old; what they are called now has the samples.
OLD = {"trapz": "trapezoid"}
# They give objects, or take functions: scipy/test_probability_plots, and
# test_polynomial_families.
OF_OBJECTS = {"mvsdist", "chebinterpolate"}
# SciPy's class has methods of its own, with tests in scipy/stats/test_distributions:
# they have no second derivative.
STABLE = {"levy_stable_gen.pdf", "levy_stable_gen.cdf"}


def test_every_composition_has_a_sample():
    load_chapters()
    sampled = {sample.function for sample in SAMPLES}
    missing = {
        name_of(function): function
        for function, definition in COMPOSITIONS.items()
        if sampled.isdisjoint([function, definition])
        and name_of(function) not in OF_OBJECTS
        and function.__qualname__ not in STABLE
    }
    for name, new in OLD.items():
        if name in missing:
            assert COMPOSITIONS[missing.pop(name)] is COMPOSITIONS[getattr(np, new)]
    assert not missing


def test_a_composition_runs_on_variables_and_numpy_on_ndarrays(monkeypatch):
    monkeypatch.setitem(COMPOSITIONS, np.ptp, None)  # what was there comes back

    def implementation(a, axis=None):
        ran.append(type(a))
        return np.max(a, axis) - np.min(a, axis)

    ran = []
    defined_as(np.ptp, implementation)
    assert np.ptp(np.array([3.0, 1.0, 7.0])) == 6.0
    assert ran == []
    assert gradient(np.ptp, [3.0, 1.0, 7.0]) == [0.0, -1.0, 1.0]
    assert ran == [Variable]


def test_a_composition_is_differentiated_again():
    x = Variable(np.array([1.0, 2.0, 4.0]), requires_grad=True)
    out = np.average(x**3, weights=np.array([1.0, 2.0, 1.0]))
    (first,) = srcgrad.autograd.grad(out, x, create_graph=True)
    (second,) = srcgrad.autograd.grad(first.sum(), x)
    np.testing.assert_allclose(second.data, [1.5, 6.0, 6.0])


@pytest.mark.usefixtures("rules_are_restored")
@pytest.mark.parametrize(("tail", "mode"), [(2.5, "near"), ("2.5", "near"), (2.5, 3.0)])
def test_what_is_not_asked_for_is_at_its_default_or_refused(tail, mode):
    def scaled(x, factor, tail=2.5, mode="near"):
        return x * factor

    defined_by(scaled, lambda x, factor: x * factor)
    composed, x = COMPOSITIONS[scaled], Variable(np.ones(2))
    if (tail, mode) == (2.5, "near"):
        anew = float(str(tail)), "".join(mode)  # equal, and other objects
        np.testing.assert_array_equal(composed(x, 3.0, *anew).data, [3.0, 3.0])
    else:
        with pytest.raises(NotImplementedError, match=r"of scaled with `(tail|mode)`"):
            composed(x, 3.0, tail, mode=mode)
