"""Loops along lists of all kinds: traced as untraced, whatever is done with the items.

A list, or tuple, of numbers, of tuples of these, of arrays; somewhere in the program's
world, or made by the function; along which the loop goes in one of the ways there are.
Between calls it gets other items, more or fewer, some of another kind, or is another.
"""

import random
import re

import numpy as np
import pytest

from tests.corpus.programs import Program
from tests.corpus.walks import check_variables, walk, walk_by_grad

# What an item may be; the names of it by what each is; how an item is taken apart.
KINDS = {
    "int": "i",
    "negative": "i",
    "float": "v",
    "pair": "i, j",
    "bond": "i, j, v",
    "nested": "(i, j), v",
    "one": "(i,)",
    "row": "i, j",
    "floats": "u, v",
    "array": "a",
    "weighed": "i, a",
    "whole pair": "p",
    "huge": "i",
    "bool": "i",
    "int or float": "v",
    "int or none": "i",
    "scalar": "i",
    "scalar float": "v",
    "ragged": "r",
    "text": "t",
}
USUAL = [*KINDS][:12]


def item(draw, kind):
    """The text of an item."""
    number, real = (
        draw.randrange(8),
        round(draw.choice((draw.uniform(-2.0, 2.0), 0.5, 0.0, -0.0)), 2),
    )
    other = draw.randrange(8)
    array = f"np.array([{real}, {number}.0, 0.5])"
    return {
        "int": f"{number}",
        "negative": f"{number - 8}",
        "float": f"{real}",
        "pair": f"({number}, {other})",
        "bond": f"({number}, {other}, {real})",
        "nested": f"(({number}, {other}), {real})",
        "one": f"({number},)",
        "row": f"[{number}, {other}]",
        "floats": f"({real}, {real + 0.5})",
        "array": array,
        "weighed": f"({number}, {array})",
        "whole pair": f"({number}, {other})",
        "huge": f"{draw.choice((2**53 + number, 2**70, number, 2**20 + 1))}",
        "bool": f"{number > 3}",
        "int or float": f"{draw.choice((number, real))}",
        "int or none": f"{draw.choice((number, None))}",
        "scalar": f"np.int64({number})",
        "scalar float": f"np.float64({real})",
        "ragged": f"{[draw.randrange(8) for _ in range(draw.randrange(4))]}",
        "text": f"'{number}'",
    }[kind]


def items(draw, kind, count):
    return "[" + ", ".join(item(draw, kind) for _ in range(count)) + "]"


# How a loop goes along; what its target is.
HEADS = {
    "ITEMS": "TARGET",
    "enumerate(ITEMS)": "k, TARGET",
    "enumerate(ITEMS, 2)": "k, TARGET",
    "zip(ITEMS, x)": "TARGET, c",
    "zip(x, ITEMS)": "c, TARGET",
    "zip(ITEMS, OTHERS)": "TARGET, b",
    "zip(range(1, 7), ITEMS)": "k, TARGET",
    "enumerate(zip(ITEMS, x))": "k, (TARGET, c)",
    "zip(ITEMS, ITEMS[1:])": "TARGET, _",
    "zip(ITEMS, x[:5])": "_, c",
    "enumerate(ITEMS[:])": "k, _",
    "reversed(ITEMS)": "TARGET",
    "tuple(ITEMS)": "TARGET",
    "ITEMS[1:]": "TARGET",
    "sorted(ITEMS, key=str)": "TARGET",
    "{k: v for k, v in enumerate(ITEMS)}.items()": "k, TARGET",
    "dict(enumerate(ITEMS)).values()": "TARGET",
    "zip(ITEMS, OTHERS, strict=True)": "TARGET, b",
    "itertools.combinations(ITEMS, 2)": "TARGET, _",
    "itertools.product(ITEMS, (4, 0, 1))": "TARGET, b",
    "combinations(range(len(ITEMS)), 2)": "i, j",
    "itertools.permutations(range(4), 2)": "i, j",
    "itertools.product(range(3), repeat=2)": "i, j",
    "product(ITEMS, range(2))": "TARGET, k",
}
# Where the list is, as the function sees it.
PLACES = ("items", "box.items", "config['items']", "closed", "default", "given")
# What is done with an integer, a number, an array of three, or what a name stands for.
OF_INTS = """
s = s + x[I]|s = s + x[I] * I|s = s + w[I, 0] * x[I - 1]|s = s * 0.5 + x[-I]|s = s - I
y[I] += x[0] * 0.5|if I > 2:; s = s + x[1]|if I % 2:; continue|s = s + x[I // 2]
last = I
s = s + table.get(I, 0.25) * x[0]|s = s + x[I] if I < 4 else s * 0.9|count += I
s = s + I / 3|s = s + 2.0 ** I * 0.01|s += I * I * x[2]|s = s + np.sin(I * x[1])
print(I)
s = s + np.exp(-I) * x[0]|s = s + np.float64(I) * x[0]|s = s + float(I)
log.append(I + 1)
s = s + x[I:].sum()|s = s + x[:I].sum() * 0.1|for q in range(I):; s = s + x[q] * 0.1
z = z + w[I] * x[I]|s = s + x[[I, 0]].sum()|s = s + np.take(x, I)|if I == 3:; break
if x[I] > 0.2:; s = s + x[I] * x[0]|text += str(I)|s = s + (I == 2) * x[1]|seen.add(I)
s = s + x[(I + 1) % 8]|s = s + x[8 - I]|s = s + abs(I - 3) * x[3]|y[I] = x[I] * 2.0
s = s + y[I] * x[0]|s = s + (I * 2 + 1) * x[1]|s = max(s, x[I])|found.append(x[I])
s = s + w[I].sum()|s = s + math.sqrt(abs(I)) * x[0]|s = s + min(I, 3)|names[I] = x[I]
s = s + x[I] * (-1) ** I|y[:I] += 0.1 * x[0]|s = s + I ** 2 * x[1]|k2 = I * I
s = s + (I if x[0] > 0.0 else 2) * x[1]|s = s + sum(x[q] for q in (I, 0))|w[I, 1] += 0.1
s = s + (x[I] - x[last or 0]) ** 2|s = s + np.array([I, 2.0]) @ x[:2]|I = I + 1
s = s + divmod(I, 3)[1]|found.append(I)|last = x[I]
while I > 2:; I = I - 1; s = s + x[I]
s = s + I % 3|s = s - (I - 3) ** 3 * x[0]|s = s + x[I] * x[I]|s = s + (x[I] > 0) * x[1]
"""
OF_TWO = """
if i == j:; continue|s = s + (x[i] - x[j]) ** 2|s = s + w[i, j % 3] * x[j]|y[i] -= x[j]
if i < j:; s = s + x[j]|s = s + x[(i + j) % 8]|s = s + x[i * j % 8]|i, j = j, i
s = s + 1.0 / (1.0 + (x[i] - x[j]) ** 2)|s = s + (i - j) * x[0]|z = z + w[i] - w[j]
s = s + np.sqrt((w[i] - w[j]) @ (w[i] - w[j]) + x[0] ** 2)|s = s + x[max(i, j)]
"""
OF_FLOATS = """
s = s + V * x[0]|s = s * V + 0.1|if V > 0.5:; s = s + x[1]|s = s + x[int(abs(V))]
s = s + np.exp(V) * x[1]|best = max(best, V)|s = s + V ** 2|log.append(V * 2)
s = s + V / 3
z = z * V + x[0]|if s > V:; s = s * 0.5|s = s + (x[2] - V) ** 2|last = V|print(V)
s = s + round(V) * x[0]|count += V|s = s + math.sin(V) * x[0]|found.append(V)
s = min(s + 1.0, V)|s = s + max(V, 0.0) * x[1]|V = V * 2.0;s = s + V
s = s - V * V * x[3]
s = s + np.maximum(V, x[0])|s = s + abs(V) ** 0.5 * x[2]|s = s + bool(V) * x[1]
text += f'{V:.1f}'|if V == 0.5:; break|s = s + 1.0 / (V * V + 1.0)|s = s + x[0] ** V
"""
OF_ARRAYS = """
z = z + a * x[0]|s = s + a @ z|z = np.tanh(a + z)|s = s + a[0] * x[1]|a += 0.1
a[1] = 0.5
s = s + np.sum(a * w[1])|if a[0] > 0.0:; s = s + a[1]|last = a|found.append(a)
s = s + len(a) * x[0]|z = z * 0.5 + a[::-1]|s = s + float(a[0])
s = s + a.sum() * s * 0.1
log.append(a[1] * 2)|s = s + (a is last) * x[0]|q = a[1:];q *= 0.5|found.append(a[1:])
if last is not None:; s = s + (a - last) @ z;last = a|a = a * 2.0;z = z + a
keep.append(a)
"""
OF_OTHERS = {
    "p": "s = s + x[p[0]]|s = s + x[p[0]] * x[p[1]]|last = p|log.append(len(p))"
    "|seen.add(p)|i, j = p;s = s + x[i]|s = s + len(p) * x[0]|if p[0] == p[1]:; break"
    "|s = s + sum(p) * x[1]|s = s + w[p[0], 1] - x[p[1] - 1]|s = s + x[p[-1]]"
    "|s = s + np.sum(x[[*p]])|for q in p:; s = s + x[q]|s = s + x[max(p)]|s = s + w[p]",
    "r": "for q in r:; s = s + x[q] * 0.5|s = s + len(r) * x[0]|s = s + np.sum(x[r])"
    "|for n, q in enumerate(r):; s = s + x[q] * n|s = s + sum(x[q] for q in r)"
    "|keep.append(r)|for q in r:; for o in r:;  s = s + x[q] * x[o]|last = r",
    "t": "s = s + x[int(t)]|text += t|s = s + len(t) * x[0]",
    "b": "s = s + x[b] * 0.3|s = s + b * x[4]|y[b] += x[1]|if b > 2:; s = s + x[2]",
    "c": "s = s + c * 0.3|s = s + np.sin(c) * x[0]|if c > 0.5:; s = s * 0.7",
    "k": "s = s + x[k % 8] * 0.2|s = s + k * x[1]|y[k % 8] += x[2]|if k == 3:; break",
}
ANYWAY = "s = s * 0.5 + x[0]|if s > 4.0:; break|if s > 1.0:; s = s - x[1]"
# What the loop may do to what it goes along.
TO_ITEMS = """
if len(ITEMS) < 9:; ITEMS.append(ITEMS[0])|ITEMS[-1] = ITEMS[0]|n = len(ITEMS);s = s + n
if len(ITEMS) > 5:; ITEMS.pop()|others[0] = 3|others[count % 3] += 1|s = s + ITEMS[0]
"""
ENDS = """
return s|return s|return s + z.sum()|return s + np.sum(y) + 0.1 * count|return s * x[0]
return s + len(text) + len(found) + len(seen)|return s + sum(found, 0.0 * x[0])
return s, last|return s, found|return s, count, best|return z * s|return s, names, y
"""
CHANGES = """
LIST = NEW|LIST[:] = NEW|LIST[:] = MORE|LIST = MORE|LIST = FEWER|LIST[1] = ITEM
LIST.append(ITEM)|LIST.reverse()|LIST[2] = ODD|del LIST[0]|LIST.clear()|LIST = ODDS
LIST = [ITEM]|LIST = tuple(NEW)|LIST = MANY|others[0] = 5|others[:] = others[::-1]
LIST[0] = LIST[1]|LIST[-1] = ITEM
"""
# The same of a tuple.
CHANGES_OF_TUPLES = """
LIST = tuple(NEW)|LIST = tuple(NEW)|LIST = tuple(NEW)|LIST = tuple(MORE)|LIST = NEW
LIST = tuple(LIST)[::-1]|LIST = (*LIST[:-1], ITEM)|LIST = (ITEM, *LIST[1:])
LIST = (*LIST[1:], ODD)|LIST = LIST[1:]|others[0] = 5
"""
FRAME = """
import contextlib, itertools
from itertools import combinations, product
draws = 3
def draw(random):
    return random.normal(size=8) * 0.5 + 0.3, *GIVEN
class box:
    pass
config = {}
LIST = INITIAL
others = [1, 4, 2, 6, 0, 3, 5, 2]
w = np.arange(24.0).reshape(8, 3) * 0.1 - 1.0
table, log, keep = {1: 0.5, 3: -1.0}, [], []
def made(closed):
    def f(x, given=None, default=closed):
        s, z, y, count, text, best = 0.0 * x[0], x[:3] * 0.5, np.zeros(8), 0, "", -9.0
        last, found, seen, names = None, [], set(), {}
        OWN
        for TARGET in HEAD:
            BODY
        END
    return f
f = made(LIST)
"""


def pick(draw, texts):
    return draw.choice(texts.replace("\n", "|").strip("|").split("|"))


def statement(draw, names, is_flat):
    """Something that is done with one of the names, or what the loop goes along."""
    if draw.random() < 0.05 and is_flat:
        return pick(draw, TO_ITEMS)
    name = draw.choice([*names, ""])
    if name and name in "ij":
        is_two = {"i", "j"} <= {*names} and draw.random() < 0.4
        text = pick(draw, OF_TWO if is_two else OF_INTS)
        return re.sub(r"\bI\b", name, text)
    if name and name in "uv":
        return re.sub(r"\bV\b", name, pick(draw, OF_FLOATS))
    return pick(draw, OF_ARRAYS if name == "a" else OF_OTHERS.get(name, ANYWAY))


def indented(line):
    """A line in which one space is one level."""
    text = line.lstrip(" ")
    return "    " * (3 + len(line) - len(text)) + text


def program(draw, number):
    """A program with a loop along a list, and changes of its world."""
    kind = draw.choice(USUAL if draw.random() < 0.8 else [*KINDS])
    # What is given to one call after another has to stay what it is.
    where = draw.choice(PLACES[:-1] if "array" in kind or kind == "weighed" else PLACES)
    stored = where if "items" in where else "box.items"
    head = draw.choice([*HEADS][:5] if draw.random() < 0.6 else [*HEADS])
    item_of = KINDS[kind] if HEADS[head] == "TARGET" else f"({KINDS[kind]})"
    item_of = item_of if "," in item_of else KINDS[kind]
    target = HEADS[head].replace("TARGET", item_of)
    names = [each for each in "ijuvaprtbck" if re.search(rf"\b{each}\b", target)]
    count = draw.choice((5, 6, 7, 8, 8, 9, 12, 20, 20, 40, 3, 1, 0))
    is_flat = kind in ("int", "negative", "float", "scalar", "huge")
    lines = [statement(draw, names, is_flat) for _ in range(draw.randrange(1, 5))]
    if draw.random() < 0.1:  # the function makes the list
        where, own = "own", f"own = {items(draw, kind, count)}"
    else:
        own = "pass"
    is_tuple = draw.random() < 0.2
    initial = items(draw, kind, count)
    parts = {
        "GIVEN": "(box.items,)" if where == "given" else "()",
        "INITIAL": f"tuple({initial})" if is_tuple else initial,
        "LIST": stored,
        "OWN": own,
        "TARGET": target,
        "HEAD": head,
        "            BODY": "\n".join(map(indented, ";".join(lines).split(";"))),
        "END": pick(draw, ENDS),
        "ITEMS": where,
        "OTHERS": "others",
    }
    setup = filled(FRAME, parts)
    # Tuples of the world that are kept are not the world's own, yet.
    odd = ("array", "float", "row", "ragged") if "keep.append" in setup else [*KINDS]
    table = CHANGES_OF_TUPLES if is_tuple else CHANGES
    changes = [
        change(draw, table, kind, odd, stored, count)
        for _ in range(draw.randrange(1, 5))
    ]
    return Program(f"generated rows {number}", setup, changes, is_compiled=False)


def change(draw, table, kind, others, stored, count):
    """What becomes of the list between two calls, if it can."""
    odd = draw.choice(others)
    parts = {
        "NEW": items(draw, kind, count),
        "MORE": items(draw, kind, count + 2),
        "MANY": items(draw, kind, 30),
        "FEWER": items(draw, kind, max(count - 1, 0)),
        "ODDS": items(draw, odd, count),
        "ODD": item(draw, odd),
        "ITEM": item(draw, kind),
        "LIST": stored,
    }
    text = filled(pick(draw, table), parts)
    return (
        f"try:\n    {text}\nexcept (IndexError, AttributeError, TypeError):\n    pass\n"
    )


def filled(text, parts):
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


@pytest.mark.seeds(8)
def test_a_loop_along_a_list_is_what_it_is_untraced(seed):
    made = program(random.Random(seed), seed)
    with np.errstate(all="ignore"):
        walk(made)
        walk_by_grad(made)
        check_variables(made)
