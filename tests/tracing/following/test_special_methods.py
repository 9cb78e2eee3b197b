"""Operators and the like of the user's classes: the same at the first call as later.

Each method computes in a way that needs following: `np.asarray` or `math.sin` of what
is differentiated, say.
"""

import abc
import collections.abc
import contextlib
import dataclasses
import functools
import itertools
import linecache
import math
import operator

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.following.special_methods import Objects, StandIn, real

X = np.array([0.8, 1.4])


def own(item):
    return item.v if isinstance(item, Vec) else item


class Vec:
    """A vector with all that Python lets a class do."""

    def __init__(self, v):
        self.v = np.asarray(v)

    def __add__(self, other):
        return Vec(np.array([self.v[0], self.v[1]]) + own(other))

    def __radd__(self, other):
        return Vec(np.asarray(other) + self.v)

    def __sub__(self, other):
        return Vec(np.asarray(self.v) - own(other))

    def __rsub__(self, other):
        return Vec(np.asarray(other) - self.v)

    def __mul__(self, other):
        return Vec(np.asarray(self.v) * own(other))

    def __rmul__(self, other):
        return Vec(np.asarray(other) * self.v)

    def __truediv__(self, other):
        return Vec(self.v / np.asarray(own(other)))

    def __rtruediv__(self, other):
        return Vec(np.asarray(other) / self.v)

    def __pow__(self, other):
        return Vec(np.asarray(self.v) ** own(other))

    def __mod__(self, other):
        return Vec(np.asarray(self.v) % own(other))

    def __divmod__(self, other):
        return Vec(self.v // own(other)), Vec(self.v % own(other))

    def __matmul__(self, other):
        return np.array([self.v @ own(other)])[0]

    def __and__(self, other):
        return Vec(np.minimum(self.v, np.asarray(own(other))))

    def __or__(self, other):
        return Vec(np.maximum(self.v, np.asarray(own(other))))

    def __xor__(self, other):
        return Vec(np.array([self.v[0], own(other)[1]]))

    def __rshift__(self, other):
        return Vec(np.array([self.v[1], self.v[0]]) * other)

    def __iadd__(self, other):
        self.v = np.asarray(self.v + own(other))
        return self

    def __imul__(self, other):
        self.v = np.asarray(self.v * own(other))
        return self

    def __neg__(self):
        return Vec(-np.asarray(self.v))

    def __pos__(self):
        return Vec(np.array([self.v[0], 2 * self.v[1]]))

    def __invert__(self):
        return Vec(1.0 / np.asarray(self.v))

    def __abs__(self):
        return np.sqrt(np.asarray(self.v**2).sum())

    def __eq__(self, other):
        return bool(np.all(np.asarray(self.v) == np.asarray(own(other))))

    def __hash__(self):
        return 1

    def __lt__(self, other):
        return math.sin(self.v[0]) < math.sin(own(other)[0])

    def __le__(self, other):
        return bool(np.all(np.asarray(self.v) <= np.asarray(own(other))))

    def __gt__(self, other):
        return math.sin(self.v[0]) > math.sin(own(other)[0])

    def __len__(self):
        return int(np.asarray(self.v).size)

    def __bool__(self):
        return bool(np.asarray(self.v)[0] > 0)

    def __getitem__(self, index):
        return np.array([self.v[index], 1.0])[0] * math.exp(self.v[index])

    def __setitem__(self, index, value):
        new = np.zeros(2)
        new[:] = self.v
        new[index] = value
        self.v = new

    def __delitem__(self, index):
        self.v = np.array([self.v[1 - index], 1.0])

    def __contains__(self, item):
        return bool((np.asarray(self.v) == item).any())

    def __iter__(self):
        return iter([math.sin(self.v[0]), np.array([self.v[1]])[0]])

    def __reversed__(self):
        return iter([np.array([self.v[1]])[0], math.sin(self.v[0])])

    def __call__(self, x):
        return np.array([self.v[0], x])[1] * math.cos(self.v[0])

    def __float__(self):
        return float(np.asarray(self.v).sum())

    def __int__(self):
        return int(np.asarray(self.v)[1])

    def __index__(self):
        return int(np.asarray(self.v)[1])

    def __round__(self, digits=0):
        return Vec(np.round(np.asarray(self.v), digits) + self.v)

    def __format__(self, spec):
        return format(float(np.asarray(self.v)[0]), spec)

    def __str__(self):
        return str(float(np.asarray(self.v)[0]))[:3]

    def __enter__(self):
        self.w = np.asarray(self.v) * 2
        return self.w

    def __exit__(self, *_):
        self.v = np.array([self.v[0], self.w[1]])

    @property
    def norm(self):
        return math.sqrt(np.asarray(self.v * self.v).sum())

    @norm.setter
    def norm(self, value):
        self.v = np.array([value, self.v[1]])

    @functools.cached_property
    def once(self):
        return np.array([self.v[0], self.v[1] * 2]).sum()

    @classmethod
    def of(cls, a, b):
        return cls([a, b])

    @staticmethod
    def mixed(a):
        return np.array([a[1], a[0]]) @ np.asarray(a)

    def __getattr__(self, name):
        if name == "twice":
            return np.asarray(self.v) * 2
        raise AttributeError(name)


class Low(Vec):
    """Python asks the lower of two classes first."""

    def __rmul__(self, other):
        return Vec(np.asarray(own(other)) * self.v * 3)

    def __add__(self, other):
        return super().__add__(other) * Vec(np.asarray(self.v))


class First(Vec):
    __array_priority__ = 10.0


class Alone(Vec):
    __array_ufunc__ = None


class Steps:
    def __init__(self, v, count):
        self.v, self.count, self.number = v, count, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.number >= self.count:
            raise StopIteration
        self.number += 1
        return math.sin(self.v[0]) * np.array([self.v[1], self.number])[0]


class Items:
    """Gone along by numbers."""

    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index >= 2:
            raise IndexError
        return np.array([self.v[index], 2.0])[0] * math.cos(self.v[index])


@dataclasses.dataclass
class Data:
    a: object
    b: object = 2.0

    def __post_init__(self):
        self.c = np.array([self.a, self.b])

    def __add__(self, other):
        return Data(self.a + other.a, np.asarray(self.b * other.b))

    @property
    def total(self):
        return np.asarray(self.c).sum()


@dataclasses.dataclass(frozen=True)
class Point:
    x: object
    y: object

    def __sub__(self, other):
        return Point(self.x - other.x, np.array([self.y, other.y])[0] - other.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)


class Guarded:
    def __init__(self, v):
        self.v = v

    def __setattr__(self, name, value):
        self.__dict__[name] = np.asarray(value) * 2.0

    def __neg__(self):
        return self.v


class Abstract(abc.ABC):
    def __init__(self, v):
        self.v = np.asarray(v)

    @abc.abstractmethod
    def __add__(self, other):
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def T(self):  # noqa: N802 (as an array has it)
        raise NotImplementedError


class Concrete(Abstract):
    def __add__(self, other):
        return Concrete(np.array([self.v[0], other.v[1]]))

    @property
    def T(self):  # noqa: N802
        return np.asarray(self.v)[::-1]


@functools.total_ordering
class Ordered:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return bool(np.asarray(self.v)[0] == np.asarray(other.v)[0])

    def __lt__(self, other):
        return math.sin(self.v[0]) < math.sin(other.v[0])


class Sines(collections.abc.Sequence):
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index >= 2:
            raise IndexError
        return math.sin(self.v[index])


class Named(collections.abc.Mapping):
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 2

    def __iter__(self):
        return iter("ab")

    def __getitem__(self, key):
        return math.sin(self.v["ab".index(key)])


class Within:
    def __init__(self, v):
        self.v = v

    @contextlib.contextmanager
    def scaled(self, s):
        yield np.asarray(self.v) * s

    def __enter__(self):
        return math.sin(self.v[0])

    def __exit__(self, kind, error, trace):
        return kind is ValueError


class Exponential:
    def __get__(self, item, kind=None):
        return self if item is None else math.exp(item.v[0])


class Described:
    exponential = Exponential()

    def __new__(cls, v):
        made = object.__new__(cls)
        made.v = np.asarray(v)
        return made

    def __neg__(self):
        return np.array([self.exponential])[0]


class Dual:
    """A number and its derivative."""

    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __rmul__ = __mul__

    def __abs__(self):
        return math.sqrt(self.a * self.a + self.b * self.b)

    def __bool__(self):
        return abs(self) > 0

    def sin(self):
        return Dual(math.sin(self.a), self.b * math.cos(self.a))


def hypotenuse(a, b):
    return math.hypot(a, b)


FIXED = Vec(np.array([0.5, 1.5]))


def helper(p, q):
    return np.sum((p * q - p).v) + abs(p)


def by_operators_alone(p, q):
    return p * q + p


def horner(coefficients, x):
    result = coefficients[0]
    for each in coefficients[1:]:
        result = result * x + each
    return result


LIBRARIES = {each.__name__: each for each in (contextlib, functools, operator)}

# What is differentiated by `v`; several lines are a function's body.
PROGRAMS = [
    *(
        f"np.sum(({form}).v * v)"
        for symbol in "+-*/"
        for form in (
            *(f"Vec(v) {symbol} Vec(v + 1.0)", f"Vec(v) {symbol} 2.0"),
            *(f"2.0 {symbol} Vec(v)", f"Vec(v) {symbol} np.array([1.0, 2.0])"),
            *(f"Vec(v) {symbol} v", f"FIXED {symbol} Vec(v)", f"FIXED {symbol} v"),
            *(
                f"Vec(v) {symbol} FIXED",
                f"v {symbol} Alone(v)",
                f"float(v[0]) {symbol} Vec(v)",
            ),
            *(f"np.ones(2) {symbol} First(v)", f"v {symbol} First(v)"),
        )
    ),
    *("np.sum((Vec(v) ** 2).v)", "np.sum((Vec(v) % 0.5).v)", "Vec(v) @ Vec(v * 2)"),
    *("np.sum((Vec(v) & Vec(v[::-1])).v)", "np.sum((Vec(v) | Vec(v[::-1])).v)"),
    *("np.sum((Vec(v) ^ v).v)", "np.sum((Vec(v) >> 2).v * v)"),
    *("np.sum((-Vec(v)).v * v)", "np.sum((+Vec(v)).v * v)", "np.sum((~Vec(v)).v * v)"),
    *("abs(Vec(v))", "operator.abs(Vec(v))", "np.sum(v) * abs(FIXED)"),
    *("np.sum((Low(v) * Low(v)).v * v)", "np.sum((Vec(v) * Low(v)).v * v)"),
    *("np.sum((Low(v) + Vec(v)).v * v)", "np.sum((Vec(v) + Low(v)).v * v)"),
    "p = Vec(v); p += v; return np.sum(p.v * v)",
    "p = Vec(v); p *= Vec(v); return np.sum(p.v * v)",
    "p = Vec(v); p -= Vec(v * v); return np.sum(p.v * v)",
    "d = Data(1.0); d.p = Vec(v); d.p += 0.5; return np.sum(d.p.v * v)",
    "found = [Vec(v), 1.0]; found[0] += v; return np.sum(found[0].v * v)",
    "found = {'a': Vec(v)}; found['a'] *= v; return np.sum(found['a'].v * v)",
    *(
        f"np.sum(v) * (2.0 if {test} else 3.0)"
        for test in (
            *("Vec(v) == Vec(v)", "Vec(v) != Vec(v)", "Vec(v) < Vec(v + 0.1)"),
            *("Vec(v) > Vec(v + 0.1)", "Vec(v) <= Vec(v)", "Vec(v) >= Vec(v + 0.1)"),
            *("Vec(v) < Vec(v + 0.1) < Vec(v + 0.2)", "1.0 in Vec(v)", "Vec(v)"),
            *(
                "1.0 not in Vec(v)",
                "not Vec(v)",
                "Vec(v) and Vec(-v)",
                "len(Vec(v)) > 2",
            ),
            *("Vec(-v) or not Vec(v)", "bool(Vec(v))", "Point(1, 2) == Point(1, 2)"),
            *(
                "any([Vec(-v), Vec(v)])",
                "all([Vec(-v), Vec(v)])",
                "Vec(v) is not FIXED",
            ),
        )
    ),
    *("np.sum((Vec(v) and Vec(v * 2)).v)", "np.sum((Vec(-v) or Vec(v * 2)).v)"),
    "p = Vec(v)\n while p:\n  p = p - 3.0\n return np.sum(p.v * v)",
    "p = Vec(v)\n if p:\n  return np.sum(v * 2)\n return np.sum(v)",
    "p = Vec(v)\n if not (p and Vec(-v)):\n  return np.sum(v * 2)\n return np.sum(v)",
    "p = Vec(v)\n assert p\n return np.sum(v)",
    *("np.sum(v) * len(Vec(v))", "np.sum(v) * int(Vec(v))", "round(Vec(v)).v.sum()"),
    *("Vec(v)[0] * Vec(v)[1]", "round(Vec(v), 1).v.sum()", "np.sum(v * float(Vec(v)))"),
    "p = Vec(v); p[0] = v[1] * 2; return np.sum(p.v * v)",
    "p = Vec(v); p[0] += 1.0; return np.sum(p.v * v)",
    "p = Vec(v); del p[0]; return np.sum(p.v * v)",
    "s = 0.0\n for t in Vec(v):\n  s = s + t * t\n return s",
    "s = 0.0\n for i, t in enumerate(Vec(v)):\n  s = s + i * t\n return s",
    "s = 0.0\n for a, t in zip(v, Vec(v)):\n  s = s + a * t\n return s",
    "s = 0.0\n for t in Steps(v, 3):\n  s = s + t * t\n return s",
    "s = 0.0\n for t in Items(v):\n  s = s + t * t\n return s",
    "a, b = Vec(v); return a * b",
    "a, b = reversed(Vec(v)); return a * b * b",
    "def each():\n  yield from Vec(v)\n return sum(each())",
    *(
        "np.sum(np.stack([*Vec(v)]) ** 2)",
        "sum(Vec(v))",
        "max(Vec(v))",
        "sum(Items(v))",
    ),
    *("sum([t * t for t in Vec(v)])", "sum(t * t for t in Vec(v))", "min(Steps(v, 3))"),
    *("sum(map(lambda t: t * t, Vec(v)))", "list(Vec(v))[0]", "tuple(Vec(v))[1]"),
    "steps = Steps(v, 3); return next(steps) * next(steps)",
    "found = iter(Vec(v)); return next(found) * 2.0",
    *("sorted([Vec(v + 0.1), Vec(v)])[0].v.sum()", "min(Vec(v + 0.1), Vec(v)).v.sum()"),
    "max([v, v + 0.1], key=Vec).sum()",
    "sum([Vec(v), Vec(v)], Vec(v)).v.sum()",
    "functools.reduce(operator.mul, [Vec(v), Vec(v)]).v.sum()",
    *("operator.mul(Vec(v), Vec(v)).v.sum()", "operator.getitem(Vec(v), 0)"),
    *("Vec(v)(v[1])", "FIXED(v[1])", "pow(Vec(v), 2).v.sum()"),
    "q, r = divmod(Vec(v), 0.5); return np.sum(r.v * v)",
    *("np.sum(v) * len(f'{Vec(v):.2f}')", "np.sum(v) * len(format(Vec(v), '.3f'))"),
    *("np.sum(v) * len('{:.1f}'.format(Vec(v)))", "np.sum(v) * len(f'{Vec(v)!s}')"),
    *("np.sum(v) * len('%s' % Vec(v))", "np.sum(v) * len(str(Vec(v)))"),
    "np.sum(v) * len(range(Vec(v)))",
    "p = Vec(v)\n with p as w:\n  s = np.sum(w * v)\n return s + np.sum(p.v * v)",
    "p = Vec(v)\n with contextlib.ExitStack() as stack:\n"
    "  s = np.sum(stack.enter_context(p) * v)\n return s + np.sum(p.v * v)",
    *("Vec(v).norm", "getattr(Vec(v), 'norm')", "np.sum(Vec(v).twice * v)"),
    "np.sum(getattr(Vec(v), 'twice', 1.0) * v) + getattr(Vec(v), 'none', 1.0)",
    "p = Vec(v); p.norm = v[1]; return np.sum(p.v ** 2)",
    "p = Vec(v); return p.once * p.once",
    *("np.sum(Vec.of(v[0], v[1]).v ** 2)", "Vec.mixed(v)", "np.sum(-Guarded(v))"),
    *("np.sum(Data(v[0], v[1]).c ** 2)", "Data(v[0], v[1]).total ** 2"),
    *("np.sum((Data(v[0], v[1]) + Data(v[1])).c ** 2)",),
    "np.sum(dataclasses.replace(Data(v[0], v[1]), b=v[0]).c ** 2)",
    *("abs(Point(v[0], v[1]) - Point(1.0, 0.5))", "helper(Vec(v), Vec(v * 2))"),
    *("helper(q=Vec(v) * 2.0, p=Vec(v))", "by_operators_alone(Vec(v), FIXED).v.sum()"),
    "horner([Vec(v), Vec(v * 0.5), Vec(v + 1.0)], Vec(v)).v.sum()",
    "(lambda p: p * p)(Vec(v)).v.sum()",
    "np.sum((Concrete(v) + Concrete(v * 3)).T * v)",
    "max(Ordered(v), Ordered(v + 0.1)).v.sum()",
    "np.sum(v) * (2.0 if Ordered(v) <= Ordered(v + 0.1) else 3.0)",
    "sum(Sines(v)) + Sines(v)[0] * len(Sines(v)) + Sines(v).count(5.0)",
    "a, b = reversed(Sines(v)); return a * b * b * (1 + (5.0 in Sines(v)))",
    "hypotenuse(*Sines(v)) * hypotenuse(**Named(v))",
    "sum(Named(v).values()) * Named(v)['a'] + sum(dict(Named(v)).values())",
    "sum(len(k) * x * x for k, x in Named(v).items())",
    "with Within(v).scaled(2.0) as w:\n  return np.sum(w * v)",
    "with Within(v) as a, Within(v * 2) as b:\n  return a * b",
    "with Within(v) as a:\n  s = a * 2\n  raise ValueError\n return s * v[0]",
    "Described(v).exponential * -Described(v)",
    "operator.attrgetter('T')(Concrete(v))[0] * v[1]",
    "sum(operator.attrgetter('norm', 'once')(Vec(v)))",
    "operator.methodcaller('sin')(Dual(v[0], v[1])).b",
    "d = Dual(v[0], 1.0); return (d * d * 3.0 + 2.0 * d).b",
    "sum([Dual(v[0], v[1]) for i in range(3)]).b",
    "functools.reduce(lambda a, b: a * b, [Dual(v[0], v[1])] * 3).b",
    "d = Dual(v[0], v[1]); return abs(d) if d else v[0]",
    "def inner(p, q):\n  return p * q\n return np.sum(inner(Vec(v), Vec(v * 2)).v)",
]


def function_of(program):
    text = program if "return" in program else f"return {program}"
    text = f"def f(v):\n {text}\n"
    name = f"<special methods {PROGRAMS.index(program)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = globals() | LIBRARIES
    exec(compile(text, name, "exec"), space)
    return space["f"]


def slope(f):
    steps = 1e-6 * np.eye(2)
    return [(f(X + step) - f(X - step)) / 2e-6 for step in steps]


MEETING_NUMBERS = ("Dual(", "Sines(", "Named(", "Within(", "Described(")
OF_ARRAYS = [p for p in PROGRAMS if not any(name in p for name in MEETING_NUMBERS)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_python_runs_of_a_class_is_followed(program):
    f = function_of(program)
    value, expected = f(X), slope(f)
    with srcgrad.set_stance("tape"):
        found = [srcgrad.value_and_grad(f)(X)]
    gradient = srcgrad.value_and_grad(f)
    found += [gradient(X) for _ in range(3)]
    for each in found:
        np.testing.assert_allclose(each[0], value, rtol=1e-12)
        np.testing.assert_allclose(each[1], expected, rtol=1e-5, atol=1e-8)


@pytest.mark.filterwarnings("ignore:a number was taken out")
@pytest.mark.parametrize("program", OF_ARRAYS)
def test_variables_of_the_users_do_the_same_at_each_call(program):
    f, found = function_of(program), []
    traced = srcgrad.trace(f)
    for stance in ("tape", "default", "default", "default"):
        x = srcgrad.Variable(X, requires_grad=True)
        with srcgrad.set_stance(stance):
            traced(x).backward()
        found.append(x.grad.data)
    for each in found[1:]:
        np.testing.assert_allclose(each, found[0], rtol=1e-12)


# ----- Which of two classes is asked first -----

ASKED = []


class High:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        ASKED.append("High.mul")
        return self.v * other.v

    def __rmul__(self, other):
        ASKED.append("High.rmul")
        return 2 * self.v * other.v

    def __lt__(self, other):
        ASKED.append("High.lt")
        return self.v[0] < other.v[0]

    def __gt__(self, other):
        ASKED.append("High.gt")
        return self.v[0] > other.v[0]


class Same(High):
    pass


class Reflecting(High):
    def __rmul__(self, other):
        ASKED.append("Reflecting.rmul")
        return 3 * self.v * other.v

    def __gt__(self, other):
        ASKED.append("Reflecting.gt")
        return True


class Further(Same):
    def __mul__(self, other):
        ASKED.append("Further.mul")
        return 5 * self.v * other.v


class Both(Reflecting, Further):
    pass


class GivingUp:
    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        ASKED.append("GivingUp.mul")
        return NotImplemented

    def __rmul__(self, other):
        ASKED.append("GivingUp.rmul")
        return NotImplemented


class NotSoLow(GivingUp):
    def __mul__(self, other):
        ASKED.append("NotSoLow.mul")
        return 7 * self.v * other.v


CLASSES = [High, Same, Reflecting, Further, Both, GivingUp, NotSoLow]


@pytest.mark.parametrize("kinds", [*itertools.product(CLASSES, CLASSES)], ids=str)
def test_the_class_that_python_asks_first_is_asked_first(kinds):
    first, second = kinds

    def times(v):
        return np.sum(first(v) * second(v + 1) * v)

    def less(v):
        return np.sum((first(v) < second(v + 1)) * v)

    def outcome(f):
        ASKED.clear()
        try:
            return f(X), [*ASKED]
        except TypeError:
            return TypeError, [*ASKED]

    for f in (times, less):
        traced, expected = srcgrad.trace(f), outcome(f)
        for stance in ("tape", "default", "default", "default"):
            with srcgrad.set_stance(stance):
                found = outcome(traced)
            assert found[0] == expected[0]
            assert found[1] == expected[1] or stance == "default"


# ----- Stand-ins -----


def test_what_is_no_object_of_the_users_stands_for_itself():
    objects = Objects(lambda function: function)
    for item in (1, [1], X, srcgrad.Variable(X), "a", np.float64(1), Data, len):
        assert objects.seen(item) is item
    assert isinstance(objects.seen(FIXED), StandIn)
    assert real(objects.seen(FIXED)) is FIXED
    assert real(X) is X


class Comparable:
    def __lt__(self, other):
        return True


def test_objects_are_equal_as_they_are():
    objects = Objects(lambda function: function)
    one, other = Comparable(), Comparable()
    seen = objects.seen
    assert seen(one) == seen(one) == one
    assert seen(one) != seen(other)
    assert hash(seen(one)) == hash(one)
    assert repr(seen(one)) == repr(one)


class Scaling:
    """NumPy's convention for what it is to leave alone."""

    __array_priority__ = 1.0

    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return other * self.v

    def __gt__(self, other):
        return True


class Plain:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return other * self.v


@pytest.mark.parametrize("value", [2.0, X])
def test_arrays_and_numbers_leave_operators_to_objects_as_numpys_do(value):
    x = srcgrad.Variable(value, requires_grad=True)
    assert (x < Scaling(3.0)) is True
    (x * Scaling(3.0)).sum().backward()
    assert np.all(x.grad.data == 3.0)


def test_an_array_of_objects_is_an_error_that_says_what_to_write():
    x = srcgrad.Variable(2.0, requires_grad=True)
    assert (x * Plain(3.0)).data == 6.0

    class Boxed(Plain):
        def __rmul__(self, other):
            return Plain(other)

    with pytest.raises(TypeError, match="__array_ufunc__ = None"):
        srcgrad.Variable(X, requires_grad=True) * Boxed(3.0)


class Elsewhere:
    """What it finds is not what its property gives."""

    def __init__(self, v):
        self.own = v

    @property
    def v(self):
        return np.zeros(2)

    def __getattribute__(self, name):
        found = super().__getattribute__
        return found("own") * 3.0 if name == "v" else found(name)


def test_a_class_that_finds_attributes_its_own_way_is_asked():
    gradient = srcgrad.grad(lambda x: np.sum(Elsewhere(x).v * x))
    for _ in range(3):
        np.testing.assert_allclose(gradient(np.array([1.0, -2.0])), [6.0, -12.0])
