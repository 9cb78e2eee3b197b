"""``report_page``: the page of a function, of what is known of it and its traces."""

from typing import Any

from srcgrad.tracing.report.counterparts import Counterparts
from srcgrad.tracing.report.page import MOST_SECTIONS, Section, page
from srcgrad.tracing.report.profiles import Profile


def report_page(traced: Any, form: Any, profile: Profile | None = None) -> str:
    """The page.

    Parameters
    ----------
    traced : Traced
        What has the traces.
    form : hashable
        The form of a transform whose traces are told; None: all are.
    profile : Profile, optional
        What the lines of one of them cost; it comes first.
    """
    found, traces = traced.found_of(form)
    sections = [
        Section(trace, Counterparts(trace, traced.function), each)
        for trace, each in zip(traces[:MOST_SECTIONS], found["traces"], strict=False)
    ]
    if profile is not None:
        own = Section(profile.trace, profile.counterparts, profile.found, profile.costs)
        others = [each for each in sections if each.trace is not own.trace]
        sections = [own, *others]
    return page(found, sections)
