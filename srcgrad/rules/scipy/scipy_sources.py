"""SciPy's own Python functions and classes, run on Variables, where that needs no rule.

A copy of the function's source is compiled in which ``x[i] = v`` makes a new array, and
``np.asarray`` and ``float`` leave a Variable what it is. What the function calls of
SciPy's is reached by its own rule, or is such a copy too.

>>> import srcgrad
>>> from scipy import signal
>>> round(srcgrad.grad(on_variables(signal.gauss_spline))(0.5, 2), 6)
-0.967883
"""

import copy
import functools
import importlib
import inspect
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import first_variable
from srcgrad.pytree import flatten
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS, reaching, replacement_of
from srcgrad.rules.reflections import reflected
from srcgrad.rules.scipy import arrays_in_sources as within
from srcgrad.rules.scipy.precision import doubles
from srcgrad.rules.scipy.rewriting import factory_of
from srcgrad.rules.scipy.without import refuse

# What runs as a copy, and the classes of which there are copies.
FUNCTIONS: set[Operation] = set()
CLASSES: set[type] = set()
ALWAYS: set[type] = set()
# What takes the place of SciPy's compiled functions that are not public, by their ids.
KERNELS: dict[int, Operation] = {}


def instead_of(compiled: Any, own: Operation) -> None:
    """Run ``own`` where a copy calls a compiled function."""
    KERNELS[id(compiled)] = own


# ----- What the global names of SciPy's modules stand for -----
class Module:
    """One of SciPy's modules, to a copy."""

    def __init__(self, original: ModuleType) -> None:
        self._original = original

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = in_copy(getattr(self._original, name), name)
        return found


def module_in_copy(item: ModuleType) -> Any:
    """A module of SciPy's, in which all is as it is in copies; another as it is."""
    if item is copy:
        return SimpleNamespace(copy=copy.copy, deepcopy=copy.copy)
    if not item.__name__.startswith("scipy"):
        return item
    found: Any = Module(item)
    if item.__name__.endswith("array_api_extra"):
        found.at, found.apply_where = within.At, within.apply_where
        found.lazy_apply = within.lazy_apply
    return found


def imported(module: str, name: str) -> Any:
    """What a copy imports when it runs."""
    return in_copy(getattr(importlib.import_module(module), name), name)


def in_copy(item: Any, name: str) -> Any:
    """What a name of SciPy's stands for in copies."""
    if name in within.BY_NAME:
        return within.BY_NAME[name]
    if isinstance(item, ModuleType):
        return module_in_copy(item)
    if item is np.r_:
        return within.NUMPY.r_
    if item is np.ndarray:
        return within.AnyArray
    if type(item) is dict:
        return {key: in_copy(each, "") for key, each in item.items()}
    if type(item) in (tuple, list):
        return type(item)([in_copy(each, "") for each in item])
    if id(item) in KERNELS:
        return KERNELS[id(item)]
    if isinstance(item, np.ufunc):
        return within.OfLists(item)
    module = getattr(item, "__module__", None)
    if not isinstance(module, str) or not callable(item):
        return item
    if isinstance(item, type):
        return class_in_copy(item)
    if module == "math":
        return getattr(within.MATH, name)
    if getattr(np, name, None) is item:
        return getattr(within.NUMPY, name)
    if module == "numpy.linalg":
        return within.OfLists(item)
    if not module.startswith("scipy"):
        return item
    if item in FUNCTIONS:
        return copied(item)
    found = reflected(item)
    if found is not item:
        return without_decoration(found) if type(item) is FunctionType else found
    return copied(item) if type(item) is FunctionType else item


def class_in_copy(kind: Any) -> Any:
    if not CLASSES.isdisjoint(kind.__mro__):
        return copied_class(kind)
    found = reflected(kind)
    return found if isinstance(found, type) else kind


@functools.cache
def without_decoration(function: Operation) -> Operation:
    """What SciPy's functions may be called with among themselves."""

    @functools.wraps(function)
    def call(*args: Any, _no_deco: bool = False, **options: Any) -> Any:
        return function(*args, **options)

    return call


class Globals(dict[str, Any]):
    """The global names of a module of SciPy's, looked up as they are needed."""

    def __init__(self, original: dict[str, Any]) -> None:
        own = {"_imported": imported, "_type": type_of}
        super().__init__(within.HELPERS | own, __name__=original["__name__"])
        self._original = original

    def __missing__(self, name: str) -> Any:
        found = self[name] = in_copy(self._original[name], name)
        return found


# ----- Copies -----
_spaces: dict[int, Globals] = {}


@functools.cache
def copied(function: FunctionType, owner: Any = None) -> Operation:
    """The copy of a function of SciPy's, or of a method for the copy of its class."""
    around, code = function.__globals__, function.__code__
    space = _spaces.setdefault(id(around), Globals(around))
    namespace: dict[str, Any] = {}
    exec(factory_of(code), space, namespace)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    cells = [
        in_cell(item, name, owner)
        for name, item in zip(code.co_freevars, cells, strict=True)
    ]
    made = namespace["_factory"](*cells)
    made.__defaults__ = function.__defaults__
    made.__kwdefaults__ = function.__kwdefaults__
    made.__code__ = made.__code__.replace(co_name=code.co_name)
    return functools.update_wrapper(made, function)


def in_cell(item: Any, name: str, owner: Any) -> Any:
    """What a decorated function is closed around: the one that it decorates too."""
    if name == "__class__":
        return owner
    if id(item) in KERNELS:
        return KERNELS[id(item)]
    is_own = isinstance(item, FunctionType) and item.__module__.startswith("scipy")
    if not is_own or item.__name__ == "<lambda>":
        return item
    return copied(item)


class Copies(type):
    """The classes of copies: objects of SciPy's own are of that kind, too."""

    original: Any

    def __instancecheck__(cls, item: Any) -> bool:
        return type.__instancecheck__(cls, item) or isinstance(item, cls.original)


def type_of(item: Any, *args: Any) -> Any:
    """``type(item)``, which is SciPy's of the object of a copy"""
    found = type(item, *args)
    return found.original if type(found) is Copies else found


@functools.cache
def copied_class(kind: Any) -> Any:
    """A class of SciPy's whose methods are copies."""
    bases = [copied_class(base) if is_scipys(base) else base for base in kind.__bases__]
    out = {*OF_OBJECTS, *vars(kind).get("__slots__", ())}
    space = {name: item for name, item in vars(kind).items() if name not in out}
    if kind in ALWAYS:  # nothing of theirs asks for what stands above them
        bases = [base for base in bases if base is not object] + [kind]
    made = Copies(kind.__name__, tuple(bases), {**space, "original": kind})
    for name, item in space.items():
        setattr(made, name, member(item, made))
    for name in ("add", "sub", "mul"):
        if f"__r{name}__" in space:
            setattr(made, f"__r{name}__", after_scipys(made, name))
    return made


def after_scipys(kind: Any, name: str) -> Operation:
    """An operator whose first operand may be an object of SciPy's own."""
    own, turned = getattr(kind, f"__{name}__"), getattr(kind, f"__r{name}__")

    def operator(self: Any, other: Any) -> Any:
        if isinstance(other, kind):
            return own(same_as_copy(other), self)
        return turned(self, other)

    return operator


def same_as_copy(item: Any) -> Any:
    """An object of SciPy's as one whose methods are copies."""
    kind: Any = type(item)
    found = object.__new__(copied_class(kind))
    vars(found).update(vars(item))
    return found


OF_OBJECTS = ("__dict__", "__weakref__", "__slots__")


def member(item: Any, kind: Any) -> Any:
    """The copy of a member of a class, which is made when it is called first."""
    if type(item) is FunctionType:
        return later(item, kind)
    if isinstance(item, property):
        parts = item.fget, item.fset, item.fdel
        fget, fset, fdel = (part and later(part, kind) for part in parts)
        return property(fget, fset, fdel)
    is_bound = isinstance(item, (staticmethod, classmethod))
    if is_bound and type(item.__func__) is FunctionType:
        return type(item)(later(item.__func__, kind))
    return item


def later(function: Any, kind: Any) -> Operation:
    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        return copied(function, kind)(*args, **options)

    return call


def is_scipys(kind: type) -> bool:
    return kind.__module__.startswith("scipy.")


def on_variables(function: Operation) -> Operation:
    """A function of SciPy's, whose copy is made when it is called first.

    The functions that it is given may be SciPy's, and meet Variables in it.
    """

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        own = {name: reached(item) for name, item in options.items()}
        return copied(function)(*map(reached, args), **own)

    return call


def reached(item: Any) -> Any:
    return replacement_of(item) if isinstance(item, FUNCTION_TYPES) else item


FUNCTION_TYPES = FunctionType, MethodType


def in_doubles(function: Operation) -> Operation:
    """A function of SciPy's that loses digits in single precision."""
    own = on_variables(function)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = [doubles(each) if within.is_variable(each) else each for each in args]
        return own(*given, **options)

    return call


def as_in_scipy(module: Any, names: str, **refused: str) -> None:
    """Run SciPy's own functions of these names where a Variable meets them.

    ``refused`` are parameters without which there is a derivative, and why.
    """
    for name in names.split():
        function = getattr(module, name)
        FUNCTIONS.add(function)
        defined_as(function, without(function, refused))


def without(function: Operation, refused: dict[str, str]) -> Operation:
    own = on_variables(function)
    if not refused:
        return own
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | options
        for name in refused.keys() & given.keys():
            if given[name] is not None:
                refuse(f"{function.__name__} with `{name}`", refused[name])
        return own(*args, **options)

    return call


def classes_as_in_scipy(
    module: Any, names: str, users: str = "", always: bool = False
) -> None:
    """Make objects of copies of SciPy's classes, where they are to hold Variables.

    ``users`` are functions that may be given one of these objects; ``always``: all that
    are made are asked for something at Variables.
    """
    kinds = [getattr(module, name) for name in names.split()]
    CLASSES.update(kinds)
    ALWAYS.update(kinds if always else ())
    for kind in kinds:
        REPLACEMENTS[kind] = copied_class(kind) if always else holding(kind)
        for method in filter(inspect.isfunction, vars(kind).values()):
            REPLACEMENTS[method] = of_points(method)
    for name in users.split():
        function = getattr(module, name)
        REPLACEMENTS[function] = own = of_objects(function)
        LOOKING.add(own)


def holding(kind: Any) -> Operation:
    """What makes an object: SciPy's own where there are no Variables."""

    @functools.wraps(kind, updated=())
    def make(*args: Any, **options: Any) -> Any:
        given = flatten((args, options))[0]
        is_plain = first_variable(given) is None and not any(map(is_copys, given))
        return (kind if is_plain else copied_class(kind))(*args, **options)

    return make


def is_copys(item: Any) -> bool:
    return type(type(item)) is Copies


def of_points(original: Any) -> Operation:
    """A method of SciPy's own objects, of arguments that are Variables."""

    own = of_copy(original)

    @functools.wraps(original)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        is_plain = first_variable(flatten((args, options))[0]) is None
        return (original if is_plain else own)(self, *args, **options)

    return method


def methods_as_in_scipy(item: Any, names: str) -> None:
    """Run methods of an object of SciPy's own as in the copy of its class."""
    kind = type(item)
    CLASSES.add(kind)
    for name in names.split():
        original = getattr(kind, name)
        defined_as(original, of_copy(original))


def of_copy(original: Any) -> Operation:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        same = same_as_copy(self)
        return getattr(type(same), original.__name__)(same, *args, **options)

    return method


def of_objects(original: Any) -> Operation:
    """A function that may be given an object in which Variables are hidden."""
    plain = reaching(original)

    @functools.wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        is_plain = not any(map(is_copys, (*args, *options.values())))
        return (plain if is_plain else copied(original))(*args, **options)

    return call
