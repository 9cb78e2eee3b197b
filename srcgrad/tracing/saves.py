"""``Saves``: what the tape has saved of a run, and who can change it meanwhile.

An array that the caller holds as well is saved as it is: who changes it before the way
back changes what is saved. A result is saved for good, and so it must be in generated
code: ``b * 1.0`` is no longer ``b`` where ``b`` may have become another.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.graph import Node, Step, Value
from srcgrad.tape.versions import is_view


@dataclass(frozen=True, slots=True)
class Saves:
    """What the tape has saved.

    Attributes
    ----------
    read : tuple of Value
        All of it.
    kept : tuple of Value
        What the run has computed in memory of its own; of a view the array under it.
    held : tuple of Value
        Those of them that cannot be computed again later, for they depend on arrays
        without a version, which may have changed unnoticed by then.
    """

    read: tuple[Value, ...] = ()
    kept: tuple[Value, ...] = ()
    held: tuple[Value, ...] = ()


NOTHING_SAVED = Saves()


def saves_of(
    read: Iterable[Value],
    steps: Sequence[Step],
    raws: Mapping[Value, Any],
    uncounted: Iterable[Value],
) -> Saves:
    """Tell what is kept, and what has to be held, of what the tape has saved.

    Parameters
    ----------
    read : iterable of Value
        What is saved.
    steps : sequence of Step
        The run.
    raws : mapping
        The array that each Value stood for in it.
    uncounted : iterable of Value
        The inputs without a version.
    """
    read = tuple(dict.fromkeys(read))
    makers = {v: step for step in steps if isinstance(step, Node) for v in step.results}
    bases = dict.fromkeys(under(value, makers, raws) for value in read)
    kept = tuple(value for value in bases if value in makers)
    unsafe = {value for value in uncounted if value.kind == "array"}
    for step in steps:
        if isinstance(step, Node) and (
            step.has_effect or not unsafe.isdisjoint(step.inputs)
        ):
            unsafe.update(step.results)
    return Saves(read, kept, tuple(value for value in kept if value in unsafe))


def under(
    value: Value, makers: Mapping[Value, Node], raws: Mapping[Value, Any]
) -> Value:
    """The array that a view is one of; itself, for what is in memory of its own."""
    while (node := makers.get(value)) is not None and node.shares_memory:
        sources = (v for v in node.inputs if is_view(raws.get(value), raws.get(v)))
        source = next(sources, None)
        if source is None:
            break
        value = source
    return value


def raws_in(saved: Any) -> Iterator[Any]:
    """The arrays and numbers among what a node has saved."""
    if isinstance(saved, (tuple, list)):
        for item in saved:
            yield from raws_in(item)
    elif isinstance(saved, slice):
        yield from raws_in((saved.start, saved.stop, saved.step))
    elif isinstance(saved, (np.ndarray, np.generic, float)):
        yield saved
