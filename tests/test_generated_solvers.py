"""Random functions that SciPy's algorithms call: what they read changes between calls.

Numbers around them, globals, objects, dicts, lists and arrays, ``args``, branches on
the state, loops around the call; against the function, the tape and differences.
"""

import itertools
import linecache
import math
import random

import numpy as np
import pytest
from scipy import integrate, optimize

import srcgrad
from tests.differences import slope_of

NUMBERS = itertools.count()

READS = """
a|near|around[0]|G|OBJ.k|OBJ.W[1]|TABLE['r']|p|helped(s)|float(k + 1)|np.sum(around)
TABLE['v'][i]|-OBJ.k|NUMBERS[-1]|(G if FLAG else a)|own[1]|around @ TABLE['w']
"""
FORMS = """
np.sin({})|np.exp(-abs({}))|0.3 * ({})|np.tanh({})|({}) ** 2 / (1.0 + ({}) ** 2)
"""
CHANGES = """
pass|G = 0.7 + 0.1 * i|OBJ.k = 1.3 + 0.1 * i|OBJ.W[1] = 0.8 + 0.1 * i|FLAG = i % 2 == 0
TABLE['r'] = 1.1 + 0.05 * i|TABLE['v'][1] = 0.4 + 0.1 * i|NUMBERS.append(0.9 + 0.1 * i)
OBJ.W = np.array([0.3, 0.8 + 0.1 * i])|TABLE['w'] = np.full(3, 0.1 * i)
"""
# What an algorithm finds, and the functions that it may be given, from three terms.
TESTS = "if s > 0.4: return {}|if s > a * 0.2: return {}"
ROOT = "s * (1.1 + 0.1 * np.cos({})) - 0.3 * ({}) + 0.05 * ({}) - 0.2"
VECTOR = """
x * (1.2 + 0.1 * np.cos({})) + 0.1 * x[::-1] - 0.3 * ({}) - np.array([0.1, {}])
[x[0] + 0.2 * x[1] - ({}), x[1] - 0.1 * x[0] * ({}) - ({})]
"""
SLOPES = """
np.array([-s * ({}) + 0.1 * ({}), 0.3 * s - ({}) * 0.1])|-0.5 * x * ({}) * ({}) + ({})
[-s * ({}), 0.2 * s - 0.1 * ({}) * x[1] + ({})]
"""
LEAST = "np.sum((x - 0.3 * ({0})) ** 2) + 0.1 * np.sum(x**4) + 0.1 * ({1}) * ({2})"
AREA = "({}) * s + np.exp(-s * ({}) ** 2) * ({})"
ALGORITHMS = {
    "optimize.brentq(f, -9.0, 9.0, {}xtol=1e-14)": ROOT,
    "optimize.newton(f, 0.1, {}tol=1e-13)": ROOT,
    "integrate.quad(f, a * 0.1, near, {})[0]": AREA,
    "np.sum(optimize.fsolve(f, [0.1, 0.2], {}xtol=1e-13))": VECTOR,
    "np.sum(optimize.root(f, [0.1, 0.2], {}tol=1e-13).x)": VECTOR,
    "optimize.minimize(f, np.array([0.1, 0.2]), {}tol=1e-9).fun": LEAST,
    "np.sum(integrate.odeint(f, [a, 0.5], TIMES, {}**EXACT, tfirst=True)[1:])": SLOPES,
    "np.sum(integrate.solve_ivp(f, (0.0, 1.0), [1.0, near], {}**DENSE).y)": SLOPES,
}
PROGRAM = """
def helped(s):
    return 0.2 * s + G * 0.0

def program(a):
    near = np.sin(a) + 1.0
    around = np.array([a, 0.5, near])
    own = np.zeros(3)
    own[1] = a * 0.3
    k, i, total = 2, 1, 0.0
    for k in range({count}):
        def f({arguments}):
            {state}
            {test}
            return {body}
        found = {call}
        total = total + found * a
        own[1] = own[1] + {more} * found
    return total + np.sum(own)

def change(i):
    global G, FLAG
    {first}
    {second}
"""


class Held:
    def __init__(self):
        self.k, self.W = 1.3, np.array([0.3, 0.8])


def choice(rng, text):
    return rng.choice(text.strip().replace("\n", "|").split("|"))


def written(rng):
    """The source of a function of one number, and of what changes around it."""
    call, bodies = rng.choice([*ALGORITHMS.items()])
    body, has_args = choice(rng, bodies), rng.random() < 0.5
    reads = READS if "minimize" not in call else READS.replace("helped(s)|", "")
    terms = []
    for _ in range(4):
        form = choice(rng, FORMS)
        terms.append(form.replace("{}", choice(rng, reads)))
    whole = body.format(*terms)
    other = body.format(*terms[1:])
    is_flow, is_scalar = bodies is SLOPES, bodies in (ROOT, AREA)
    has_test = is_flow or "brentq" in call
    test = choice(rng, TESTS) if has_test and rng.random() < 0.4 else "pass"
    if is_flow:  # a kink in time, which no step goes over unseen
        test = test.replace("s > 0.4", "t > 0.5").replace("s > a * 0.2", "t > 0.25")
    p = "" if has_args else "p = 0.25; "
    return PROGRAM.format(
        count=rng.choice([1, 1, 2]),
        arguments=("t, x" if is_flow else "x") + (", p" if has_args else ""),
        state=f"{p}s = {'x' if is_scalar else 'x[0]'}",
        test=test.format(whole if is_flow else other),
        body=whole,
        call=call.format("args=(near * 0.1,), " if has_args else ""),
        more=rng.choice([0.0, 0.1]),
        first=choice(rng, CHANGES),
        second=choice(rng, CHANGES),
    )


def loaded(source):
    """The names of a module with a source."""
    filename = f"<generated solver {next(NUMBERS)}>"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    exact, times = {"rtol": 1e-10, "atol": 1e-10}, np.linspace(0.0, 1.0, 4)
    table = {"r": 1.1, "v": [0.2, 0.4], "w": np.array([0.1, 0.2, 0.3])}
    names = {"np": np, "math": math, "integrate": integrate, "optimize": optimize}
    names |= {"TIMES": times, "EXACT": exact, "DENSE": {**exact, "t_eval": times}}
    names |= {"G": 0.7, "FLAG": True, "TABLE": table, "OBJ": Held()}
    names["NUMBERS"] = [0.1, 0.9]
    exec(compile(source, filename, "exec"), names)
    return names


def outcome(function, *args):
    try:
        return function(*args)
    except (ArithmeticError, RuntimeError, ValueError) as error:
        return repr(error)


@pytest.mark.seeds(6)
@pytest.mark.filterwarnings("ignore")
def test_what_an_algorithm_calls_may_read_anything(seed):
    source = written(random.Random(f"solvers {seed}"))
    names = loaded(source)
    program, change = names["program"], names["change"]
    traced = srcgrad.trace(program)
    derivative = srcgrad.value_and_grad(traced)
    by_tape = srcgrad.value_and_grad(program)
    for i, a in enumerate((1.5, 1.5, 1.6, 1.4)):
        change(i)
        expected, value = outcome(program, a), outcome(traced, a)
        assert type(value) is type(expected), source
        if isinstance(expected, str):
            assert value == expected, source
            continue
        np.testing.assert_allclose(value, expected, rtol=1e-11, err_msg=source)
        both, beside = derivative(a), by_tape.untraced((a,), {})
        assert type(both[0]) is type(beside[0]), source
        np.testing.assert_allclose(both, beside, rtol=1e-6, atol=1e-8, err_msg=source)
        slope = slope_of(program, a, 1e-5)
        np.testing.assert_allclose(both[1], slope, 2e-3, 2e-3, err_msg=source)
