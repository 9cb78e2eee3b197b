"""Where a function's source is: the right one of several, or none."""

import ast
import linecache
import sys

import gast
import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.user_code.sources import Uninstrumentable, codes_in, definition_of
from tests.tracing.comparing import X, same_through


def test_without_source_a_function_stays_on_the_tape():
    namespace = {}
    exec("def made(x):\n    return x * 2.0", namespace)
    traced = same_through(
        namespace["made"],
        *[lambda: (X,)] * 3,
        refused="the source of made is not ",
    )
    with pytest.raises(RuntimeError, match="the source of made is not "):
        traced.source()


# ----- Definitions -----


def decorator(function):
    return function


@decorator
@decorator
def decorated(x):
    return x + 1.0


def outer():
    def inner(x):
        return x - 1.0

    return inner


def test_a_definition_is_the_one_that_a_code_object_comes_from():
    found = definition_of(decorated.__code__)
    assert (found.name, gast.unparse(found.body[0])) == ("decorated", "return x + 1.0")
    found = definition_of(outer().__code__)
    assert (found.name, gast.unparse(found.body[0])) == ("inner", "return x - 1.0")
    found = definition_of((lambda x: x * 7.0).__code__)
    assert gast.unparse(found.body) == "x * 7.0"


def test_lambdas_on_one_line_are_told_apart():
    f, g = (lambda x: x * 2.0), (lambda x: x * 3.0)
    assert gast.unparse(definition_of(f.__code__).body) == "x * 2.0"
    assert gast.unparse(definition_of(g.__code__).body) == "x * 3.0"
    f = lambda x: lambda y: x * y + (lambda z: z * 4.0)(x)  # noqa: E731
    outer, inner = definition_of(f.__code__), definition_of(f(1.0).__code__)
    assert gast.unparse(outer.body).startswith("lambda y")
    assert gast.unparse(inner.body).startswith("x * y + (lambda z")
    equal = [lambda x: x * 5.0, lambda x: x * 5.0]
    for each in equal:
        assert gast.unparse(definition_of(each.__code__).body) == "x * 5.0"


def load(path, text):
    path.write_text(text)
    linecache.checkcache(str(path))
    namespace = {}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["f"]


def test_a_file_that_was_changed_since_is_no_source(tmp_path):
    path = tmp_path / "program.py"
    f = load(path, "def f(x):\n    return x * 2.0\n")
    assert definition_of(f.__code__).name == "f"
    load(path, "def f(x):\n    return x * 333.0\n")
    with pytest.raises(Uninstrumentable, match="not what was compiled"):
        definition_of(f.__code__)
    path.write_text("def f(x:\n")
    linecache.checkcache(str(path))
    with pytest.raises(Uninstrumentable, match="cannot be parsed"):
        definition_of(f.__code__)


def test_the_statements_of_a_cell_are_compiled_one_by_one(tmp_path, monkeypatch):
    path = tmp_path / "cell.py"
    path.write_text("import numpy as np\ndef f(x):\n    return np.sum(x * 2.0)\n")
    for statement in ast.parse(path.read_text()).body:
        exec(compile(ast.Module([statement], []), str(path), "exec"), namespace := {})
    monkeypatch.setitem(sys.modules, "IPython", sys)
    assert definition_of(namespace["f"].__code__).name == "f"


def test_a_reason_says_where(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("x = 1\n    yield x\n")
    reason = Uninstrumentable("is a generator", str(path), 2)
    assert str(reason) == f"{path}:2: yield x: is a generator"
    assert str(Uninstrumentable("is not there")) == "is not there"


def test_code_objects_are_found_however_deep():
    names = [code.co_name for code in codes_in(outer.__code__)]
    assert names == ["outer", "inner"]


# ----- Private names -----


def __scaled(x):
    return x * 2.0


def _Model__scaled(x):  # noqa: N802 - what `__scaled` means inside Model
    return x * 7.0


def _Inner__scaled(x):  # noqa: N802
    return x * 11.0


class __Model:
    @staticmethod
    def call(x):
        return __scaled(x)

    @staticmethod
    def locals(x, __factor=3.0):
        __y = x * __factor
        return (lambda __z: __z + __scaled(__y))(x)

    @staticmethod
    def comprehension(x):
        def __inner(__a):
            return sum([__b * __a for __b in (x, x)])

        return __inner(x)

    @staticmethod
    def rebound(x):
        __n = 1.0

        def add():
            nonlocal __n
            __n = __n + 1.0

        add()
        return x * __n

    @staticmethod
    def bound(x):
        import math as __m

        match [1.0, {"a": x}]:
            case [*__first, {"a": __a, **__rest}]:
                return __a * __m.pi + len(__first) + len(__rest)

    class Inner:
        @staticmethod
        def call(x):
            return __scaled(x)


class Model(__Model):
    def method(self, x):
        return __scaled(x) + 1.0


PRIVATE = [
    *(__Model.call, __Model.locals, __Model.comprehension, __Model.bound),
    __Model.rebound,
    __Model.Inner.call,
]


@pytest.mark.parametrize("function", [*PRIVATE, Model().method])
def test_private_names_mean_what_they_mean_in_a_class(function):
    traced = srcgrad.trace(function)
    for _ in range(2):
        np.testing.assert_array_equal(traced(X), function(X))
    assert traced.stats.compiled == 1, traced.explain()


def test_functions_of_a_file_of_tests_are_followed_with_what_they_assert():
    def checked(x):
        first = np.float64(x[0])
        assert first > 0.0, "the first is positive"
        return first * x.sum()

    same_through(checked, *[lambda: (X,)] * 3, compiled=2)
    traced = srcgrad.trace(checked)
    traced(np.abs(X))
    with pytest.raises(AssertionError, match="the first is positive"):
        traced(-np.abs(X))


def test_a_function_that_is_not_what_its_file_says_is_no_test_either():
    def checked(x):
        assert x.shape
        return x * 2.0

    other = checked.__code__.replace(co_consts=(*checked.__code__.co_consts, "changed"))
    with pytest.raises(Uninstrumentable, match="not what was compiled"):
        definition_of(other)
