"""Containers from outside that change while somebody goes along them, as Python has it.

Generated programs go along a container in one of many ways, and change it meanwhile:
results, errors with their texts, and what the container is afterwards are Python's.
"""

import collections
import functools
import heapq
import re
from random import Random

import numpy as np
import pytest

import srcgrad
from tests.one_liners import execute
from tests.tracing.comparing import plain

# What a container is at the start of a call, by the kinds below.
MADE = {
    "list": "[1.0, 2.0, 3.0]",
    "deque": "deque([1.0, 2.0, 3.0])",
    "dict": "{'a': 1.0, 'b': 2.0}",
    "OrderedDict": "OrderedDict(a=1.0, b=2.0)",
    "defaultdict": "defaultdict(float, a=1.0, b=2.0)",
    "Counter": "Counter(a=1, b=2)",
    "set": "{1, 2}",
    "rows": "[[1.0], [2.0, 3.0]]",
    "queue of rows": "deque([[1.0], [2.0, 3.0]])",
    "rows by name": "{'a': [1.0], 'b': [2.0, 3.0]}",
    "array": "np.array([1.0, 2.0, 3.0])",
}
# How one goes along it, and the number that is made of an item.
ROW = [
    *("v in T: v", "i, v in enumerate(T): v + i", "v, w in zip(T, T): v * w"),
    *("v, w in zip(x, T): v * w", "v in reversed(T): v", "v in iter(T): v"),
    *("v in map(twice, T): v", "v in filter(twice, T): v", "v in list(T): v"),
    *(
        "v in itertools.chain(T, [5.0]): v",
        "v in itertools.islice(T, 4): v",
        "v in (u * 2 for u in T): v",
    ),
    *("i in range(len(T)): T[i]", "i, v in enumerate(reversed(T)): v * i"),
]
LIST = ["v in T[:]: v", "v in T + [1.0]: v", "v in sorted(T): v", "v in T.copy(): v"]
NAMES = [
    *("k in T: T[k]", "k in T.keys(): T[k]", "v in T.values(): v", "v in V: v"),
    *("k, v in T.items(): v", "k, v in I: v", "k, v in zip(T, x): v", "k in K: T[k]"),
    *("i, k in enumerate(T): i", "k in reversed(T): T[k]", "k in iter(T): T[k]"),
    *("k in list(T): T[k]", "k, v in list(T.items()): v", "v in reversed(V): v"),
    *("k, v in zip(T.keys(), V): v", "i, (k, v) in enumerate(I): v + i"),
    *("k, v in T.copy().items(): v", "v in map(twice, V): v", "k in sorted(T): T[k]"),
]
SET = ["k in T: k", "i, k in enumerate(T): k", "k, v in zip(T, x): v * k"]
SET += ["k in list(T): k", "k in iter(T): k", "k in sorted(T): k"]
ROWS = [
    *(
        "r in T: sum(r)",
        "i, r in enumerate(T): r[0] + i",
        "r, v in zip(T, x): r[0] * v",
    ),
    *("r in reversed(T): sum(r)", "r in list(T): sum(r)", "r in filter(None, T): r[0]"),
    *(
        "r in map(as_it_is, T): sum(r)",
        "r, q in zip(T, T): q[0]",
        "r in [max(T)]: r[0]",
    ),
    *("r in sorted(T, key=len): r[0]", "r in [next(iter(T))]: r[0]"),
    *("r in heapq.nlargest(1, T): r[0]", "r in [functools.reduce(other, T)]: r[0]"),
]
ROWS_BY_NAME = [
    *("k, r in T.items(): sum(r)", "r in T.values(): sum(r)", "r in V: r[0]"),
    *("r, v in zip(V, x): r[0] * v", "i, (k, r) in enumerate(I): r[0] + i"),
    *("r in [max(V, key=len)]: r[0]", "r in list(dict(T).values()): r[0]"),
]
ARRAY = [way for way in ROW if "filter" not in way]
# What changes it; `n` is the number of the iteration, `s` what is computed.
LIST_CHANGES = [
    *("T.append(a * 0.5)", "T.append(s)", "T.insert(0, a)", "T.pop()", "T.pop(0)"),
    *(
        "T[-1] = a * 3.0",
        "T[n + 1] = s",
        "T.extend([a, 2.0])",
        "T.clear()",
        "grow(T, a)",
    ),
    *("T.reverse()", "T[:] = [a, a]", "T.remove(2.0)", "T.sort()", "del T[0]"),
    *("T.extend(T)", "T.extend(v * a for v in T if len(T) < 7)"),
]
QUEUE_CHANGES = [
    *("T.append(a * 0.5)", "T.appendleft(a)", "T.pop()", "T.popleft()", "T.clear()"),
    *("T[-1] = a * 3.0", "T.extend([a, 2.0])", "T.rotate(1)", "T[0] = s", "grow(T, a)"),
    *("T.append(T.popleft())", "T.append(T.pop())", "T.extend(v for v in T)"),
]
DICT_CHANGES = [
    *("T[f'z{n}'] = a", "T['b'] = T['b'] * 2 + 1", "T['a'] = n", "del T['b']"),
    *("T.pop('a')", "T.update(q=1)", "T.update(b=7)", "T.setdefault('w', 3)"),
    *("T['y'] = 1; del T['a']", "T.clear()", "T.popitem()", "T[f'c{n}']"),
    *("T['b'] = T.pop('b')", "T.update((k + 'x', v) for k, v in T.items())"),
]
SET_CHANGES = ["T.add(9 + n)", "T.discard(1)", "T.clear()", "T.update({7})", "T.add(1)"]
ROW_CHANGES = ["r.append(a)", "r[0] = a", "r.extend([a])", "r.pop()"]
ROWS_CHANGES = [
    *(*ROW_CHANGES, "T.append([a])", "T[-1].append(a)", "T[0] = [a]", "T[-1] = [a, s]"),
    *("T.pop()", "T.append(r)"),
]
NAME_CHANGES = [*ROW_CHANGES, "T['b'].append(a)", "T['z'] = [a]", "T['b'] = T['a']"]
ARRAY_CHANGES = ["T[n + 1] = s", "T[-1] = a", "T[:] = a", "T.fill(a)", "T.sort()"]
KINDS = {
    "list": (ROW + LIST, LIST_CHANGES),
    "deque": (ROW, QUEUE_CHANGES),
    "set": (SET, SET_CHANGES),
    "rows": (ROWS, ROWS_CHANGES),
    "queue of rows": (ROWS, ROWS_CHANGES),
    "rows by name": (ROWS_BY_NAME, NAME_CHANGES),
    "array": (ARRAY, ARRAY_CHANGES),
}
TESTS = ["n < 1", "n < 3", "n == 2", "len(T) < 5", "a * n < 3.0"]

LOOPS = [
    """\
for {names} in {items}:
    {body}
""",
    """\
for q in range(2):
    for {names} in {items}:
        {body}
""",
    """\
try:
    for {names} in {items}:
        {body}
except (RuntimeError, IndexError, KeyError, ValueError):
    s = s + 1000.0
""",
    """\
along = iter({items})
{names} = next(along)
{change}
for {names} in along:
    {body}
""",
    """\
def step({flat}):
    nonlocal s, n
    if n > 12:
        raise ValueError("too far")
    if {test}:
        {change}
    n = n + 1
    return {value}
s = s + sum([step({flat}) for {names} in {items}])
""",
    """\
for {names} in {items}:
    {body}
    if n == 2:
        break
{change}
""",
]
BODY = """\
if n > 12:
    break
if {test}:
    {change}
s = s + ({value}) * a
n = n + 1"""

# Names of views, which are made before the loop.
VIEWS = {"K": "K = T.keys()\n", "V": "V = T.values()\n", "I": "I = T.items()\n"}
# How a function begins, and where its container is.
PLACES = [
    ("def f(x, a):\n    global T", "T"),
    ("def f(x, a):\n    T = thing.t", "thing.t"),
    ("def f(x, a):\n    T = things['t']", "things['t']"),
    ("def f(x, a, T):", "thing.t"),
    ("def f(x, a):\n    return go(thing.t, x, a)\ndef go(T, x, a):", "thing.t"),
]


class Thing:
    t = None


def twice(v):
    return v * 2.0


def as_it_is(v):
    return v


def other(v, w):
    return v


def grow(t, a):
    t.append(a * 0.25)


def indented(text, by=4):
    """The lines of a text but for the first one, further to the right."""
    return text.replace("\n", "\n" + " " * by)


def program(random, kind):
    """A function ``f``, what is done before each call of it, and its container."""
    ways, changes = KINDS.get(kind, (NAMES, DICT_CHANGES))
    along, value = random.choice(ways).rsplit(": ", 1)
    names, items = along.split(" in ", 1)
    parts = {"names": names, "flat": re.sub(r"[()]", "", names), "items": items}
    parts |= {"value": value, "test": random.choice(TESTS)}
    parts |= {"change": random.choice(changes)}
    loop = random.choice(LOOPS)
    for line in loop.split("\n"):
        if "{body}" in line:
            loop = loop.replace("{body}", indented(BODY, line.index("{body}")))
    views = "".join(VIEWS[name] for name in re.findall(r"\b[KVI]\b", items))
    lines = f"n, s = 0, 0.0\n{views}{loop.format(**parts)}return s, n"
    head, where = random.choice(PLACES)
    text = f"{head}\n    {indented(lines)}\n"
    return text, f"{where} = {MADE[kind]}", where


def load(text):
    namespace = {**vars(collections), **globals(), "thing": Thing(), "things": {}}
    namespace |= {"functools": functools, "heapq": heapq}
    namespace["__name__"] = "program_of_a_user"
    return execute(text, "changes", namespace)


def outcome(function, *args):
    try:
        return plain(function(*args))
    except Exception as error:
        return type(error), str(error)


def told(item):
    """A container as something to compare; a set has no order."""
    return sorted(item) if isinstance(item, set) else (type(item), plain(item))


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.seeds(8)
def test_what_is_gone_along_changes_as_in_python(seed, kind):
    text, start, where = program(Random(f"{seed} {kind}"), kind)
    namespace = load(text)
    function = namespace["f"]
    x, is_given = np.array([0.5, 2.0, -1.0, 3.0]), "f(x, a, T)" in text

    def called(run, a):
        exec(start, namespace)
        container = eval(where, namespace)
        found = outcome(run, x, a, *[container] * is_given)
        return found, told(eval(where, namespace)), told(container)

    traced = srcgrad.trace(function)
    for a in (1.5, 0.5, 2.5, 1.5, 0.25, 3.5):
        assert called(traced, a) == called(function, a), f"{start}\n{text}a = {a}"
