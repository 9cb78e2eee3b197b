"""What a traced function tells about itself: ``explain()``, headers, divergences."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.emit.checks import reason, shown_location
from srcgrad.emit.names import one_line
from srcgrad.errors import short_name, shown
from srcgrad.graph import walk
from srcgrad.protocols import raw_of
from srcgrad.selections import has_several
from srcgrad.steps import Guard, Location, Node, Step
from srcgrad.tracing.environment.callables import shown_for
from srcgrad.tracing.environment.signature import Signature, is_dynamic
from srcgrad.tracing.serving.cache import RECENT, Entry, Stats
from srcgrad.tracing.serving.hints import hint
from srcgrad.tracing.serving.trace import Trace
from srcgrad.tracing.user_code import one_armed


def report(
    function: FunctionType,
    stats: Stats,
    entries: Iterable[Entry],
    reasons: Iterable[str],
) -> dict[str, Any]:
    """What is compiled, what is not, and why.

    Returns
    -------
    dict
        ``function`` and ``place``; the counters; ``traces``, each with its ``header``,
        ``inputs`` of the environment, ``branches`` of which both arms are known, how
        often their tests ``ran`` true and false in the call that was recorded,
        ``endings`` of loops that go on for any number of times, ``guards`` (an arm
        never seen is one), ``one_armed`` (why that is so of an ``if``), ``notes`` and
        ``effects``, and where it ``parts`` from the first of its signature: the guards
        of both, and the ``seconds`` it took to make; ``last_misses`` (why calls last
        did not fit), ``misses_at`` (which calls, and why), and ``on_the_tape``: pairs
        of a ``reason`` and what to write ``instead``.
    """
    entries = list(entries)
    refusals = [entry.refusal for entry in entries]
    others = [why for entry in entries if entry.refusal for why in entry.obstacles]
    return {
        "function": function.__name__,
        "place": place_of(function),
        **_counters(stats),
        "traces": [
            of_trace(function, made) | {"parts": _parting(made, e.traces[0])}
            for e in entries
            for made in e.traces
        ],
        "last_misses": [*dict.fromkeys(e.last_miss for e in entries if e.last_miss)],
        "misses_at": sorted(miss for e in entries for miss in e.misses)[-RECENT:],
        "on_the_tape": [
            {"reason": why, "instead": hint(why)}
            for why in dict.fromkeys((*refusals, *others, *reasons))
            if why is not None
        ],
    }


def report_untraced(name: str) -> dict[str, Any]:
    """The same of what is not written in Python, whose calls nobody counts.

    >>> print(explain(report_untraced("sin")))
    sin (not written in Python)
      on the tape: every call: the function is not written in Python
        instead: a function of your own that calls it, `lambda x: sin(x)` say
    """
    why = {
        "reason": "every call: the function is not written in Python",
        "instead": f"a function of your own that calls it, `lambda x: {name}(x)` say",
    }
    return {
        "function": name,
        "place": None,
        **_counters(Stats()),
        **{key: [] for key in ("traces", "last_misses", "misses_at")},
        "on_the_tape": [why],
    }


def source(entries: Iterable[Entry], tier: str = "numpy") -> str:
    """The generated modules, most recently used first in each signature.

    Those of the ``"native"`` tier are what Numba compiles.
    """
    traces = [trace for entry in entries for trace in entry.traces]
    if tier == "native":
        machines = [trace.module.machine for trace in traces]
        return "\n\n".join(each.text for each in machines if each and each.text)
    return "\n\n".join(
        text
        for trace in traces
        for text in (trace.module.text, *trace.gradients.backwards.texts)
    )


def why_none(entries: Sequence[Entry], is_own: bool, tier: str = "numpy") -> str:
    """Why there is none; ``is_own``: the function is not decorated."""
    machines = [t.module.machine for entry in entries for t in entry.traces]
    if tier == "native" and machines:
        said = [each.said for each in machines if each]
        return (
            said[0]
            if said
            else (
                "it was traced without `srcgrad.set_native`, and stays with NumPy; "
                '`srcgrad.trace(f, native="now")` makes machine code of it'
            )
        )
    reasons = [entry.refusal for entry in entries if entry.refusal]
    if entries and not reasons and is_own:
        return (
            "its first call runs on the tape, and is not written down: call it once "
            "more, or say `compile(...)` with its arguments"
        )
    if not reasons:
        return "it has not been called yet"
    instead = hint(reasons[0])
    return f"{reasons[0]}; instead: {instead}" if instead else reasons[0]


def met_once(entries: Iterable[Entry]) -> list[str]:
    """That signatures wait for a second call, which is to be recorded."""
    kinds = sum(not (entry.traces or entry.refusal) for entry in entries)
    if not kinds:
        return []
    times = "one kind came once" if kinds == 1 else f"{kinds} kinds came once each"
    return [
        f"arguments of {times} (shapes, dtypes, integers): a trace is made of the "
        "second call of a kind"
    ]


def _counters(stats: Stats) -> dict[str, int]:
    counters = {"calls": stats.calls, **dataclasses.asdict(stats)}
    counters["traces_made"] = counters.pop("traces")
    return counters


def of_trace(function: FunctionType, made: Trace) -> dict[str, Any]:
    """What ``report`` says of one trace, but for where it parts from the first."""
    inputs = made.replay.graph.inputs
    own = inputs[: len(inputs) - len(made.guards.environment.taken)]
    mentions = made.guards.assumptions.mentions()
    return {
        "header": header_of(function, own),
        "inputs": [each.text for each in made.guards.environment.taken],
        "branches": [
            f"{shown_location(where)}{where.text}" for where in _branches(made)
        ],
        "ran": [_times(made, where) for where in _branches(made)],
        "endings": _exit_conditions(made),
        "guards": [
            *dict.fromkeys(map(str, made.guards.environment.conditions)),
            *(f"{name} is what it was" for name in mentions),
            *(
                text + (f" ({count} times)" if count > 1 else "")
                for text, count in Counter(_value_guards(made)).items()
            ),
        ],
        "one_armed": _one_armed(made),
        "notes": [
            *made.about.notes,
            *(f"is for any `{text}`" for text in made.about.lengths),
        ],
        "effects": [] if made.effects is None else [*made.effects.told()],
        "machine_code": getattr(made.module.machine, "said", None),
        "seconds": made.about.seconds,
    }


def _parting(made: Trace, first: Trace) -> tuple[str, str] | None:
    """Where a trace and the first of its signature part: the guards of both."""
    own, others = (
        [*map(str, trace.guards.environment.conditions), *_value_guards(trace)]
        for trace in (made, first)
    )
    known = {_asked(text): text for text in others}
    # What says nothing of an answer (`f` is what it was) is no question.
    pairs = [(text, known.get(_asked(text), text)) for text in own if _asked(text)]
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def _asked(guard: str) -> str:
    """What a guard asks, without the answer."""
    return guard.rpartition(" was ")[0]


def _counted(count: int, word: str, words: str = "") -> str:
    return f"{count} {word if count == 1 else words or f'{word}s'}"


def explain(found: dict[str, Any]) -> str:
    """The same in words; what is the same for many signatures is said once."""
    lines = [f"{found['function']} ({found['place'] or 'not written in Python'})"]
    if found["place"] is not None:
        lines.append(
            f"  {_counted(found['calls'], 'call')}: {found['compiled']} compiled, "
            f"{found['tape']} on the tape; {_counted(found['traces_made'], 'trace')}, "
            f"{_counted(found['misses'], 'miss', 'misses')}"
        )
    for made in found["traces"]:
        lines.append(f"  trace: {made['header']}")
        lines.append(f"    made in {1e3 * made['seconds']:.1f} ms")
        lines += [f"    input: {text}" for text in made["inputs"]]
        for text, times in zip(made["branches"], made["ran"], strict=True):
            lines.append(f"    both arms: {text}{of_times(times)}")
        lines += [f"    any count: {text}" for text in made["endings"]]
        lines += [f"    guard: {text}" for text in made["guards"]]
        lines += [f"    one arm: {text}" for text in made["one_armed"]]
        if made["parts"] is not None:
            own, first = made["parts"]
            lines.append(f"    parts from the first: {own}; there: {first}")
        lines += [f"    note: {text}" for text in made["notes"]]
        if made["machine_code"]:
            lines.append(f"    answered by: {made['machine_code']}")
        lines += [f"    then: {text}" for text in made["effects"]]
    lines += [f"  last miss: {text}" for text in found["last_misses"]]
    if len(found["misses_at"]) > 1:
        lines += [f"    at call {call}: {text}" for call, text in found["misses_at"]]
    for each in found["on_the_tape"]:
        lines.append(f"  on the tape: {each['reason']}")
        lines += [f"    instead: {each['instead']}"] if each["instead"] else []
    # Names and texts of the user's make no lines of their own.
    return "\n".join(map(one_line, lines))


def header_of(function: FunctionType, inputs: Sequence[Any]) -> str:
    """What a generated module is for; ``inputs`` are those that are arguments."""
    arguments = ", ".join(_described(value) for value in inputs)
    return one_line(
        f"{function.__name__}, traced at {place_of(function)}, for {arguments}"
    )


def arguments_of(signature: Signature) -> str:
    """The arguments that a signature fixes, and the shapes of the others."""
    return ", ".join(
        str(np.shape(raw_of(leaf))) if is_dynamic(leaf) else shown(leaf)
        for leaf in signature.leaves
    )


def place_of(function: FunctionType) -> str:
    code = shown_for(function).__code__
    return f"{short_name(code.co_filename)}:{code.co_firstlineno}"


def _described(value: Any) -> str:
    if value.kind == "float":
        return f"{value.name}: {value.promoted.__name__}"
    shape = ", ".join(map(str, value.shape))
    return f"{value.name}: {value.dtype}" + (
        f"[{shape}]" if value.kind == "array" else ""
    )


def _value_guards(trace: Trace) -> list[str]:
    return [
        reason(step)
        for step in _steps(trace)
        if type(step) is Guard and step.where is not None and not step.ends
    ]


def _branches(trace: Trace) -> list[Location]:
    """The lines of the user's of which both arms are known."""
    places = [step.where for step in _steps(trace) if _is_branch(step)]
    shown = {f"{shown_location(where)}{where.text}": where for where in places if where}
    return [*shown.values()]


def _exit_conditions(trace: Trace) -> list[str]:
    """The lines of the user's where loops end that take as many times as it takes."""
    places = [step.where for step in _steps(trace) if _ends_loop(step)]
    return [*dict.fromkeys(f"{shown_location(w)}{w.text.strip()}" for w in places if w)]


def _times(trace: Trace, where: Location) -> tuple[int, int]:
    """How often a test was true, and false, in the call that was recorded."""
    return trace.about.ran.get((where, True), 0), trace.about.ran.get((where, False), 0)


def of_times(times: tuple[int, int]) -> str:
    """How often which arm of an ``if`` ran, in parentheses."""
    true, false = times
    if not (true or false):
        return ""
    return f" (true {true} times, false {false} times, in the call that was recorded)"


def _one_armed(trace: Trace) -> list[str]:
    """Which ``if`` of the user's are conditions by what their arms do.

    A test that ends a loop is none, though a first iteration may stand before that.
    """
    steps = _steps(trace)
    ends = {step.where for step in steps if _ends_loop(step)}
    places = dict.fromkeys(
        step.where
        for step in steps
        if type(step) is Guard and step.convert is bool and step.where not in ends
    )
    found = (one_armed.told(where) for where in places if where is not None)
    return [*dict.fromkeys(text for text in found if text is not None)]


def _steps(trace: Trace) -> Sequence[Step]:
    """The steps on the tape; of what was made of them, if that chooses what to do."""
    graph = trace.about.optimised
    steps = [] if graph is None else [*walk(graph)]
    chooses = any(map(_chooses, steps))
    return steps if chooses else trace.replay.graph.nodes


def _chooses(step: Step) -> bool:
    """Whether a step makes one graph of what would be several."""
    is_any_count = type(step) is Guard and step.convert is has_several
    return is_any_count or _is_branch(step) or _ends_loop(step)


def _ends_loop(step: Step) -> bool:
    return type(step) is Guard and step.ends


def _is_branch(step: Step) -> bool:
    """Of a gradient alone there may be one in the backward graph only."""
    return type(step) is Node and type(step.function) is Branch
