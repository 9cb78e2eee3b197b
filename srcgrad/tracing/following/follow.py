"""``Follower``: what the followed copy of a user's function calls (``__srcgrad__``).

The copy does what the user wrote, and also what NumPy's protocols alone could not do
with a Variable. It follows the calls into the user's functions. What it cannot follow
(there is no source) runs as it is.

>>> import math
>>> import srcgrad
>>> def f(x):
...     h = np.zeros(2)
...     h[0] = math.sin(x)
...     h[1] = x
...     return np.sum(h)
>>> srcgrad.grad(f)(0.0)
2.0
"""

import abc
import builtins
import contextlib
import dataclasses
import functools
import operator
import sys
from collections import deque
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from srcgrad.facts import UNKNOWN, facts_of
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, first_variable, meant
from srcgrad.rules import libraries
from srcgrad.tape.foreign import Storing, is_of_numbers
from srcgrad.tape.function import Leaf
from srcgrad.tape.operands import LIST_TYPES
from srcgrad.tape.plain_writes import Written, note
from srcgrad.tape.variable import FAST, Variable
from srcgrad.tracing.arrays.class_patterns import PATTERNS
from srcgrad.tracing.arrays.concatenators import concatenated, is_concatenator
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    FunctionalView,
    array_of,
    contents_of,
    let_out,
)
from srcgrad.tracing.arrays.python_numbers import is_followed
from srcgrad.tracing.arrays.replacements import (
    HIDING,
    is_of_numpy,
    method_of_array,
    method_of_variable,
    replacement_of,
)
from srcgrad.tracing.arrays.vectorizing import Vectorized
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.class_members import class_member
from srcgrad.tracing.environment.conditions import MISSING
from srcgrad.tracing.environment.iterators import next_of
from srcgrad.tracing.environment.sampled_draws import is_numpys_draw, sampled
from srcgrad.tracing.environment.storing_calls import is_statement
from srcgrad.tracing.environment.trust import (
    AUGMENTED,
    CACHED,
    is_dispatcher,
    is_library,
    is_users,
)
from srcgrad.tracing.environment.with_statements import generator_of, managed
from srcgrad.tracing.following import special_methods
from srcgrad.tracing.following.given import with_contents, with_numbers
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.following.special_methods import real
from srcgrad.tracing.user_code.copies import is_copied
from srcgrad.tracing.user_code.followed_copy import (
    FOLLOWER_CELL,
    NUMPY_FUNCTION_TYPES,
    copied,
)
from srcgrad.tracing.user_code.list_operands import OPERATORS, operated

# What to call for the functions of modules that are no Python functions, by these.
_known: dict[Any, Any] = {}
# Those of NumPy's that are called as they are with an array or number alone; and what
# they come to with a Variable.
_of_one: dict[Any, Any] = {}
# Types of such functions.
MODULE_FUNCTIONS = frozenset({np.ufunc, type(np.sum), BuiltinFunctionType, type})
BUILTIN = frozenset(kind for kind in vars(builtins).values() if type(kind) is type)
# Methods of Variables that are not the user's.
_of_variables: set[FunctionType] = set()


class Follower:
    """``__srcgrad__`` in a followed copy."""

    # ----- Calls -----

    def of(self, function: Any) -> Any:
        """What to call for ``function``, with the same arguments."""
        kind = type(function)
        if kind is FunctionType:
            copy = copied(function)
            if copy.is_plain:
                return function
            return self._found(function) if copy.code is None else copy.of(function)
        if kind in MODULE_FUNCTIONS:
            found = _known.get(function)
            if found is not None:
                return found
        if kind is MethodType or kind is BuiltinFunctionType:
            found = _of_array(function) or self._of_method(function)
            if found is not None:
                return found
        found = self._found(function)
        if kind in MODULE_FUNCTIONS and _is_lasting(function):
            _known[function] = found = OBJECTS.taking(function, found)
        return found

    def _of_method(self, method: Any) -> Any:
        """What to call for a method of most kinds, which is known at once, or None."""
        if type(method) is BuiltinFunctionType:
            return _of_python(method)
        function, owner = method.__func__, method.__self__
        if type(function) is not FunctionType:
            return None
        found = copied(function)
        if found.is_plain:
            return method
        return None if found.code is None else MethodType(found.of(function), owner)

    def one(self, function: Any, arg: Any) -> Any:
        """``function(arg)``, mostly one of NumPy's."""
        if type(function) in NUMPY_FUNCTION_TYPES:
            of_variable = _of_one.get(function)
            if of_variable is not None:
                if type(arg) is Variable:
                    return of_variable(arg)
                if not HIDING[type(arg)]:
                    return function(arg)
            elif is_of_numpy(self.of(function)):
                _of_one[function] = FAST.get(function, function)
        called = self.of(function)
        return called(arg)

    def _found(self, function: Any) -> Any:
        kind: Any = type(function)
        if function is next:
            return next_of
        if function is getattr:
            return self._attribute
        if kind in GETTERS:
            return self._getter(function)
        if (generator := generator_of(function)) is not None:
            run = self.of(generator)
            return lambda *args, **kwargs: managed(run, args, kwargs)
        if function is dataclasses.replace:
            return OBJECTS.replaced
        if is_statement(function):
            return self._statement(function)
        if kind is FunctionType:
            copy = self.copy_of(function)
            if copy is not function:
                return copy
            if is_dispatcher(function):
                return self._dispatcher(function)
            is_known = libraries.has_replacement(function)
            return self._algorithm(function) if is_known else _unfollowed(function)
        if kind is MethodType:
            return self._method(function)
        if function is np.vectorize:
            return function  # what it calls is followed when it does
        if isinstance(function, type):
            return self._class(function)
        if kind is functools.partial:
            followed = self.of(function.func)
            return functools.partial(followed, *function.args, **function.keywords)
        if is_ours(function):
            return with_contents(function, contents_of)
        if kind is CACHED:
            return self._uncached(function)
        if kind is np.vectorize and callable(function.pyfunc):
            return Vectorized(function, self.of(function.pyfunc))
        call = getattr(kind, "__call__", None)  # noqa: B004 (what a call runs)
        if type(call) is FunctionType and is_users(call):
            return MethodType(self.copy_of(call), function)
        if _calls(function):
            return self._caller(function)
        if libraries.has_replacement(function):
            return self._algorithm(function)
        return _unfollowed(function)

    def _statement(self, function: Any) -> Any:
        """``setattr``, or another function that stores as a statement does."""
        if function is operator.delitem:  # as `del item[index]`, which is left alone
            return function
        target = self.target if function is operator.setitem else self.holder
        return lambda item, *rest: function(target(item), *rest)

    def _dispatcher(self, function: Any) -> Any:
        """A function with ``functools.singledispatch``."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if not args:
                return function(*args, **kwargs)  # the error
            found = function.dispatch(self.of(type)(args[0]))
            return self.of(found)(*args, **kwargs)

        return call

    def _algorithm(self, function: Any) -> Any:
        """A function of SciPy's that knows Variables, and may call the user's."""
        found = replacement_of(function)

        def call(*args: Any, **kwargs: Any) -> Any:
            return found(*self.within(args), **self.within(kwargs))

        return call

    def within(self, item: Any) -> Any:
        """The same with followed copies of the user's functions, in containers too."""
        kind = type(item)
        if kind is FunctionType:
            return _leaving(self.copy_of(item), item)
        if kind is MethodType:
            function: Any = item.__func__
            is_own = type(function) is FunctionType and is_users(function)
            return _leaving(self._method(item), item) if is_own else item
        if kind in (tuple, list):
            parts = list(map(self.within, item))
            # Who changes a list that it is given changes the user's.
            is_same = all(new is old for new, old in zip(parts, item, strict=True))
            return item if is_same else kind(parts)
        if kind is dict:
            found = {key: self.within(each) for key, each in item.items()}
            return item if all(found[key] is item[key] for key in item) else found
        if kind is functools.partial:
            args, keywords = self.within((item.args, item.keywords))
            return functools.partial(self.within(item.func), *args, **keywords)
        call = getattr(kind, "__call__", None)  # noqa: B004 (what a call runs)
        if type(call) is not FunctionType or not is_users(call):
            return item
        return _leaving(MethodType(self.copy_of(call), item), call)

    def copy_of(self, function: FunctionType) -> FunctionType:
        """The followed copy of a function; itself if it cannot be followed."""
        found = copied(function)
        if found.code is None:
            return function
        return found.of(function)

    def _method(self, method: MethodType) -> Any:
        function: Any = method.__func__
        if type(function) is FunctionType and is_users(function):
            return MethodType(self.copy_of(function), method.__self__)
        if type(method.__self__) is Variable and type(function) is FunctionType:
            _of_variables.add(function)
        if is_numpys_draw(method):
            return lambda *args, **kwargs: sampled(method, args, kwargs)
        if isinstance(method.__self__, contextlib.ExitStack):
            return OBJECTS.given_to(_unfollowed(method))
        return _unfollowed(OBJECTS.mixed_in(method))

    def _class(self, cls: type[Any]) -> Any:
        """A class whose ``__init__`` is the user's; what stands for ``np.float64``."""
        methods: Any = cls  # of any signature
        start = methods.__init__
        if OBJECTS.start_in_own_way(cls):
            return functools.partial(OBJECTS.made, cls)
        is_plain = type(cls) in (type, abc.ABCMeta)
        new = getattr(class_member(cls, "__new__"), "__func__", None)
        if is_plain and type(new) is FunctionType and is_users(new):
            return functools.partial(self._created, cls, new)
        if is_plain and type(start) is FunctionType and is_users(start):
            copy = self.copy_of(start)
            if copy is not start and methods.__new__ is object.__new__:
                return functools.partial(_construct, cls, copy)
        return self._caller(cls) if _calls(cls) else _unfollowed(cls)

    def _created(
        self, cls: type[Any], new: FunctionType, *args: Any, **kwargs: Any
    ) -> Any:
        """``cls(*args, **kwargs)``, whose ``__new__`` is the user's."""
        item = self.of(new)(cls, *args, **kwargs)
        start: Any = type(item).__init__
        if isinstance(item, cls) and start is not object.__init__:
            self.of(start)(item, *args, **kwargs)
        return item

    def _uncached(self, function: Any) -> Any:
        """A function with ``lru_cache``: with a Variable nothing may be remembered."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if first_variable((*args, *kwargs.values())) is None:
                return function(*args, **kwargs)
            return self.of(function.__wrapped__)(*args, **kwargs)

        return call

    def _caller(self, function: Any) -> Any:
        """A function that calls some of its arguments, such as ``map``."""

        is_numpys = (getattr(function, "__module__", None) or "").startswith("numpy")

        def follow(arg: Any) -> Any:
            is_dtype = is_numpys and isinstance(arg, type)
            return self.of(arg) if callable(arg) and not is_dtype else arg

        def call(*args: Any, **kwargs: Any) -> Any:
            args = tuple(map(follow, args))
            kwargs = {key: follow(arg) for key, arg in kwargs.items()}
            return replacement_of(function)(*args, **kwargs)

        return call

    def member(self, item: Any, name: str) -> Any:
        """``item.name``, which may be a property of the user's."""
        kind = type(item)
        # A class that finds attributes its own way is asked, whatever it defines.
        if kind in PLAIN_OWNERS or type(kind.__getattribute__) is FunctionType:
            return getattr(item, name)
        found = getattr(kind, name, MISSING)
        if type(found) is property and type(found.fget) is FunctionType:
            return self.of(found.fget)(item)
        if type(found) is functools.cached_property and name not in vars(item):
            value = vars(item)[name] = self.of(found.func)(item)
            return value
        if found is MISSING:
            if type(getattr(kind, "__getattr__", None)) is FunctionType:
                return OBJECTS.computed(item, name)
        elif type(found) is not FunctionType:
            value = OBJECTS.described(item, name)
            if value is not MISSING:
                return value
        return getattr(item, name)

    patterns = PATTERNS

    def _getter(self, getter: Any) -> Any:
        """``operator.attrgetter("a.b")``, ``operator.methodcaller("m", x)``"""
        kind, (name, *rest) = getter.__reduce__()
        if kind is operator.methodcaller:
            return lambda item: self.of(self.member(item, name))(*rest)
        if kind is not operator.attrgetter:  # with keywords
            return getter

        def get(item: Any, path: str = name) -> Any:
            return functools.reduce(self.member, path.split("."), item)

        names = (name, *rest)
        return (lambda item: tuple([get(item, n) for n in names])) if rest else get

    def _attribute(self, item: Any, name: str, *default: Any) -> Any:
        """``getattr``"""
        try:
            return self.member(item, name)
        except AttributeError:
            if not default:
                raise
        return default[0]

    # ----- Python's syntax, see `special_methods` -----

    @staticmethod
    def seen(item: Any) -> Any:
        """What Python is given where it runs special methods of ``item``."""
        return item if type(item) in TYPES_OF_NUMBERS else OBJECTS.seen(item)

    real = staticmethod(real)

    def operated(self, symbol: str, first: Any, second: Any) -> Any:
        """``first @ second``, say."""
        if type(first) in OPERANDS and type(second) in OPERANDS:
            return OPERATORS[symbol](first, second)
        return operated(symbol, OBJECTS.seen(first), OBJECTS.seen(second))

    def in_place(self, symbol: str, item: Any, value: Any) -> Any:
        """What ``item @= value``, say, makes of the item."""
        return real(AUGMENTED[symbol](self.seen(item), self.seen(value)))

    def setting(self, item: Any, name: str) -> Any:
        """What ``.name = value`` is done to."""
        return OBJECTS.setting(self.holder(item), name)

    def dropping(self, item: Any) -> Any:
        """What ``del item[index]`` is done to."""
        return self.seen(self.holder(item))

    # ----- Arrays that it makes -----

    def made(self, value: Any) -> Any:
        """An array that may be written into; if nobody else has it, functional."""
        if type(value) is np.ndarray:
            base = value.base
            is_own = sys.getrefcount(value) == FRESH and (
                base is None or sys.getrefcount(base) == FRESH_BASE
            )
            return (
                FunctionalArray(value)
                if is_own and value.dtype.kind in "fciub"
                else value
            )
        if not isinstance(value, Variable):
            return value
        if type(meant(value.value)) is not np.ndarray:
            return value
        if sys.getrefcount(value) != FRESH or not _is_own(value):
            return value
        if not is_followed(value):
            return value  # the user's own Variables keep the rules of the tape
        if value.value.base is not None and state.recorder is None:
            return FunctionalArray(type(value).make(np.array(value.value), value.edge))
        return FunctionalArray(value)

    def handed(self, value: Any) -> Any:
        """The same of a result that goes straight to a function."""
        if type(value) is not np.ndarray or sys.getrefcount(value) != FRESH:
            return value
        base = value.base
        if base is not None and sys.getrefcount(base) != FRESH_BASE:
            return value
        return FunctionalArray(value) if value.dtype.kind in "fciub" else value

    def item(self, item: Any, index: Any) -> Any:
        """``item[index]``"""
        return item[index]

    def concatenated(self, indexer: Any, key: Any) -> Any:
        """``np.r_[key]``, ``np.c_[key]``"""
        is_numpys = is_concatenator(indexer)
        return concatenated(indexer, key) if is_numpys else self.item(indexer, key)

    def holder(self, item: Any) -> Any:
        """What is stored into, and is to hold ndarrays in the end."""
        if type(item) is np.ndarray:  # `item.flat = value`
            note(item)
        if type(item) not in WITHOUT_OBJECTS and state.left_behind is not None:
            state.left_behind.note(item)
        return item

    def target(self, item: Any) -> Any:
        """What is stored into by ``item[index] = value``."""
        if is_of_numbers(item):
            return Storing(item)
        if type(item) is np.ndarray:
            return Written(item)
        return self.seen(self.holder(item))

    def updated(self, item: Any) -> Any:
        """The same by ``item[index] += value``."""
        item = self.target(item)
        return OBJECTS.updated(item) if type(item) in (list, dict) else item

    def changing(self, item: Any, names: tuple[str, ...], value: Any) -> Any:
        """The value that is going to change ``item``, or an attribute of it."""
        for name in names:
            item = getattr(item, "__dict__", {}).get(name)
        if type(item) in LIST_TYPES and type(value) is np.ndarray:
            return _of_list(item, value)
        if isinstance(item, (np.ndarray, list, dict, set, deque)):
            self.holder(item)
        is_array = isinstance(item, (np.ndarray, ArrayProtocol))
        return _as_array(value) if is_array else value

    def _count(self, value: Any) -> int:
        return sys.getrefcount(value)

    def _count_base(self, value: Any) -> int:
        base = value.base
        return sys.getrefcount(base)


def _as_array(operand: Any) -> Any:
    return array_of(operand) if type(operand) in LIST_TYPES else operand


def _of_list(item: Any, value: np.ndarray[Any, Any]) -> Any:
    """An array that is added to a list, which makes one of the list as well."""
    variable = first_variable(item)
    kind: Any = type(variable)
    return value if variable is None else kind.make(value, None)


def _of_array(method: Any) -> Any:
    """What to call for a method of an array, if that is known at once."""
    owner = method.__self__
    if type(owner) is np.ndarray:
        found = method_of_array(method, owner)
        return None if found is method else found
    if type(owner) is not Variable or type(method) is not MethodType:
        return None
    function: Any = method.__func__
    is_own = type(function) is FunctionType and function in _of_variables
    return method_of_variable(method, owner) if is_own else None


def _of_python(method: Any) -> Any:
    """The same for a method of a container of Python's own, or of a generator."""
    owner = method.__self__
    if type(owner) is GeneratorType:
        return with_contents(method, let_out)
    if type(owner) is str and method.__name__ == "format":
        return OBJECTS.given_to(method)
    return _of_container(method) if type(owner) in FILLED_TYPES else None


def _of_container(method: Any) -> Any:
    if method.__name__ in FILLERS:
        FOLLOWER.holder(method.__self__)
    return method


def _is_lasting(function: Any) -> bool:
    """Whether it is a module's, and not made by the user."""
    if type(function) is type:
        return function in BUILTIN
    owner = getattr(function, "__self__", None)
    return owner is None or isinstance(owner, ModuleType)


def _calls(function: Any) -> bool:
    """Whether it is known to call what it is given."""
    known = facts_of(function)
    return known.calls and known is not UNKNOWN


# What looks up attributes, and methods, of what it is called with.
GETTERS = frozenset({operator.attrgetter, operator.methodcaller})

# Modules whose functions hand on what they get, or keep it; or look at their caller.
KEEPERS = frozenset(
    "builtins itertools functools _functools collections _collections operator "
    "_operator heapq _heapq queue _queue copy "
    "warnings _warnings sys inspect logging".split()
)
FILLED_TYPES = (list, dict, set, tuple, deque, str)
# Their methods that put something in.
FILLERS = frozenset("add append appendleft extend insert setdefault update".split())


def _unfollowed(function: Any) -> Any:
    """What to call for a function that has no followed copy: a library's, mostly."""
    if type(function) is FunctionType and is_copied(function.__code__):
        return function  # of what is traced; nothing is to keep it
    found = replacement_of(function)
    if found is not function:
        return found
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (ArrayProtocol, *FILLED_TYPES)):
        return _of_container(function)
    if _keeps(function):
        return function
    is_transform = getattr(function, "is_transform", False)
    if is_transform:
        return with_contents(function, contents_of)
    return with_contents(with_numbers(function), let_out)


def _keeps(function: Any) -> bool:
    """Whether a function may keep an array, which then has to stay one for all."""
    if isinstance(function, FunctionType):
        return is_users(function) or function.__module__ in KEEPERS
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and (module in KEEPERS or _is_users_module(module))


@functools.cache
def _is_users_module(name: str) -> bool:
    module = sys.modules.get(name)
    return module is None or not is_library(module)


def _leaving(copy: Any, function: Any) -> Any:
    """A followed copy for code that knows no arrays of a function's own."""
    is_within = isinstance(function, FunctionType) and is_copied(function.__code__)
    if copy is function and not is_within:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return left(copy(*args, **kwargs))

    return call


def _is_own(variable: Variable) -> bool:
    """Whether a Variable was computed, and no other one shares its memory."""
    edge: Any = variable.edge
    is_leaf = edge is not None and type(edge) is tuple and type(edge[0]) is Leaf
    storage = variable.storage
    return not is_leaf and (storage is None or storage.sharing() == 1)


def _construct(
    cls: type[Any], start: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    item = object.__new__(cls)
    start(item, *args, **kwargs)
    return item


# Types whose elements are no objects.
WITHOUT_OBJECTS = frozenset(
    {Variable, FunctionalArray, FunctionalView, np.ndarray, str, tuple}
)

# Types without properties of the user's.
PLAIN_OWNERS = frozenset(
    {
        Variable,
        FunctionalArray,
        FunctionalView,
        np.ndarray,
        ModuleType,
        type,
        dict,
        list,
        str,
    }
)

# What holds nothing that a special method of the user's could be asked for.
TYPES_OF_NUMBERS = special_methods.PYTHONS_TYPES
OPERANDS = TYPES_OF_NUMBERS - LIST_TYPES

FOLLOWER = Follower()
OBJECTS = special_methods.Objects(FOLLOWER.of)
# The references to a value that nobody has but the call of `made`.
FRESH = FOLLOWER._count(np.zeros(1))
FRESH_BASE = FOLLOWER._count_base(np.zeros((1, 1)).reshape(1))
FOLLOWER_CELL.cell_contents = FOLLOWER
