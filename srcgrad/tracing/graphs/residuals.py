"""``Residuals``: what the tape saves for the backward pass, and who may change it.

An array that the caller holds as well is saved as it is: who changes it before the way
back changes what is saved. A result is saved for good, and so it must be in generated
code: ``b * 1.0`` is no longer ``b`` where ``b`` may have become another.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.steps import Node, Step, Value
from srcgrad.tape.versions import is_view


@dataclass(frozen=True, slots=True)
class Residuals:
    """What the tape has saved.

    Attributes
    ----------
    read : tuple of Value
        All of it, under all its names: a function may give back what it got.
    kept : tuple of Value
        What the run has computed in memory of its own, and views of that.
    held : tuple of Value
        Of these, without the views, what cannot be computed again later, for it depends
        on arrays without a version, which may have changed unnoticed by then.
    unversioned : tuple of Value
        Those arrays.
    same : tuple of pairs of Value
        Of what is kept, a function's result and the argument that it has given back.
    """

    read: tuple[Value, ...] = ()
    kept: tuple[Value, ...] = ()
    held: tuple[Value, ...] = ()
    unversioned: tuple[Value, ...] = ()
    same: tuple[tuple[Value, Value], ...] = ()


NO_RESIDUALS = Residuals()


def residuals_of(
    read: Iterable[Value],
    steps: Sequence[Step],
    raws: Mapping[Value, Any],
    uncounted: Iterable[Value],
) -> Residuals:
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
    makers = {v: step for step in steps if type(step) is Node for v in step.results}
    chains = [views_from(value, makers, raws) for value in read]
    own = [_owned(chain, makers) for chain in chains]
    bases = dict.fromkeys(chain[-1] for chain in own if chain)
    kept = tuple(dict.fromkeys(value for chain in own for value in chain))
    read = tuple(
        dict.fromkeys(v for c in chains for v in c if raws.get(v) is raws.get(c[0]))
    )
    unversioned = tuple(value for value in uncounted if value.kind == "array")
    unsafe = set(unversioned)
    for step in steps:
        if type(step) is Node and (
            step.has_effect or not unsafe.isdisjoint(step.inputs)
        ):
            unsafe.update(step.results)
    held = tuple(value for value in bases if value in unsafe)
    same = dict.fromkeys(
        (value, source)
        for chain in own
        for value, source in pairwise(chain)
        if raws[value] is raws.get(source)
    )
    return Residuals(read, kept, held, unversioned, tuple(same))


def views_from(
    value: Value, makers: Mapping[Value, Node], raws: Mapping[Value, Any]
) -> list[Value]:
    """An array, what it is a view of, and so on, to what has memory of its own."""
    chain = [value]
    while (node := makers.get(chain[-1])) is not None and node.shares_memory:
        raw = raws.get(chain[-1])
        sources = (v for v in node.inputs if is_view(raw, raws.get(v)))
        source = next(sources, None)
        if source is None:
            break
        chain.append(source)
    return chain


def _owned(chain: list[Value], makers: Mapping[Value, Node]) -> list[Value]:
    """The part of the chain that is not the caller's, or may not be another time.

    A view of an input may be a copy, if that lies in memory in another way.
    """
    if chain[-1] in makers:
        return chain
    for position, value in enumerate(chain[:-1], 1):
        if facts_of(makers[value].function).by_layout:
            return chain[:position]
    return []


def raws_in(saved: Any) -> Iterator[Any]:
    """The arrays and numbers among what a node has saved."""
    if isinstance(saved, (tuple, list)):
        for item in saved:
            yield from raws_in(item)
    elif isinstance(saved, slice):
        yield from raws_in((saved.start, saved.stop, saved.step))
    elif isinstance(saved, (np.ndarray, np.generic, float, complex)):
        yield saved
