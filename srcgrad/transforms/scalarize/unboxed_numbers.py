"""Numbers on their way from NumPy's scalars and arrays to Python's floats.

>>> x, y = Value((2,), FLOAT, "x"), Value((), FLOAT, "y", "scalar")
>>> numbers = Numbers(Graph((x,), (), ()))
>>> first, second = numbers.of(x)
>>> numbers.held[y] = np.asarray(first * second, object)
>>> y = numbers.give(y)
>>> print(Graph((x,), tuple(numbers.nodes), (y,)))
x_0, x_1 = elements(x)
multiply = mul(x_0, x_1)
y = float64(multiply)
return y
"""

import math
import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.operators import COMPARISONS
from srcgrad.policy import MOST_ADDED, MOST_APART, MOST_COMPUTED
from srcgrad.steps import Node, Step, Value
from srcgrad.unboxing import FORMS, Form, elements, is_kept, listed, of_kind, row

FLOAT = np.dtype(float)
BOOL = np.dtype(bool)


class NotApartError(Exception):
    """Something is to be done that is not done with floats."""


class Number:
    """A float on its way into a graph: ``item`` is a Value or a constant.

    ``is_blank``: a zero where nothing has been put; what is added there is put there.
    """

    __slots__ = ("apart", "is_blank", "item")

    def __init__(self, apart: "Numbers", item: Any, is_blank: bool = False) -> None:
        self.apart = apart
        self.item = item
        self.is_blank = is_blank

    def __add__(self, other: "Number") -> "Number":
        return self.apart.number(np.add, self, other)

    def __sub__(self, other: "Number") -> "Number":
        return self.apart.number(np.subtract, self, other)

    def __mul__(self, other: "Number") -> "Number":
        return self.apart.number(np.multiply, self, other)

    def __neg__(self) -> "Number":
        return self.apart.number(np.negative, self)


class Numbers:
    """A graph on its way into floats.

    ``held`` has for a Value an array of Numbers, ``nodes`` are those so far. What is in
    ``exact`` is to be the same to the bit. ``known`` are elements of what comes in that
    have been seen before. ``forms`` says how a Value was computed.
    """

    def __init__(
        self,
        graph: Graph,
        exact: Collection[Value] = (),
        known: Mapping[Value, Any] = MappingProxyType({}),
    ) -> None:
        self.graph = graph
        self.exact = exact
        self.known = known
        self.given = set(graph.inputs)
        self.defined = set(graph.inputs)
        self.held: dict[Value, Any] = {}
        self.nodes: list[Step] = []
        self.forms: dict[Value | tuple[Value, ...], Form] = {}
        self.names: dict[Value, Value] = {}
        self.lists: set[Value] = set()
        self.kept: set[Value] = set()
        # Which results are Python's, where that is not known.
        self.kinds: dict[Value, Any] = {}
        # Of loops: arrays that are lists as a whole, and lists of what is kept.
        self.rows: dict[Value, Value] = {}
        self.sequences: dict[Value, Value] = {}
        # Arrays that stay NumPy's, and zeros of which no element is wanted yet.
        self.arrays: dict[Value, Value] = {}
        self.zeros: dict[Value, tuple[int, ...]] = {}
        self.looked_at: list[Value] = []
        self.step: Any = None

    def of(self, item: Any) -> Any:
        """The Numbers of an argument, as an array.

        Raises
        ------
        NotApartError
            If there are none.
        """
        if type(item) is Value:
            if item not in self.held:
                self.held[item] = self._entered(item)
            return self.held[item]
        if isinstance(item, bool):
            return self._filled((), Number(self, item))
        if isinstance(item, (int, float, np.bool_, np.floating, np.integer)):
            return self._filled((), Number(self, _as_float(item)))
        if isinstance(item, np.ndarray) and item.size <= MOST_COMPUTED:
            return self._constants(item)
        raise NotApartError

    def _constants(self, array: Any) -> Any:
        if array.dtype.kind not in "fiu":
            raise NotApartError
        numbers = [Number(self, _as_float(element)) for element in array.flat]
        return self._shaped(array.shape, numbers)

    def _entered(self, value: Value) -> Any:
        """What comes in from outside, as floats; or zeros."""
        if value in self.zeros and math.prod(value.shape) <= MOST_APART:
            return self._filled(value.shape, Number(self, 0.0, is_blank=True))
        if value in self.rows:
            return self._taken_apart(self.rows[value])
        if value in self.graph.constants:
            return self._constants(self.graph.constants[value])
        if value in self.given and value.kind == "float":
            if value.dtype not in (FLOAT, BOOL):
                raise NotApartError
            return self._filled((), Number(self, value))
        is_small = math.prod(value.shape) <= MOST_APART
        if value not in self.given or value.dtype != FLOAT or not is_small:
            raise NotApartError
        if not value.shape:
            out = Value((), FLOAT, value.name, "float", value.hint)
            self.add(float, (value,), out)
            return self._filled((), Number(self, out))
        return self._taken_apart(value)

    def row(self, value: Any) -> Value:
        """An array of one axis as one list; one that comes in may have more."""
        if type(value) is not Value or value.dtype != FLOAT or not value.shape:
            raise NotApartError
        if value in self.rows:
            return self.rows[value]
        new = Value(value.shape, FLOAT, value.name, "floats", value.hint)
        if value not in self.held and value in self.given:
            self.rows[value] = new
            self.add(row, (value,), new)
            return new
        if len(value.shape) > 1:
            raise NotApartError
        if value in self.given and (position := self._place_apart(value)) is not None:
            # It has been taken apart: from the list then.
            self.rows[value] = new
            self.add(row, (value,), new)
            whole, own = self.nodes[position], self.nodes.pop()
            assert type(whole) is Node
            assert type(own) is Node
            own, whole = replace(own, where=whole.where), replace(whole, args=(new,))
            self.nodes[position : position + 1] = [own, whole]
            return new
        items = self.items(value)
        if len(items) > MOST_ADDED and len({*map(_identity, items)}) == 1:
            self.add(operator.mul, (items[:1], len(items)), new)
        else:
            self.add(row, (items,), new)
        return new

    def _place_apart(self, value: Value) -> int | None:
        """Where the elements of an array are taken, if that is here."""
        for position, step in enumerate(self.nodes):
            is_one = type(step) is Node and step.function is elements
            if is_one and step.inputs == (value,):
                return position
        return None

    def _taken_apart(self, value: Value) -> Any:
        """The elements of an array that comes in; where they are known, these."""
        # A row of an array may have no name.
        hint, known = value.name or value.hint or "row", self.known.get(value)
        outs: list[Value] = []
        numbers = []
        for index in np.ndindex(value.shape):
            out = item = Value((), FLOAT, None, "float", _place(hint, index))
            if known is not None:
                item = known[index]
            if type(item) is Value and item not in self.defined:
                out = item
            self.defined.add(out)
            outs.append(out)
            numbers.append(Number(self, item))
        self.add(elements, (value,), tuple(outs))
        return self._shaped(value.shape, numbers)

    def _filled(self, shape: tuple[int, ...], number: Number) -> Any:
        array = np.empty(shape, object)
        array[...] = number
        return array

    def _shaped(self, shape: tuple[int, ...], numbers: Sequence[Number]) -> Any:
        array = np.empty(len(numbers), object)
        array[:] = numbers
        return array.reshape(shape)

    def of_dtype(self, dtype: Any, numbers: Any) -> Any:
        """Numbers with floats for truths, where these are elements of floats."""
        if dtype != FLOAT or not any(_is_truth(each.item) for each in numbers.flat):
            return numbers
        found = np.frompyfunc(self._truth_as_float, 1, 1)(numbers)
        return np.asarray(found, object)  # of no axes, too

    def _truth_as_float(self, number: Number) -> Number:
        if not _is_truth(number.item):
            return number
        if type(number.item) is not Value:
            return Number(self, float(number.item))
        out = Value((), FLOAT, None, "float", number.item.hint)
        self.add(float, (number.item,), out)
        return Number(self, out)

    def number(self, function: Any, *operands: Number) -> Number:
        """A call of a NumPy function of numbers."""
        first, last = operands[0], operands[-1]
        if function is np.square:
            return self.number(np.multiply, first, first)
        if function is np.reciprocal:
            return self.number(np.divide, Number(self, 1.0), first)
        if function is np.where and not all(_is_truth(n.item) for n in operands):
            operands = (first, *map(self._truth_as_float, operands[1:]))
        items = tuple([operand.item for operand in operands])
        if function in (np.maximum, np.minimum) and any(item != item for item in items):
            raise NotApartError  # of nan and a number Python takes the number
        if function is np.add or function is np.multiply:
            for one, other in ((first, last), (last, first)):
                is_same = one.is_blank if function is np.add else one.item == 1.0
                if is_same and not (_is_truth(one.item) or _is_truth(other.item)):
                    return other
        for item in items:
            if type(item) is Value:
                break
        else:
            return self._computed(function, items)
        is_power = function in (np.power, np.float_power)
        if is_power and (type(items[1]) is Value or items[1] == 0.5):
            raise NotApartError  # of -0.0 the root is -0.0 to NumPy, and 0.0 to libm
        return Number(self, self._called(function, items))

    def _called(self, function: Any, items: tuple[Any, ...]) -> Value:
        form = FORMS[function] if function in FORMS else _own_form(function)
        is_test = function in TESTING
        out = Value((), BOOL if is_test else FLOAT, None, "float", function.__name__)
        if form is None and is_kept(function):
            self._ask_numpy(function, items, out)
            return out
        if form is None:
            raise NotApartError
        if not form.is_exact and self.step.out in self.exact:
            if not isinstance(function, np.ufunc) or self.step.out.shape:
                raise NotApartError
            self._ask_numpy(function, items, out)
            self.forms[out] = form._replace(may_overflow=False)  # it raises then
            return out
        if self._is_pythons(function):
            form = form._replace(may_overflow=False)  # nor does NumPy say anything
        self.forms[out] = form
        self.add(form.function, items, out)
        return out

    def _ask_numpy(self, function: Any, items: tuple[Any, ...], out: Value) -> None:
        """Call a function of NumPy's, and make a float of what it gives."""
        kept = Value((), FLOAT, None, "scalar")
        self.add(function, items, kept)
        self.add(float, (kept,), out)

    def _is_pythons(self, function: Any) -> bool:
        """Whether a function is called of Python's floats in the program itself."""
        step = self.step
        is_own = type(step) is Node and step.function is function
        return is_own and step.results[0].kind == "float"

    @property
    def is_quiet(self) -> bool:
        """Whether no inf or nan comes up that NumPy might have something to say of."""
        return not any(form.may_overflow for form in self.forms.values())

    def _computed(self, function: Any, items: Sequence[Any]) -> Number:
        """A result of constants, as NumPy has it."""
        if not _is_of_elements(function):
            raise NotApartError
        with np.errstate(all="ignore"):
            result = function(*map(np.float64, items))
        if not np.isfinite(result):
            raise NotApartError
        return Number(self, bool(result) if function in TESTING else float(result))

    def add(self, function: Any, args: tuple[Any, ...], out: Any) -> None:
        step = self.step
        where = None if step is None else step.where
        in_backward = type(step) is Node and step.in_backward
        self.nodes.append(Node(function, args, {}, out, where, in_backward))

    # ----- Names -----
    def call(self, out: Value, result: Any) -> None:
        """Give Numbers the name of what they stand for."""
        hint = out.name or out.hint
        if hint is not None:
            self._hint(result, hint)
        value = None if out.shape else result[()].item
        if type(value) is Value and value not in self.given:
            known = self.names.get(value, value)
            self.names[value] = known.called(known.name or out.name, known.hint)

    def _hint(self, numbers: Any, hint: str) -> None:
        """Call Numbers that were computed after the first array that they are in."""
        for index in np.ndindex(numbers.shape) if numbers.shape else ((),):
            value = numbers[index].item
            if value in self.forms and value not in self.names:
                self.names[value] = value.called(value.name, _place(hint, index))

    # ----- Results -----
    def give(self, value: Value, hint: str | None = None) -> Value:
        """What stands for a result: of the same kind, shape and dtype."""
        self.step = None
        if value in self.given and value not in self.held:
            return value
        if value in self.arrays:
            return self.arrays[value]
        if value.dtype != FLOAT or (0 in value.shape and len(value.shape) > 1):
            raise NotApartError  # of no rows nobody can tell how long they are
        if value in self.rows and value not in self.held:
            found, out = self.rows[value], value.twin()
            self.looked_at.append(found)
            self.add(np.array, (found,), out)
            return out
        items = self.items(value)
        if hint is not None:
            self._hint(self.held[value], hint)
        if value in self.kinds:
            out = value.twin()
            self.add(of_kind, (items, self.kinds[value]), out)
            return out
        if value.kind == "float":
            if type(items) is Value and items not in self.given:
                return items
            self.add(float, (items,), out := value.twin())
            return out
        function = np.float64 if value.kind == "scalar" else np.array
        if len(value.shape) == 1 and len(items) > MOST_ADDED:
            found = Value(value.shape, FLOAT, value.name, "floats", value.hint or hint)
            self.add(listed, (items,), found)
            self.lists.add(found)
            items = found
        out = value.twin()
        self.add(function, (items,), out)
        return out

    def keep(self, value: Value) -> Value:
        """What is saved for a Value: a float, lists of them, or what came in.

        What a loop keeps of each iteration is a list of them anyway.
        """
        self.step = None
        if value in self.given and (value.shape or value.kind == "float"):
            return value
        if value in self.sequences:
            return self.sequences[value]
        items = self.items(value)
        if type(items) is Value and items not in self.given:
            if items in self.kept:  # the same number under another name
                self.add(float, (items,), items := items.twin())
            self.kept.add(items)
            return items
        if not value.shape or value.dtype != FLOAT:
            raise NotApartError
        out = Value(value.shape, FLOAT, value.name, "floats", value.hint)
        self.add(listed, (items,), out)
        return out

    def items(self, value: Value) -> Any:
        """The floats that a Value is made of: one, or lists of them."""
        items = np.frompyfunc(lambda number: number.item, 1, 1)(self.of(value))
        return items.tolist() if value.shape else items

    def named_items(self, value: Value) -> Any:
        """An array of these under the names that they have got, if it is apart."""
        if value not in self.held or not value.shape:
            return None

        def named(number: Number) -> Any:
            item = number.item
            return self.names.get(item, item) if type(item) is Value else item

        return np.frompyfunc(named, 1, 1)(self.held[value])

    def named(self, step: Step) -> Step:
        """A step with its Values under the names that they have got."""
        return step.renamed(self.names)


def _is_truth(item: Any) -> bool:
    return item.dtype == BOOL if type(item) is Value else isinstance(item, bool)


def _identity(item: Any) -> Any:
    """What two equal numbers have in common; zeros of two signs have not."""
    return item if type(item) is Value else repr(item)


def _as_float(item: Any) -> float:
    if isinstance(item, np.floating) and item.dtype != FLOAT:
        raise NotApartError  # Python's numbers are rounded to meet it
    try:
        number = float(item)
    except OverflowError:
        raise NotApartError from None
    if type(item) is int and number != item:
        raise NotApartError  # Python compares with all its digits
    return number


def _place(hint: str | None, index: tuple[int, ...]) -> str | None:
    """``R_0_1``."""
    return "_".join([hint, *map(str, index)]) if hint and index else hint


def _is_of_elements(function: Any) -> bool:
    """Whether it makes a number of a number, and no array of an array."""
    if isinstance(function, np.ufunc):
        return function.signature is None
    return function in FORMS or _own_form(function) is not None


def _own_form(function: Any) -> Form | None:
    """The user's own call of a function of ``math``."""
    if getattr(function, "__module__", None) != "math":
        return None
    return Form(function, absorbs=(0, 1, 2), may_overflow=True)


# The formula of this pass: what they give is true or false.
TESTING = frozenset(
    {
        *(f for own in COMPARISONS for f in (own.ufunc, own.python)),
        *(np.isnan, np.isinf, np.isfinite, math.isnan, math.isinf, math.isfinite),
    }
)
