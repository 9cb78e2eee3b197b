"""Numbers that are Python's if one arm ran, and NumPy's if the other one did.

``y = 0.0`` in one arm and ``y = 2.0 * x`` in the other one: what both give is computed
with as a NumPy scalar, and beside it goes whether it is Python's. That is asked where
it leaves the graph. What is done with it meanwhile must be the same for both kinds, or
it is not covered: ``1.0 / y`` raises an error for one of them only.

>>> x, y, z = (Value((), FLOAT, name, kind) for name, kind in
...            (("x", "scalar"), ("y", "float"), ("z", "scalar")))
>>> t = Value((), np.dtype(bool), "t", "scalar")
>>> then = Graph((x,), (Node(np.exp, (x,), out=z),), (z,))
>>> a, b = (Value((), FLOAT, name, kind) for name, kind in
...         (("a", "scalar"), ("b", "float")))
>>> orelse = Graph((a,), (Node(float, (0.0,), out=b),), (b,))
>>> node = Node(Branch(then, orelse), (t, x), out=(y,))
>>> print(with_one_kind(Graph((x, t), (node,), (y,)), set(), set(), {})[0])
y, is_python = branch(t, x)
    body(x):
        z = exp(x)
        is_python_1 = float(0.0)
        return z, is_python_1
    body(a):
        b = float(0.0)
        b_1 = float64(b)
        is_python_2 = float(1.0)
        return b_1, is_python_2
y_1 = of_kind(y, is_python)
return y_1
"""

import bisect
import math
import operator
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Program, walk
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.unboxing import of_kind
from srcgrad.updates import assign

FLOAT = np.dtype(float)

LESS_PRECISE = frozenset(map(np.dtype, (np.float16, np.float32, np.complex64)))
SUMS = frozenset({np.add, np.subtract, np.multiply})
QUOTIENTS = SUMS | {np.divide}
SIGNS = frozenset({np.negative, np.absolute})
# For what is done with Python's numbers what does the same with NumPy's.
NUMPYS = {own.python: own.ufunc for own in (*BINARY_OPERATORS, *UNARY_OPERATORS)}
# Operators that with one number of NumPy's do what NumPy does.
OF_NUMPYS = frozenset({operator.pow, operator.mod, operator.floordiv})
TESTS = frozenset(own.ufunc for own in COMPARISONS)
OF_TESTS = frozenset({np.logical_and, np.logical_or, np.logical_not})
ARRAYS = frozenset({np.array, np.stack})


class UnfitError(Exception):
    """Something is done that is another thing for numbers of another kind."""


def are_mixed(first: Value, second: Value) -> bool:
    """Whether one of two numbers is Python's, and the other one NumPy's."""
    return {first.kind, second.kind} == {"float", "scalar"}


class _Number(NamedTuple):
    """What stands for a number, and whether that is Python's: 1.0, 0.0, or a Value."""

    value: Value
    is_python: Any


def with_one_kind(
    graph: Program,
    numpys: Collection[Value],
    asked: Collection[Value],
    raws: MutableMapping[Value, Any],
) -> tuple[Program, Callable[[int], int], Mapping[Value, Value]]:
    """The graph with results of branches that are NumPy's scalars in both arms.

    And to which place each step has come, and what stands for which number.

    Parameters
    ----------
    graph : Graph or Joint
        The user's calls, with the branches.
    numpys : set of Value
        What the user has called a ufunc for, rather than written an operator.
    asked : set of Value
        Of what else something has been asked: an attribute, its type.
    raws : mapping
        What the Values stood for in the run; those of new ones are added.

    Raises
    ------
    UnfitError
        If they may not be.
    """
    if not any(map(_is_mixed, walk(graph))):
        return graph, lambda place: place, {}
    kinds = _Kinds(numpys, asked, raws)
    places: list[int] = []
    steps = kinds.steps(graph.nodes, places)
    for value in dict.fromkeys(graph.results):
        if value in kinds.tests:
            raise UnfitError
        if value in kinds.numbers:
            steps.append(Node(of_kind, (*kinds.numbers[value],), out=value))
    stand_ins = {old: number.value for old, number in kinds.numbers.items()}
    new = graph.with_nodes(steps, {})
    return new, lambda place: place + bisect.bisect_left(places, place), stand_ins


def _is_mixed(step: Step) -> bool:
    branch = step.function if type(step) is Node else None
    return type(branch) is Branch and any(
        are_mixed(*pair)
        for pair in zip(branch.then.outputs, branch.orelse.outputs, strict=True)
    )


@dataclass(slots=True)
class _Kinds:
    """The steps of one graph; ``numbers`` are those of which the kind is not known.

    ``tests`` are what came of comparing them: what only decides, whatever its kind.
    ``before`` are steps that come before the one that is looked at.
    """

    numpys: Collection[Value]
    asked: Collection[Value]
    raws: MutableMapping[Value, Any]
    numbers: dict[Value, _Number]
    tests: set[Value]
    before: list[Step]

    def __init__(
        self,
        numpys: Collection[Value],
        asked: Collection[Value],
        raws: MutableMapping[Value, Any],
    ) -> None:
        self.numpys, self.asked, self.raws = numpys, asked, raws
        self.numbers, self.tests, self.before = {}, set(), []

    def steps(
        self, steps: Iterable[Step], places: list[int] | None = None
    ) -> list[Step]:
        """The same steps with NumPy's scalars, and more before some.

        ``places`` gets these, one for each more.
        """
        found: list[Step] = []
        for place, step in enumerate(steps):
            new = self._step(step)
            found += self.before
            if places is not None:
                places += [place] * len(self.before)
            self.before.clear()
            found.append(new)
        return found

    def _step(self, step: Step) -> Step:
        if type(step) is Node and type(step.function) is Branch:
            return self._branch(step.function, step)
        numbers = [value for value in step.inputs if value in self.numbers]
        tests = [value for value in step.inputs if value in self.tests]
        if not (numbers or tests):
            return step
        if type(step) is Guard:
            if step.convert is not bool:
                raise UnfitError
        elif tests:
            if step.function not in OF_TESTS or numbers:
                raise UnfitError
            self.tests.update(step.results)
        else:
            step = self._computed(step, numbers)
        return self._renamed(step)

    def _renamed(self, step: Step) -> Step:
        read = (value for value in step.inputs if value in self.numbers)
        return step.with_values({value: self.numbers[value].value for value in read})

    def _computed(self, node: Node, numbers: Sequence[Value]) -> Node:
        """A step with some such numbers; what comes of it may be one."""
        out = node.out
        if node.kwargs or node.has_effect or type(out) is not Value:
            raise UnfitError
        others = [v for v in node.inputs if v not in numbers and v.kind != "float"]
        if any(v.dtype in LESS_PRECISE for v in others):
            raise UnfitError  # a NumPy scalar is of another precision, Python's of none
        if node.function in OF_NUMPYS and others:
            return node
        function = NUMPYS.get(node.function, node.function)
        node = replace(node, function=function)
        if function in TESTS and not others and out not in self.numpys:
            if any(value.kind == "float" for value in numbers):
                raise UnfitError  # by now it is a bool of Python's
            self.tests.add(out)
            return node
        if function in QUOTIENTS | TESTS and others:
            return node
        if isinstance(function, np.ufunc) and out in self.numpys:
            return node
        if function in ARRAYS or (function is assign and node.args[2] in numbers):
            return node
        if getattr(function, "__module__", "") == math.__name__:
            return node  # of both kinds it makes Python's
        if function is np.power and _is_whole_power(node):
            return self._power(node, out, numbers[0])
        if function not in SUMS | SIGNS and not _is_divided(node):
            raise UnfitError
        if out.dtype != FLOAT or not _are_plain(node.args):
            raise UnfitError
        new = self._scalar(out)
        flags = dict.fromkeys(self.numbers[value].is_python for value in numbers)
        self.note(out, _Number(new, self._all(flags)))
        return replace(node, out=new)

    def _power(self, node: Node, out: Value, base: Value) -> Node:
        """A power of such a number, as its kind has it: where Python's is too large."""
        number = self.numbers[base]
        given, power = replace(base, kind="float"), replace(out, kind="float")
        for new, old in ((given, base), (power, out)):
            if old in self.raws:
                self.raws[new] = float(self.raws[old])
        self.before.append(Node(of_kind, (*number,), out=given))
        power_of = replace(node, function=operator.pow, out=power)
        self.before.append(power_of.with_values({base: given}))
        new = self._scalar(out)
        self.note(out, number._replace(value=new))
        return replace(node, function=np.double, args=(power,), out=new)

    def _all(self, flags: Iterable[Any]) -> Any:
        """Whether some numbers are Python's, each of them."""
        found, *others = flags
        for each in others:
            both = self._flag(None)
            values = [self.raws.get(flag, flag) for flag in (found, each)]
            self.raws[both] = float(all(values))
            self.before.append(Node(operator.mul, (found, each), out=both))
            found = both
        return found

    def note(self, old: Value, number: _Number) -> None:
        """Note what stands for a number of which the kind is not known."""
        if old in self.asked:
            raise UnfitError
        self.numbers[old] = number

    def _scalar(self, old: Value) -> Value:
        """A NumPy scalar in the place of a number."""
        new = replace(old, kind="scalar")
        if old in self.raws:
            self.raws[new] = np.float64(self.raws[old])
        return new

    def _flag(self, like: Any) -> Value:
        """Whether a number is Python's: a Value of its own."""
        new = Value((), FLOAT, None, "float", "is_python")
        self.raws[new] = float(type(like) is float)
        return new

    # ----- Branches -----

    def _branch(self, branch: Branch, node: Node) -> Node:
        test, *args = node.args
        if type(test) is Value and test in self.numbers:
            raise UnfitError
        if any(type(arg) is Value and arg in self.tests for arg in args):
            raise UnfitError
        given = {
            number: self.numbers[arg]
            for number, arg in enumerate(args)
            if type(arg) is Value and arg in self.numbers
        }
        flags = dict.fromkeys(each.is_python for each in given.values())
        outer = [flag for flag in flags if type(flag) is Value]
        arms = [_Arm(self, arm, given, outer) for arm in branch.bodies]
        results: list[Value] = []
        more: list[Value] = []
        for number, value in enumerate(node.results):
            kinds = [arm.kind_of(number) for arm in arms]
            if kinds[0] == kinds[1] and type(kinds[0]) is not Value:
                results.append(value)
                continue
            new = self._scalar(value)
            flag = self._flag(self.raws.get(value))
            self.note(value, _Number(new, flag))
            results.append(new)
            more.append(flag)
            for arm in arms:
                arm.give_scalar(number)
        for number, each in given.items():
            args[number] = each.value
        if not (given or more):
            return node
        bodies = [arm.graph(len(more)) for arm in arms]
        out = (*results, *more)
        return replace(
            node, function=Branch(*bodies), args=(test, *args, *outer), out=out
        )


class _Arm:
    """An arm of a branch on its way."""

    def __init__(
        self, kinds: _Kinds, arm: Graph, given: Any, outer: Sequence[Value]
    ) -> None:
        self.arm = arm
        self.inner = inner = _Kinds(kinds.numpys, kinds.asked, kinds.raws)
        self.inputs = list(arm.inputs)
        flags: dict[Any, Any] = {1.0: 1.0, 0.0: 0.0}
        for flag in outer:
            flags[flag] = flag.twin()
            inner.raws[flags[flag]] = inner.raws[flag]
        for number, each in given.items():
            old = arm.inputs[number]
            self.inputs[number] = new = inner._scalar(old)
            inner.note(old, _Number(new, flags[each.is_python]))
        self.inputs += [flags[flag] for flag in outer]
        self.steps = inner.steps(arm.nodes)
        self.outputs = list(arm.outputs)
        self.flags: list[Value] = []

    def kind_of(self, number: int) -> Any:
        """Whether a result is Python's: 1.0, 0.0, or a Value that tells."""
        value = self.arm.outputs[number]
        if value in self.inner.tests:
            raise UnfitError
        if value in self.inner.numbers:
            return self.inner.numbers[value].is_python
        return 1.0 if value.kind == "float" else 0.0

    def give_scalar(self, number: int) -> None:
        """Give a result as a NumPy scalar, and whether it is Python's."""
        old, is_python = self.arm.outputs[number], self.kind_of(number)
        if old.dtype != FLOAT or old.shape:
            raise UnfitError
        if old in self.inner.numbers:
            new = self.inner.numbers[old].value
        elif old.kind == "float":
            new = self.inner._scalar(old)
            self.steps.append(Node(np.float64, (old,), out=new))
        else:
            new = old
        self.outputs[number] = new
        if type(is_python) is not Value:
            flag = self.inner._flag(is_python)
            self.inner.raws[flag] = is_python
            self.steps.append(Node(float, (is_python,), out=flag))
            is_python = flag
        self.flags.append(is_python)

    def graph(self, count: int) -> Graph:
        """The arm with so many flags."""
        assert len(self.flags) == count
        return replace(
            self.arm,
            inputs=tuple(self.inputs),
            nodes=tuple(self.steps),
            outputs=(*self.outputs, *self.flags),
        )


def _is_divided(node: Node) -> bool:
    """Whether it is a number by a constant that is not zero."""
    if node.function is not np.divide:
        return False
    divisor = node.args[1]
    return type(divisor) in (int, float) and divisor != 0


def _is_whole_power(node: Node) -> bool:
    """Whether it is a number to a constant power for which none is complex."""
    base, exponent = node.args
    is_whole = type(exponent) is int or (
        type(exponent) is float and exponent.is_integer()
    )
    return type(base) is Value and is_whole


def _are_plain(args: Iterable[Any]) -> bool:
    return all(type(arg) is Value or type(arg) in (int, float) for arg in args)
