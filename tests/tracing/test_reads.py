"""What must not happen: a trace that goes on after the world around it has changed.

Most tests run a function untraced and traced through the same steps, and compare what
came out, what was changed, and which errors came. The functions hold no `assert`:
pytest rewrites those, and then their source is not what runs.
"""

import asyncio
import contextlib
import copy
import functools
import gc
import io
import math
import operator
import os
import pickle
import random
import threading
import time
import types
from collections import deque, namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.errors import InplaceError

X = np.array([1.0, 2.0, 3.0])


def var(*values):
    return Variable(np.array(values, float), requires_grad=True)


def plain(item):
    """A result or argument as something to compare: kinds, dtypes, values."""
    if isinstance(item, Variable):
        return "Variable", item.requires_grad, plain(item.data)
    if isinstance(item, (tuple, list, deque)):
        return type(item).__name__, [plain(each) for each in item]
    if isinstance(item, dict):
        return "dict", [(key, plain(value)) for key, value in item.items()]
    if isinstance(item, np.ndarray):
        return "array", str(item.dtype), item.tolist()
    return type(item).__name__, repr(item)


def outcome(function, *args, **kwargs):
    try:
        result = plain(function(*args, **kwargs))
    except Exception as error:
        result = type(error), str(error)
    return result, plain(args), plain(kwargs)


def same_through(function, *calls, compiled=None, refused=None):
    """Call untraced and traced with equal arguments, each made anew by ``calls``."""
    traced = srcgrad.trace(function)
    for make in calls:
        ours, theirs = outcome(traced, *make()), outcome(function, *make())
        assert ours == theirs
    if compiled is not None:
        assert traced.stats.compiled == compiled, traced.explain()
    if refused is not None:
        assert traced.stats.compiled == 0
        assert refused in traced.explain()
    return traced


# ----- The world around the function changes -----


def make_module(**names):
    module = types.ModuleType("users_module")
    vars(module).update(names)
    return module


def _first(x):
    return x * 2.0


def _second(x):
    return x * 3.0


def helper(x):
    return _first(x)


def calls_helper(x):
    return helper(x) + 1.0


def steps(function, change, x=X):
    """Results before and after a change, each twice."""
    before = [plain(function(x)) for _ in range(3)]
    undo = change()
    try:
        return before, [plain(function(x)) for _ in range(3)]
    finally:
        undo()


def rebind(name, value):
    """Rebind a global of this file."""

    def change():
        had, old = name in globals(), globals().get(name)
        globals()[name] = value

        def undo():
            if had:
                globals()[name] = old
            else:
                del globals()[name]

        return undo

    return change


def set_attribute(item, name, value):
    def change():
        old = getattr(item, name)
        setattr(item, name, value)
        return lambda: setattr(item, name, old)

    return change


def with_default(x, k=2.0, *, m=1.0):
    return x * k + m


def calls_default(x):
    return with_default(x)


module = make_module(f=_first, scale=2.0)


def calls_module(x):
    return module.f(x)


def reads_module(x):
    return x * module.scale


scale = 2.0
weights = np.array([1.0, 2.0, 3.0])
table = {"a": 1.0}
numbers = [1.0, 2.0]


def reads_global(x):
    return x * scale


def reads_global_array(x):
    return x * weights


def reads_global_dict(x):
    return x * table["a"]


def reads_global_in_comprehension(x):
    return x * sum(numbers for numbers in numbers)


def reads_global_in_default_of_lambda(x):
    f = lambda a, *, k=scale: a * k  # noqa: E731
    return f(x)


def sums(x):
    return sum(v * v for v in x)


class Settings:
    scale = 2.0


def reads_class_attribute(x):
    return x * Settings.scale


def change_item(container, key, value):
    def change():
        old = container[key]
        container[key] = value
        return lambda: container.__setitem__(key, old)

    return change


other_np = make_module(**vars(np) | {"tanh": _second})


def uses_np(x):
    return np.tanh(x)


REBOUND = {
    "helper": (calls_helper, rebind("helper", _second)),
    "helper's helper": (calls_helper, rebind("_first", _second)),
    "code": (calls_helper, set_attribute(_first, "__code__", _second.__code__)),
    "own code": (_first, set_attribute(_first, "__code__", _second.__code__)),
    "defaults": (calls_default, set_attribute(with_default, "__defaults__", (5.0,))),
    "defaults, equal but another type": (
        calls_default,
        set_attribute(with_default, "__defaults__", (True,)),
    ),
    "keyword defaults": (
        calls_default,
        set_attribute(with_default, "__kwdefaults__", {"m": 7.0}),
    ),
    "keyword defaults, equal but another type": (
        calls_default,
        change_item(with_default.__kwdefaults__, "m", True),
    ),
    "keyword defaults, an array": (
        calls_default,
        change_item(with_default.__kwdefaults__, "m", X),
    ),
    "module function": (calls_module, set_attribute(module, "f", _second)),
    "module number": (reads_module, set_attribute(module, "scale", 5.0)),
    "global": (reads_global, rebind("scale", 5.0)),
    "global, equal but another type": (reads_global, rebind("scale", np.float32(2.0))),
    "global array": (reads_global_array, rebind("weights", X * 7.0)),
    "global array, in place": (reads_global_array, change_item(weights, 0, 9.0)),
    "global dict": (reads_global_dict, change_item(table, "a", 5.0)),
    "comprehension": (reads_global_in_comprehension, change_item(numbers, 0, 9.0)),
    "lambda's default": (reads_global_in_default_of_lambda, rebind("scale", 9.0)),
    "shadowed builtin": (sums, rebind("sum", lambda items: X)),
    "class attribute": (reads_class_attribute, set_attribute(Settings, "scale", 7.0)),
    "np": (uses_np, rebind("np", other_np)),
}


@pytest.mark.parametrize("name", REBOUND)
def test_what_is_read_outside(name):
    function, change = REBOUND[name]
    expected = steps(function, change)
    assert expected[0] != expected[1] or "another type" in name
    assert steps(srcgrad.trace(function), change) == expected


def test_a_closure_changes():
    def make():
        k, f = 2.0, _first

        def function(x):
            return f(x) * k

        def set_k(value):
            nonlocal k
            k = value

        def set_f(value):
            nonlocal f
            f = value

        return function, set_k, set_f

    function, set_k, set_f = make()
    traced = srcgrad.trace(function)
    for change in (lambda: None, lambda: set_k(5.0), lambda: set_f(_second)):
        change()
        for _ in range(3):
            assert plain(traced(X)) == plain(function(X))


def test_a_closure_function_changes_in_compiled_code():
    f = _first

    def function(x):
        return f(x)  # noqa: F821 (deleted below)

    traced = srcgrad.trace(function)
    assert plain(traced(X)) == plain(traced(X)) == plain(X * 2.0)
    assert traced.stats.compiled == 1
    f = _second
    assert plain(traced(X)) == plain(X * 3.0)
    del f
    with pytest.raises(NameError):
        traced(X)


def closures():
    return [lambda x, k=k: x * k for k in (2.0, 3.0)], [
        functools.partial(lambda k: lambda x: x * k, k)() for k in (2.0, 3.0)
    ]


@pytest.mark.parametrize("kind", [0, 1])
def test_same_code_and_other_closures(kind):
    twice, thrice = map(srcgrad.trace, closures()[kind])
    for _ in range(3):
        assert plain(twice(X)) == plain(X * 2.0)
        assert plain(thrice(X)) == plain(X * 3.0)


def test_two_lambdas_on_one_line():
    f, g = (lambda x: x * 2.0), (lambda x: x * 3.0)
    for function in (f, g):
        same_through(function, *[lambda: (X,)] * 3)


def test_source_that_is_not_there():
    namespace = {}
    exec("def made(x):\n    return x * 2.0", namespace)
    traced = same_through(
        namespace["made"],
        *[lambda: (X,)] * 3,
        refused="the source of made is not ",
    )
    with pytest.raises(RuntimeError, match="the source of made is not "):
        traced.source()


# ----- Effects -----

log = []
counter = 0


class Counter:
    count = 0


def appends_outside(x):
    log.append(x[0])
    return x * 2.0


def appends_to_argument(items, x):
    items.append(x * 2.0)
    return x


def assigns_in_argument(items, x):
    items[0] = x * 2.0
    return x


def extends_argument(items, x):
    items += [x]
    return x


def operator_changes_argument(items, x):
    operator.setitem(items, 0, x * 2.0)
    operator.iadd(items, [x])
    return x


def dunder_changes_argument(items, x):
    items.__setitem__(0, x * 2.0)
    return x


def deletes_from_argument(items, x):
    del items[0]
    return x


def loops_into_argument(items, x):
    for items[0] in (1.0, 2.0):
        pass
    return [x for items[0] in (3.0, 4.0)]


def changes_nested_argument(items, x):
    inner = items[0]
    inner.append(x)
    return x


def pops_from_argument(items, x):
    return items.pop() * x


EFFECTS_ON_LISTS = {
    appends_to_argument: [1.0],
    assigns_in_argument: [1.0],
    extends_argument: [1.0],
    operator_changes_argument: [1.0],
    dunder_changes_argument: [1.0],
    deletes_from_argument: [1.0, 2.0],
    loops_into_argument: [1.0, 2.0],
    changes_nested_argument: [[1.0]],
    pops_from_argument: [1.0, 2.0],
}


@pytest.mark.parametrize("function", EFFECTS_ON_LISTS, ids=lambda f: f.__name__)
def test_lists_given_are_changed_once(function):
    items = EFFECTS_ON_LISTS[function]
    make = lambda: (copy.deepcopy(items), X.copy())  # noqa: E731
    same_through(function, make, make, make, refused=":")


@pytest.mark.parametrize("container", [deque([1.0]), {1.0}], ids=["deque", "set"])
def test_other_containers_given_are_changed(container):
    def function(items, x):
        (items.append if hasattr(items, "append") else items.add)(5.0)
        return x * 2.0

    for f in (function, srcgrad.trace(function)):
        given = copy.copy(container)
        for _ in range(3):
            f(given, X)
        assert len(given) == (4 if isinstance(container, deque) else 2)


def test_effects_outside_happen_each_time():
    traced = srcgrad.trace(appends_outside)
    log.clear()
    for _ in range(3):
        traced(X)
    assert log == [1.0] * 3
    assert "test_reads.py" in traced.explain()
    assert "log.append(x[0])" in traced.explain()
    assert "reads the global `log`" in traced.explain()


def sets_global(x):
    global counter
    counter += 1
    return x * 2.0


def sets_attribute(box, x):
    box.count += 1
    return x * 2.0


def prints(x):
    print("called")
    return x * 2.0


def tries(x):
    try:
        return x[5] * 2.0
    except IndexError:
        return x * 3.0


def imports(x):
    import math

    return x * math.pi


def defines_a_class(x):
    class Local:
        k = 2.0

    return x * Local.k


def yields_inside(x):
    def rows():
        yield x[0]
        yield x[1]

    return sum(rows())


def reads_time(x):
    return x * (time.perf_counter() > 0)


def reads_a_file(x):
    with open(os.devnull) as file:
        return x * len(file.readline())


def draws(x):
    return x + np.random.normal()


def draws_with_random(x):
    return x + random.random()


def draws_with_new_generator(x):
    return x + np.random.default_rng(0).normal()


def evaluates(x):
    return eval("x * 2.0")


def looks_up(x):
    return getattr(x, "sum")()  # noqa: B009


def swallows(x):
    with contextlib.suppress(IndexError):
        return x[5]
    return x * 2.0


REFUSED = {
    sets_global: "global counter: rebinds a global name",
    prints: 'print("called"): calls `print`, which is not known to be pure',
    tries: "try:: has a `try` statement",
    imports: "import math: imports inside the function",
    defines_a_class: "class Local:: defines a class",
    yields_inside: "yield x[0]: is a generator",
    reads_time: "`perf_counter`",
    reads_a_file: "with open(os.devnull) as file:: calls `open`",
    draws_with_new_generator: "`default_rng`",
    evaluates: "`eval`",
    looks_up: "`getattr`",
    swallows: "`suppress`",
    reads_global: "return x * scale: reads the global `scale`",
    reads_class_attribute: "reads the attribute `scale` of an object",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_the_line(function):
    traced = same_through(function, *[lambda: (X,)] * 3, refused=REFUSED[function])
    assert "test_reads.py:" in traced.explain()
    with pytest.raises(
        RuntimeError, match=r"has no generated source: .*test_reads\.py:"
    ):
        traced.source()


def test_globals_are_set_once_a_call():
    global counter
    counter = 0
    traced = srcgrad.trace(sets_global)
    for _ in range(3):
        traced(X)
    assert counter == 3


def test_attributes_are_set_once_a_call():
    box, traced = Counter(), srcgrad.trace(sets_attribute)
    for _ in range(3):
        traced(box, X)
    assert box.count == 3
    assert "changes the attribute `count` of an object" in traced.explain()


def test_prints_once_a_call(capsys):
    traced = srcgrad.trace(prints)
    for _ in range(3):
        traced(X)
    assert capsys.readouterr().out == "called\n" * 3


def test_random_draws_are_not_frozen():
    for function, seed in ((draws, np.random.seed), (draws_with_random, random.seed)):
        draws_of = []
        for f in (function, srcgrad.trace(function)):
            seed(3)
            draws_of.append([f(X).tolist() for _ in range(4)])
        assert draws_of[0] == draws_of[1]
        assert draws_of[0][0] != draws_of[0][1]


def test_a_generator_given():
    def function(rng, x):
        return x + rng.normal(size=3)

    results = []
    for f in (function, srcgrad.trace(function)):
        rng = np.random.default_rng(0)
        results.append([f(rng, X).tolist() for _ in range(4)])
    assert results[0] == results[1]


def test_an_iterator_given():
    def function(items, x):
        return x * next(items)

    traced = srcgrad.trace(function)
    items = iter([1.0, 2.0, 3.0])
    assert [float(traced(items, X)[0]) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_an_open_file_given():
    def function(file, x):
        file.write("line\n")
        return x * 2.0

    file, traced = io.StringIO(), srcgrad.trace(function)
    for _ in range(3):
        traced(file, X)
    assert file.getvalue() == "line\n" * 3


def test_mutable_defaults():
    def make():
        def positional(x, seen=[]):  # noqa: B006
            seen.append(1)
            return x * len(seen)

        def keyword(x, *, seen=[]):  # noqa: B006
            seen.append(1)
            return x * len(seen)

        def array(x, *, w=np.ones(3)):  # noqa: B008
            w[0] = w[0] + 1.0
            return x * w

        return positional, keyword, array

    for ours, theirs in zip(map(srcgrad.trace, make()), make(), strict=True):
        for _ in range(3):
            assert plain(ours(X)) == plain(theirs(X))


# ----- Errors -----

attempts = []


def fails_on_negative(x):
    total = x.sum()
    if total < 0:
        raise ValueError(f"negative: {total:.1f}, {x}")
    return x * 2.0


def fails_by_assertion(x):
    return x[3] * 2.0


def divides(x, t):
    return x * (1.0 / t)


def raises_always(x):
    attempts.append(1)
    raise KeyError("never")


def misspelt(x):
    return x * undefined_name  # noqa: F821


def misspelt_attribute(x):
    return x.no_such_method()


def wrong_shape(x):
    return x @ np.ones((4, 4))


def singular(a):
    return np.linalg.inv(a)


ERRORS = {
    "raised on a branch": (fails_on_negative, [(X,), (X,), (-X,), (-X,), (X,)]),
    "raised at first": (fails_on_negative, [(-X,), (X,), (X,), (-X,)]),
    "index": (fails_by_assertion, [(X,), (np.ones(4),), (X,), (np.ones(4),)]),
    "zero division": (divides, [(X, 2.0), (X, 4.0), (X, 0.0), (X, 4.0)]),
    "always": (raises_always, [(X,), (X,)]),
    "name": (misspelt, [(X,), (X,)]),
    "attribute": (misspelt_attribute, [(X,), (X,)]),
    "shape": (wrong_shape, [(X,), (X,), (np.ones(4),)]),
    "singular": (singular, [(np.eye(2),), (np.eye(2),), (np.zeros((2, 2)),)]),
    "too few": (divides, [(X,), (X,)]),
    "too many": (divides, [(X, 1.0, 2.0), (X, 1.0, 2.0)]),
    "not hashable": (lambda x: len({x}), [(X,), (X,)]),
    "truth of an array": (lambda x: x if x > 0 else -x, [(X,), (X,)]),
    "round": (lambda x: round(x), [(X,), (X,)]),
    "length": (lambda x: len(x), [(np.array(1.0),), (X,)]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_the_users(name):
    function, calls = ERRORS[name]
    same_through(function, *[lambda args=args: args for args in calls])


def test_an_error_on_one_path_leaves_the_others_compiled():
    traced = srcgrad.trace(fails_on_negative)
    for x in (-X, X, -X, X, X, -X, X):
        outcome(traced, x)
    assert traced.stats.compiled == 3
    assert traced.stats.traces == 1


def test_a_failing_call_happens_once():
    traced = srcgrad.trace(raises_always)
    attempts.clear()
    for _ in range(2):
        with pytest.raises(KeyError, match="never"):
            traced(X)
    assert len(attempts) == 2


def test_an_error_shows_the_users_line():
    traced = srcgrad.trace(fails_on_negative)
    for x in (X, -X):
        with contextlib.suppress(ValueError):
            traced(x)
    with pytest.raises(ValueError, match="negative") as caught:
        traced(-X)
    assert caught.traceback[-1].path.name == "test_reads.py"


# ----- Objects with code of their own -----


class Box:
    """Everything that an operator or a loop may run unseen."""

    def __init__(self, value):
        self.value = value

    def __getitem__(self, index):
        return self.value

    def __iter__(self):
        return iter([self.value])

    def __len__(self):
        return int(self.value)

    def __contains__(self, item):
        return item == self.value

    def __bool__(self):
        return self.value > 2

    def __mul__(self, other):
        return other * self.value

    def __eq__(self, other):
        return self.value == other

    def __enter__(self):
        return self.value

    def __exit__(self, *details):
        self.value += 1

    def __str__(self):
        return str(self.value)

    def __call__(self, x):
        return x * self.value

    __hash__ = object.__hash__


def enters(box, x):
    with box as value:
        return x * value


BOXED = {
    "getitem": lambda box, x: box[0] * x,
    "iter": lambda box, x: [v * x for v in box],
    "len": lambda box, x: len(box) * x,
    "contains": lambda box, x: x if 2.0 in box else -x,
    "bool": lambda box, x: x if box else -x,
    "not": lambda box, x: x if not box else -x,
    "mul": lambda box, x: box * x,
    "eq": lambda box, x: x if box == 2.0 else -x,
    "enter": enters,
    "str": lambda box, x: x * len(f"{box}{box}"),
    "format": lambda box, x: x * float("{0.value}".format(box)),  # noqa: UP030, UP032
    "call": lambda box, x: box(x),
    "map": lambda box, x: list(map(box, [x])),
    "attribute": lambda box, x: x * box.value,
}


@pytest.mark.parametrize("name", BOXED)
def test_an_object_changes(name):
    function = BOXED[name]
    ours, theirs = Box(2.0), Box(2.0)
    traced = srcgrad.trace(function)
    for value in (2.0, 2.0, 2.0, 3.0, 3.0, 10.0):
        ours.value = theirs.value = value
        assert outcome(traced, ours, X)[0] == outcome(function, theirs, X)[0]
        assert ours.value == theirs.value


class Point(namedtuple("Point", "x y")):
    """A named tuple with code of its own."""

    @property
    def scaled(self):
        return self.x * scale

    def __add__(self, other):
        return self.x * scale + other

    def method(self):
        return self.y * scale


POINTS = {
    "property": lambda p: p.scaled + p.y,
    "operator": lambda p: p + 1.0,
    "method": lambda p: p.method(),
    "made inside": lambda p: Point(p[0], p[1]).scaled,
}


@pytest.mark.parametrize("name", POINTS)
def test_a_named_tuple_with_code_of_its_own(name):
    function = POINTS[name]
    point = Point(X, X)
    expected = steps(function, rebind("scale", 9.0), point)
    assert steps(srcgrad.trace(function), rebind("scale", 9.0), point) == expected


class Model:
    def __init__(self, w):
        self.w = w

    @srcgrad.trace
    def reads(self, x):
        return x * self.w

    @srcgrad.trace
    def without(self, x):
        return x * 2.0

    @staticmethod
    @srcgrad.trace
    def static(x):
        return x * 2.0

    @classmethod
    @srcgrad.trace
    def of_class(cls, x):
        return x * 2.0

    @property
    @srcgrad.trace
    def size(self):
        return self.w.sum()

    def __call__(self, x):
        return x * self.w

    def method(self, x):
        return x * self.w


def test_methods():
    one, other = Model(X), Model(X * 10.0)
    for _ in range(3):
        for model in (one, other):
            assert plain(model.reads(X)) == plain(X * model.w)
            assert plain(model.size) == plain(model.w.sum())
            assert plain(model.without(X)) == plain(X * 2.0)
            assert plain(model.static(X)) == plain(X * 2.0)
            assert plain(model.of_class(X)) == plain(X * 2.0)
        one.w = one.w + 1.0
    assert "self.w: reads the attribute `w`" in Model.reads.explain()
    assert Model.without.stats.compiled == 4
    assert Model.static.stats.compiled == 5


@pytest.mark.parametrize("name", ["__call__", "method"])
def test_bound_methods_and_callables(name):
    model = Model(X)
    traced = srcgrad.trace(model if name == "__call__" else model.method)
    for _ in range(3):
        assert plain(traced(X)) == plain(X * model.w)
        model.w = model.w + 1.0


async def coroutine(x):
    return x


async def async_generator(x):
    yield x


def generator(x):
    yield x


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Model, "not the class Model: trace its methods"),
        (generator, "generator is a generator"),
        (coroutine, "coroutine is a coroutine"),
        (async_generator, "async_generator is a generator"),
        (staticmethod(_first), "put @trace below @staticmethod"),
        (classmethod(_first), "put @trace below @classmethod"),
        (property(_first), "put @trace below @property"),
        (np.tanh, "a function written in Python, but got <ufunc 'tanh'>"),
        (len, "a function written in Python, but got <built-in function len>"),
        (functools.partial(_first), "a function written in Python"),
        (srcgrad.trace(_first), "<traced _first> is traced already"),
        (3.0, "a function written in Python, but got 3.0"),
    ],
    ids=lambda item: getattr(item, "__name__", None) or type(item).__name__,
)
def test_what_cannot_be_traced(item, message):
    with pytest.raises(TypeError) as caught:
        srcgrad.trace(item)
    assert message in str(caught.value)


def test_a_coroutine_that_calls_a_traced_function():
    traced = srcgrad.trace(_first)

    async def main():
        return [traced(X) for _ in range(3)]

    assert [plain(r) for r in asyncio.run(main())] == [plain(X * 2.0)] * 3


def applies(f, x):
    return f(x) + 1.0


def test_functions_given():
    twice = functools.partial(operator.mul, 2.0)
    double = lambda x: x * 2.0  # noqa: E731
    box = Box(2.0)
    traced = srcgrad.trace(applies)
    for f in (double, _first, np.sin, twice, box, math.fsum, Model(X).method, abs):
        for _ in range(3):
            assert plain(traced(f, X)) == plain(applies(f, X))
    assert traced.stats.compiled >= 4  # double, _first, sin, abs


def test_a_partial_hidden_in_map():
    k = [2.0]
    f = functools.partial(lambda a, b: a * b * k[0], 1.0)
    traced = srcgrad.trace(lambda f, x: list(map(f, [x])))
    for _ in range(3):
        assert plain(traced(f, X)) == plain([X * k[0]])
        k[0] += 1.0


# ----- Arguments that look alike -----


def kinds(t, x):
    return type(t).__name__, t + 1, x * t


ALIKE = [1, 1.0, True, np.float64(1.0), np.float32(1.0), np.int64(1), np.bool_(True)]
ALIKE += [np.array(1.0), 1 + 0j, np.complex128(1.0)]


def test_arguments_that_are_equal():
    traced = srcgrad.trace(kinds)
    for _ in range(3):
        for value in ALIKE:
            assert plain(traced(value, X)) == plain(kinds(value, X))


def signs(t, x):
    return x * math.copysign(1.0, t), x if t == 0 else -x


def finds_nan(t, x):
    return x if t == t else -x


def looks_up_a_float(t, x):
    return x * {0.0: 2.0, 1.0: 5.0}.get(t, 3.0)


SPECIAL = [0.0, -0.0, 0.0, -0.0, math.nan, 1.0, math.nan, 1.0, math.inf, -math.inf]


@pytest.mark.parametrize("function", [signs, finds_nan, looks_up_a_float])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_special_floats(function, kind):
    same_through(function, *[lambda t=t: (kind(t), X) for t in SPECIAL * 2])


def test_signed_zeros_in_static_arguments():
    same_through(
        lambda z, x: (x * z, x * z.real),
        *[lambda z=z: (z, X) for z in (0j, -0j, complex(-0.0, 0.0), 0j, -0j)],
    )


FLOATS = {
    "floor divide": lambda t: (t // 2.0, 7 // t, t // 2),
    "divmod": lambda t: (divmod(t, 2.0), divmod(7.5, t)),
    "round": lambda t: (round(t), round(t, 1), round(t * 7.35, 2)),
    "compare": lambda t: (t < 2.0, t == 3.5, 1 < t, t != 2, not t),  # noqa: SIM300
    "booleans": lambda t: (~(t < 2.0), (t > 1) * 2.0, (t > 1) & (t < 5)),
    "conjugate": lambda t: (t.real, t.imag, t.conjugate()),
    "power": lambda t: (t**2, 2**t, t**0.5, pow(t, 2)),
    "own methods": lambda t: t.is_integer(),
    "class": lambda t: (type(t).__name__, t.__class__.__name__, isinstance(t, float)),
    "numpy": lambda t: (np.floor(t), np.sqrt(abs(t)), np.maximum(t, 1)),
    "convert": lambda t: (float(t), int(t), str(t), bool(t), complex(t)),
    "math": lambda t: math.exp(t) + math.floor(t),
}


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_floats_keep_pythons_arithmetic(name, kind):
    values = (2.75, 2.75, 3.5, -3.5, 2.0, 2.0)
    same_through(FLOATS[name], *[lambda t=t: (kind(t),) for t in values])


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_a_power_of_minus_one_is_a_division(kind):
    """The same but for rounding: NumPy before 2.3 has a power of float32 of its own."""
    inverse = srcgrad.trace(lambda t: t**-1)
    for value in (2.75, 2.75, 3.5, -3.5, 2.0):
        ours, theirs = inverse(kind(value)), inverse.__wrapped__(kind(value))
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=np.finfo(kind).eps)
    assert inverse.stats.compiled == 4


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("function", "bad"),
    [
        (lambda t: 1.0 / t, 0.0),
        (lambda t: t**-1, 0.0),
        (lambda t: t // 0.0 if t > 5 else t, 6.0),
        (lambda t: t**2, 1e200),
        (lambda t: t**0.5, -4.0),
        (lambda t: math.sqrt(t), -1.0),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_python_raises_where_numpy_does_not(function, bad, kind):
    same_through(function, *[lambda t=t: (kind(t),) for t in (2.0, 3.0, bad, 3.0)])


def test_order_of_dicts():
    def function(table, **more):
        first = next(iter(table.values()))
        return {k: v * 2.0 for k, v in table.items()}, first, list(more), first + 1.0

    traced = srcgrad.trace(function)
    for order in ("ab", "ab", "ba", "ba", "ab"):
        table = {key: X * ord(key) for key in order}
        assert plain(traced(table, **table)) == plain(function(table, **table))
    assert traced.stats.traces == 2


def test_identity_of_arrays():
    same = lambda x, y: x * 2.0 if x is y else x * 3.0  # noqa: E731
    different = lambda x, y: x * 2.0 if x is not y else x * 3.0  # noqa: E731
    for function in (same, different):
        traced = srcgrad.trace(function)
        for args in ((X, X), (X, X), (X, X.copy()), (X, X), (X, X[:])):
            assert plain(traced(*args)) == plain(function(*args))


# ----- One array in several arguments -----


def combination(a, b):
    return np.sum(a * 2.0 + b * b)


def one_array_in_two_variables():
    raw = X.copy()
    return Variable(raw, requires_grad=True), Variable(raw, requires_grad=True)


def two_scalars():
    return var(2.0).sum(), var(5.0).sum()


def leaf_and_constant():
    raw = X.copy()
    return Variable(raw, requires_grad=True), raw


@pytest.mark.parametrize(
    "make", [one_array_in_two_variables, two_scalars, lambda: (var(1.0), var(2.0))]
)
@pytest.mark.parametrize("first", [True, False])
def test_gradients_of_one_variable_given_twice(make, first):
    traced = srcgrad.trace(combination)

    def gradients(function, is_same):
        a, b = make()
        b = a if is_same else b
        a.retain_grad(), b.retain_grad()
        function(a, b).backward()
        return plain(a.grad), plain(b.grad)

    for is_same in (first, first, not first, not first, first):
        assert gradients(traced, is_same) == gradients(combination, is_same)
    assert traced.stats.compiled == 3


def test_variable_and_its_data():
    traced = srcgrad.trace(combination)
    for _ in range(3):
        results = []
        for function in (traced, combination):
            a, raw = leaf_and_constant()
            function(a, raw).backward()
            results.append(plain(a.grad))
        assert results[0] == results[1]


def test_array_and_a_view_of_it():
    def function(x, y):
        h = x * 1.0
        h += y
        return h, x, y

    base = np.arange(6.0)
    calls = [(base[:3], base[1:4]), (base, base), (base[::2], base[:3])] * 2
    same_through(function, *[lambda args=args: args for args in calls], compiled=4)


# ----- Changes in place -----


def keeps_input(x):
    return np.sum(x * x)


def keeps_output(x):
    return np.exp(x)


def keeps_nothing(x):
    return x + x


def keeps_both(x):
    return np.tanh(x) * x


def keeps_shape(x):
    return np.sum(x, axis=0)


def keeps_temporary(x):
    return np.sum(np.sin(x * 2.0))


def keeps_elements(x):
    return x[0] * x[1] + x[2] ** 2


def returns_view(x):
    return x[1:]


@pytest.mark.parametrize(
    "function",
    [
        *(keeps_input, keeps_output, keeps_nothing, keeps_both),
        *(keeps_shape, keeps_temporary, keeps_elements, returns_view),
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("changed", ["input", "output", "neither"])
def test_in_place_between_forward_and_backward(function, changed):
    """An error exactly where the tape raises one; else the same gradient."""
    traced = srcgrad.trace(function)
    traced(var(1.0, 2.0, 3.0))

    def attempt(f):
        leaf = var(1.0, 2.0, 3.0)
        x = leaf * 1.0
        out = f(x)
        try:
            if changed == "input":
                x += 1.0
            if changed == "output":
                out += 1.0
            (out.sum() if out.shape else out).backward()
        except RuntimeError as error:
            return type(error), "inplace" in str(error), "in-place" in str(error)
        return plain(leaf.grad)

    assert attempt(traced) == attempt(function)
    assert traced.stats.compiled == 1


def test_the_inplace_error_names_the_lines():
    traced = srcgrad.trace(keeps_input)
    for _ in range(2):
        x = var(1.0, 2.0) * 1.0
        out = traced(x)
        x += 1.0
        with pytest.raises(InplaceError, match=r"test_reads.py:\d+: x \+= 1.0"):
            out.backward()
    assert traced.stats.compiled == 1


def test_reshape_is_a_view_or_not():
    def function(x):
        return x.reshape(-1)

    square = np.arange(6.0).reshape(2, 3)
    for first in (square, square.T):
        traced = srcgrad.trace(function)
        for array in (first, square, square.T, square):
            for f in (traced, function):
                x = Variable(array)
                shares = f(x).own_storage() is x.own_storage()
                assert shares == np.shares_memory(function(array), array)


def adds_to_argument(x, y):
    x += y
    return x * 2.0


def stores_in_argument(x, y):
    x[0] = y[1]
    return x * 2.0


def stores_through_view(x, y):
    row = x[1:]
    row *= y[1:]
    return x * 2.0


def stores_through_flat(x, y):
    x.flat[0] = 5.0
    return x + y


def writes_out(x, y):
    np.multiply(x, y, out=x)
    return x + 1.0


def sorts_argument(x, y):
    x.sort()
    return x * y


def fills_argument(x, y):
    x.fill(3.0)
    return x * y


IN_PLACE = (adds_to_argument, stores_in_argument, stores_through_view)
IN_PLACE += (stores_through_flat, writes_out, sorts_argument, fills_argument)


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
def test_arrays_given_are_changed_as_untraced(function):
    make = lambda: (X[::-1].copy(), X.copy())  # noqa: E731
    same_through(function, make, make, make)


def buffer(x):
    out = np.zeros(3)
    out[0] = x[0] * 2.0
    out[1:] = x[1:]
    return out


def own_array(x):
    h = x * 2.0
    h[0] = x[1]
    h[1:] += x[:2]
    h *= h
    return h


def own_list(x):
    rows = []
    for each in x:
        rows.append(each * 2.0)
    rows[0] = rows[1]
    rows += [x[0]]
    return rows


def out_of_own(x):
    h = x * 2.0
    np.exp(h, out=h)
    return h


def own_flat(x):
    h = x * 2.0
    h.flat[0] = 7.0
    return h


OWN = [buffer, own_array, own_list, out_of_own, own_flat]


@pytest.mark.parametrize("function", OWN, ids=lambda f: f.__name__)
def test_own_arrays_are_changed(function):
    same_through(function, *[lambda k=k: (X * k,) for k in (1.0, 1.0, 2.0, 3.0)])


@pytest.mark.parametrize("function", [own_array, out_of_own], ids=lambda f: f.__name__)
def test_own_arrays_are_compiled(function):
    same_through(function, *[lambda k=k: (X * k,) for k in (1.0, 2.0)], compiled=1)


def test_results_are_the_callers_own():
    """Changing a result must not reach the next call, or the backward pass."""
    traced = srcgrad.trace(lambda x: (x * 2.0, np.arange(3.0), np.exp(x)))
    for _ in range(3):
        results = traced(X)
        assert plain(results) == plain((X * 2.0, np.arange(3.0), np.exp(X)))
        for each in results:
            each[:] = -1.0


def returns_related(x):
    h = x * 2.0
    return h, h[1:], h[::-1]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_results_that_are_views_of_each_other(number):
    """Changing one is the same error, or the same gradient, as on the tape."""
    traced = srcgrad.trace(returns_related)
    traced(var(1.0, 2.0, 3.0))

    def attempt(f):
        x = var(1.0, 2.0, 3.0)
        results = f(x)
        changed = results[number]
        try:
            changed *= 2.0
            sum(np.sum(each * each) for each in results).backward()
        except RuntimeError as error:
            return type(error), str(error)[:100]
        return plain(x.grad)

    assert attempt(traced) == attempt(returns_related)
    assert traced.stats.compiled == 1


def stores_elements(x):
    h = np.zeros(2)
    h[0] = x[0]
    h[1] += x[1]
    return np.sum(h * x)


def stores_in_list(x):
    h = [0.0, 0.0]
    h[0] = x[0]
    return h[0] * h[0] + h[1]


@pytest.mark.parametrize("function", [stores_elements, stores_in_list])
def test_gradients_through_buffers(function):
    """No gradient is lost on the way through an ndarray: an error, or all of it."""
    ours, theirs = srcgrad.grad(srcgrad.trace(function)), srcgrad.grad(function)
    for _ in range(3):
        assert outcome(ours, X[:2].copy()) == outcome(theirs, X[:2].copy())


# ----- The tape's own -----


def reads_grad(v):
    return v * 1.0 if v.grad is None else v * v.grad


def reads_is_leaf(v):
    return v * (2.0 if v.is_leaf else 3.0)


def reads_grad_fn(v):
    return v * (2.0 if v.grad_fn is None else 3.0)


def reads_version(v):
    return v * float(v._version)


def reads_requires_grad(v):
    return v * (2.0 if v.requires_grad else 3.0)


@pytest.mark.parametrize(
    "function",
    [reads_grad, reads_is_leaf, reads_grad_fn, reads_version, reads_requires_grad],
    ids=lambda f: f.__name__,
)
def test_the_state_of_a_variable_is_read(function):
    traced = srcgrad.trace(function)
    v = var(1.0, 2.0)
    for _ in range(3):
        for each in (v, v * 2.0, v.detach()):
            assert plain(traced(each)) == plain(function(each))
        (v * 5.0).sum().backward()
        with srcgrad.no_grad():
            v += 1.0


def test_zero_grad_inside():
    def function(v):
        v.zero_grad()
        return v * 2.0

    traced, v = srcgrad.trace(function), var(1.0)
    for _ in range(3):
        (v * 5.0).sum().backward()
        traced(v)
        assert plain(v.grad.data) == plain(np.zeros(1))


# ----- Modes -----


def detaches(x):
    with srcgrad.no_grad():
        y = x * 2.0
    return x * y, y


def enables(x):
    with srcgrad.enable_grad():
        return x * 2.0


@pytest.mark.parametrize("function", [_first, detaches, enables])
def test_grad_mode_around_the_call(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        for enabled in (True, False):
            with srcgrad.set_grad_enabled(enabled):
                ours, theirs = traced(var(1.0, 2.0)), function(var(1.0, 2.0))
            assert plain(ours) == plain(theirs)


def test_grad_mode_left_changed():
    def function(x):
        srcgrad.set_grad_enabled(False)
        return x * 2.0

    traced = srcgrad.trace(function)
    for _ in range(3):
        with srcgrad.enable_grad():
            traced(X)
            assert not srcgrad.is_grad_enabled()


def test_volatile_inputs():
    traced = srcgrad.trace(combination)
    kinds = [{"requires_grad": True}, {"volatile": True}, {}]
    for _ in range(3):
        for a in kinds:
            for b in kinds:
                args = Variable(X, **a), Variable(X, **b)
                ours, theirs = traced(*args), combination(*args)
                assert (ours.volatile, ours.requires_grad) == (
                    theirs.volatile,
                    theirs.requires_grad,
                )


# ----- Calls within calls -----


def factorial(x, n):
    return x if n == 0 else x * factorial(x, n - 1)


def test_recursion():
    same_through(factorial, *[lambda n=n: (X, n) for n in (3, 3, 2, 3)], compiled=2)


@srcgrad.trace
def inner(x):
    return np.sin(x) * x


@srcgrad.trace
def outer(x):
    return np.sum(inner(inner(x)))


@srcgrad.trace
def slope(x):
    return np.sum(srcgrad.grad(outer)(x) ** 2)


@srcgrad.trace
def traced_recursion(x, n):
    return x if n == 0 else np.cos(traced_recursion(x, n - 1))


def test_traced_in_traced():
    expected = lambda x: np.sum(np.sin(np.sin(x) * x) * np.sin(x) * x)  # noqa: E731
    for k in (1.0, 1.0, 2.0, 2.0):
        np.testing.assert_allclose(outer(X * k), expected(X * k))
    assert outer.stats.compiled >= 3
    for _ in range(3):
        np.testing.assert_allclose(traced_recursion(X, 2), np.cos(np.cos(X)))


def test_traced_in_grad_in_traced():
    untraced = lambda x: np.sum(np.sin(np.sin(x) * x) * np.sin(x) * x)  # noqa: E731
    plain_slope = lambda x: np.sum(srcgrad.grad(untraced)(x) ** 2)  # noqa: E731
    for k in (1.0, 1.0, 1.5):
        np.testing.assert_allclose(slope(X * k), plain_slope(X * k))
        np.testing.assert_allclose(
            srcgrad.grad(slope)(X * k), srcgrad.grad(plain_slope)(X * k)
        )
    assert slope.stats.compiled >= 2


def test_rebinding_what_an_inner_traced_function_calls():
    function = srcgrad.trace(lambda x: calls_helper_traced(x) * 1.0)
    change = rebind("helper", _second)
    before, after = steps(function, change)
    assert before == [plain(X * 2.0 + 1.0)] * 3
    assert after == [plain(X * 3.0 + 1.0)] * 3


calls_helper_traced = srcgrad.trace(calls_helper)


# ----- The cache -----


def power(x, n):
    return x**n


def test_max_traces():
    traced = srcgrad.trace(power, max_traces=3)
    for n in (1, 2, 3, 4, 5, 1, 2, 3):
        assert plain(traced(X, n)) == plain(X**n)
    assert traced.stats.compiled == 0
    assert traced.explain().count("  trace: ") == 3
    assert plain(traced(X, 3)) == plain(X**3)
    assert traced.stats.compiled == 1


def branches(x):
    return x * float(x[0])


def test_one_warning_for_a_function_that_keeps_missing():
    traced = srcgrad.trace(branches)
    with pytest.warns(
        RuntimeWarning, match=r"branches stays on the tape.*miss"
    ) as seen:
        results = [plain(traced(X + i)) for i in range(40)]
    assert results == [plain(branches(X + i)) for i in range(40)]
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert "float(x[0])" in str(seen[0].message)
    assert "on the tape: no trace was of use twice" in traced.explain()


def test_one_warning_for_ever_new_signatures():
    traced = srcgrad.trace(power, max_traces=20)
    with pytest.warns(RuntimeWarning, match="none was of use twice; .* 20") as seen:
        results = [plain(traced(X, n)) for n in range(60)]
    assert results == [plain(X**n) for n in range(60)]
    assert len(seen) == 1
    assert traced.stats.traces == 20
    traced.clear()
    for _ in range(2):
        traced(X, 2)
    assert traced.stats.compiled == 1


def test_refused_signatures_do_not_pile_up():
    traced = srcgrad.trace(appends_to_argument, max_traces=4)
    for n in range(100):
        traced([n], X)
    assert traced.explain().count("on the tape:") <= 16


def test_source_before_the_first_call():
    traced = srcgrad.trace(_first)
    with pytest.raises(RuntimeError, match=r"_first has no .* has not been called yet"):
        traced.source()
    traced(X)
    assert "def forward(x):" in traced.source()


def test_copies():
    traced = srcgrad.trace(Model(X).method)
    traced(X)
    model = {"f": outer, "bound": traced}
    for made in (copy.deepcopy(model), copy.copy(model)):
        assert made["f"] is outer
        assert plain(made["bound"](X)) == plain(X * X)
    assert copy.deepcopy(model)["bound"] is not traced


def test_pickles():
    assert pickle.loads(pickle.dumps(outer)) is outer


def test_it_looks_like_the_function():
    assert outer.__name__ == "outer"
    assert outer.__wrapped__.__name__ == "outer"
    assert repr(outer) == "<traced outer>"


def test_it_keeps_no_array_alive():
    import weakref

    traced = srcgrad.trace(combination)
    for _ in range(2):
        a = var(1.0, 2.0)
        traced(a, a).backward()
    raw = weakref.ref(a.data)
    del a
    gc.collect()
    assert raw() is None


def test_threads():
    traced = srcgrad.trace(lambda x, n: np.sum(x**n) if x[0] > 0 else np.sum(x))
    errors = []

    def work(seed):
        generator = np.random.default_rng(seed)
        try:
            for _ in range(60):
                x, n = generator.normal(size=3), int(generator.integers(1, 4))
                v = Variable(x, requires_grad=True)
                traced(v, n).backward()
                expected = n * x ** (n - 1) if x[0] > 0 else np.ones(3)
                np.testing.assert_allclose(v.grad.data, expected)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert traced.stats.compiled > 200
