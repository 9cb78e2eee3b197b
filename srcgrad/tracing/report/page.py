"""The report as a page: one file of HTML that needs nothing else."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from srcgrad.graph import walk
from srcgrad.tracing.report.counterparts import Counterparts
from srcgrad.tracing.report.drawing import MOST_STEPS, drawn
from srcgrad.tracing.report.measuring import Costs
from srcgrad.tracing.report.panes import Panes, source_pane
from srcgrad.tracing.report.units import bytes_told, seconds_told
from srcgrad.tracing.serving.reports import of_times
from srcgrad.tracing.serving.trace import Trace

STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("report.js").read_text(encoding="utf-8")

# Of further traces the code is not shown.
MOST_SECTIONS = 16

# A larger graph is drawn all the same, but shown on demand.
SHOWN_AT_ONCE = 150

HOW_TO_POINT = (
    "Point at a line, or tab into a pane: what belongs together lights up. "
    "<kbd>↑</kbd> <kbd>↓</kbd> go from line to line, <kbd>←</kbd> <kbd>→</kbd> to the "
    "counterpart in the next pane, a click holds it."
)


UNCALLED = "<p>It has not been called yet: call it, or <code>compile</code> it.</p>"


class Section(NamedTuple):
    """One trace.

    ``found`` is what ``tracing.reports`` says of it, ``costs`` are those of a profile,
    if there is one.
    """

    trace: Trace
    counterparts: Counterparts
    found: dict[str, Any]
    costs: Costs | None = None


def page(found: dict[str, Any], sections: Sequence[Section]) -> str:
    """The page for a function.

    Parameters
    ----------
    found : dict
        What ``tracing.reports`` says of the function.
    sections : sequence of Section
        Its traces, or the first of them.
    """
    count = max(len(sections), len(found["traces"]))
    parts = [_section(each, k, count) for k, each in enumerate(sections, 1)]
    if count > len(sections):
        parts.append(
            f'<p class="note">There are {count - len(sections)} more traces: '
            "<code>source()</code> and <code>explain()</code> tell all.</p>"
        )
    return document(escape(found["function"]), _head(found) + "".join(parts))


def _head(found: dict[str, Any]) -> str:
    """What is said of a function, before its traces."""
    title, place = escape(found["function"]), escape(found["place"] or "")
    is_known = found["calls"] or found["traces"] or found["on_the_tape"]
    return (
        f"<header><h1>{title}</h1><p>{place}</p></header>{_counts(found)}"
        f"{_told('Calls that no trace fitted', _misses(found))}"
        f"{_told('On the tape', _on_the_tape(found))}"
        f"{'' if is_known else UNCALLED}"
    )


def document(title: str, body: str) -> str:
    """A whole file; ``title`` and ``body`` are HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title>\n<style>\n{STYLE}</style></head>\n"
        f"<body>{body}\n<script>\n{SCRIPT}</script></body></html>\n"
    )


def _counts(found: dict[str, Any]) -> str:
    told = {
        "calls": found["calls"],
        "hits": found["compiled"],
        "on the tape": found["tape"],
        "traces": found["traces_made"],
        "misses": found["misses"],
    }
    parts = (f"<div><dt>{key}</dt><dd>{each}</dd></div>" for key, each in told.items())
    return f'<dl class="counts">{"".join(parts)}</dl>'


Facts = Iterable[tuple[str, str]]


def _misses(found: dict[str, Any]) -> Facts:
    for call, text in found["misses_at"]:
        yield f"call {call}", text
    known = {text for _, text in found["misses_at"]}
    for text in found["last_misses"]:
        if text not in known:
            yield "last", text


def _on_the_tape(found: dict[str, Any]) -> Facts:
    for each in found["on_the_tape"]:
        yield "because", each["reason"]
        if each["instead"]:
            yield "instead", each["instead"]


def _told(title: str, facts: Facts, panes: Panes | None = None) -> str:
    rows = [
        f"<dt>{escape(word)}</dt><dd{panes.key_in(text) if panes else ''}>"
        f"{escape(text)}</dd>"
        for word, text in facts
    ]
    if not rows:
        return ""
    return f'<h3>{escape(title)}</h3><dl class="facts">{"".join(rows)}</dl>'


def _section(section: Section, number: int, count: int) -> str:
    panes = Panes(section.counterparts, section.costs)
    title = f"Trace {number} of {count}" if count > 1 else "Trace"
    made = (
        f"{section.found['header']}, made in {seconds_told(section.found['seconds'])}"
    )
    is_open = " open" if number == 1 else ""
    cost = ""
    if section.costs is not None:
        cost = (
            f'<p class="keys">{seconds_told(section.costs.seconds)} a call, '
            f"{bytes_told(section.costs.most)} at most; for a line its time, its runs, "
            "and the bytes that it takes</p>"
        )
    return (
        f'<details class="trace"{is_open}><summary><h2>{title}</h2> '
        f'<span class="note">{escape(made)}</span></summary>'
        f'<p class="keys">{HOW_TO_POINT}</p>{cost}{panes.html()}'
        f"{_told('When it holds', _facts(section.found), panes)}"
        f"{_graph(section.trace, panes)}</details>"
    )


def _facts(found: dict[str, Any]) -> Facts:
    return [*_conditions(found)] or [("always", "for all arguments of these kinds")]


def _conditions(found: dict[str, Any]) -> Facts:
    for text in found["inputs"]:
        yield "input", text
    for text, times in zip(found["branches"], found["ran"], strict=True):
        yield "both arms", text + of_times(times)
    for word, key in (
        ("any count", "endings"),
        ("guard", "guards"),
        ("one arm", "one_armed"),
        ("note", "notes"),
        ("then", "effects"),
    ):
        for text in found[key]:
            yield word, text
    if found.get("parts") is not None:
        own, first = found["parts"]
        yield "parts from the first", f"{own}; there: {first}"


def _graph(trace: Trace, panes: Panes) -> str:
    graph = trace.about.optimised
    steps = sum(1 for _ in walk(graph))
    picture = drawn(graph, panes.key_at)
    if picture is None:
        told = f"It has {steps} steps: more than {MOST_STEPS} are not drawn."
        return f'<h3>Graph</h3><p class="note">{told}</p>' if steps else ""
    legend = "".join(
        f'<span class="legend" style="background:var(--{kind});'
        f'border-color:var(--{edge})"></span>{word}'
        for kind, edge, word in (
            ("step", "step-edge", "forward"),
            ("back", "back-edge", "backward"),
            ("value", "line", "in and out"),
        )
    )
    return (
        f"<details{'' if steps > SHOWN_AT_ONCE else ' open'}><summary><h3 "
        f'style="display:inline">Graph</h3><span class="note">{legend}</span></summary>'
        f'<div class="graph" data-pane>{picture}</div></details>'
    )


# ----- In notebooks -----
# In rem: what a line of source takes, and what is around them; a page with traces, and
# one without.
LINE_HEIGHT, HEAD_HEIGHT, MOST_HEIGHT, LEAST_HEIGHT = 1.25, 4.5, 42.0, 14.0


def framed(html: str, height: float = MOST_HEIGHT) -> str:
    """A page in a notebook, whose own style and keys it leaves alone."""
    return (
        f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" title="srcgrad" '
        f'style="width: 100%; height: {min(height, MOST_HEIGHT):.0f}rem; border: 0; '
        'resize: vertical; overflow: auto"></iframe>'
    )


def page_frame(html: str) -> str:
    """The page of a function."""
    return framed(html, MOST_HEIGHT if "<details" in html else LEAST_HEIGHT)


def section_frame(section: Section) -> str:
    """One trace alone."""
    title = escape(section.found["header"])
    return framed(document(title, _section(section, 1, 1)))


def source_frame(text: str) -> str:
    """Generated modules alone."""
    pane = f'<div class="alone">{source_pane(text)}</div>'
    return framed(
        document("source", pane), HEAD_HEIGHT + LINE_HEIGHT * text.count("\n")
    )


def explanation_frame(found: dict[str, Any]) -> str:
    """What is compiled, what is not, and why."""
    body = _head(found) + "".join(
        _told(each["header"], _facts(each)) for each in found["traces"]
    )
    return framed(
        document(escape(found["function"]), body),
        LEAST_HEIGHT + 8 * body.count("<h3>"),
    )
