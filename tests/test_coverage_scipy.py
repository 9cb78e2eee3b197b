"""Every public function of SciPy's modules has a class, and does what it says."""

import importlib
import re
from pathlib import Path

import pytest

from srcgrad import NoRuleError, Variable
from srcgrad.rules import COMPOSITIONS, PRIMITIVES
from srcgrad.rules.libraries import replacement_of
from srcgrad.rules.scipy import without
from tests.samples import SAMPLES
from tests.test_coverage import coverage

# What came with SciPy 1.18.
NEWER = frozenset({"estimated_cdf"})


@pytest.mark.parametrize("module", coverage.SCIPY)
def test_every_function_of_scipy_has_a_class(module):
    found = coverage.entries(module)
    assert not [n for n, entry in found.items() if entry.kind == coverage.MISSING]


SAMPLED = {sample.function for sample in SAMPLES}
TESTS = Path(__file__).parent.glob("**/scipy/**/test_*.py")
NAMED = set(re.findall(r"\w+", " ".join(path.read_text("utf-8") for path in TESTS)))


@pytest.mark.parametrize("module", coverage.SCIPY)
def test_every_differentiable_function_has_a_sample(module):
    """Objects, and what calls functions of the user's, have tests of their own."""
    missing = [
        name
        for name, function in coverage.public(module)
        if coverage.entries(module).get(name, ("", ""))[0] == coverage.DIFFERENTIABLE
        and SAMPLED.isdisjoint([function, COMPOSITIONS.get(function)])
        and not any(hasattr(function, end) for end in ("logpdf", "logpmf"))
        and name not in NAMED
    ]
    assert not missing


@pytest.mark.parametrize("module", coverage.SCIPY)
def test_what_has_no_derivative_has_no_rule_either(module):
    """And each name in the tables is one of SciPy's."""
    members = vars(importlib.import_module(module))
    groups = (table.get(module, {}) for table in (without.ABOUT, without.REFUSED))
    names = " ".join(names for group in groups for names in group.values()).split()
    names += without.STEPS.get(module, "").split()
    assert len(names) == len(set(names))
    for name in names:
        if name in NEWER and name not in members:
            continue
        primitive = PRIMITIVES.get(members[name])
        assert not (primitive and primitive.rules), name
        assert members[name] not in COMPOSITIONS, name


@pytest.mark.parametrize(
    "name",
    [
        f"{module}.{name}"
        for module in coverage.SCIPY
        for name, entry in coverage.entries(module).items()
        if entry.kind == coverage.WITHOUT
    ],
)
def test_what_is_refused_says_why(name):
    module, _, member = name.rpartition(".")
    function = getattr(importlib.import_module(module), member)
    args = [Variable(1.5, requires_grad=True)] * max(getattr(function, "nin", 1), 1)
    with pytest.raises(NoRuleError, match="no derivative of"):
        replacement_of(function)(*args)
