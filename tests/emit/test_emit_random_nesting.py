"""Random loops and branches inside loops, as generated code: a name is one result."""

import random

import numpy as np
import pytest

from srcgrad.branches import Branch
from srcgrad.emit import deleting
from srcgrad.emit.module import build
from srcgrad.graph import Graph, Joint, evaluate
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms import optimize, split

F8 = np.dtype(float)
HINTS = ("s", "a", "b", None, None)


def like(value, name):
    return Value(value.shape, F8, name, value.kind)


class Program:
    """A graph of numbers and vectors, with few names for much."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        inputs = *(Value((), F8, id, "scalar") for id in "sab"), Value((3,), F8, "x")
        known, nodes = self.steps(inputs, 0, self.random.randint(3, 7))
        outputs = dict.fromkeys([*self.random.sample(known[2:], 3), known[-1]])
        self.graph = Graph(inputs, tuple(nodes), tuple(outputs))

    def pick(self, known, kind="scalar"):
        found = [value for value in known if value.kind == kind]
        return self.random.choice(found[-4:] if self.random.random() < 0.6 else found)

    def some(self, known, most):
        return [
            self.random.choice(known[-5:]) for _ in range(self.random.randint(0, most))
        ]

    def hint(self):
        return self.random.choice(HINTS)

    def new(self, value):
        """What stands for a value elsewhere, most often under its name."""
        return like(value, value.name if self.random.random() < 0.7 else self.hint())

    def steps(self, inputs, depth, count, is_arm=False):
        """All that is known in the end, and what computes it."""
        known, nodes = [*inputs], []
        for _ in range(count):
            draw = self.random.random()
            if draw < 0.55 or depth > 2:
                added = self.simple(known)
            elif draw < 0.78 or is_arm:
                added = self.branch(known, depth)
            else:
                added = self.loop(known, depth)
            nodes += added
            results = [value for node in added for value in node.results]
            known += [v for v in results if v.dtype == F8 and v.kind != "list"]
        return known, nodes

    def simple(self, known):
        function = self.random.choice((np.add, np.subtract, np.maximum, np.sin))
        x = self.random.choice(known)
        args = (x,) if function is np.sin else (x, self.pick(known))
        return [Node(function, args, out=like(x, self.hint()))]

    def branch(self, known, depth):
        test = Value((), np.dtype(bool), None, "scalar")
        decided = Node(np.less, (self.pick(known), self.pick(known)), out=test)
        args = [*dict.fromkeys([self.pick(known), *self.some(known, 3)])]
        kinds, arms = None, []
        for _ in range(2):
            inputs = tuple(map(self.new, args))
            inside, nodes = self.steps(
                inputs, depth + 1, self.random.randint(0, 3), True
            )
            given = {value.kind for value in args}
            kinds = kinds or [self.random.choice([*given]) for _ in range(2)]
            outputs = tuple(self.pick(inside, kind) for kind in kinds)
            arms.append(Graph(inputs, tuple(nodes), outputs))
        out = tuple(map(self.new, arms[0].outputs))
        return [decided, Node(Branch(*arms), (test, *args), out=out)]

    def loop(self, known, depth, lists=(), count=None):
        count, number = count or self.random.randint(1, 4), self.pick(known)
        first = [self.random.choice(known[-5:]), *self.some(known, 2)]
        consts = [*dict.fromkeys([number, *self.some(known, 2)])]
        each = [
            Value(v.shape, F8, None, "array" if v.shape else "scalar") for v in lists
        ]
        states, parameters = [*map(self.new, first)], [*map(self.new, consts)]
        inputs = *each, *states, *parameters
        inside, nodes = self.steps(inputs, depth + 1, self.random.randint(1, 4))
        carried = [self.pick(inside, state.kind) for state in states]
        last, kept, listed = (
            [*dict.fromkeys(self.some(inside, most))]
            for most in (2, 1, 0 if lists else 1)
        )
        body = Graph(inputs, tuple(nodes), (*carried, *last, *kept, *listed))
        counts = map(len, (each, carried, last, kept, listed))
        function = Loop(body, count, (), *counts, self.random.random() < 0.3)
        results = [*map(self.new, (*carried, *last))]
        results += [self.new(value) for value in kept for _ in range(count)]
        appended = [Value(value.shape, F8, None, "list") for value in listed]
        out = (*results, *appended)
        node = Node(function, (*lists, *first, *consts), out=out)
        if not appended:
            return [node]
        return [node, *self.loop([*known, *results], depth, appended, count)]


@pytest.mark.parametrize("concern", [1, deleting.CONCERN])
def test_what_is_nested_is_computed_as_the_graph_says(concern, monkeypatch):
    monkeypatch.setattr(deleting, "CONCERN", concern)
    for seed in range(50):
        graph, draws = Program(seed).graph, np.random.default_rng(seed)
        none = (None,) * len(graph.inputs)
        joint = Joint(graph.inputs, graph.nodes, graph.outputs, gradients=none)
        module = build("nested", split(optimize(joint)))
        for _ in range(2):
            args = *map(np.float64, draws.normal(size=3)), draws.normal(size=3)
            found, expected = module.forward(*args), evaluate(graph, args)
            for item, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(item, other, 1e-9, 1e-9, err_msg=str(seed))
