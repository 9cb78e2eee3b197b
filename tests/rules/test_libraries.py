"""Rules for SciPy: found when SciPy is there, and never in the way when it is not."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad
from srcgrad.rules.libraries import CHAPTERS, load_chapters, replacement_of
from srcgrad.rules.registry import PRIMITIVES
from tests.variables import variable


def run(program):
    """Run a program in a process of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_srcgrad_does_not_import_scipy():
    program = "import sys, srcgrad, srcgrad.scipy; print('scipy' in sys.modules)"
    assert run(program) == "False"


WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None  # as if it were not installed
import numpy as np, srcgrad
x = srcgrad.Variable(np.ones(2), requires_grad=True)
print(srcgrad.grad(lambda x: np.sum(np.sin(x)))(np.zeros(2)).tolist())
unknown = np.frompyfunc(lambda x: x, 1, 1)
try:
    unknown(x)
except srcgrad.NoRuleError as error:
    print("no rule")
import srcgrad.scipy.linalg
try:
    srcgrad.scipy.linalg.expm
except ImportError as error:
    print("no SciPy")
"""


def test_srcgrad_works_without_scipy():
    assert run(WITHOUT_SCIPY).splitlines() == ["[1.0, 1.0]", "no rule", "no SciPy"]


def test_chapters_come_with_the_first_call_that_needs_them():
    program = (
        "import sys, numpy as np, srcgrad, scipy.special\n"
        "x = srcgrad.Variable(np.ones(2), requires_grad=True)\n"
        "print('srcgrad.rules.scipy.special.gammas' in sys.modules)\n"
        "print(type(scipy.special.gammaln(x).grad_fn).__name__)"
    )
    assert run(program).splitlines() == ["False", "GammalnBackward"]


def test_a_traced_function_may_find_its_first_by_name():
    """The tracer asks for a ufunc's parameters before the chapters are there."""
    program = (
        "import numpy as np, srcgrad, scipy.special\n"
        "x = srcgrad.Variable(np.ones(2), requires_grad=True)\n"
        "f = srcgrad.trace(lambda x: getattr(scipy.special, 'er' + 'f')(x).sum())\n"
        "print(f(x).requires_grad, scipy.special.jv(1.0, x).requires_grad)"
    )
    assert run(program) == "True True"


def test_a_rule_of_the_users_own_is_kept():
    program = (
        "import numpy as np, srcgrad, scipy.special\n"
        "srcgrad.defvjp(scipy.special.j0, x=lambda g: 7.0 * g)\n"
        "x = srcgrad.Variable(np.ones(1), requires_grad=True)\n"
        "(scipy.special.j0(x) * scipy.special.j1(x.detach())).sum().backward()\n"
        "y = srcgrad.Variable(np.ones(1), requires_grad=True)\n"
        "scipy.special.j1(y)\n"
        "scipy.special.j0(y).sum().backward()\n"
        "print(y.grad.data.tolist())"
    )
    assert run(program) == "[7.0]"


OLD = """
import numpy as np, scipy.linalg, scipy.special
scipy.__version__ = "1.15.3"  # which has no rules
import srcgrad
from srcgrad.scipy import linalg

x = srcgrad.Variable(np.eye(2), requires_grad=True)
for call in (
    lambda: scipy.special.gammaln(x),
    lambda: scipy.linalg.expm(x),
    lambda: linalg.expm(x),
    lambda: srcgrad.grad(lambda x: scipy.linalg.expm(x).sum())(np.eye(2)),
):
    try:
        call()
    except (srcgrad.NoRuleError, TypeError, ImportError) as error:
        told = " ".join([str(error), *getattr(error, "__notes__", ())])
        print("need SciPy 1.17 or newer" in told, "1.15.3" in told)
"""


def test_errors_say_that_an_old_scipy_has_no_rules():
    assert run(OLD).splitlines() == ["True True"] * 4


def test_every_chapter_is_imported_once():
    for module in CHAPTERS:
        importlib.import_module(module)
    load_chapters()
    assert all(chapter in sys.modules for own in CHAPTERS.values() for chapter in own)
    assert not load_chapters()


def test_what_dispatches_by_itself_is_not_replaced():
    for function in (np.sin, scipy.special.gammaln, np.linalg.inv, print, len):
        assert replacement_of(function) is function


def test_what_has_no_rule_is_not_replaced():
    assert replacement_of(scipy.linalg.hadamard) is scipy.linalg.hadamard


def test_a_replacement_computes_ndarrays_as_scipy_does():
    softmax = replacement_of(scipy.special.softmax)
    assert scipy.special.softmax in PRIMITIVES
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(softmax(x), scipy.special.softmax(x))
    assert type(softmax(x=variable(x))) is srcgrad.Variable


def test_an_argument_without_a_derivative_is_named_as_scipy_names_it():
    with pytest.raises(srcgrad.NoRuleError, match=r"of pro_rad2 with .* argument 'c'"):
        scipy.special.pro_rad2(1, 2, variable([1.0]), 2.0)
    polygamma = replacement_of(scipy.special.polygamma)
    with pytest.raises(srcgrad.NoRuleError, match=r"of polygamma with .* argument 'n'"):
        polygamma(variable([2.0]), 2.0)


def test_a_variable_is_not_overwritten():
    a = np.asfortranarray([[2.0, 1.0], [1.0, 3.0]])
    for options in ({"overwrite_a": True}, {}):
        x = variable(a.copy(order="F"))
        args = () if options else (True,)
        replacement_of(scipy.linalg.inv)(x, *args, **options).sum().backward()
        np.testing.assert_array_equal(x.data, a)


def test_objects_that_cannot_be_hashed_are_called_as_they_are():
    square = np.polynomial.Polynomial([0.0, 0.0, 1.0])
    traced = srcgrad.trace(lambda x: square(x))
    for x in (np.ones(2), np.ones(2), np.arange(3.0)):
        assert traced(x).tolist() == square(x).tolist()
