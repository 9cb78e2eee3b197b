"""Loops along lists of all kinds: traced as untraced, whatever is done with the items.

A list of numbers, of tuples of these, of arrays; somewhere in the program's world, or
made by the function; which the loop goes along in one of the ways there are. Between the
calls it gets other items, more of them, fewer, some of another kind, or is another list.
"""

import random

import numpy as np
import pytest

import srcgrad
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
    number, real = draw.randrange(8), round(draw.uniform(-2.0, 2.0), 2)
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
    "zip(ITEMS, ITEMS[1:])": "TARGET, (_)",
    "reversed(ITEMS)": "TARGET",
    "tuple(ITEMS)": "TARGET",
    "ITEMS[1:]": "TARGET",
    "sorted(ITEMS, key=str)": "TARGET",
    "{k: v for k, v in enumerate(ITEMS)}.items()": "k, TARGET",
    "dict(enumerate(ITEMS)).values()": "TARGET",
    "zip(ITEMS, OTHERS, strict=True)": "TARGET, b",
    "itertools.combinations(ITEMS, 2)": "TARGET, _",
    "itertools.product(ITEMS, OTHERS)": "TARGET, b",
    "combinations(range(len(ITEMS)), 2)": "i, j",
    "itertools.permutations(range(4), 2)": "i, j",
    "itertools.product(range(3), repeat=2)": "i, j",
    "product(ITEMS, range(2))": "TARGET, k",
}
# Where the list is: in the world, and in the function.
PLACES = {
    "items": "items",
    "box.items": "box.items",
    "config['items']": "config['items']",
    "closed": "closed",
    "default": "default",
    "given": "given",
}
# What is done with an integer, an array of three, a number, or anything.
OF_INTS = """
s = s + x[I]|s = s + x[I] * I|s = s + w[I, 0] * x[I - 1]|s = s * 0.5 + x[-I]
y[I] += x[0] * 0.5|if I > 2:; s = s + x[1]|if I % 2:; continue|s = s + x[I // 2]
s = s + table.get(I, 0.25) * x[0]|s = s + x[I] if I < 4 else s * 0.9|count += I
s = s + I / 3|s = s + 2.0 ** I * 0.01|s += I * I * x[2]|last = I|s = s + np.sin(I * x[1])
s = s + np.exp(-I) * x[0]|s = s + np.float64(I) * x[0]|s = s + float(I)|s = s + x[I:].sum()
s = s + x[:I].sum() * 0.1|z = z + w[I] * x[I]|for q in range(I):; s = s + x[q] * 0.1
s = s + x[[I, 0]].sum()|s = s + np.take(x, I)|if x[I] > 0.2:; s = s + x[I] * x[0]
if I == 3:; break|log.append(I)|text += str(I)|print(I)|s = s + (I == 2) * x[1]
s = s + x[(I + 1) % 8]|s = s + x[8 - I]|s = s + abs(I - 3) * x[3]|y[I] = x[I] * 2.0
s = s + y[I] * x[0]|s = s + (I * 2 + 1) * x[1]|s = s - I|seen.add(I)|s = max(s, x[I])
found.append(x[I])|s = s + w[I].sum()|s = s + math.sqrt(abs(I)) * x[0]|s = s + min(I, 3)
names[I] = x[I]|s = s + x[I] * (-1) ** I|y[:I] += 0.1 * x[0]|s = s + I ** 2 * x[1]
s = s + (I if x[0] > 0.0 else 2) * x[1]|s = s + sum(x[q] for q in (I, 0))|k2 = I * I
s = s + (x[I] - x[k2 % 8]) ** 2|s = s + np.array([I, 2.0]) @ x[:2]|s = s + divmod(I, 3)[1]
"""
OF_TWO = """
if i == j:; continue|s = s + (x[i] - x[j]) ** 2|s = s + w[i, j % 3] * x[j]|y[i] -= x[j]
if i < j:; s = s + x[j]|s = s + x[(i + j) % 8]|s = s + x[i * j % 8]|d = x[i] - x[j]
s = s + 1.0 / (1.0 + (x[i] - x[j]) ** 2)|s = s + (i - j) * x[0]|z = z + w[i] - w[j]
"""
OF_FLOATS = """
s = s + V * x[0]|s = s * V + 0.1|if V > 0.5:; s = s + x[1]|s = s + x[int(abs(V))]
s = s + np.exp(V) * x[1]|best = max(best, V)|s = s + V ** 2|log.append(V)|s = s + V / 3
z = z * V + x[0]|if s > V:; s = s * 0.5|s = s + (x[2] - V) ** 2|text += f'{V:.1f}'|last = V
s = s + round(V) * x[0]|count += V|s = s + math.sin(V) * x[0]|found.append(V)|print(V)
s = min(s + 1.0, V)|s = s + max(V, 0.0) * x[1]|V = V * 2.0;s = s + V|s = s - V * V * x[3]
s = s + np.maximum(V, x[0])|s = s + abs(V) ** 0.5 * x[2]|s = s + bool(V) * x[1]
"""
OF_ARRAYS = """
z = z + a * x[0]|s = s + a @ z|z = np.tanh(a + z)|s = s + a[0] * x[1]|a += 0.1
a[1] = 0.5|s = s + np.sum(a * w[1])|if a[0] > 0.0:; s = s + a[1]|last = a|found.append(a)
s = s + len(a) * x[0]|z = z * 0.5 + a[::-1]|s = s + float(a[0])|s = s + a.sum() * s * 0.1
log.append(a[1])|s = s + (a is last) * x[0]
"""
OF_OTHERS = {
    "p": "s = s + x[p[0]]|s = s + x[p[0]] * x[p[1]]|last = p|seen.add(p)|i, j = p;s = s + x[i]"
    "|s = s + len(p) * x[0]|if p[0] == p[1]:; continue|log.append(p[0])|names[p] = s"
    "|s = s + sum(p) * x[1]|s = s + w[p[0], 1] - x[p[1] - 1]|s = s + x[p[-1]]"
    "|s = s + np.sum(x[[*p]])|for q in p:; s = s + x[q]|s = s + x[max(p)]",
    "r": "for q in r:; s = s + x[q] * 0.5|s = s + len(r) * x[0]|s = s + sum(x[q] for q in r)"
    "|for n, q in enumerate(r):; s = s + x[q] * n|s = s + np.sum(x[r])",
    "t": "s = s + x[int(t)]|text += t|s = s + len(t) * x[0]",
    "b": "s = s + x[b] * 0.3|s = s + b * x[4]|y[b] += x[1]|if b > 2:; s = s + x[2]",
    "c": "s = s + c * 0.3|s = s + np.sin(c) * x[0]|if c > 0.5:; s = s * 0.7",
    "k": "s = s + x[k % 8] * 0.2|s = s + k * x[1]|y[k % 8] += x[2]|if k == 3:; continue",
}
# What the loop may do to what it goes along.
TO_ITEMS = """
if len(ITEMS) < 9:; ITEMS.append(ITEMS[0])|ITEMS[-1] = ITEMS[0]|if len(ITEMS) > 5:; ITEMS.pop()
OTHERS[0] = 3|OTHERS[count % 3] += 1|n = len(ITEMS);s = s + n * x[0]|s = s + (ITEMS[0] is None)
"""
ENDS = """
return s|return s|return s + z.sum()|return s + np.sum(y) + 0.1 * count|return s * x[0]
return s + len(text) + len(found) + len(seen)|return s + sum(found, 0.0 * x[0])
return s, last|return s, found|return s, count, best|return z * s|return s, names, y
"""
CHANGES = """
LIST = NEW|LIST[:] = NEW|LIST[:] = MORE|LIST = MORE|LIST = FEWER|LIST[1] = ITEM|LIST[-1] = ITEM
LIST.append(ITEM)|LIST.reverse()|LIST[2] = ODD|del LIST[0]|LIST.clear()|LIST = ODDS|LIST = [ITEM]
LIST = tuple(NEW)|LIST = MANY|others[0] = 5|others[:] = others[::-1]|LIST[0] = LIST[1]
"""
FRAME = """
import itertools
from itertools import combinations, product
draws = 3
def draw(random):
    return random.normal(size=8) * 0.5 + 0.3, *(() if WHERE != "given" else (box.items,))
class box:
    pass
ALL
others = [1, 4, 2, 6, 0, 3, 5, 2]
w = np.arange(24.0).reshape(8, 3) * 0.1 - 1.0
table, log, seen_items = {1: 0.5, 3: -1.0}, [], set()
def made(closed):
    def f(x, given=None, default=closed):
        s, z, y, count, text, best = 0.0 * x[0], x[:3] * 0.5, np.zeros(8), 0, "", -9.0
        last, found, seen, names = None, [], set(), {}
        for TARGET in HEAD:
            BODY
        END
    return f
f = made(INITIAL)
"""


def pick(draw, texts):
    return draw.choice(texts.replace("\n", "|").strip("|").split("|"))


def body(draw, names, place, is_flat):
    """Some statements, of what there is."""
    lines = []
    for _ in range(draw.randrange(1, 5)):
        name = draw.choice(names) if names else "x"
        if name in "ij":
            is_two = "i" in names and "j" in names and draw.random() < 0.4
            text = pick(draw, OF_TWO if is_two else OF_INTS)
        elif name in "uv":
            text = pick(draw, OF_FLOATS)
        elif name == "a":
            text = pick(draw, OF_ARRAYS)
        else:
            text = pick(draw, OF_OTHERS.get(name, "s = s * 0.5 + x[0]"))
        if draw.random() < 0.05 and is_flat:
            text = pick(draw, TO_ITEMS)
        for old in "IV":
            text = text.replace(old, name) if old + "T" not in text else text
        for line in text.split(";"):
            lines.append(line.replace(" ", "    ", 1) if line[0] == " " else line)
    if draw.random() < 0.08:
        lines.append("if s > 4.0:")
        lines.append("    break")
    return [line.replace("ITEMS", place) for line in lines]


def program(draw, number):
    """A program with a loop along a list, and changes of its world."""
    kind = draw.choice(USUAL if draw.random() < 0.8 else [*KINDS])
    place = draw.choice([*PLACES])
    plain_heads = [*HEADS][:5] if draw.random() < 0.6 else [*HEADS]
    head = draw.choice(plain_heads)
    target = HEADS[head].replace(
        "TARGET",
        KINDS[kind]
        if "," not in KINDS[kind] or HEADS[head] == "TARGET"
        else f"({KINDS[kind]})",
    )
    target = target.replace("(_)", "_")
    names = [
        each
        for each in "ijuvaprtbck"
        if each in target.replace(",", " ").replace("(", " ").replace(")", " ").split()
    ]
    count = draw.choice((5, 6, 7, 8, 8, 12, 20, 3, 1, 0))
    own = items(draw, kind, count)
    is_flat = len(names) < 2 and kind != "whole pair" and kind != "one"
    lines = body(draw, names, place, is_flat)
    end = pick(draw, ENDS)
    if draw.random() < 0.1:  # it makes the list
        place_text, lines = own, [line.replace(place, "own") for line in lines]
        head = head.replace("ITEMS", "own")
        pre = f"own = {own}\n        "
    else:
        pre = ""
    stored = (
        place if place in ("items", "box.items", "config['items']") else "box.items"
    )
    setup = {
        "items": f"items = {own}",
        "box.items": f"box.items = {own}",
        "config['items']": f"config = {{'items': {own}}}",
    }[stored]
    text = (
        FRAME.replace("ALL", setup)
        .replace("WHERE", repr(place))
        .replace("INITIAL", stored)
        .replace("        for TARGET in HEAD", f"        {pre}for {target} in {head}")
        .replace("ITEMS", place)
        .replace("OTHERS", "others")
        .replace("BODY", "\n            ".join(lines))
        .replace("END", end)
    )
    changes = []
    for _ in range(draw.randrange(1, 5)):
        odd = draw.choice([*KINDS])
        change = pick(draw, CHANGES)
        for old, new in (
            ("NEW", items(draw, kind, count)),
            ("MORE", items(draw, kind, count + 2)),
            ("MANY", items(draw, kind, 30)),
            ("FEWER", items(draw, kind, max(count - 1, 0))),
            ("ODDS", items(draw, odd, count)),
            ("ODD", item(draw, odd)),
            ("ITEM", item(draw, kind)),
            ("LIST", stored),
        ):
            change = change.replace(old, new)
        changes.append(
            f"try:\n    {change}\nexcept (IndexError, AttributeError, TypeError):\n    pass\n"
        )
    return Program(f"generated rows {number}", text, changes, is_compiled=False)


@pytest.mark.seeds(8)
def test_a_loop_along_a_list_is_what_it_is_untraced(seed):
    made = program(random.Random(seed), seed)
    walk(made)
    walk_by_grad(made)
    check_variables(made)
