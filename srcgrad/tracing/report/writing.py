"""``report_page``: the page of a function, of what is known of it and its traces."""

from typing import Any

from srcgrad.tracing.report.counterparts import Counterparts
from srcgrad.tracing.report.page import Section, page
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
        What the lines of one of them cost.
    """
    found, traces = traced.found_of(form)
    own = None
    if profile is not None:
        own = Section(profile.trace, profile.counterparts, profile.found, profile.costs)
        if profile.trace not in traces:  # others have taken its place meanwhile
            traces, found["traces"] = (
                [own.trace, *traces],
                [own.found, *found["traces"]],
            )
    sections = [
        own._replace(found=each)
        if own is not None and trace is own.trace
        else Section(trace, Counterparts(trace, traced.function), each)
        for trace, each in zip(traces, found["traces"], strict=True)
    ]
    return page(found, sections)
