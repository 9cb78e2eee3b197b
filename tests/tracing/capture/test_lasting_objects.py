"""Random functions that keep, tell or return a number in something else, then move it.

As a key of a dict, in a slice, in the closure of a function: wherever it is, it is the
number, of its kind, and not what has stood for it while the function was recorded.
"""

import functools
import random
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.capture.lasting_objects import (
    is_defined_in,
    is_lasting,
    is_of_environment,
)
from tests.corpus.seen import Seen
from tests.one_liners import execute

# Numbers that change from call to call: arguments, what is outside, what is computed.
SOURCES = """
n|N|thing.n|len(items)|n + 1|-N|x[0].item()|float(x[0])|x[0]|r|thing.rate|i|int(x[0])
np.sum(x)|RATE|r * 2.0|float(n)|n * r|np.argmax(x)|x[0] > 1|bool(x[0] > 1)
"""
# What they are put into.
HOLDERS = """
{{{}: 1}}|{{"a": {}}}|{{{}}}|frozenset([{}])|({}, 1)|{{({}, 2): [1]}}|dict([({}, 1)])
{{"a": [{{{}: ()}}]}}|Counter([{}])|OrderedDict([({}, 1)])|deque([{{{}: 1}}])
slice(0, {})|slice(f"{{{}}}", 1)|range(n, n + {})|{{frozenset([{}]): 1}}|Pair({}, {{}})
Pair(1, {{{}: 2}})|Frozen({}, {{}})|{{Frozen({}, 1): 1}}|{{Pair({}, 1): 1}}
(lambda k: lambda: k)({})|lambda k={}: k|(lambda k: lambda: k)([{}])|lambda *, k={}: k
Frozen({}, 1).give|[{}].copy|thing.give|functools.partial(max, {})|remembered(({}, 1))
remembered(frozenset([{}]))|remembered(Pair({}, 1))|SimpleNamespace(d={{{}: 1}})
{{k: 1 for k in [{}]}}|dict.fromkeys([{}])|repr({{{}: (1,)}})|f"{{[{}]}}"|{{str({}): 1}}
{{**{{{}: 1}}, "a": 2}}|list({{{}: 1}})|dict(zip([{}], [2]))
{{True: 1, {}: 2}}|np.array([{}, 1])|iter([{}])|ValueError({})|{{thing: {}}}
"""
KEEPING = """
items.append({})|items.extend([{}])|items.insert(0, {})|items[:] = [{}]|thing.kept = {}
table["a"] = {}|table.setdefault("a", {})|table.update(a={})|KEPT.append({})
thing.kept = [{}]|table["a"] = {{"b": {}}}|return {}|return x * 2.0, [{}]|print({})
raise ValueError({})|return {{"b": {}, "x": x}}
"""


def forms(text):
    return text.strip().replace("\n", "|").split("|")


def write_function(rng):
    sources, holders = forms(SOURCES), forms(HOLDERS)
    lines = []
    for _ in range(rng.randint(1, 2)):
        held = rng.choice(holders).format(rng.choice(sources))
        lines.append(rng.choice(forms(KEEPING)).format(held))
    return [*lines, "return x * 2.0 + r"]


Pair = namedtuple("Pair", "first second")


@dataclass(frozen=True)
class Frozen:
    first: object
    second: object

    def give(self):
        return self.first


class Thing:
    def __init__(self):
        self.n, self.rate, self.kept = 0, 0.5, None

    def give(self):
        return self.n


KNOWN = (Counter, OrderedDict, defaultdict, deque, Pair, Frozen, SimpleNamespace)


class World:
    """A function, what it is given, and what it keeps."""

    def __init__(self, lines):
        text = "def keeps(x, n, r, i):\n"
        text += "".join(f"    {line}\n" for line in lines)
        self.names = {kind.__name__: kind for kind in KNOWN}
        self.names |= {"np": np, "functools": functools, "KEPT": [], "print": self.told}
        self.names |= {"items": [], "table": {}, "thing": Thing()}
        self.names["remembered"] = functools.cache(lambda item: repr(item))
        execute(text, "keeps", self.names)
        self.function = self.names["keeps"]

    def told(self, item):
        self.names["KEPT"].append(item)

    def seen(self, function, number):
        thing = self.names["thing"]
        thing.n = self.names["N"] = 2 + number
        thing.rate = self.names["RATE"] = rate = 0.5 + number % 4
        x, seen = np.array([1.5 + number, 2.0, 3.0]), Seen()
        try:
            found = function(x, number, rate, np.int64(number))
        except (ValueError, TypeError) as error:
            found = error.args
        kept = map(self.names.get, ("items", "table", "thing", "KEPT"))
        return [seen(each) for each in (found, *kept)]


@pytest.mark.seeds(3)
def test_what_is_kept_is_a_number_and_not_what_stands_for_it(seed):
    rng = random.Random(seed)
    for _ in range(12):
        lines = write_function(rng)
        untraced, world = World(lines), World(lines)
        traced = srcgrad.trace(world.function)
        for number in (0, 1, 2, 3, 3, 0, 4):
            ours = world.seen(traced, number)
            theirs = untraced.seen(untraced.function, number)
            assert ours == theirs, (lines, traced.explain())


def test_what_lasts():
    def inner():
        return None

    assert is_lasting((1, frozenset([("a", np.float32(2.0))]), len))
    assert not is_lasting(([],))
    assert is_of_environment(Thing)
    assert not is_of_environment(type("Other", (), {"table": {np.sum: slice(N)}}))
    assert is_of_environment(inner)
    assert is_defined_in(Thing(), Thing.give)
    assert not is_defined_in(Thing(), inner)


N = srcgrad.tracing.environment.texts.Text(str, (2,))
