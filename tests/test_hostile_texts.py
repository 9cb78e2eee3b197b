"""Text from wherever it comes stays text: generated source holds it, and runs none.

Each door by which a text comes near generated source gets texts that would be code on a
line of their own. What is generated must run as the tape does, and hold no such name
but in comments and strings.
"""

import ast
import enum
import functools
import io
import linecache
import random
import sys
import tokenize
import types
import warnings
from collections import namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

# What the texts are made of; PAYLOAD is what would run.
PAYLOAD = "canary.append(1)"
BREAKS = "\n \r \r\n \u2028 \u2029 \x0b \x0c \x1c \x1d \x1e \x85 \\\n \\".split(" ")
QUOTES = ['"', "'", '"""', "'''", '\\"', "\\'", '"""\n', "'''\n", "`", "{", "}", "%s"]
ODD = ["\x00", "\udc80", "\ud800", "\u202e", "\ufb01", "\t", "#", "é", "\U0001f600", ""]
PIECES = [
    *BREAKS,
    *QUOTES,
    *ODD,
    PAYLOAD,
    PAYLOAD,
    ";",
    "# coding: rot13",
    "x = 1",
    ")",
]

canary = []


def text_of(generator, without=""):
    """A text with the payload in it; without some characters, where there are none."""
    pieces = [
        *generator.choices(PIECES, k=generator.randrange(4)),
        generator.choice([*BREAKS, *QUOTES]),
        PAYLOAD,
        generator.choice(["\n", "#", "\r", "\u2028", ""]),
    ]
    text = "".join(pieces)
    return "".join(c for c in text if c not in without)


def function_of(source, filename="hostile.py", **names):
    """The function ``f`` of a source, as from a file of that name."""
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    namespace = {"np": np, "__name__": "hostile", "canary": canary, **names}
    exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    return namespace["f"]


PLAIN = "def f(x):\n    h = np.tanh(x)\n    return np.sum(h * h)\n"
NO_FILE = "\x00\ud800"  # what no file name can hold


def class_name(text):
    """The text without what Python refuses in the name of a class."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


# ----- The doors -----


def file_name(text):
    return function_of(PLAIN, text), ()


def source_line(text):
    line = "".join(text.split())  # where a line ends is Python's business
    line = line.replace("\x00", "").encode("utf-8", "ignore").decode()
    source = PLAIN.replace("np.tanh(x)", f"np.tanh(x)  # {line}")
    return function_of(source), ()


def string_in_source(text):
    return function_of(PLAIN.replace("(x)\n", f"(x) if {text!r} else x\n")), ()


def docstring(text):
    if sys.version_info >= (3, 13):  # it refuses what has no UTF-8
        text = text.encode(errors="replace").decode()
    f = function_of(PLAIN.replace("    h", f"    {text!r}\n    h"))
    f.__doc__ = text
    return f, ()


def function_name(text):
    f = function_of(PLAIN)
    f.__name__ = f.__qualname__ = f.__module__ = text
    return f, ()


def keyword_argument(text):
    f = function_of("def f(x, **rest):\n    return np.sum(x * sum(rest.values()))\n")
    return f, (), {text: Variable(np.ones(2), requires_grad=True), "k": 2.0}


def dict_key(text):
    f = function_of(
        "def f(x, d):\n    return np.sum(x * x) * sum(map(np.sum, d.values()))\n"
    )
    return f, ({text: np.float64(2.0), "k": Variable(np.ones(2), requires_grad=True)},)


def returned_dict_key(text):
    return function_of(f"def f(x):\n    return {{{text!r}: np.sum(x * x)}}\n"), ()


def static_argument(text):
    f = function_of("def f(x, s, b):\n    return np.sum(x * len(s) / len(b))\n")
    return f, (text, text.encode("utf-8", "surrogatepass"))


def enum_as_axis(text):
    axis = enum.IntEnum("Axis", {"FIRST": 0, "SECOND": 1})
    axis.__name__ = axis.__qualname__ = class_name(text)
    f = function_of("def f(x, axis):\n    return np.sum(np.cumsum(x, axis=axis) * x)\n")
    return f, (axis(0),)


def name_of_a_namedtuple(text):
    pair = namedtuple("Pair", "a b")
    pair.__name__ = pair.__qualname__ = class_name(text)
    f = function_of("def f(x, p):\n    return np.sum(x * p.a)\n")
    return f, (pair(np.ones(2), 2.0),)


def name_of_a_function_of_the_users(text):
    class Double(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            return g * 2.0

    Double.__name__ = Double.__qualname__ = class_name(text)
    f = function_of(
        "def f(x):\n    return np.sum(F.apply(x) * np.exp(F.apply(x)))\n", F=Double
    )
    return f, ()


def dtype_with_fields(text):
    fields = np.dtype([(text.replace("\x00", "") or "a", float), ("k", int)])
    source = "def f(x, d):\n    return np.sum(x * np.zeros(2, d).size * d.itemsize)\n"
    return function_of(source), (fields,)


def primitive(text):
    """A user's own function with a rule, whatever it calls itself."""

    def scaled(x, **options):
        return x * 2.0 + len(options)

    srcgrad.defvjp(scaled, x=lambda g: g * 2.0)
    scaled.__name__ = scaled.__qualname__ = scaled.__module__ = text
    source = f"def f(x):\n    return np.sum(scaled(x, **{{{text!r}: 1, 'k': 2}}))\n"
    return function_of(source, scaled=scaled), ()


def primitive_in_a_module(text):
    """The same where the name that it has would lead to it."""

    def scaled(x):
        return x * 2.0

    srcgrad.defvjp(scaled, x=lambda g: g * 2.0)
    module = text.replace(".", "")
    scaled.__module__ = module
    scaled.__name__ = scaled.__qualname__ = module
    sys.modules[module] = types.ModuleType("hostile")
    setattr(sys.modules[module], module, scaled)
    source = "def f(x):\n    return np.sum(scaled(x) * x)\n"
    return function_of(source, scaled=scaled), ()


def attribute_outside(text):
    holder = types.SimpleNamespace(**{text: 2.0, "n": 3})
    f = function_of(
        f"def f(x):\n    return np.sum(x * getattr(o, {text!r}))\n", o=holder
    )
    return f, ()


def number_outside(text):
    """One that is a condition, not an input."""
    holder = types.SimpleNamespace(**{text: 2, "n": 3})
    return function_of(
        f"def f(x):\n    return np.sum(x ** getattr(o, {text!r}))\n", o=holder
    ), ()


def key_outside(text):
    table = {text: np.ones(2), "n": 3}
    return function_of(
        f"def f(x):\n    return np.sum(x * d[{text!r}] * len(d))\n", d=table
    ), ()


def keys_outside(text):
    table = {text: 2.0, "n": 3.0}
    source = "def f(x):\n    return sum(np.sum(x) * d[k] for k in d)\n"
    return function_of(source, d=table), ()


def text_outside(text):
    return function_of("def f(x):\n    return np.sum(x * len(s))\n", s=text), ()


def class_outside(text):
    own = function_of("def f(self, x):\n    return x * self.n\n", "method.py")
    kind = type("Made", (), {"scale": 2.0, "n": 2, "own": own})
    kind.__name__ = kind.__qualname__ = class_name(text)
    kind.__module__ = text
    source = "def f(x):\n    return np.sum(o.own(x) * o.scale * K.scale)\n"
    return function_of(source, o=kind(), K=kind), ()


def members_by_name(text):
    """A method and a property that only ``getattr`` finds."""
    kind = type("Made", (), {"n": 2.0})
    method = function_of("def f(self, x):\n    return x * self.n\n", "method.py")
    getter = function_of("def f(self):\n    return self.n\n", "getter.py")
    setattr(kind, f"{text}m", method)
    setattr(kind, f"{text}p", property(getter))
    names = f"{text}m", f"{text}p"
    source = "def f(x):\n    return np.sum(getattr(o, {!r})(x) * getattr(o, {!r}))\n"
    return function_of(source.format(*names), o=kind()), ()


def keyword_of_a_cached_function(text):
    cached = functools.cache(
        function_of("def f(**rest):\n    return sum(rest.values())\n", "cached.py")
    )
    source = f"def f(x):\n    return np.sum(x * c(**{{{text!r}: 2.0}}))\n"
    return function_of(source, c=cached), ()


def effects(text):
    source = (
        "def f(x):\n"
        "    y = np.sum(x * x)\n"
        f"    d[{text!r}] = y\n"
        f"    l.append(({text!r}, f'{{y:.3f}}'))\n"
        "    return y\n"
    )
    return function_of(source, d={}, l=[]), ()


def branches_and_loops(text):
    source = (
        "def f(x):\n"
        "    y = np.sum(x * x)\n"
        f"    if y < 9.0 and d[{text!r}] != {text!r}:\n"
        "        y = y * 2.0\n"
        "    for key, value in d.items():\n"
        "        y = y * value\n"
        "    return y\n"
    )
    table = {text: 2.0, **{f"{text}{i}": float(i) for i in range(1, 5)}}
    return function_of(source, text.translate({0: None, 0xD800: None}), d=table), ()


def module_outside(text):
    module = types.ModuleType(text)
    module.scale, module.n = 2.0, 3
    module.helper = function_of("def f(x):\n    return x * 2.0\n", f"{len(text)}.py")
    module.helper.__name__ = module.helper.__module__ = text
    source = "def f(x):\n    return np.sum(m.helper(x) * m.scale) * m.n\n"
    return function_of(source, m=module), ()


def environment(text):
    return function_of(PLAIN), ()


DOORS = (
    file_name,
    source_line,
    string_in_source,
    docstring,
    function_name,
    keyword_argument,
    dict_key,
    returned_dict_key,
    static_argument,
    enum_as_axis,
    name_of_a_namedtuple,
    name_of_a_function_of_the_users,
    dtype_with_fields,
    primitive,
    primitive_in_a_module,
    attribute_outside,
    number_outside,
    key_outside,
    keys_outside,
    text_outside,
    class_outside,
    members_by_name,
    keyword_of_a_cached_function,
    effects,
    branches_and_loops,
    module_outside,
    environment,
)


# ----- What must hold -----


def result_of(function, args, kwargs):
    """The value and the gradients of a call."""
    x = Variable(np.array([0.5, -1.5]), requires_grad=True)
    out = function(x, *args, **kwargs)
    (value,) = out.values() if isinstance(out, dict) else (out,)
    value.sum().backward()
    return [float(value.data), *x.grad.data.tolist()]


def assert_harmless(source):
    """Every line is printable, it is Python, and the payload is in no code."""
    assert all(line.isprintable() for line in source.split("\n"))
    ast.parse(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        assert token.type != tokenize.NAME or token.string != "canary"


@pytest.fixture
def modules_are_restored():
    before = sys.modules.copy()
    yield
    sys.modules.clear()
    sys.modules.update(before)


@pytest.mark.usefixtures("rules_are_restored", "modules_are_restored")
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.seeds(12)
def test_no_text_becomes_code(door, seed, monkeypatch):
    generator = random.Random(f"{door.__name__} {seed}")
    text = text_of(generator, NO_FILE if door is file_name else "")
    function, args, *rest = door(text)
    kwargs = rest[0] if rest else {}
    if door is environment:
        plain = text.replace("\x00", "").replace("\ud800", "")
        for name in ("SRCGRAD_HEADER", "PYTHONSTARTUP", "PWD"):
            monkeypatch.setenv(name, plain)
    canary.clear()
    expected = result_of(function, args, kwargs)
    traced = srcgrad.trace(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert result_of(traced, args, kwargs) == pytest.approx(expected)
    assert canary == []
    assert traced.stats.compiled == 2, traced.explain()
    assert_harmless(traced.source())
    assert all(line.isprintable() for line in traced.explain().split("\n"))
