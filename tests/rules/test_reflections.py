"""Objects whose methods have rules, and others."""

from scipy import special, stats

from srcgrad.rules.reflections import has_methods_with_rules, reflected
from tests.variables import variable


def test_distributions_free_and_frozen():
    normal = reflected(stats.norm)
    assert isinstance(normal, stats.rv_continuous)
    for frozen in (normal(variable(1.0), 2.0), normal(loc=variable(1.0))):
        assert frozen.logpdf(1.5).requires_grad
    assert "norm" in repr(normal)


def test_others_are_their_replacements():
    assert not has_methods_with_rules(special.softmax)
    assert reflected(special.softmax)(variable([1.0, 2.0])).requires_grad
    assert reflected(special.erf) is special.erf
