"""The rule for ``np.einsum``: the gradient of each operand is an einsum, too."""

from itertools import chain

import numpy as np

from srcgrad.rules.broadcasting import reshaped
from srcgrad.rules.complexes import conj
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.updates import scatter

# In the order of the numbers that may stand for them.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def spelled_out(subscripts, shapes):
    """The labels of each operand and of the result, one letter for each axis.

    >>> spelled_out("i...,...j", [(2, 3), (3, 4)])
    (['iA', 'Aj'], 'Aij')
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    used = set(subscripts)
    fresh = "".join(c for c in LETTERS if c not in used)
    terms = []
    wide = ""
    for term, shape in zip(inputs.split(","), shapes, strict=True):
        stands_for = len(shape) - len(term.replace("...", ""))
        # Ellipses are broadcast: they have their last axes in common.
        dots = fresh[:stands_for][::-1]
        wide = max(wide, dots, key=len)
        terms.append(term.replace("...", dots))
    if not arrow:
        labels = "".join(terms)
        once = sorted(c for c in set(labels) - set(wide) if labels.count(c) == 1)
        output = "..." + "".join(once)
    return terms, output.replace("...", wide)


def sizes_of(terms, shapes):
    """The length of each label's axis; one of 1 is broadcast."""
    sizes: dict[str, int] = {}
    for label, n in zip(
        chain.from_iterable(terms), chain.from_iterable(shapes), strict=True
    ):
        if sizes.get(label, 1) == 1:
            sizes[label] = n
    return sizes


def operand_back(g, k, operands, terms, output, shapes, optimize):
    """Take the labels of the result and of the others to those of operand k."""
    sizes = sizes_of(terms, shapes)
    own = dict(zip(terms[k], shapes[k], strict=True))
    within = set(output).union(*terms[:k], *terms[k + 1 :])
    # An axis that nobody else has, or that was broadcast, comes in afterwards.
    given = "".join(c for c, n in own.items() if c in within and n == sizes[c])
    if len(terms) > 1 or given != output:
        labels = ",".join([*terms[:k], output, *terms[k + 1 :]])
        arrays = [g if i == k else conj(x) for i, x in enumerate(operands)]
        keywords = {"optimize": optimize} if optimize else {}
        g = np.einsum(f"{labels}->{given}", *arrays, **keywords)
    lengths = dict(zip(given, g.shape, strict=True))
    g = reshaped(g, tuple(lengths.get(c, 1) for c in own))
    if g.shape != (shape := tuple(own.values())):
        g = np.broadcast_to(g, shape)
    return g if len(own) == len(terms[k]) else on_diagonal(g, terms[k], shapes[k])


def on_diagonal(g, term, shape):
    """Put a cotangent where the axes that share a label have the same index."""
    labels = list(dict.fromkeys(term))
    index = tuple(
        np.reshape(np.arange(n), [n if c == label else 1 for c in labels])
        for label, n in zip(term, shape, strict=True)
    )
    return scatter(g, index, shape)


def einsum_back(g, subscripts, operands, operands_needed, optimize):
    if not isinstance(subscripts, str):  # the first array, and its numbers after it
        _, *back = numbered_back(g, (subscripts, *operands), operands_needed, optimize)
        return back
    shapes = tuple(map(np.shape, operands))
    terms, output = spelled_out(subscripts, shapes)
    return [
        operand_back(g, k, operands, terms, output, shapes, optimize)
        if needed
        else None
        for k, needed in enumerate(operands_needed)
    ]


# ----- The other way to call it: np.einsum(a, [0, 1], b, [1, 2], [0, 2]) -----


def lettered(numbers):
    return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)


def first_back(g, subscripts, operands, optimize):
    items = (subscripts, *operands)
    return numbered_back(g, items, (False,) * len(operands), optimize, first=True)[0]


def numbered_back(g, items, needed, optimize, first=False):
    """The gradients of arrays and lists of numbers that take turns."""
    last = len(items) // 2 * 2
    arrays, numbers = items[:last:2], items[1:last:2]
    subscripts = ",".join(map(lettered, numbers))
    if last < len(items):
        subscripts += f"->{lettered(items[last])}"
    back = einsum_back(
        g, subscripts, arrays, (first, *needed[1 : last - 1 : 2]), optimize
    )
    found = [None] * len(items)
    found[:last:2] = back
    return found


defvjp(np.einsum, subscripts=first_back, operands=einsum_back)
defconstant(np.einsum_path)
