"""Random programs whose arguments are changed between the call and the way back.

Views and copies by layout, writes in place, detached parts: whatever the caller does to
its arrays in between, a traced call gives what the tape gives, to the error.
"""

import functools
import random

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from srcgrad.tracing.following import running
from tests import one_liners

# Never exactly at a jump, and of the size that keeps exponentials small.
VALUES = np.array([[0.31, -0.74, 1.12], [0.92, 0.23, -0.53]])

# Copies, or not: what is there, under another name.
SAME = """
{} * 1.0|+{}|{} - 0|{} ** 1|-(-{})|np.conj({})|{}.conj()|{}.astype(float)|{}.copy()
np.positive({})|{}.astype(float, copy=False)|{} / 1|np.copy({})|1.0 * {}|{} + 0.0
"""
VIEWS = """
{}.T|{}.ravel()|{}.reshape(-1)|{}[k]|{}[1:]|{}[::-1]|{}[..., None]|{}[0]|{}[:, 1]
{}.swapaxes(0, -1).reshape(-1)|np.squeeze({})|{}.T.ravel()|{}.reshape(2, 3)
np.reshape({}, (3, 2))|{}.flatten()|np.transpose({}).reshape(-1)|{}[k, None]
np.ravel({}, order="F")|np.atleast_2d({})|np.broadcast_to({}, (2, 2, 3))|{}[[k, 0]]
"""
# A view for an integer, a copy for an array of one or a truth value.
INDEXED = """
{}[k]|{}[j]|{}[True]|{}[np.bool_(True)]|{}[k, 0]|{}[..., k]|{}[:, k]|{}[k, None]
{}[j, 0]|{}[np.intp(1)]|{}[np.array(1)]|{}[(k, ...)]|{}[()]|{}[...]|{}[None, k]
{}[k, [0, 1]]|{}[[True, False]]|{}[k, ::-1]|{}[-k - 1]|{}[np.int64(0), 1:]
{}[j, None, :2]|{}[:, j]
"""
COMPUTED = """
np.sin({})|np.exp({} * 0.5)|np.tanh({})|-{}|{} * 2.0|np.maximum({}, 0.1)|{} ** 2|{} ** 3
np.where({} > 0.1, {}, 0.5 * {})|np.sum({}, axis=0)|np.mean({})|np.abs({})
np.cos({}) * np.sin({})|np.sum({} * {})|np.sqrt({} * {} + 1.0)|np.cumsum({})|1 - {}
1.0 / (2 + {})
"""
PAIRS = """
{} * {}|{} + {}|{} - {}|{} @ {}.T|np.maximum({}, {})|{} / (1.5 + {} * {})
{} * np.sin({})
"""
OFF_TAPE = "{}.detach()|{}.detach() * {}|({} - {}.detach()) * 2.0"
WRITES = """
{} += 1.0|{} *= 0.5|{}[0] = 0.5|{}[k] = 0.25|{}[j] += 1.0|{}[..., k] = 0.3
{}[..., 0] *= 3.0|{} -= {}.mean()|np.multiply({}, 2.0, out={})|{}[:] = 0.1
"""
KINDS = [
    (SAME, 3),
    (VIEWS, 3),
    (INDEXED, 2),
    (COMPUTED, 4),
    (PAIRS, 4),
    (OFF_TAPE, 1),
    (WRITES, 2),
]
FORMS = {text: text.strip().replace("\n", "|").split("|") for text, _ in KINDS}


def write_program(rng):
    """The lines of a function of four arrays, and the integers ``k`` and ``j``.

    And whether it writes into a plain ndarray of its own.
    """
    known = {name: VALUES.copy() for name in "wvbc"}
    variables = {"w", "v"}
    lines, writes_plain = [], False
    for number in range(rng.randint(3, 8)):
        text, _ = rng.choices(KINDS, [weight for _, weight in KINDS])[0]
        form = rng.choice(FORMS[text])
        names = sorted(variables if text == OFF_TAPE else known)
        names = [rng.choice(names[-4:] + names) for _ in range(form.count("{}"))]
        if text == WRITES:
            names = names[:1] * len(names)
            if names[0] in "wvbc":
                continue
            lines.append(form.format(*names))
            writes_plain = writes_plain or names[0] not in variables
            continue
        line = form.format(*names)
        try:
            with np.errstate(all="ignore"):
                found = eval(
                    line.replace(".detach()", ""),
                    {"np": np, "k": np.int64(1), "j": np.array(0)} | known,
                )
        except (ValueError, IndexError, TypeError):
            continue
        if not 0 < np.size(found) <= 36:
            continue
        name = f"h{number}"
        known[name] = found
        if variables.intersection(names):
            variables.add(name)
        if rng.random() < 0.15:
            lines += ["with srcgrad.no_grad():", f"    {name} = {line}"]
        else:
            lines.append(f"{name} = {line}")
    used = [*sorted(known)[-3:], "w"]
    terms = " + ".join(f"np.sum({name} * {name})" for name in used)
    cross = " + ".join(f"np.sum(w * np.mean({name}))" for name in sorted(known))
    return [*lines, f"return {terms} + {cross}"], writes_plain


def load(lines):
    head = "program(w, v, b, c, k, j)"
    return one_liners.function(head, lines, srcgrad=srcgrad)


LAYOUTS = {
    "rows": lambda a: a.copy(),
    "columns": np.asfortranarray,
    "part": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
}


def changes_b(w, v, b, c):
    b[...] = 0.7


def changes_c(w, v, b, c):
    c *= -2.0


def changes_v(w, v, b, c):
    with srcgrad.no_grad():
        v += 1.0


def changes_w(w, v, b, c):
    w *= 2.0


def replaces_v(w, v, b, c):
    v.data = np.zeros(v.shape)


CHANGES = (changes_b, changes_c, changes_v, changes_w, replaces_v)


class Call:
    """The arguments of one call, and what is done to them before the way back."""

    def __init__(self, rng):
        self.layouts = [rng.choice(list(LAYOUTS.values())) for _ in range(4)]
        self.changes = [change for change in CHANGES if rng.random() < 0.35]
        self.k, self.j = np.int64(rng.randint(0, 1)), np.array(rng.randint(0, 1))
        self.requires_grad = rng.random() < 0.3
        self.create_graph = rng.random() < 0.6

    def outcome(self, function):
        """Value, gradients and second derivatives; or the error."""
        w, v, b, c = (
            layout(VALUES * scale)
            for layout, scale in zip(self.layouts, (1.0, 0.7, 1.3, 0.9), strict=True)
        )
        leaf, v = Variable(w, True), Variable(v, self.requires_grad)
        w = leaf * 1.0
        leaves = [leaf, v] if self.requires_grad else [leaf]
        try:
            with np.errstate(all="ignore"):
                out = function(w, v, b, c, self.k, self.j)
                for change in self.changes:
                    change(w, v, b, c)
                return [out.item(), *self._derivatives(out, leaves)]
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            return type(error).__name__, str(error)[:50]

    def _derivatives(self, out, leaves):
        options = {"allow_unused": True}
        first = autograd.grad(out, leaves, create_graph=self.create_graph, **options)
        live = [np.sum(g * g) for g in first if g is not None and g.requires_grad]
        second = autograd.grad(live, leaves, **options) if live else ()
        return [None if g is None else g.data for g in (*first, *second)]


def followed(function, *args):
    return running.run(function, args, {})


def are_close(ours, theirs):
    if isinstance(theirs, tuple) or isinstance(ours, tuple):
        return ours == theirs
    return len(ours) == len(theirs) and all(
        (a is None) == (b is None)
        and (a is None or np.allclose(a, b, rtol=1e-8, atol=1e-10, equal_nan=True))
        for a, b in zip(ours, theirs, strict=True)
    )


@pytest.mark.seeds(3)
def test_what_the_caller_changes_in_between(seed):
    rng = random.Random(seed)
    compiled = 0
    for _ in range(10):
        lines, writes_plain = write_program(rng)
        function = expected = load(lines)
        if writes_plain:  # which a bare tape does not see; see `docs/semantics.md`
            expected = functools.partial(followed, function)
        traced = srcgrad.trace(function)
        for call in [Call(rng) for _ in range(4) for _ in range(2)]:
            ours, theirs = call.outcome(traced), call.outcome(expected)
            assert are_close(ours, theirs), (lines, vars(call), ours, theirs)
        compiled += traced.stats.compiled
    assert compiled > 0
