"""Write ``srcgrad/tape/methods/typed.pyi``: what type checkers know of a Variable.

    python docs/make_stub.py

The names come from the tables that Variable's methods are made of, and from the class
itself: of a method that is written out, and annotated, there is nothing to say. Only
the parameters of ndarray's methods stand here, as every supported NumPy has them.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad import Variable
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS
from srcgrad.protocols import NDARRAY_METHODS, TORCH_METHODS
from srcgrad.tape.methods.writing import INPLACE_UFUNCS

STUB = Path(__file__).parents[1] / "srcgrad" / "tape" / "methods" / "typed.pyi"
WIDTH = 88

HEAD = '''\
"""What type checkers know of a Variable; written by ``docs/make_stub.py``."""

from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import Self

from srcgrad.tape.function import Function
from srcgrad.tape.variable import Variable

# What an operator takes on its other side.
Operand: TypeAlias = (
    Variable | NDArray[Any] | np.generic | complex | list[Any] | tuple[Any, ...]
)
Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

class Typed:
'''

# The parameters of ndarray's methods, by the names of these.
_AXIS, _ONE_AXIS = "axis: Axis = None", "axis: SupportsIndex | None = None"
_DTYPE, _OUT = "dtype: DTypeLike | None = None", "out: Any = None"
_KEEPDIMS, _WHERE = "keepdims: bool = False", "where: Any = True"
_AXES = "offset: int = 0, axis1: int = 0, axis2: int = 1"
_ORDER = "kind: Any = None, order: Any = None"
PARAMETERS = {
    "all any": f"{_AXIS}, {_OUT}, {_KEEPDIMS}, *, {_WHERE}",
    "argmax argmin": f"{_ONE_AXIS}, {_OUT}, *, {_KEEPDIMS}",
    "argpartition": f"kth: Any, axis: SupportsIndex | None = -1, {_ORDER}",
    "argsort": f"axis: SupportsIndex | None = -1, {_ORDER}, *, stable: Any = None",
    "choose": f"choices: Any, {_OUT}, mode: Any = 'raise'",
    "clip": f"min: Any = None, max: Any = None, {_OUT}, **kwargs: Any",
    "cumprod cumsum": f"{_ONE_AXIS}, {_DTYPE}, {_OUT}",
    "diagonal": _AXES,
    "dot": f"b: Operand, {_OUT}",
    "max min": f"{_AXIS}, {_OUT}, {_KEEPDIMS}, initial: Any = ..., {_WHERE}",
    "mean": f"{_AXIS}, {_DTYPE}, {_OUT}, {_KEEPDIMS}, *, {_WHERE}",
    "nonzero": "",
    "prod sum": f"{_AXIS}, {_DTYPE}, {_OUT}, {_KEEPDIMS}, initial: Any = ..., {_WHERE}",
    "ravel": "order: Any = 'C'",
    "repeat": f"repeats: Any, {_ONE_AXIS}",
    "round": f"decimals: SupportsIndex = 0, {_OUT}",
    "searchsorted": "v: Any, side: Any = 'left', sorter: Any = None",
    "squeeze": _AXIS,
    "std var": f"{_AXIS}, {_DTYPE}, {_OUT}, ddof: float = 0, {_KEEPDIMS}, "
    f"*, {_WHERE}, mean: Any = ..., correction: float = ...",
    "swapaxes": "axis1: SupportsIndex, axis2: SupportsIndex",
    "take": f"indices: Any, {_ONE_AXIS}, {_OUT}, mode: Any = 'raise'",
    "trace": f"{_AXES}, {_DTYPE}, {_OUT}",
}
# What is given back, where that is no Variable. The rest of a union with Any is seldom:
# a type checker does not ask to look for None (typeshed's "Any trick").
RETURNS = {
    "__array__": "NDArray[Any]",
    "__divmod__": "tuple[Variable, Variable]",
    "__iter__": "Iterator[Variable]",
    "__rdivmod__": "tuple[Variable, Variable]",
    "creator": "Function",
    "grad": "Variable | Any",
    "grad_fn": "Function | Any",
    "nonzero": "tuple[Variable, ...]",
    "numpy": "NDArray[Any]",
}
# Of any kind, or of no use to users.
LEFT_OUT = set(
    "__array_function__ __array_ufunc__ __deepcopy__ __reduce_ex__ as_integer_ratio "
    "hex item tolist".split()
)


def stub() -> str:
    """The text of the stub."""
    members = dict([*_written_out(), *_operators(), *_of_tables()])
    return HEAD + "".join(members[name] for name in sorted(members))


def _operators() -> Iterator[tuple[str, str]]:
    for own in BINARY_OPERATORS:
        for name in (f"__{own.name}__", f"__r{own.name}__", f"__i{own.name}__"):
            yield name, _method(name, "other: Operand, /")
    for own in COMPARISONS:
        name = f"__{own.name}__"
        is_of_all = own.name in ("eq", "ne")  # as `object` has it
        text = _method(name, f"other: {'object' if is_of_all else 'Operand'}, /")
        if is_of_all:
            text = text.replace("\n", "  # type: ignore[override]\n")
        yield name, text
    for own in UNARY_OPERATORS:
        yield f"__{own.name}__", _method(f"__{own.name}__", "")


def _of_tables() -> Iterator[tuple[str, str]]:
    for names, parameters in PARAMETERS.items():
        for name in names.split():
            yield name, _method(name, parameters)
    untold = NDARRAY_METHODS.keys() - " ".join(PARAMETERS).split()
    assert not untold, f"their parameters are to be told: {untold}"
    for name, function in TORCH_METHODS.items():
        operand = "other: Operand, /, " if _is_binary(function) else ""
        yield name, _method(name, f"{operand}**kwargs: Any")
    for name, function in INPLACE_UFUNCS.items():
        operand = "other: Operand, /" if _is_binary(function) else ""
        yield f"{name}_", _method(f"{name}_", operand, "Self")


def _is_binary(function: Any) -> bool:
    return isinstance(function, np.ufunc) and function.nin == 2


def _written_out() -> Iterator[tuple[str, str]]:
    """What the classes that Variable inherits from tell nothing of."""
    for kind in reversed(Variable.__mro__[1:-1]):
        for name, member in vars(kind).items():
            if _is_told(name, member):
                continue
            if isinstance(member, property):
                yield name, _property(name, is_set=member.fset is not None)
            else:
                yield name, _method(name, _parameters(member), _returns(name))


def _is_told(name: str, member: Any) -> bool:
    """Whether there is nothing to say of a member."""
    is_private = name.startswith("_") and not name.startswith("__")
    if name in LEFT_OUT or is_private or not isinstance(member, Callable | property):
        return True
    function = member.fget if isinstance(member, property) else member
    found = inspect.signature(function).return_annotation
    return found is not Any


def _parameters(method: Callable[..., Any]) -> str:
    """The parameters of a method without the first one, as they are written."""
    given = list(inspect.signature(method).parameters.values())[1:]
    return ", ".join(map(str, given)).replace("typing.Any", "Any")


def _returns(name: str) -> str:
    is_in_place = name.endswith("_") and not name.endswith("__")
    return RETURNS.get(name, "Self" if is_in_place else "Variable")


def _property(name: str, is_set: bool) -> str:
    kind = _returns(name)
    text = f"    @property\n    def {name}(self) -> {kind}: ...\n"
    if is_set:
        given = "Variable | None" if name == "grad" else "Any"
        text += f"    @{name}.setter\n"
        text += f"    def {name}(self, {name}: {given}) -> None: ...\n"
    return text


def _method(name: str, parameters: str, returns: str = "") -> str:
    """A method in one line, or, if that is too long, as ruff breaks it."""
    returns = returns or RETURNS.get(name, "Variable")
    given = f"self, {parameters}" if parameters else "self"
    given = given.replace("'", '"')
    line = f"    def {name}({given}) -> {returns}: ...\n"
    if len(line) <= WIDTH + 1:
        return line
    inner = f"        {given}\n"
    if len(inner) > WIDTH + 1 or "*" in given:
        inner = "".join(f"        {each},\n" for each in given.split(", "))
    return f"    def {name}(\n{inner}    ) -> {returns}: ...\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
