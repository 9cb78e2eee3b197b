"""The table of rules: each rule has a sample; what is declared constant is."""

import inspect

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import PRIMITIVES, alias, defconstant, defvjp
from srcgrad.tape.variable import Variable
from tests.rules.suite import results, rng_of, takes
from tests.samples import SAMPLES
from tests.variables import variable

# Python's operators share the rules of the ufuncs, which are registered first.
OWNERS = {id(p.rules): f for f, p in reversed(PRIMITIVES.items())}

RULES = {
    (function, argument)
    for function, primitive in PRIMITIVES.items()
    if OWNERS[id(primitive.rules)] is function
    for argument in primitive.rules
}
if "min" not in inspect.signature(np.clip).parameters:  # before NumPy 2.1
    RULES -= {(np.clip, "min"), (np.clip, "max")}


def rules_of(sample):
    """The rules of the sample's own function that run in it.

    Others may run in it too, but it is not written to try them.
    """
    function, arrays = sample.problem(rng_of(sample), sample.dtypes[0])
    variables = [Variable(array, requires_grad=True) for array in arrays]
    outs = results(function, variables)
    nodes = [out.grad_fn for out in outs if getattr(out, "requires_grad", False)]
    seen = set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        nodes += [next_function for next_function, _ in node.next_functions]
        if getattr(node, "primitive", None) is PRIMITIVES.get(sample.function):
            yield from ((sample.function, argument) for argument in node.plan.names)


# SciPy's search is too coarse to take differences: test_noncentral has it by ncfdtr.
# The next are parts of `stats.dunnett`, which has samples, and of second derivatives of
# `elliprc`; then SciPy's algorithms with their functions (tests/tracing/test_solving).
WITHOUT_SAMPLES = {"ncfdtridfn", "inside", "rc_last"}
WITHOUT_SAMPLES |= {"solved", "solved_back"}
# What it is for has samples, `binom`; its own slopes, at poles, are not known: nan.
WITHOUT_SAMPLES |= {"slope_at_pole"}
# It refuses both: a density without a slope (tests/rules/scipy/test_distributions).
WITHOUT_SAMPLES |= {"flat_log_density"}

# Parts of `dunnett`, `betainc`, `gammainc` and the normal tails, which have samples.
WITHOUT_SAMPLES |= {"_pvalue_dunnett", "beta_density", "gamma_density", "tail_moment"}


def test_every_rule_has_a_sample():
    ran = {
        rule
        for sample in SAMPLES
        if sample.function in PRIMITIVES
        for rule in rules_of(sample)
    }
    missing = sorted(
        f"{function.__name__}: {name}"
        for function, name in RULES - ran
        if function.__name__ not in WITHOUT_SAMPLES
    )
    assert not missing


@pytest.mark.parametrize(
    "function",
    [
        *(np.floor, np.ceil, np.trunc, np.rint, np.round, np.around, np.fix),
        *(np.isnan, np.isfinite, np.logical_not, np.signbit, np.spacing),
        *(np.argmax, np.argmin, np.argsort, np.count_nonzero, np.any, np.all),
        *(np.zeros_like, np.ones_like),
        *(lambda x: x > 0.0, lambda x: x == x, lambda x: x // 1.0),
    ],
)
@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")  # from 2.5
def test_a_constant_result_carries_no_gradient(function):
    x = Variable(np.array([0.5, -1.5]), requires_grad=True)
    out = function(x)
    np.testing.assert_array_equal(getattr(out, "data", out), function(x.data))
    assert not getattr(out, "requires_grad", False)


# ----- defvjp -----


@dispatched
def scaled(x, factor=2.0, *, shift=0.0):
    return x * factor + shift


@pytest.mark.usefixtures("rules_are_restored")
def test_a_function_of_the_users_own_gets_a_derivative():
    defvjp(scaled, x=lambda g, factor: g * factor, factor=lambda g, x: g * x)
    (rule, other) = PRIMITIVES[scaled].rules.values()
    assert (rule.argument, rule.needs) == ("x", ("factor",))
    assert (other.argument, other.needs) == ("factor", ("x",))
    x, factor = variable([1.0, 2.0]), variable(3.0)
    scaled(x, factor, shift=1.0).sum().backward()
    assert (x.grad.data.tolist(), factor.grad.item()) == ([3.0, 3.0], 3.0)
    (g,) = srcgrad.autograd.grad(scaled(x).sum(), x)
    assert g.data.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("vjps", "message"),
    [
        ({"y": lambda g: g}, r"'y' is not an argument.*factor, shift, x$"),
        ({"out": lambda g: g}, "'out' is not an argument"),
        ({"x": lambda g, y: g}, "asks for 'y', which is neither"),
        ({"x": lambda g, x_size: g}, "asks for 'x_size', which is neither"),
    ],
)
@pytest.mark.usefixtures("rules_are_restored")
def test_names_that_a_function_has_not(vjps, message):
    with pytest.raises(TypeError, match=message):
        defvjp(scaled, **vjps)
    assert scaled not in PRIMITIVES


@pytest.mark.usefixtures("rules_are_restored")
def test_an_argument_may_take_part_without_a_gradient():
    defvjp(scaled, x=lambda g, factor: g * factor, factor=None)
    x, factor = variable([1.0, 2.0]), variable(3.0)
    scaled(x, factor).sum().backward()
    assert x.grad.data.tolist() == [3.0, 3.0]
    assert factor.grad is None
    with pytest.raises(srcgrad.NoRuleError, match="its argument 'shift'"):
        scaled(x, shift=factor)


@pytest.mark.usefixtures("rules_are_restored")
def test_functions_may_share_their_rules():
    @dispatched
    def same(x, factor=2.0, *, shift=0.0):
        return scaled(x, factor, shift=shift)

    defvjp(scaled, x=lambda g, factor: g * factor)
    alias(same, scaled)
    assert PRIMITIVES[same].rules is PRIMITIVES[scaled].rules
    out = same(variable([1.0]))
    assert out.grad_fn.next_functions
    defconstant(same)
    assert not same(variable([1.0])).requires_grad


# SciPy's bounds are those of doubles; `bdtri` takes whole numbers with doubles only.
NOT_IN_SINGLE = {"logm-3x3", "pdf-3x4-3", "bdtri-2-5-4"}
# Of singles the ends are not on one sphere, and the mean of squares is too far off.
NOT_IN_SINGLE |= {"geometric_slerp-3-3-2", "obrientransform-4-4"}
# SciPy warns of what its integration reaches.
NOT_IN_SINGLE |= {
    sample.id
    for sample in SAMPLES
    if sample.id.startswith(("ellip_harm_2", "ellip_normal"))
}


@pytest.mark.filterwarnings("error")
def test_the_suite_leaves_out_nothing_of_single_precision():
    """What NumPy does not take is skipped there: never an array of float32."""
    skipped = set()
    for sample in SAMPLES:
        function, arrays = sample.problem(rng_of(sample), np.float32)
        if arrays and not takes(function, arrays):
            skipped.add(sample.id)
    assert skipped == NOT_IN_SINGLE
