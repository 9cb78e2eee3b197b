"""Random functions of several results, and anything that may be done to them after.

Walks back from some results to some targets, hooks, retained gradients, changes of the
results themselves, once and again, with ``create_graph`` and without: as on the tape.
"""

import random

import numpy as np
import pytest

from srcgrad import autograd
from tests import one_liners
from tests.tracing.walks import X, Y, assert_as_on_the_tape

STEPS = """
np.sin({})|np.exp({} * 0.3)|np.tanh({})|{} * 2.0|{} ** 2|-{}|{} + 1.0|{} * 1.0|{}[::-1]
{}[:2]|{}.reshape(2, 2)|{}.ravel()|np.sum({})|np.mean({}, axis=0)|{}.detach()|{}.copy()
{} * {}|{} + {}|{} - {}|{} / (2.0 + {} * {})|np.maximum({}, {})|np.dot({}, {})|{} @ {}
np.split({}, 2)[0]|np.linalg.norm({} + 3.0)|np.cumsum({})|{}[[0, 0, 1]]|np.sort({})
np.sign({})|np.floor({})|np.sign({}) * {}
"""
FORMS = STEPS.strip().replace("\n", "|").split("|")


def write_function(rng):
    """The lines of a function of ``x`` and ``y`` that returns a tuple."""
    known, live = {"x": X, "y": Y}, {"x", "y"}
    lines = []
    for number in range(rng.randint(2, 7)):
        form = rng.choice(FORMS)
        names = [rng.choice(sorted(live)) for _ in range(form.count("{}"))]
        line = form.format(*names)
        try:
            found = eval(line.replace(".detach()", ""), {"np": np} | known)
        except (ValueError, IndexError, TypeError):
            continue
        name = f"h{number}"
        known[name] = found
        lines.append(f"{name} = {line}")
        if ".detach()" not in line or name in live:
            live.add(name)
        elif rng.random() < 0.5:
            lines.append(f"{name} = {name} * {names[0]}")
            live.add(name)
    results = [rng.choice(sorted(live)) for _ in range(rng.randint(2, 4))]
    # A result that is an argument itself is no result of the function.
    results = [f"{name} * 3.0" if name in "xy" else name for name in results]
    return [*lines, f"return {', '.join(results)}"]


def load(lines):
    return one_liners.function("program(x, y)", lines)


def some(rng, items):
    return [item for item in items if rng.random() < 0.5] or [rng.choice(items)]


def plan_acts(rng, count):
    """What is done, in order: functions of a ``Run``."""
    numbers = list(range(count))
    acts = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.choice(["hook", "retain", "leaves", "back", "back", "grad", "write"])
        chosen, keep = some(rng, numbers), rng.random() < 0.6
        create_graph, second = rng.random() < 0.4, rng.random() < 0.5
        targets, scale = some(rng, [*numbers, "x", "y"]), rng.choice([None, 0.5])
        # With `create_graph` the graph is kept, unless that is asked for otherwise.
        options = {"retain_graph": keep or create_graph, "create_graph": create_graph}
        acts.append((kind, chosen, targets, options, scale, second))
    return acts


def perform(acts):
    """The acts as one function, which ends at the first error."""

    def run_all(run):
        for kind, chosen, targets, options, scale, second in acts:
            before = len(run.log)
            try:
                perform_one(run, kind, chosen, targets, options, scale, second)
            except RuntimeError as error:
                run.log[before:] = [(str(error)[:50], None)]
                return

    return run_all


def perform_one(run, kind, chosen, targets, options, scale, second):
    if kind == "hook":
        run.hook(chosen[0], scale)
    elif kind == "retain":
        run.results[chosen[0]].retain_grad()
    elif kind == "leaves":
        run.hook_leaves()
    elif kind == "write":
        result = run.results[chosen[0]]
        result *= 1.5
    elif kind == "back":
        cotangents = [run.cotangent(i) for i in chosen]
        autograd.backward([run.results[i] for i in chosen], cotangents, **options)
        run.note_grads()
    else:
        found = run.grad(
            chosen,
            lambda run: [
                run.results[t] if type(t) is int else vars(run)[t] for t in targets
            ],
            **options,
        )
        live = [np.sum(g * g) for g in found if g is not None and g.requires_grad]
        if live and second:
            again = autograd.grad(live, [run.x, run.y], allow_unused=True)
            for number, g in enumerate(again):
                run.note(f"second {number}", g)


@pytest.mark.seeds(12)
def test_whatever_is_done_to_several_results(seed):
    rng = random.Random(seed)
    for _ in range(5):
        lines = write_function(rng)
        function = load(lines)
        acts = plan_acts(rng, lines[-1].count(",") + 1)
        try:
            assert_as_on_the_tape(function, perform(acts), rtol=1e-9)
        except AssertionError as error:
            error.add_note("\n".join([*lines, *map(str, acts)]))
            raise
