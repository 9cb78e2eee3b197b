"""What ``import srcgrad`` loads: the tape alone; the rest as it is first asked for."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# All of ours that a program with a tape loads. A module belongs in here if hardly any
# such program can do without it; else it is imported late (``srcgrad.late``).
OF_THE_TAPE = {
    "": "autograd call_sites codes errors facts failing function_parameters "
    "kinds_of_facts late modes operators protocols pytree rules stacking tape "
    "tracebacks unboxing updates valued views",
    "rules.": "broadcasting chosen complexes compositions determinants einsum "
    "elementwise factorisations fft indexing joining libraries linalg matrices norms "
    "polynomials products python quantiles reductions registry scipy scipy.without "
    "shapes slopes statistics strides ufunc_methods users",
    "tape.": "anomalies apply composed engine fast_path foreign forward_escapes freed "
    "function hooks indexed inplace inplace_functions kept_on_context methods "
    "methods.converting methods.copies_and_pickles methods.flat_iterator "
    "methods.graph_place methods.hooking methods.lying methods.missing_gradients "
    "methods.of_floats methods.stochastic_samples methods.typed methods.writing "
    "operands overwritten plain_writes recorded_path rule_function saved stochastic "
    "unchosen_zeros user_call user_function variable versions ways",
}
EXPECTED = {"srcgrad"} | {
    f"srcgrad.{room}{name}"
    for room, names in OF_THE_TAPE.items()
    for name in names.split()
}
# And with ``@srcgrad.trace`` at the top of a module.
OF_A_DECORATOR = {
    f"srcgrad.{name}"
    for name in "config tracing tracing.containment tracing.decorator "
    "tracing.environment tracing.environment.callables tracing.export "
    "tracing.export.exportable tracing.on_demand tracing.refusal tracing.report "
    "tracing.report.reported tracing.serving "
    "tracing.serving.called tracing.serving.collecting tracing.serving.pickling "
    "tracing.traced".split()
}
MOST_MODULES, MOST_CALLS = 90, 60_000

A_TAPE = """
import numpy as np, srcgrad
x = srcgrad.Variable(np.ones((2, 2)), requires_grad=True)
y = np.tanh(x @ x.T) * 2.0
y[0] = 3.0
(np.concatenate([y, x]).sum(axis=0)[0] + np.linalg.norm(x)).backward()
"""
A_DECORATOR = """
import numpy as np, srcgrad
@srcgrad.trace
def f(x):
    return np.sum(np.tanh(x) * x)
"""


def run(program):
    """Run a program in a process of its own, with byte code; what it prints."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")  # whose source is found
        path.write_text(program, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, env=env
        )
    assert not done.returncode, done.stderr
    return done.stdout


@functools.cache
def loaded(program):
    """The modules that a program loads beside NumPy's."""
    before = "import sys, numpy\nbefore = set(sys.modules)\n"
    after = "\nprint(*sorted(set(sys.modules) - before))"
    return set(run(before + program + after).split())


def ours(modules):
    return {name for name in modules if name.partition(".")[0] == "srcgrad"}


# ----- How much -----


def test_a_tape_loads_no_module_but_its_own():
    found = ours(loaded(A_TAPE))
    crept_in, gone = found - EXPECTED, EXPECTED - found
    assert (crept_in, gone) == (set(), set())
    assert len(found) <= MOST_MODULES


def test_a_tape_loads_nothing_that_tables_alone_need():
    """Of Python's, and of the libraries of the compiler's."""
    unneeded = (
        "ast argparse astunparse decimal fractions gast json logging numpy.random "
        "pathlib pickle random statistics string tokenize uuid"
    )
    assert loaded(A_TAPE).isdisjoint(unneeded.split())


def test_a_decorator_loads_no_compiler():
    found = ours(loaded(A_DECORATOR)) - EXPECTED
    assert found == OF_A_DECORATOR


def test_an_import_makes_few_calls():
    """As cProfile counts them; time says little on a busy machine (``benchmarks/``)."""
    program = (
        "import cProfile, pstats, numpy\n"
        "profile = cProfile.Profile()\n"
        "profile.enable()\n"
        "import srcgrad\n"
        "profile.disable()\n"
        "print(pstats.Stats(profile).total_calls)"
    )
    loaded(A_TAPE)  # the byte code is there
    assert int(run(program).splitlines()[-1]) <= MOST_CALLS


# Programs, each with what they need not load.
UNNEEDED = {
    A_DECORATOR + "f(srcgrad.Variable(np.ones(2), requires_grad=True))": (
        "functional transforms.batching transforms.sparsity checking scipy"
    ),
    "import srcgrad\nsrcgrad.grad(lambda x: x * x)(3.0)": (
        "transforms.batching transforms.sparsity checking scipy functional.vmap "
        "functional.jacobians functional.sparse_jacobians functional.custom"
    ),
    "import srcgrad\nsrcgrad.stop_gradient(3.0)": "tracing transforms emit graph",
    "import srcgrad\nsrcgrad.gradcheck": "tracing transforms emit functional graph",
    "import srcgrad\nsrcgrad.scipy": "tracing transforms emit functional graph",
}


@pytest.mark.parametrize("program", UNNEEDED)
def test_a_first_call_loads_what_it_needs(program):
    unneeded = {f"srcgrad.{name}" for name in UNNEEDED[program].split()}
    assert unneeded & loaded(program) == set()


# ----- As if all were there -----


def test_a_star_gives_all_public_names():
    program = (
        "import srcgrad\n"
        "from srcgrad import *\n"
        "print(set(srcgrad.__all__) <= set(globals()), grad is srcgrad.grad)"
    )
    assert run(program).split() == ["True", "True"]


def test_names_complete_and_are_documented_before_they_are_loaded():
    program = (
        "import rlcompleter, sys, srcgrad\n"
        "print(rlcompleter.Completer().complete('srcgrad.value_and', 0))\n"
        "print('srcgrad.functional.gradients' in sys.modules)\n"
        "try: srcgrad.value_and_gard\n"
        "except AttributeError as error: print(error)"
    )
    shown, _, error = run(program).splitlines()
    assert shown.startswith("srcgrad.value_and_grad")
    assert error == "module 'srcgrad' has no attribute 'value_and_gard'"


PICKLES = """
import pickle, srcgrad
items = [getattr(srcgrad, name) for name in srcgrad.__all__]
print(*(pickle.dumps(item).hex() for item in items if callable(item)))
"""
UNPICKLED = """
import pickle, srcgrad
for pickled in {}:
    item = pickle.loads(bytes.fromhex(pickled))
    assert item is getattr(srcgrad, item.__name__), item
    assert item.__module__.startswith("srcgrad"), item
"""


def test_names_are_pickled_and_found_in_a_process_that_has_not_loaded_them():
    pickles = run(PICKLES).split()
    assert len(pickles) > 30
    run(UNPICKLED.format(pickles))


def test_a_class_says_where_users_find_it():
    program = "import srcgrad\nprint(srcgrad.custom_vjp, srcgrad.Variable)"
    assert (
        run(program).strip()
        == "<class 'srcgrad.custom_vjp'> <class 'srcgrad.Variable'>"
    )


# ----- A decorated function before its first call -----
LOOKED_AT = """
import copy, functools, inspect, pickle, sys
sys.modules["of_test"] = sys.modules["__main__"]
f.__module__ = "of_test"
assert repr(f) == "<traced f>" and f.__name__ == "f" and callable(f)
assert pickle.loads(pickle.dumps(f)) is f
assert copy.copy(f) is f and copy.deepcopy(f) is f
assert not hasattr(f, "no_such") and not isinstance(f, type(lambda: 0))
assert str(inspect.signature(f)) == "(x)" and inspect.unwrap(f) is f.__wrapped__
class Model:
    method = f
assert Model().method.__func__ is f and Model.method is f
for wrong in (Model, (i for i in ()), print, f, functools.partial(f)):
    try: srcgrad.trace(wrong)
    except TypeError: pass
    else: raise AssertionError(wrong)
try: f.sourec
except AttributeError as error: assert "'Traced' object has no" in str(error)
assert "srcgrad.graph" not in sys.modules
x = srcgrad.Variable(np.ones(2), requires_grad=True)
f(x); f(x).backward()
print(type(f).__name__, f.stats.calls, f.stats.compiled, x.grad.data.round(4).tolist())
"""


def test_a_decorated_function_is_whole_before_its_first_call():
    assert run(A_DECORATOR + LOOKED_AT).strip() == "Traced 2 1 [1.1816, 1.1816]"


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("f.stats.calls", "0"),
        ("f.clear()", "None"),
        ("'never been called' in f.explain() or f.explain() != ''", "True"),
        ("float(srcgrad.grad(f)(np.zeros(2))[0])", "0.0"),
        ("srcgrad.explain(f) == f.explain()", "True"),
    ],
)
def test_a_decorated_function_may_be_asked_before_its_first_call(ask, expected):
    assert run(f"{A_DECORATOR}print({ask})").strip() == expected


def test_source_may_be_asked_for_before_its_first_call():
    program = "try: f.source()\nexcept RuntimeError as error: print(error)"
    assert run(A_DECORATOR + program) == (
        "f has no generated source: it has not been called yet\n"
    )


# ----- At once -----
THREADS = """
import sys, threading
sys.setswitchinterval(1e-6)
barrier, found = threading.Barrier(8), []
def work():
    barrier.wait()
    found.append({ask})
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), len(set(map(id, found))) if {same} else len(set(found)))
"""
ASKED = {
    "srcgrad.grad": True,
    "srcgrad.trace": True,
    "srcgrad.custom_vjp": True,
    "float(srcgrad.grad(lambda x: x**3)(2.0))": False,
    "float(f(srcgrad.Variable(np.ones(2), requires_grad=True)).data)": False,
    "f.stats and id(f._cache)": False,
}


@pytest.mark.parametrize("ask", ASKED)
def test_threads_may_ask_for_a_name_at_once(ask):
    program = A_DECORATOR + THREADS.format(ask=ask, same=ASKED[ask])
    assert run(program).split() == ["8", "1"]


def test_no_call_is_lost_when_threads_make_the_first_one():
    ask = "f(srcgrad.Variable(np.ones(2), requires_grad=True))"
    program = THREADS.format(ask=ask, same=True) + "\nprint(f.stats.calls)"
    assert run(A_DECORATOR + program).split()[-1] == "8"


FORKED = """
import os
reading, writing = os.pipe()
child = os.fork()
if not child:
    os.write(writing, str(float(srcgrad.grad(lambda x: x**3)(2.0))).encode())
    os._exit(0)
os.waitpid(child, 0)
print(os.read(reading, 100).decode(), float(srcgrad.grad(lambda x: x**2)(2.0)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_loads_what_it_needs_itself():
    assert run(A_DECORATOR + FORKED).split() == ["12.0", "4.0"]
